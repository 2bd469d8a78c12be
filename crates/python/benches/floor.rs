//! Measures the Rust calls that the Python calls are based on: `cargo bench --bench floor -- FILE`. `bench.py` runs it.

use std::hint::black_box;
use std::time::Instant;

use bytes::Bytes;
use meshlens::lens::{Level, Semantic};
use meshlens_assets::{Assets, OpenOptions};

/// The shortest time of a call, in microseconds.
fn micros(number: u32, mut call: impl FnMut()) -> f64 {
    let round = |_| {
        let start = Instant::now();
        (0..number).for_each(|_| call());
        start.elapsed().as_secs_f64() / f64::from(number) * 1e6
    };
    (0..15).map(round).fold(f64::INFINITY, f64::min)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path =
        std::env::args().nth(1).filter(|path| path != "--bench").ok_or("the path of an MD3 is needed")?;
    let bytes = Bytes::from(std::fs::read(path)?);
    let open = || {
        let located = Assets::new().locate_bytes("model", bytes.clone())?;
        let loaded = located.load(None)?;
        located.open_loaded(loaded, &OpenOptions::default())
    };
    let asset = open()?;
    let mesh = &asset.model().meshes[0];
    let mut out = vec![0f32; mesh.point_count() * 3];
    let mut decode = || -> meshlens::Result<()> {
        if let Some(found) = mesh.attribute(Semantic::Position, 0, 7)? {
            found.source().decode_part(Level::current(), 0, &mut out);
        }
        Ok(())
    };
    let positions = micros(5000, || {
        let _ = black_box(decode());
    });
    let opened = micros(2000, || drop(black_box(open())));
    println!("{opened} {positions}");
    Ok(())
}
