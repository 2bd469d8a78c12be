//! Ultimate 3D: walking chunks, opening a model, posing and skinning.
//!
//! The bytes are in memory. Output buffers are reused. Throughput is counted in elements.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group};
use meshlens_u3d::write::{Bone, Material, Mesh, Model};
use meshlens_u3d::{U3d, Version};
use meshlens_wire::{Chunks, Data, Limits};

/// The identity matrix.
const IDENTITY: [[f32; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// A skinned mesh of `count` vertices on a sphere.
fn mesh(count: usize, version: Version) -> Mesh {
    let mut mesh = Mesh::new("sphere");
    let directions: Vec<[f32; 3]> = (0..count)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
            let (r, turn) = ((1.0 - z * z).sqrt(), i as f64 * 2.4);
            [(r * turn.cos()) as f32, (r * turn.sin()) as f32, z as f32]
        })
        .collect();
    mesh.set_vertices(&directions, &directions, version).expect("as many normals as positions");
    mesh.set_texcoords(0, 2, &vec![0.5; count * 2]).expect("the first set");
    mesh.set_triangles(&vec![[0, 1, 2]; count], &vec![0; count]).expect("a material for each");
    mesh.skin_weight_count = 3;
    mesh.skin_weights = vec![0.25; count * 3];
    mesh.skin_bones = (0..count).map(|i| [0, 1, 2, (i % 64) as u8]).collect();
    mesh
}

fn model(version: Version, vertices: usize) -> Vec<u8> {
    let mut model = Model::new(version);
    model.meshes.push(mesh(vertices, version));
    model.texcoord_dimensions[0] = 2;
    model.skin_weights = 3;
    model.frames = 100;
    model.materials.push(Material::new("white"));
    for number in 0..64u32 {
        let mut bone = Bone::new(format!("bone {number}"), number.checked_sub(1));
        bone.meshes.push((0, IDENTITY));
        bone.translation_keys = (0..10).map(|key| (key * 11, [1.0, key as f32, 0.0])).collect();
        bone.rotation_keys = (0..10)
            .map(|key| {
                let angle = key as f32 / 10.0;
                (key * 11, [0.0, 0.0, angle.sin(), angle.cos()])
            })
            .collect();
        model.bones.push(bone);
    }
    model.write().expect("a model that fits together")
}

fn open(c: &mut Criterion) {
    // Half of the chunks are empty, and the others have a kilobyte.
    let mut chunks = Vec::new();
    for number in 0..1000u32 {
        let size = number % 2 * 1024;
        chunks.extend(b"$U3DC_CHUNK\0");
        chunks.extend(size.to_le_bytes());
        chunks.resize(chunks.len() + size as usize, 0);
    }
    let mut group = c.benchmark_group("u3d/walk");
    group.throughput(Throughput::Elements(1000));
    group.bench_function("1000 chunks", |b| {
        b.iter(|| {
            let walk = Chunks::new(Data::new("bench", black_box(&chunks)), 0, &Limits::DEFAULT);
            assert_eq!(walk.filter(Result::is_ok).count(), 1000);
        });
    });
    group.finish();

    let mut group = c.benchmark_group("u3d/open");
    for (name, version) in [("1.0", Version::V1), ("2.0", Version::V2_0_0)] {
        let bytes = model(version, 60_000);
        group.bench_function(format!("{name}, 60000 vertices and 64 bones"), |b| {
            b.iter(|| assert_eq!(U3d::parse(black_box(&bytes)).expect("a model").bone_count(), 64));
        });
    }
    group.finish();
}

fn pose(c: &mut Criterion) {
    const COUNT: usize = 4096;
    let bytes = model(Version::V2_0_0, COUNT);
    let u3d = U3d::parse(&bytes).expect("a model");
    let mesh = u3d.mesh(0).expect("a mesh");
    let mut group = c.benchmark_group("u3d/skin");
    group.throughput(Throughput::Elements(COUNT as u64));
    let (mut positions, mut out) = (vec![[0.0; 3]; COUNT], vec![[0.0; 3]; COUNT]);
    mesh.positions().decode_into(&mut positions).expect("room");
    group.bench_function("positions through four bones each", |b| {
        let palette = [IDENTITY; 64];
        b.iter(|| mesh.skin_positions_into(&palette, black_box(&mut out)).expect("room"));
    });
    assert!(out.iter().zip(&positions).all(|(a, b)| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)));
    group.finish();

    let skeleton = u3d.skeleton().expect("a chain of bones");
    let mut world = vec![IDENTITY; skeleton.len()];
    let mut group = c.benchmark_group("u3d/pose");
    group.throughput(Throughput::Elements(64));
    group.bench_function("64 bones of 10 keys", |b| {
        b.iter(|| skeleton.bone_to_world_into(black_box(37.5), &mut world).expect("room"));
    });
    assert_eq!(Some(world[0]), skeleton.bone_to_parent(0, 37.5));
    group.finish();
}

criterion_group!(benches, open, pose);
