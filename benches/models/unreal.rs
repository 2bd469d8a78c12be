//! Unreal meshes from opening to decoded arrays, for the largest pair of `MESHLENS_REAL` or a generated one.
//!
//! The bytes are in memory; `source.rs` measures reading them. Output buffers are reused.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group};
use meshlens_benches::large::largest_unreal;
use meshlens_testkit::corpus::unreal_model;
use meshlens_testkit::shapes::Shape;
use meshlens_unreal::write::Files;
use meshlens_unreal::{NormalScratch, Unreal, VertexEncoding};

fn open(c: &mut Criterion) {
    let (name, Files { geometry, frames }) = largest_unreal();
    let expected = Unreal::parse(&geometry, &frames).expect("a pair");
    let mut group = c.benchmark_group("unreal/open");
    group.bench_function(&name, |b| {
        b.iter(|| {
            let unreal = Unreal::parse(black_box(&geometry), black_box(&frames)).expect("a pair");
            let last = unreal.positions(unreal.frame_count() - 1).expect("a frame");
            assert_eq!(
                (unreal.triangles().len(), last.len()),
                (expected.triangle_count(), expected.vertex_count())
            );
        });
    });
    group.bench_function(format!("{name} and check every index"), |b| {
        b.iter(|| {
            let unreal = Unreal::parse(black_box(&geometry), black_box(&frames)).expect("a pair");
            assert_eq!(unreal.checked_triangles().expect("sound").len(), expected.triangle_count());
        });
    });
    group.finish();
}

/// The normals of 4,096 vertices, which the format does not store.
fn normals(c: &mut Criterion) {
    let model = unreal_model(&Shape::torus(20.0, 6.0, 63, 63), VertexEncoding::Packed, 2);
    let Files { geometry, frames } = model.expect("a mesh that fits").write().expect("a mesh that fits");
    let unreal = Unreal::parse(&geometry, &frames).expect("a pair");
    let mut out = vec![[0.0f32; 3]; unreal.vertex_count()];
    let (mut scratch, scale) = (NormalScratch::default(), unreal.unit_scale());
    let mut group = c.benchmark_group("unreal/normals");
    group.throughput(Throughput::Elements(out.len() as u64));
    group.bench_function("smooth normals", |b| {
        b.iter(|| unreal.smooth_normals_into(1, black_box(scale), &mut scratch, &mut out).expect("room"));
    });
    assert!(out.iter().all(|n| (n.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-5));
    group.finish();
}

fn whole_file(c: &mut Criterion) {
    let (name, Files { geometry, frames }) = largest_unreal();
    let mut out = Vec::new();
    let expected = decode_all(&geometry, &frames, &mut out);
    let mut group = c.benchmark_group("unreal/whole files");
    group.sample_size(20);
    group.throughput(Throughput::BytesDecimal((geometry.len() + frames.len()) as u64));
    group.bench_function(format!("{name}: every frame's positions"), |b| {
        b.iter(|| assert_eq!(decode_all(black_box(&geometry), black_box(&frames), &mut out), expected));
    });
    group.finish();
}

/// Opens a pair and decodes every vertex of every frame. The result depends on one value of each frame.
fn decode_all(geometry: &[u8], frames: &[u8], out: &mut Vec<[f32; 3]>) -> f64 {
    let unreal = Unreal::parse(geometry, frames).expect("a pair");
    out.resize(unreal.vertex_count(), [0.0; 3]);
    let mut sum = 0.0;
    for frame in 0..unreal.frame_count() {
        unreal.positions(frame).expect("a frame").decode_into(out).expect("room");
        sum += out.last().map_or(0.0, |position| f64::from(position[0]));
    }
    sum
}

criterion_group!(benches, open, normals, whole_file);
