//! Opening allocates nothing, whatever the files' size. Alone in its process, so that nothing else allocates.

use meshlens_unreal::script::Script;
use meshlens_unreal::write::Model;
use meshlens_unreal::{NormalScratch, Triangle, Unreal, VertexFormat};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

#[test]
fn opening_four_megabytes_allocates_nothing() {
    let mut model = Model::new(VertexFormat::Packed, 4096);
    model.triangles = vec![Triangle { vertices: [0, 1, 4095], ..Triangle::default() }; 8192];
    for _ in 0..256 {
        model.add_integer_frame(&[[1, 2, 3]; 4096]).unwrap();
    }
    let files = model.write().unwrap();
    assert!(files.frames.len() > 4 << 20, "{}", files.frames.len());
    let mut out = vec![[0.0; 3]; 4096];

    let region = Region::new(ALLOCATOR);
    let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
    assert_eq!(region.change().bytes_allocated, 0);

    for frame in 0..unreal.frame_count() {
        unreal.positions(frame).unwrap().decode_into(&mut out).unwrap();
        unreal.unit_positions(frame).unwrap().decode_into(&mut out).unwrap();
    }
    unreal.checked_triangles().unwrap();
    assert_eq!(region.change().bytes_allocated, 0, "decoding allocates");

    // 34 bytes for each vertex, once.
    let mut scratch = NormalScratch::default();
    unreal.smooth_normals_into(0, unreal.unit_scale(), &mut scratch, &mut out).unwrap();
    let used = region.change().bytes_allocated;
    assert!((4096 * 34..4096 * 40).contains(&used), "{used}");
    unreal.smooth_normals_into(1, unreal.unit_scale(), &mut scratch, &mut out).unwrap();
    assert_eq!(region.change().bytes_allocated, used, "the second frame allocates again");

    let mut claims = files.frames[..52].to_vec();
    claims[0..4].fill(0xff);
    let region = Region::new(ALLOCATOR);
    assert!(Unreal::parse(&files.geometry, &claims).is_err(), "65,535 frames of 65,535 bytes in 52");
    assert!(Unreal::parse(&files.geometry[..60], &files.frames).is_err());
    assert!(Unreal::parse(&files.frames, &files.geometry).is_err());
    assert!(Script::parse(b"#exec MESH IMPORT MESH=").is_err());
    assert!(region.change().bytes_allocated < 128, "{:?}", region.change());

    let line = "#exec mesh sequence mesh=a seq=b\n";
    let text = line.repeat(20_000);
    let region = Region::new(ALLOCATOR);
    assert_eq!(Script::parse(text.as_bytes()).unwrap().sequences().len(), 20_000);
    let used = region.change().bytes_allocated;
    assert!(used < 4 * text.len() + (64 << 10), "{used} for {} bytes", text.len());
}
