//! Opening costs a few bytes, whatever the file's size. Alone in its process, so that nothing else allocates.

mod common;

use common::model;
use meshlens_u3d::{U3d, Version};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<std::alloc::System> = &INSTRUMENTED_SYSTEM;

#[test]
fn opening_is_cheap_and_an_error_costs_nothing() {
    for (version, vertices) in [(Version::V1, 60_000), (Version::V2_0_0, 200_000)] {
        let mut model = model(version);
        let mesh = &mut model.meshes[0];
        mesh.set_vertices(&vec![[1.0; 3]; vertices], &vec![[0.0, 0.0, 1.0]; vertices], version).unwrap();
        mesh.set_texcoords(0, 2, &vec![0.5; vertices * 2]).unwrap();
        let bytes = model.write().unwrap();
        assert!(bytes.len() > 1_300_000, "{}", bytes.len());
        let mut out = vec![[0.0; 3]; vertices];

        let region = Region::new(ALLOCATOR);
        let u3d = U3d::parse(&bytes).unwrap();
        let opened = region.change();
        assert!(opened.bytes_allocated < 1024, "{opened:?}");
        assert!(opened.bytes_allocated > 0, "the mesh's entry is counted, so the count works");
        for mesh in u3d.meshes() {
            mesh.positions().decode_into(&mut out).unwrap();
            mesh.normals().decode_into(&mut out).unwrap();
            mesh.checked_triangles().unwrap();
        }
        assert_eq!(region.change().bytes_allocated, opened.bytes_allocated, "decoding allocates");

        for len in [0, 20, 60, 400] {
            let region = Region::new(ALLOCATOR);
            assert!(U3d::parse(&bytes[..len]).is_err());
            // Up to there, room for what may come is bounded by the bytes that are there.
            assert!(region.change().bytes_allocated <= 4 * len, "{:?}", region.change());
        }
    }

    // Many small meshes: entries stay below four times the file.
    let mut model = model(Version::V1);
    model.meshes[0] = meshlens_u3d::write::Mesh::new("");
    model.meshes = vec![model.meshes[0].clone(); 20_000];
    let bytes = model.write().unwrap();
    let region = Region::new(ALLOCATOR);
    let u3d = U3d::parse(&bytes).unwrap();
    assert_eq!(u3d.mesh_count(), 20_000);
    let change = region.change();
    assert!(change.bytes_allocated < 4 * bytes.len() + (64 << 10), "{change:?} for {}", bytes.len());
}
