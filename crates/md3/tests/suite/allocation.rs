//! Opening a file allocates only a few bytes, independent of its size.

use allocation_counter::measure;
use meshlens_md3::Md3;
use meshlens_md3::write::{Frame, Model, Surface};

#[test]
fn opening_four_megabytes_allocates_under_four_kilobytes() {
    let mut model = Model::new("large").unwrap();
    model.frames = vec![Frame::named("frame").unwrap(); 256];
    for index in 0..4 {
        let mut surface = Surface::new(&format!("surface_{index}")).unwrap();
        surface.texcoords = vec![[0.0; 2]; 512];
        surface.triangles = vec![[0, 1, 2]; 1024];
        for _ in 0..256 {
            surface.add_frame(&[[1.0; 3]; 512], &[[0.0, 0.0, 1.0]; 512]).unwrap();
        }
        model.surfaces.push(surface);
    }
    let bytes = model.write().unwrap();
    assert!(bytes.len() > 4 << 20, "{}", bytes.len());
    let mut out = vec![[0.0; 3]; 512];

    let mut md3 = None;
    let opened = measure(|| md3 = Some(Md3::parse(&bytes).unwrap()));
    assert!(opened.bytes_total < 4096, "{opened:?}");
    assert!(opened.bytes_total > 0, "the surfaces' entries are counted, so the count works");

    let md3 = md3.unwrap();
    let decoded = measure(|| {
        for surface in md3.surfaces() {
            for frame in 0..surface.frame_count() {
                surface.positions(frame).unwrap().decode_into(&mut out).unwrap();
                surface.normals(frame).unwrap().decode_into(&mut out).unwrap();
            }
            surface.checked_triangles().unwrap();
        }
    });
    assert_eq!(decoded.bytes_total, 0, "decoding allocates");

    let hostile = {
        let mut bytes = bytes[..108 + 256 * 56].to_vec();
        bytes[84..88].copy_from_slice(&65_536i32.to_le_bytes());
        bytes
    };
    let refused = measure(|| assert!(Md3::parse(&hostile).is_err()));
    assert_eq!(refused.bytes_total, 0, "an error allocates nothing");
}
