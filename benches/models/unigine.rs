//! UNIGINE from opening to a drawable mesh, for the largest files of `MESHLENS_REAL` or generated ones.
//!
//! The bytes are in memory; `source.rs` measures reading them. Output buffers are reused.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group};
use meshlens_benches::large::{generated_unigine_anim, generated_unigine_mesh, largest_unigine};
use meshlens_unigine::{Anim, Interpolation, Mesh, Transform, Welded, Welder};

fn open(c: &mut Criterion) {
    let (name, bytes) = largest_unigine("mesh", generated_unigine_mesh);
    let corners: usize = Mesh::parse(&bytes).expect("a mesh").surfaces().map(|s| s.corner_count()).sum();
    let mut group = c.benchmark_group("unigine/open");
    group.bench_function(&name, |b| {
        b.iter(|| {
            let mesh = Mesh::parse(black_box(&bytes)).expect("a mesh");
            let mut found = 0;
            for surface in mesh.surfaces() {
                let geometry = surface.geometry_in_place().expect("raw geometry");
                black_box((geometry.positions(), geometry.tangents(), geometry.texcoords(0).ok()));
                found += geometry.coordinate_indices().len();
            }
            assert_eq!(found, corners);
        });
    });
    group.finish();
}

fn weld(c: &mut Criterion) {
    let (name, bytes) = largest_unigine("mesh", generated_unigine_mesh);
    let mesh = Mesh::parse(&bytes).expect("a mesh");
    let surface = mesh.surfaces().max_by_key(|surface| surface.corner_count()).expect("a surface");
    let geometry = surface.geometry_in_place().expect("raw geometry");
    let mut group = c.benchmark_group("unigine/weld");
    let (mut welder, mut welded) = (Welder::default(), Welded::default());
    group.throughput(Throughput::Elements(surface.corner_count() as u64));
    group.bench_function(&name, |b| {
        b.iter(|| {
            welder.weld_into(black_box(&geometry), &mut welded).expect("indices in range");
            assert_eq!(welded.indices.len(), surface.corner_count());
        });
    });
    let bytes = generated_unigine_mesh();
    let mesh = Mesh::parse(&bytes).expect("a mesh");
    let geometry = mesh.surface(0).expect("a surface").geometry_in_place().expect("raw geometry");
    let corners = geometry.corner_count();
    group.throughput(Throughput::Elements(corners as u64));
    group.bench_function(format!("generated, {corners} corners"), |b| {
        b.iter(|| {
            welder.weld_into(black_box(&geometry), &mut welded).expect("indices in range");
            assert_eq!((welded.indices.len(), welded.vertices.len()), (corners, geometry.tangent_count()));
        });
    });
    group.finish();
}

fn frames(c: &mut Criterion) {
    let (name, bytes) = largest_unigine("anim", generated_unigine_anim);
    let mut group = c.benchmark_group("unigine/frames");
    let anim = Anim::parse(&bytes).expect("an animation");
    let animation = anim.animation(0).expect("an animation");
    let records = animation.frame_count() * animation.bone_count();
    group.throughput(Throughput::Elements(records as u64));
    group.bench_function(format!("{name}, open"), |b| {
        b.iter(|| assert_eq!(Anim::parse(black_box(&bytes)).expect("an animation").animation_count(), 1));
    });
    let mut player = animation.sampler();
    group.bench_function(format!("{name}, play"), |b| {
        b.iter(|| {
            player.seek(0).expect("a frame");
            let mut played = 1;
            while player.next().is_some() {
                played += 1;
            }
            assert_eq!(played, animation.frame_count());
        });
    });
    group.throughput(Throughput::Elements(animation.bone_count() as u64));
    let last = animation.frame_count() - 1;
    let mut pose = vec![Transform::IDENTITY; animation.bone_count()];
    group.bench_function(format!("{name}, last frame"), |b| {
        b.iter(|| animation.frame_into(last, black_box(&mut pose)).expect("a frame"));
    });
    assert_eq!(player.seek(last).expect("a frame"), pose);
    group.bench_function(format!("{name}, sample"), |b| {
        b.iter(|| {
            let pose =
                player.sample(black_box(last as f32 - 0.5), Interpolation::Normalized).expect("a frame");
            assert_eq!(pose.len(), animation.bone_count());
        });
    });
    group.finish();
}

criterion_group!(benches, open, weld, frames);
