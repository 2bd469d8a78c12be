//! Conversion of MD3 to GLB on one thread, for the largest model of `MESHLENS_REAL` or a generated one of the same
//! size. Throughput is counted in bytes of GLB.

use std::hint::black_box;
use std::io::{self, Write};

use criterion::{Criterion, Throughput, criterion_group};
use meshlens::Model;
use meshlens::scene::Scene;
use meshlens_benches::large::largest_md3;
use meshlens_gltf::{Export, Options};

/// A writer that adds up a part of the bytes and discards them.
#[derive(Default)]
struct Sum {
    len: u64,
    first_bytes: u64,
}

impl Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.len += bytes.len() as u64;
        self.first_bytes += bytes.first().copied().map_or(0, u64::from);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn convert(bytes: &[u8], options: &Options<'_>, out: &mut impl Write) -> u64 {
    let model = Model::parse(bytes).expect("a model");
    let scene = Scene::from(model);
    let export = Export::plan(&scene, options).expect("a sound model");
    export.write_glb(out).expect("room")
}

fn to_glb(c: &mut Criterion) {
    let (name, bytes) = largest_md3();
    let folder = tempfile::tempdir().expect("a folder");
    for (kind, quantize) in [("floats", false), ("quantised", true)] {
        let options = Options { quantize, ..Options::default() };
        let mut whole = Vec::new();
        let len = convert(&bytes, &options, &mut whole);
        assert!(whole.starts_with(b"glTF") && whole.len() as u64 == len);
        let mut group = c.benchmark_group(format!("convert/{kind}"));
        group.sample_size(20).throughput(Throughput::Bytes(len));
        group.bench_function(format!("{name} to nowhere"), |b| {
            b.iter(|| {
                let mut sum = Sum::default();
                assert_eq!(convert(black_box(&bytes), &options, &mut sum), sum.len);
                black_box(sum.first_bytes);
            });
        });
        group.bench_function(format!("{name} to memory"), |b| {
            let mut out = Vec::with_capacity(whole.len());
            b.iter(|| {
                out.clear();
                convert(black_box(&bytes), &options, &mut out);
                assert_eq!(out.len(), whole.len());
            });
            assert!(out == whole, "the same bytes every time");
        });
        group.bench_function(format!("{name} to a file"), |b| {
            let path = folder.path().join("model.glb");
            b.iter(|| {
                let mut file =
                    meshlens_source::AtomicFile::create(&path, true).expect("a folder to write to");
                assert_eq!(convert(black_box(&bytes), &options, &mut file), len);
                file.commit().expect("room");
            });
            assert!(std::fs::read(&path).expect("it is there") == whole);
        });
        group.finish();
    }
}

criterion_group!(benches, to_glb);
