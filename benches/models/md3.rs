//! MD3 from opening to decoded arrays, for the largest model of `MESHLENS_REAL` or a generated one of the same size.
//!
//! The bytes are in memory; `source.rs` measures reading them. Output buffers are reused. Throughput is counted in
//! elements for decoding, and in bytes of input for whole files.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group};
use meshlens_benches::{generated_md3, largest_md3};
use meshlens_md3::{Md3, Surface};

type Positions = Vec<[f32; 3]>;

fn sum(values: &[[f32; 3]]) -> f64 {
    values.as_flattened().iter().map(|value| f64::from(*value)).sum()
}

fn open(c: &mut Criterion) {
    let (name, bytes) = largest_md3();
    let vertices: usize = Md3::parse(&bytes).expect("a model").surfaces().map(|s| s.vertex_count()).sum();
    let mut group = c.benchmark_group("md3/open");
    group.bench_function(&name, |b| {
        // Opens the model and gets every array of the last frame as a lens.
        b.iter(|| {
            let md3 = Md3::parse(black_box(&bytes)).expect("a model");
            let mut found = 0;
            for surface in md3.surfaces() {
                let last = surface.frame_count() - 1;
                black_box((surface.triangles(), surface.texcoords()));
                black_box(surface.normals(last).expect("a frame"));
                found += surface.positions(last).expect("a frame").len();
            }
            assert_eq!(found, vertices);
        });
    });
    group.bench_function(format!("{name} and check every index"), |b| {
        b.iter(|| {
            let md3 = Md3::parse(black_box(&bytes)).expect("a model");
            let checked = md3.surfaces().filter(|surface| surface.checked_triangles().is_ok()).count();
            assert_eq!(checked, md3.surface_count());
        });
    });
    group.finish();
}

/// 4,096 vertices in two frames: 64 KiB, which fit in the second-level cache together with the decoded values.
fn arrays(c: &mut Criterion) {
    let bytes = generated_md3(2, 1, 63, 63);
    let md3 = Md3::parse(&bytes).expect("a model");
    let surface: Surface<'_> = md3.surface(0).expect("a surface");
    let count = surface.vertex_count();
    assert_eq!(count, 4096);
    let positions = surface.positions(1).expect("a frame");
    let normals = surface.normals(1).expect("a frame");
    let mut out: Positions = vec![[0.0; 3]; count];

    let mut group = c.benchmark_group("md3/decode");
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("positions", |b| {
        b.iter(|| positions.decode_into(black_box(&mut out)).expect("room"))
    });
    assert_eq!(sum(&out), sum(&positions.iter().collect::<Positions>()));
    group.bench_function("normals", |b| b.iter(|| normals.decode_into(black_box(&mut out)).expect("room")));
    assert_eq!(sum(&out), sum(&normals.iter().collect::<Positions>()));
    let inverse = surface.normals_inverse(1).expect("a frame");
    group.bench_function("normals, inverse", |b| {
        b.iter(|| inverse.decode_into(black_box(&mut out)).expect("room"))
    });
    assert_eq!(sum(&out), sum(&inverse.iter().collect::<Positions>()));
    group.bench_function("two frames' positions, blended", |b| {
        b.iter(|| surface.lerp_positions_into(0, 1, black_box(0.25), &mut out).expect("room"));
    });
    let first = surface.positions(0).expect("a frame").get(77).expect("a vertex");
    let second = positions.get(77).expect("a vertex");
    assert_eq!(out[77][0], first[0] * 0.75 + second[0] * 0.25);
    group.bench_function("two frames' normals, blended", |b| {
        b.iter(|| surface.lerp_normals_into(0, 1, black_box(0.25), &mut out).expect("room"));
    });
    assert!(out.iter().all(|n| (n.iter().map(|v| v * v).sum::<f32>() - 1.0).abs() < 1e-5));
    let mut texcoords = vec![[0.0; 2]; count];
    let texcoord_lens = surface.texcoords();
    group.bench_function("texture coordinates", |b| {
        b.iter(|| texcoord_lens.decode_into(black_box(&mut texcoords)).expect("room"));
    });
    assert_eq!(Some(texcoords[99]), texcoord_lens.get(99));

    let triangles = surface.checked_triangles().expect("every index names a vertex");
    let mut indices = vec![[0; 3]; triangles.len()];
    group.throughput(Throughput::Elements(indices.len() as u64));
    group.bench_function("triangles", |b| {
        b.iter(|| triangles.decode_into(black_box(&mut indices)).expect("room"))
    });
    assert_eq!(indices.last().copied(), triangles.iter().next_back());
    group.bench_function("triangles, only checked", |b| {
        b.iter(|| {
            assert_eq!(surface.checked_triangles().expect("every index names a vertex").len(), indices.len())
        });
    });
    group.finish();
}

fn whole_file(c: &mut Criterion) {
    let (name, bytes) = largest_md3();
    let expected: f64 = decode_all(&bytes, &mut Vec::new(), &mut Vec::new());
    let (mut positions, mut normals) = (Positions::new(), Positions::new());
    let mut group = c.benchmark_group("md3/whole file");
    group.sample_size(20);
    group.throughput(Throughput::BytesDecimal(bytes.len() as u64));
    group.bench_function(format!("{name}: every frame's positions and normals"), |b| {
        b.iter(|| assert_eq!(decode_all(black_box(&bytes), &mut positions, &mut normals), expected));
    });
    group.finish();
}

/// Opens a model and decodes every vertex of every frame. The result depends on one value of each frame.
fn decode_all(bytes: &[u8], positions: &mut Positions, normals: &mut Positions) -> f64 {
    let md3 = Md3::parse(bytes).expect("a model");
    let mut sum = 0.0;
    for surface in md3.surfaces() {
        positions.resize(surface.vertex_count(), [0.0; 3]);
        normals.resize(surface.vertex_count(), [0.0; 3]);
        for frame in 0..surface.frame_count() {
            surface.positions(frame).expect("a frame").decode_into(positions).expect("room");
            surface.normals(frame).expect("a frame").decode_into(normals).expect("room");
            let last = positions.last().zip(normals.last());
            sum += last.map_or(0.0, |(position, normal)| f64::from(position[0] + normal[2]));
        }
    }
    sum
}

criterion_group!(benches, open, arrays, whole_file);
