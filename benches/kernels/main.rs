//! Every kernel at every level, from the second-level cache and from memory, next to its limit: a copy of the same
//! size.
//!
//! `cargo bench -p meshlens-benches --bench kernels` runs the benches of criterion and prints the table. `-- --table`
//! only prints the table; kernel, limit and plain code run in turns, so that a busy machine slows all of them. `--l2`
//! or `--dram` selects one half of the table, and a name selects the kernels whose name contains it.
//!
//! "Streamed" is the ratio to a copy that is written past the cache, like decoded arrays of this size. "Plain" is a
//! simple hand-written loop, with `sin_cos` of libm for angles.

mod indices;

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use meshlens_benches::copy::{copy_shape, stream_shape};
use meshlens_benches::ratio::{
    DataLocation, Run, Table, as_in_file, from_a_line, in_turns, machine, noise, print_slower, slower,
    touched,
};
use meshlens_benches::{filter, has, wants_tables};
use meshlens_lens::encoding::*;
use meshlens_lens::{Encoding, Lens, Level, PositionNormal, TangentFrame};
use meshlens_md3::encoding::*;
use meshlens_u3d::encoding::*;
use meshlens_unigine::encoding::*;
use meshlens_unreal::encoding::*;

fn short(bytes: &[u8], at: usize) -> i16 {
    i16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn unsigned(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn md3_normal(zenith: u8, azimuth: u8) -> [f32; 3] {
    let radians = |code: u8| f32::from(code) * (std::f32::consts::TAU / 256.0);
    let (sin_zenith, cos_zenith) = libm::sincosf(radians(zenith));
    let (sin_azimuth, cos_azimuth) = libm::sincosf(radians(azimuth));
    [cos_azimuth * sin_zenith, sin_azimuth * sin_zenith, cos_zenith]
}

fn u3d_normal(latitude: f32, longitude: f32) -> [f32; 3] {
    let (sin_lat, cos_lat) = libm::sincosf(latitude);
    let (sin_lon, cos_lon) = libm::sincosf(longitude);
    [cos_lat * sin_lon, -sin_lat, cos_lat * cos_lon]
}

fn inverse_normal(zenith: u8, azimuth: u8) -> [f32; 3] {
    let step = std::f32::consts::TAU / 255.0;
    let signed = f32::from(azimuth as i8);
    let (sin_zenith, cos_zenith) = libm::sincosf((f32::from(zenith) + 0.5) * step);
    let (sin_azimuth, cos_azimuth) = libm::sincosf((signed + 0.5 * signed.signum()) * step);
    [cos_azimuth * sin_zenith, sin_azimuth * sin_zenith, cos_zenith]
}

/// The operation for each kernel.
trait Visit {
    fn kernel<E: Encoding, const IN: usize, const OUT: usize>(
        &mut self,
        name: &str,
        encoding: E,
        at: usize,
        plain: impl Fn(&[u8]) -> E::Value + Copy,
    );
}

fn every_kernel(visit: &mut impl Visit) {
    let quotient = |bytes: &[u8], at: usize| f32::from(short(bytes, at)) / 32767.0;
    visit.kernel::<_, 8, 12>("md3 position", Md3Position, 0, |b| {
        [short(b, 0), short(b, 2), short(b, 4)].map(|axis| f32::from(axis) / 64.0)
    });
    visit.kernel::<_, 8, 12>("md3 normal", Md3Normal, 6, |b| md3_normal(b[0], b[1]));
    visit.kernel::<_, 8, 12>("md3 normal, inverse", Md3NormalInverse, 6, |b| inverse_normal(b[0], b[1]));
    visit.kernel::<_, 8, 24>("md3 position + normal", Md3Vertex, 0, |b| PositionNormal {
        position: [short(b, 0), short(b, 2), short(b, 4)].map(|axis| f32::from(axis) / 64.0),
        normal: md3_normal(b[6], b[7]),
    });
    visit.kernel::<_, 4, 12>("unreal packed", UnrealPacked, 0, |b| {
        let bits = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        [((bits << 21) as i32 >> 21) as f32, ((bits << 10) as i32 >> 21) as f32, (bits as i32 >> 22) as f32]
    });
    visit.kernel::<_, 4, 12>("unreal packed, units", UnrealPackedUnits, 0, |b| {
        let bits = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let [x, y, z] = [(bits << 21) as i32 >> 21, (bits << 10) as i32 >> 21, bits as i32 >> 22];
        [x as f32 / 8.0, y as f32 / 8.0, z as f32 / 4.0]
    });
    visit.kernel::<_, 8, 12>("unreal 16-bit", UnrealWide, 0, |b| {
        [short(b, 0), short(b, 2), short(b, 4)].map(f32::from)
    });
    visit.kernel::<_, 2, 12>("u3d 1.0 normal", U3dNormal8, 0, |b| {
        u3d_normal(f32::from(b[0] as i8) * 0.0494739, f32::from(b[1] as i8) * 0.02473695)
    });
    visit.kernel::<_, 2, 12>("u3d 2.0 normal, bytes", U3dNormal8Full, 0, |b| {
        let quarter = std::f32::consts::FRAC_PI_2 / 127.0;
        u3d_normal(f32::from(b[0] as i8) * quarter, f32::from(b[1] as i8) * 0.02473695)
    });
    visit.kernel::<_, 4, 12>("u3d 2.0 normal", U3dNormal16, 0, |b| {
        u3d_normal(f32::from(short(b, 0)) * 4.793_836e-5, f32::from(short(b, 2)) * 9.587_672e-5)
    });
    visit.kernel::<_, 8, 16>("unigine quaternion", UnigineRotation, 0, |b| {
        [quotient(b, 0), quotient(b, 2), quotient(b, 4), quotient(b, 6)]
    });
    visit.kernel::<_, 8, 36>("unigine tangent frame", UnigineTangentFrame, 0, |b| {
        TangentFrame::from_quaternion([quotient(b, 0), quotient(b, 2), quotient(b, 4), quotient(b, 6)])
    });
    visit.kernel::<_, 6, 12>("unigine normal", UnigineNormal, 0, |b| {
        [unsigned(b, 0), unsigned(b, 2), unsigned(b, 4)].map(|axis| f32::from(axis) / 65535.0 * 2.0 - 1.0)
    });
    let ranged = Ranged16 { min: [-1.0, 0.0, 3.5], size: [2.0, 0.1, 4.0] };
    visit.kernel::<_, 6, 12>("ranged 16-bit", ranged, 0, move |b| {
        let share = [unsigned(b, 0), unsigned(b, 2), unsigned(b, 4)].map(|axis| f32::from(axis) / 65535.0);
        [0, 1, 2].map(|axis| ranged.min[axis] + ranged.size[axis] * share[axis])
    });
    visit.kernel::<_, 4, 16>("color bytes", Unorm8::<4>, 0, |b| {
        [b[0], b[1], b[2], b[3]].map(|byte| f32::from(byte) / 255.0)
    });
    visit.kernel::<_, 2, 8>("texture bytes", UnrealTexcoord, 0, |b| {
        [b[0], b[1]].map(|byte| f32::from(byte) / 255.0)
    });
    visit.kernel::<_, 8, 8>("f32 pairs, unaligned", F32::<2>, 1, |b| {
        [f32::from_le_bytes([b[0], b[1], b[2], b[3]]), f32::from_le_bytes([b[4], b[5], b[6], b[7]])]
    });
}

/// The input and the output of one kernel.
struct Data {
    bytes: Vec<u64>,
    out: Vec<u64>,
    count: usize,
}

impl Data {
    fn new<const IN: usize, const OUT: usize>(count: usize) -> Data {
        Data { bytes: noise(count * IN + 128), out: touched(count * OUT + 64), count }
    }

    fn split<const IN: usize, const OUT: usize>(&mut self) -> (&[u8], &mut [u8]) {
        let out = &mut from_a_line(bytemuck::cast_slice_mut(&mut self.out))[..self.count * OUT];
        (as_in_file(bytemuck::cast_slice(&self.bytes)), out)
    }
}

fn lens<E: Encoding, const IN: usize>(encoding: E, bytes: &[u8], at: usize, count: usize) -> Lens<'_, E> {
    Lens::new(encoding, &bytes[at..], 0, IN, count).expect("they lie inside")
}

/// Compares every level with decoding one value at a time.
fn assert_decodes<E: Encoding>(lens: Lens<'_, E>, plain: impl Fn(&[u8]) -> E::Value, name: &str) {
    let lens = lens.slice(0..lens.len().min(1000)).expect("a part");
    let wanted: Vec<E::Value> = lens.iter().collect();
    for level in Level::all() {
        let mut found = vec![bytemuck::Zeroable::zeroed(); wanted.len()];
        lens.decode_into_with(level, &mut found).expect("room");
        let (found, wanted) =
            (bytemuck::cast_slice::<_, f32>(&found), bytemuck::cast_slice::<_, f32>(&wanted));
        // Only 16-bit normals may differ between levels.
        let near = |(found, wanted): (&f32, &f32)| {
            found.to_bits() == wanted.to_bits() || name == "u3d 2.0 normal" && (found - wanted).abs() <= 4e-7
        };
        assert!(found.iter().zip(wanted).all(near), "{name} {level}");
    }
    // The plain code must return nearly the same values to be a valid baseline.
    let by_hand: Vec<E::Value> = lens.as_bytes().chunks(lens.stride()).map(plain).collect();
    let pairs = bytemuck::cast_slice::<_, f32>(&by_hand).iter().zip(bytemuck::cast_slice::<_, f32>(&wanted));
    for (by_hand, wanted) in pairs {
        assert!(
            (by_hand - wanted).abs() <= 2e-6 * wanted.abs().max(1.0)
                || wanted.is_nan()
                || name.contains("inverse")
        );
    }
}

/// The benches of criterion.
struct Benches<'c>(&'c mut Criterion);

