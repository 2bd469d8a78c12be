//! The memory that opening any file allocates.

use meshlens_unigine::layout::ROTATION;
use meshlens_unigine::write::{Anim, Animation, Bone, Model, Surface};
use meshlens_unigine::{Anim as AnimFile, Mesh as MeshFile, Transform, Version, lens::TangentFrame};
use meshlens_wire::Compact;

/// The number of bytes that `run` allocates, including bytes that it frees.
fn allocated(run: impl FnOnce()) -> usize {
    allocation_counter::measure(run).bytes_total as usize
}

fn compact(value: usize) -> Vec<u8> {
    Compact::new(value as i32).unwrap().as_bytes().to_vec()
}

/// A file of the smallest possible parts, which is the worst case of the format.
fn many_empty_parts(count: usize, surfaces: usize) -> Vec<u8> {
    let mut bytes = b"ms11".to_vec();
    bytes.extend([0; 40]);
    bytes.push(0);
    bytes.extend(compact(count));
    bytes.extend(vec![0; count]);
    bytes.extend(compact(surfaces));
    bytes.extend(vec![0; 42 * surfaces]);
    bytes.extend(b"ms11");
    // No bones, a mask and no frames; then no weights, texture coordinates, colors and indices.
    bytes.extend(vec![0; 3 * count]);
    bytes.extend(vec![0; 6 * surfaces]);
    bytes.extend(b"ms11");
    bytes
}

#[test]
fn opening_allocates_little_and_decoding_nothing() {
    let mut model = Model::new(Version::Ms11);
    for index in 0..4 {
        let mut surface = Surface::new(&format!("surface_{index}")).unwrap();
        surface.targets[0].positions = vec![[1.0; 3]; 40_000];
        surface.targets[0].add_tangents(Version::Ms11, &vec![[0.0, 0.0, 0.0, 1.0]; 60_000]);
        surface.texcoords0 = vec![[0.0; 2]; 60_000];
        model.surfaces.push(surface);
    }
    let bytes = model.write().unwrap();
    assert!(bytes.len() > 5 << 20, "{}", bytes.len());
    let mut frames = vec![TangentFrame::default(); 60_000];
    let mut buffer = Vec::new();
    let opened = allocated(|| _ = MeshFile::parse(&bytes).unwrap());
    assert!(opened > 0 && opened < 4096, "{opened}");
    let mesh = MeshFile::parse(&bytes).unwrap();
    let decoded = allocated(|| {
        for surface in mesh.surfaces() {
            let geometry = surface.geometry(&mut buffer).unwrap();
            geometry.tangent_frames().decode_into(&mut frames).unwrap();
            geometry.checked_indices().unwrap();
        }
    });
    assert_eq!(decoded, 0, "decoding allocates");
}

#[test]
fn memory_of_parts_and_frames_is_proportional_to_their_bytes() {
    // A long animation without any movement: one byte for each bone and frame.
    let mut anim = Anim::new(Version::An10);
    anim.bones.push(Bone::new("bone", None).unwrap());
    let poses = vec![Transform::IDENTITY; 200_000];
    anim.animations.push(Animation::new(Version::An10, "still", &[0], ROTATION, &poses).unwrap());
    let bytes = anim.write().unwrap();
    let opened = allocated(|| _ = AnimFile::parse(&bytes).unwrap());
    assert!(opened < 64 * 1024 + 4 * bytes.len(), "{opened} for {} bytes", bytes.len());

    for (animations, surfaces) in [(60_000, 0), (0, 60_000), (30_000, 30_000)] {
        let bytes = many_empty_parts(animations, surfaces);
        let opened = allocated(|| {
            let mesh = MeshFile::parse(&bytes).unwrap();
            assert_eq!((mesh.animation_count(), mesh.surface_count()), (animations, surfaces));
        });
        assert!(opened < 64 * 1024 + 4 * bytes.len(), "{opened} for {} bytes", bytes.len());
    }
}

#[test]
fn errors_do_not_allocate() {
    // Counts of 65,536 missing bones, surfaces or animations, and of a billion frames without bones.
    let mut claims = Vec::new();
    let head: Vec<u8> = b"ms11".iter().copied().chain([0; 40]).collect();
    for zeros in 0..3 {
        let mut bytes = head.clone();
        bytes.extend(vec![0; zeros]);
        bytes.extend(compact(65_536));
        bytes.extend([0; 1000]);
        claims.push(bytes);
    }
    let mut frames = b"an11\0an11\0".to_vec();
    frames.extend(compact(1_000_000_000));
    frames.extend(b"an11");
    for bytes in claims {
        assert_eq!(allocated(|| assert!(MeshFile::parse(&bytes).is_err())), 0, "an error allocates");
    }
    let spent = allocated(|| assert_eq!(AnimFile::parse(&frames).map(|_| ()).unwrap_err().code(), "LIMIT"));
    assert!(spent < 256, "{spent}");
}
