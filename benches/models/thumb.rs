//! Pictures on one thread, from the bytes of a model to the bytes of a PNG file, for the largest MD3 file of
//! `MESHLENS_REAL` or a generated model of the same size.

use std::hint::black_box;

use criterion::{Criterion, criterion_group};
use meshlens::Model;
use meshlens::scene::Scene;
use meshlens_benches::large::largest_md3;
use meshlens_thumb::{Background, Options, picture};

fn pictures(c: &mut Criterion) {
    let (name, bytes) = largest_md3();
    let mut group = c.benchmark_group("thumb");
    group.sample_size(20);
    for size in [128, 512] {
        let options = Options { size, background: Background::Transparent, ..Options::default() };
        let draw = || {
            let scene = Scene::from(Model::parse(black_box(&bytes)).expect("a model"));
            picture(&scene, &options).expect("a picture")
        };
        let covered = draw().rgba.iter().skip(3).step_by(4).filter(|alpha| **alpha > 0).count();
        assert!(covered > (size * size / 20) as usize, "{covered} pixels");
        let png = draw().to_png().expect("memory takes everything");
        group.bench_function(format!("{name} at {size} pixels"), |b| {
            b.iter(|| assert_eq!(draw().to_png().expect("memory takes everything").len(), png.len()));
        });
    }
    group.finish();
}

criterion_group!(benches, pictures);
