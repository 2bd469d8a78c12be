//! MD3 from opening to decoded arrays, for the largest model of `MESHLENS_REAL` or a generated one of the same size.
//!
//! The bytes are in memory; `source.rs` measures reading them, and the bench `kernels` decoding single arrays. Output
//! buffers are reused. Throughput is counted in bytes of input.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group};
use meshlens_benches::large::largest_md3;
use meshlens_md3::Md3;

type Positions = Vec<[f32; 3]>;

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

criterion_group!(benches, open, whole_file);
