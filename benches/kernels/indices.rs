//! Index buffers, for `kernels`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use meshlens_benches::copy::copy_shape;
use meshlens_benches::ratio::{
    DataLocation, Run, Table, as_in_file, from_a_line, in_turns, noise, slower, touched,
};
use meshlens_lens::encoding::*;
use meshlens_lens::{IndexBufferLayout, IndexFormat, Indices, Lens, Level};

pub(crate) fn benches(c: &mut Criterion) {
    fn case<E: Indices>(c: &mut Criterion, name: &str, encoding: E) {
        let count = DataLocation::L2.elements(E::SIZE + 12);
        let bytes = noise(count * E::SIZE);
        let lens =
            Lens::new(encoding, bytemuck::cast_slice(&bytes), 0, E::SIZE, count).expect("they lie inside");
        let mut out = vec![0u32; count * E::COUNT];
        let largest = lens.max_index();
        let mut group = c.benchmark_group(format!("indices/{name}"));
        group.throughput(Throughput::Elements(out.len() as u64));
        for level in Level::all() {
            Level::force(Some(level));
            group.bench_function(BenchmarkId::from_parameter(level), |b| {
                b.iter(|| assert_eq!(lens.widen_into(black_box(&mut out)), Ok(largest)))
            });
        }
        Level::force(None);
        group.finish();
    }
    case(c, "u8 to u32", U8::<3>);
    case(c, "u16 to u32", U16::<3>);
    case(c, "i32 to u32", I32::<3>);
}

/// Two indices have `IN` bytes in the file, and `OUT` bytes in the buffer.
fn row<E: Indices, const IN: usize, const OUT: usize>(
    table: &mut Table,
    slower_pairs: &mut Vec<String>,
    name: &str,
    encoding: E,
    layout: IndexBufferLayout,
) {
    let count = DataLocation::L2.elements((IN + OUT) / 2 * 3);
    let mut words = noise(count * E::SIZE + 128);
    if E::SIZE == 12 {
        // 32-bit integers that fit in 16 bits.
        words.iter_mut().for_each(|two| *two &= 0xffff_0000_ffff);
    }
    let bytes = &as_in_file(bytemuck::cast_slice(&words))[..count * E::SIZE];
    let lens = Lens::new(encoding, bytes, 0, E::SIZE, count).expect("they lie inside");
    let mut out = touched(count * 3 * OUT / 2 + 64);
    let out = &mut from_a_line(bytemuck::cast_slice_mut(&mut out))[..count * 3 * OUT / 2];
    let out = std::cell::RefCell::new(out);
    let layout = layout.below(1 << 16, "vertex");
    let largest = lens.max_index();
    let fill = |level| {
        let found = lens.indices_into(layout.with_level(level), black_box(&mut out.borrow_mut()));
        assert_eq!(found, Ok(largest));
    };
    fill(Level::SCALAR);
    let wanted = out.borrow().to_vec();
    slower_pairs.extend(slower(name, 3 * count, 41, &fill));
    for level in Level::all() {
        let runs: &mut [Run<'_>] = &mut [
            Box::new(|| fill(level)),
            Box::new(|| copy_shape::<IN, OUT>(level, black_box(bytes), black_box(&mut out.borrow_mut()))),
        ];
        let found = in_turns(3 * count, Duration::from_micros(300), 101, runs);
        fill(level);
        assert!(**out.borrow() == *wanted, "{name} {level}");
        table.row(vec![
            name.into(),
            level.to_string(),
            format!("{:.0}", found.rates[0] / 1e6),
            format!("{:.0}", found.rates[1] / 1e6),
            format!("{:.2}", found.shares[1]),
        ]);
    }
}

/// Index buffers: converted and checked, with and without reversed winding, next to a copy of the same shape.
pub(crate) fn table(filter: Option<&str>, slower_pairs: &mut Vec<String>) {
    let mut table = Table::new(&["indices", "level", "Mindices/s", "limit", "share"]);
    let (short, long) =
        (IndexBufferLayout::new(IndexFormat::Uint16), IndexBufferLayout::new(IndexFormat::Uint32));
    macro_rules! cases {
        ($($name:literal $encoding:ident $in:literal $out:literal $layout:expr;)*) => {$(
            if filter.is_none_or(|filter| $name.contains(filter)) {
                row::<_, $in, $out>(&mut table, slower_pairs, $name, $encoding::<3>, $layout);
            }
        )*};
    }
    cases! {
        "indices u8 to u16" U8 2 4 short;
        "indices u8 to u32" U8 2 8 long;
        "indices u16 to u16" U16 4 4 short;
        "indices u16 to u32" U16 4 8 long;
        "indices i32 to u16" I32 8 4 short;
        "indices i32 to u32" I32 8 8 long;
        "indices u8 to u16, flipped" U8 2 4 short.flipped();
        "indices u8 to u32, flipped" U8 2 8 long.flipped();
        "indices u16 to u16, flipped" U16 4 4 short.flipped();
        "indices u16 to u32, flipped" U16 4 8 long.flipped();
        "indices i32 to u16, flipped" I32 8 4 short.flipped();
        "indices i32 to u32, flipped" I32 8 8 long.flipped();
    }
    table.print();
}