impl Visit for Benches<'_> {
    fn kernel<E: Encoding, const IN: usize, const OUT: usize>(
        &mut self,
        name: &str,
        encoding: E,
        at: usize,
        plain: impl Fn(&[u8]) -> E::Value + Copy,
    ) {
        let mut data = Data::new::<IN, OUT>(DataLocation::L2.elements(IN + OUT));
        let count = data.count;
        let (bytes, out) = data.split::<IN, OUT>();
        let lens = lens::<_, IN>(encoding, bytes, at, count);
        assert_decodes(lens, plain, name);
        let mut group = self.0.benchmark_group(format!("kernels/{name}"));
        group.throughput(Throughput::Elements(count as u64));
        for level in Level::all() {
            group.bench_function(BenchmarkId::from_parameter(level), |b| {
                b.iter(|| {
                    let out: &mut [E::Value] = bytemuck::cast_slice_mut(black_box(&mut *out));
                    lens.decode_into_with(level, out).expect("room")
                })
            });
        }
        group.bench_function("limit", |b| {
            b.iter(|| copy_shape::<IN, OUT>(Level::best(), black_box(bytes), black_box(&mut *out)))
        });
        group.finish();
    }
}

/// The rows of the table.
struct Ratios {
    table: Table,
    place: DataLocation,
    filter: Option<String>,
    slower: Vec<String>,
}

