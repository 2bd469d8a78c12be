//! Opening needs little memory, regardless of the size of the file.

use allocation_counter::measure;
use meshlens_u3d::{U3d, Version};

use crate::common::model;

#[test]
fn opening_and_errors_need_little_memory() {
    for (version, vertices) in [(Version::V1, 60_000), (Version::V2_0_0, 200_000)] {
        let mut model = model(version);
        let mesh = &mut model.meshes[0];
        mesh.set_vertices(&vec![[1.0; 3]; vertices], &vec![[0.0, 0.0, 1.0]; vertices], version).unwrap();
        mesh.set_texcoords(0, 2, &vec![0.5; vertices * 2]).unwrap();
        let bytes = model.write().unwrap();
        assert!(bytes.len() > 1_300_000, "{}", bytes.len());
        let mut out = vec![[0.0; 3]; vertices];

        let mut u3d = None;
        let opened = measure(|| u3d = Some(U3d::parse(&bytes).unwrap()));
        assert!(opened.bytes_total < 1024, "{opened:?}");
        assert!(opened.bytes_total > 0, "the mesh's entry is counted, so the count works");
        let u3d = u3d.unwrap();
        let decoded = measure(|| {
            for mesh in u3d.meshes() {
                mesh.positions().decode_into(&mut out).unwrap();
                mesh.normals().decode_into(&mut out).unwrap();
                mesh.checked_triangles().unwrap();
            }
        });
        assert_eq!(decoded.bytes_total, 0, "decoding allocates");

        for len in [0, 20, 60, 400] {
            let refused = measure(|| assert!(U3d::parse(&bytes[..len]).is_err()));
            // Until the error, the remaining bytes limit the capacity of lists.
            assert!(refused.bytes_total <= 4 * len as u64, "{refused:?}");
        }
    }

    // With many small meshes, entries take less than four times the size of the file.
    let mut model = model(Version::V1);
    model.meshes[0] = meshlens_u3d::write::Mesh::new("");
    model.meshes = vec![model.meshes[0].clone(); 20_000];
    let bytes = model.write().unwrap();
    let opened = measure(|| assert_eq!(U3d::parse(&bytes).unwrap().mesh_count(), 20_000));
    assert!(opened.bytes_total < 4 * bytes.len() as u64 + (64 << 10), "{opened:?} for {}", bytes.len());
}
