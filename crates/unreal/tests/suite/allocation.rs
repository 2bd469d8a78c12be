//! Opening allocates nothing, regardless of the size of the files.

use allocation_counter::measure;
use meshlens_unreal::script::Script;
use meshlens_unreal::write::Model;
use meshlens_unreal::{NormalScratch, Triangle, Unreal, VertexEncoding};

#[test]
fn opening_four_megabytes_allocates_nothing() {
    let mut model = Model::new(VertexEncoding::Packed, 4096);
    model.triangles = vec![Triangle { vertices: [0, 1, 4095], ..Triangle::default() }; 8192];
    for _ in 0..256 {
        model.add_integer_frame(&[[1, 2, 3]; 4096]).unwrap();
    }
    let files = model.write().unwrap();
    assert!(files.frames.len() > 4 << 20, "{}", files.frames.len());
    let mut out = vec![[0.0; 3]; 4096];

    let decoded = measure(|| {
        let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
        for frame in 0..unreal.frame_count() {
            unreal.positions(frame).unwrap().decode_into(&mut out).unwrap();
            unreal.unit_positions(frame).unwrap().decode_into(&mut out).unwrap();
        }
        unreal.checked_triangles().unwrap();
    });
    assert_eq!(decoded.bytes_total, 0, "opening or decoding allocates");

    // 40 bytes for each vertex, allocated once.
    let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
    let mut scratch = NormalScratch::default();
    let mut smooth =
        |frame| unreal.smooth_normals_into(frame, unreal.unit_scale(), &mut scratch, &mut out).unwrap();
    let used = measure(|| smooth(0)).bytes_total;
    assert!((4096 * 40..4096 * 46).contains(&used), "{used}");
    assert_eq!(measure(|| smooth(1)).bytes_total, 0, "the second frame allocates again");

    let mut claims = files.frames[..52].to_vec();
    claims[0..4].fill(0xff);
    let refused = measure(|| {
        assert!(Unreal::parse(&files.geometry, &claims).is_err(), "65,535 frames of 65,535 bytes in 52");
        assert!(Unreal::parse(&files.geometry[..60], &files.frames).is_err());
        assert!(Unreal::parse(&files.frames, &files.geometry).is_err());
        assert!(Script::parse(b"#exec MESH IMPORT MESH=").is_err());
    });
    assert!(refused.bytes_total < 128, "{refused:?}");

    let line = "#exec mesh sequence mesh=a seq=b\n";
    let text = line.repeat(20_000);
    let parsed = measure(|| assert_eq!(Script::parse(text.as_bytes()).unwrap().sequences().len(), 20_000));
    assert!(parsed.bytes_total < 4 * text.len() as u64 + (64 << 10), "{parsed:?} for {} bytes", text.len());
}