impl Visit for Ratios {
    fn kernel<E: Encoding, const IN: usize, const OUT: usize>(
        &mut self,
        name: &str,
        encoding: E,
        at: usize,
        plain: impl Fn(&[u8]) -> E::Value + Copy,
    ) {
        if self.filter.as_ref().is_some_and(|filter| !name.contains(filter)) {
            return;
        }
        let mut data = Data::new::<IN, OUT>(self.place.elements(IN + OUT));
        let count = data.count;
        let (bytes, out) = data.split::<IN, OUT>();
        let lens = lens::<_, IN>(encoding, bytes, at, count);
        assert_decodes(lens, plain, name);
        let out = std::cell::RefCell::new(out);
        let decode = |level| {
            let mut out = out.borrow_mut();
            lens.decode_into_with(level, bytemuck::cast_slice_mut(black_box(&mut **out))).expect("room");
        };
        if self.place == DataLocation::L2 {
            self.slower.extend(slower(name, count, 41, &decode));
        }
        for level in Level::all() {
            let limit = || copy_shape::<IN, OUT>(level, black_box(bytes), black_box(&mut **out.borrow_mut()));
            let streamed =
                || stream_shape::<IN, OUT>(level, black_box(bytes), black_box(&mut **out.borrow_mut()));
            let plain = || {
                let mut out = out.borrow_mut();
                let out: &mut [E::Value] = bytemuck::cast_slice_mut(black_box(&mut **out));
                for (out, bytes) in out.iter_mut().zip(lens.as_bytes().chunks(IN)) {
                    *out = plain(bytes);
                }
            };
            let mut runs: Vec<Run<'_>> = vec![Box::new(|| decode(level)), Box::new(limit)];
            let (slice, turns) = match self.place {
                DataLocation::L2 => {
                    runs.push(Box::new(plain));
                    (Duration::from_micros(300), 101)
                }
                // From memory, plain code is not measured, because it is as slow as from the cache, or limited by
                // memory.
                DataLocation::Dram => {
                    runs.push(Box::new(streamed));
                    (Duration::ZERO, 5)
                }
            };
            let found = in_turns(count, slice, turns, &mut runs);
            self.table.row(vec![
                name.into(),
                self.place.name().into(),
                level.to_string(),
                format!("{:.0}", found.rates[0] / 1e6),
                format!("{:.1}", found.rates[0] * OUT as f64 / 1e9),
                format!("{:.0}", found.rates[1] / 1e6),
                format!("{:.2}", found.shares[1]),
                format!("{:.*}", if self.place == DataLocation::L2 { 1 } else { 2 }, found.shares[2]),
            ]);
        }
    }
}

fn main() {
    if !has("--table") {
        let criterion = Criterion::default().warm_up_time(Duration::from_millis(200));
        let mut criterion =
            criterion.measurement_time(Duration::from_millis(500)).sample_size(30).configure_from_args();
        every_kernel(&mut Benches(&mut criterion));
        indices::benches(&mut criterion);
        criterion.final_summary();
    }
    if wants_tables() {
        println!("\n{}\n", machine());
        let places = match (has("--l2"), has("--dram")) {
            (true, false) => &[DataLocation::L2][..],
            (false, true) => &[DataLocation::Dram],
            _ => &[DataLocation::L2, DataLocation::Dram],
        };
        for place in places.iter().copied() {
            let last = if place == DataLocation::L2 { "x plain" } else { "streamed" };
            let columns = ["kernel", "data", "level", "Melements/s", "GB/s out", "limit", "share", last];
            let table = Table::new(&columns);
            let mut ratios = Ratios { table, place, filter: filter(), slower: Vec::new() };
            every_kernel(&mut ratios);
            ratios.table.print();
            if place == DataLocation::L2 {
                indices::table(ratios.filter.as_deref(), &mut ratios.slower);
                print_slower(&ratios.slower);
            }
        }
    }
}
