//! The decoding filters of meshoptimizer, next to the most similar kernels of meshlens, in the second-level cache.
//!
//! The filters decode in place, to values of the same size; the kernels write floats to another buffer. All of them run in
//! turns. The filters need the feature `meshopt` and a C++ compiler. `-- --test` runs everything once.

use std::hint::black_box;
use std::time::Duration;

use meshlens_benches::ratio::{DataLocation, Run, Table, in_turns, machine, noise, touched};
use meshlens_lens::encoding::*;
use meshlens_lens::{Encoding, Lens, Level};
use meshlens_md3::encoding::*;
use meshlens_unigine::encoding::*;
use meshlens_unreal::encoding::*;

/// One measured function: its name, the size of an element before and after decoding, and the number of elements of one
/// run.
struct Peer {
    name: String,
    bytes: [usize; 2],
    count: usize,
    run: Run<'static>,
}

/// A kernel of meshlens.
fn kernel<E: Encoding + 'static, const IN: usize>(name: &str, encoding: E) -> Peer {
    let size = size_of::<E::Value>();
    let count = DataLocation::L2.elements(IN + size);
    let bytes = noise(count * IN + 64);
    let mut out = touched(count * size);
    let run = move || {
        let lens = Lens::new(encoding, bytemuck::cast_slice(&bytes), 0, IN, count).expect("they lie inside");
        let out: &mut [u8] = bytemuck::cast_slice_mut(black_box(&mut out));
        lens.decode_into(bytemuck::cast_slice_mut(&mut out[..count * size])).expect("room");
    };
    Peer { name: format!("meshlens: {name}"), bytes: [IN, size], count, run: Box::new(run) }
}

fn ours() -> Vec<Peer> {
    vec![
        kernel::<_, 8>("md3 normal to f32x3", Md3Normal),
        kernel::<_, 4>("snorm16x2 to f32x2", Snorm16::<2>),
        kernel::<_, 8>("unigine quaternion to f32x4", UnigineRotation),
        kernel::<_, 8>("unigine tangent frame to 3 x f32x3", UnigineTangentFrame),
        kernel::<_, 8>("md3 position to f32x3", Md3Position),
        kernel::<_, 4>("unreal packed to f32x3", UnrealPacked),
    ]
}

#[cfg(feature = "meshopt")]
mod filters {
    use meshopt::{
        EncodeExpMode, decode_filter_exp, decode_filter_oct, decode_filter_quat, encode_filter_exp,
        encode_filter_oct, encode_filter_quat,
    };

    use super::*;

    /// A filter of meshoptimizer. Each run decodes the same buffer in place.
    fn filter<T: Copy + 'static>(name: &str, sample: Vec<T>, decode: fn(&mut [T])) -> Peer {
        let size = size_of::<T>();
        let count = DataLocation::L2.elements(size);
        let mut data: Vec<T> = sample.into_iter().cycle().take(count).collect();
        let run = move || decode(black_box(&mut data));
        Peer { name: format!("meshoptimizer: {name}"), bytes: [size, size], count, run: Box::new(run) }
    }

    /// Unit vectors in every direction, followed by w.
    fn directions(count: usize) -> Vec<[f32; 4]> {
        let direction = |number: usize| {
            let (angle, z) = (number as f32 * 2.4, 1.0 - 2.0 * (number as f32 + 0.5) / count as f32);
            let around = (1.0 - z * z).sqrt();
            [angle.cos() * around, angle.sin() * around, z, 0.0]
        };
        (0..count).map(direction).collect()
    }

    pub(super) fn all() -> Vec<Peer> {
        let directions = directions(4096);
        let positions: Vec<[f32; 3]> = directions.iter().map(|[x, y, z, _]| [*x, *y, *z]).collect();
        let oct8: Vec<[i8; 4]> = encode_filter_oct(&directions, 8);
        let oct16: Vec<[i16; 4]> = encode_filter_oct(&directions, 16);
        let quat = encode_filter_quat(&directions, 16);
        let exp = encode_filter_exp(&positions, 16, EncodeExpMode::Separate);

        // Each filter restores the encoded values.
        let near = |found: f32, wanted: f32, bound: f32| {
            assert!((found - wanted).abs() <= bound, "{found} {wanted}")
        };
        let (mut a, mut b, mut c, mut d) = (oct8.clone(), oct16.clone(), quat.clone(), exp.clone());
        decode_filter_oct(&mut a);
        decode_filter_oct(&mut b);
        decode_filter_quat(&mut c);
        decode_filter_exp(&mut d);
        for (number, wanted) in directions.iter().enumerate() {
            // A quaternion and its negative are the same rotation.
            let dot: f32 = (0..4).map(|axis| f32::from(c[number][axis]) / 32767.0 * wanted[axis]).sum();
            for axis in 0..3 {
                near(f32::from(a[number][axis]) / 127.0, wanted[axis], 0.03);
                near(f32::from(b[number][axis]) / 32767.0, wanted[axis], 2e-4);
                near(f32::from(c[number][axis]) / 32767.0 * dot.signum(), wanted[axis], 2e-4);
                near(f32::from_bits(d[number][axis]), wanted[axis], 1e-4);
            }
        }
        vec![
            filter("octahedral, 4 bytes", oct8, decode_filter_oct::<i8>),
            filter("octahedral, 8 bytes", oct16, decode_filter_oct::<i16>),
            filter("quaternion, 8 bytes", quat, decode_filter_quat),
            filter("exponential, 12 bytes", exp, decode_filter_exp::<3>),
        ]
    }
}

fn main() {
    let is_test = std::env::args().any(|argument| argument == "--test");
    let mut peers = ours();
    #[cfg(feature = "meshopt")]
    peers.extend(filters::all());
    #[cfg(not(feature = "meshopt"))]
    eprintln!("meshoptimizer is left out: it needs `--features meshopt`");
    println!("\n{}\nlevel {}\n", machine(), Level::current());
    let (slice, turns) = if is_test { (Duration::ZERO, 1) } else { (Duration::from_micros(300), 101) };
    let mut runs: Vec<Run<'_>> =
        peers.iter_mut().map(|peer| -> Run<'_> { Box::new(|| (peer.run)()) }).collect();
    let found = in_turns(1, slice, turns, &mut runs);
    drop(runs);
    let columns = ["output in the second-level cache", "bytes in", "bytes out", "Melements/s", "GB/s out"];
    let mut table = Table::new(&columns);
    for (peer, rate) in peers.iter().zip(&found.rates) {
        let elements = rate * peer.count as f64;
        table.row(vec![
            peer.name.clone(),
            peer.bytes[0].to_string(),
            peer.bytes[1].to_string(),
            format!("{:.0}", elements / 1e6),
            format!("{:.1}", elements * peer.bytes[1] as f64 / 1e9),
        ]);
    }
    table.print();
}
