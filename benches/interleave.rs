//! Vertex buffers: attributes decoded to one buffer, through the cache and past it, and the cost of fresh memory.
//!
//! `-- --table` only prints the tables; `--l2`, `--dram` or `--memory` selects one of them. See the bench `kernels`.
//! `.ci/instructions` runs it with `--count`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use meshlens_benches::copy::copy_sizes;
use meshlens_benches::ratio::{
    DataLocation, Run, Table, as_in_file, from_a_line, in_turns, machine, noise, print_slower, slower,
    touched,
};
use meshlens_benches::{has, wants_tables};
use meshlens_lens::encoding::F32;
use meshlens_lens::{
    AttributeSource, Lens, Lerp, Level, Swizzled, VertexAttribute, VertexBufferLayout, VertexFormat,
    decode_interleaved,
};
use meshlens_md3::encoding::{Md3Normal, Md3Position};

/// The processing of the frames of a case.
#[derive(Clone, Copy, PartialEq)]
enum Frames {
    One,
    /// One frame, converted from Z up to Y up.
    Turned,
    /// Two blended frames.
    Two,
}

/// MD3 vertices with two frames, and the layouts to fill.
struct Case {
    name: &'static str,
    targets: [VertexFormat; 2],
    has_texcoords: bool,
    /// The number of bytes after the attributes of a vertex.
    padding: usize,
    frames: Frames,
}

impl Case {
    const fn new(
        name: &'static str,
        targets: [VertexFormat; 2],
        has_texcoords: bool,
        frames: Frames,
    ) -> Case {
        Case { name, targets, has_texcoords, padding: 0, frames }
    }

    const fn padded(self, padding: usize) -> Case {
        Case { padding, ..self }
    }

    /// The size of a vertex in bytes.
    const fn stride(&self) -> usize {
        let [first, second] = self.targets;
        first.size() + second.size() + if self.has_texcoords { 8 } else { 0 } + self.padding
    }

    /// The bytes of input and of output for each vertex of a copy of the same shape. Texture coordinates are read, too.
    fn sizes(&self) -> (usize, usize) {
        (if self.has_texcoords { 16 } else { 8 }, self.stride())
    }

    /// The number of vertices whose input and output fill the place.
    fn count(&self, place: DataLocation) -> usize {
        let (input, output) = self.sizes();
        place.elements(input + output)
    }
}

const FLOATS: [VertexFormat; 2] = [VertexFormat::Float32x3, VertexFormat::Float32x3];
const OCTAHEDRAL: [VertexFormat; 2] = [VertexFormat::Float32x3, VertexFormat::Octahedral16x2];
const SMALL: [VertexFormat; 2] = [VertexFormat::Float16x4, VertexFormat::Snorm8x4];

/// All but the last two have separate kernels at AVX2 and AVX-512. `benches/without` shows the gain of each kernel.
const CASES: [Case; 12] = [
    Case::new("f32x3 + f32x3", FLOATS, false, Frames::One),
    Case::new("f32x3 + f32x3 + f32x2", FLOATS, true, Frames::One),
    Case::new("f32x3 + octahedral16x2", OCTAHEDRAL, false, Frames::One),
    Case::new("f32x3 + octahedral16x2 + f32x2", OCTAHEDRAL, true, Frames::One),
    Case::new("f32x3 + octahedral16x2 + 4 bytes", OCTAHEDRAL, false, Frames::One).padded(4),
    Case::new("f16x4 + snorm8x4", SMALL, false, Frames::One),
    Case::new("turned, f32x3 + f32x3", FLOATS, false, Frames::Turned),
    Case::new("two frames, f32x3 + f32x3", FLOATS, false, Frames::Two),
    Case::new("two frames, f32x3 + octahedral16x2", OCTAHEDRAL, false, Frames::Two),
    Case::new("two frames, f16x4 + snorm8x4", SMALL, false, Frames::Two),
    Case::new("f32x3 + f32x3 + 8 bytes", FLOATS, false, Frames::One).padded(8),
    Case::new("f16x4 + snorm8x4 + f32x2", SMALL, true, Frames::One),
];

/// Calls `then` with a function that fills `out` for the case and the layout.
fn with_fill<R>(
    case: &Case,
    bytes: &[u8],
    texcoords: &[u8],
    count: usize,
    then: impl FnOnce(&dyn Fn(VertexBufferLayout, &mut [u8])) -> R,
) -> R {
    let frame = |frame: usize| {
        let bytes = &bytes[frame * 8 * count..];
        let positions = Lens::new(Md3Position, bytes, 0, 8, count).expect("they lie inside");
        let normals = Lens::new(Md3Normal, &bytes[6..], 6, 8, count).expect("they lie inside");
        (positions, normals)
    };
    let ((position_a, normal_a), (position_b, normal_b)) = (frame(0), frame(1));
    let blended_positions = Lerp::new(position_a, position_b, 0.25).expect("as many");
    let blended_normals = Lerp::directions(normal_a, normal_b, 0.25).expect("as many");
    let turn = ([0, 2, 1, 3], [1.0, 1.0, -1.0, 1.0]);
    let turned_positions = Swizzled::new(position_a, turn.0, turn.1);
    let turned_normals = Swizzled::new(normal_a, turn.0, turn.1);
    let (positions, normals): (&dyn AttributeSource, &dyn AttributeSource) = match case.frames {
        Frames::One => (&position_a, &normal_a),
        Frames::Turned => (&turned_positions, &turned_normals),
        Frames::Two => (&blended_positions, &blended_normals),
    };
    let texcoords = Lens::new(F32::<2>, texcoords, 0, 8, count).expect("they lie inside");
    let [first, second] = case.targets;
    let offset = first.size() + second.size();
    let attributes = [
        VertexAttribute::new(positions, 0, first),
        VertexAttribute::new(normals, first.size(), second),
        VertexAttribute::new(&texcoords, offset, VertexFormat::Float32x2),
    ];
    let attributes = if case.has_texcoords { &attributes[..] } else { &attributes[..2] };
    then(&|layout, out| decode_interleaved(attributes, layout, out).expect("a layout that fits"))
}

fn benches(c: &mut Criterion) {
    for case in &CASES {
        let (stride, count) = (case.stride(), case.count(DataLocation::L2));
        let (bytes, texcoords) = (noise(16 * count), noise(8 * count));
        let mut out = touched(stride * count);
        let out: &mut [u8] = bytemuck::cast_slice_mut(&mut out);
        // Bytes outside attributes are unchanged, but become 0 by stores past the cache.
        out.fill(0);
        let mut wanted = out.to_vec();
        with_fill(case, bytemuck::cast_slice(&bytes), bytemuck::cast_slice(&texcoords), count, |fill| {
            fill(VertexBufferLayout::new(stride).with_level(Level::SCALAR), &mut wanted);
            let mut group = c.benchmark_group(format!("interleave/{}", case.name));
            group.throughput(Throughput::Elements(count as u64));
            for level in Level::all() {
                let layout = VertexBufferLayout::new(stride).with_level(level);
                group.bench_function(BenchmarkId::from_parameter(level), |b| {
                    b.iter(|| fill(layout, black_box(&mut *out)));
                });
                assert!(out == wanted, "{} {level}", case.name);
                fill(layout.non_temporal(), out);
                assert!(out == wanted, "{} {level}", case.name);
            }
            group.finish();
        });
    }
}

/// Every case at the levels whose instructions are counted.
fn counts() {
    for case in &CASES {
        let (stride, count) = (case.stride(), 4096);
        let (bytes, texcoords) = (noise(16 * count + 128), noise(8 * count + 128));
        let [bytes, texcoords] = [&bytes, &texcoords].map(|words| as_in_file(bytemuck::cast_slice(words)));
        let mut out = touched(stride * count + 64);
        let out = &mut from_a_line(bytemuck::cast_slice_mut(&mut out))[..stride * count];
        with_fill(case, bytes, texcoords, count, |fill| {
            for level in meshlens_benches::counted_levels() {
                let layout = VertexBufferLayout::new(stride).with_level(level);
                meshlens_benches::count(&format!("{}, {level}", case.name), || {
                    fill(layout, black_box(&mut *out))
                });
            }
        });
    }
}

/// The size of the output in bytes: too large for an allocator to keep it.
const FRESH: usize = 64 << 20;

/// Decodes to fresh memory and to reused memory.
fn memory(c: &mut Criterion) {
    let count = FRESH / 12;
    let bytes = noise(8 * count);
    let lens = Lens::new(Md3Position, bytemuck::cast_slice(&bytes), 0, 8, count).expect("they lie inside");
    let last = lens.get(count - 1).expect("the last");
    let mut group = c.benchmark_group("memory/64 MiB of positions");
    group.throughput(Throughput::Elements(count as u64)).sample_size(10);
    group.bench_function("fresh Vec", |b| {
        b.iter(|| {
            let mut out = Vec::with_capacity(count);
            out.resize(count, [0f32; 3]);
            lens.decode_into(&mut out).expect("room");
            assert_eq!(out.last(), Some(&last));
        });
    });
    let mut out = vec![[1.0; 3]; count];
    group.bench_function("reused Vec", |b| {
        b.iter(|| {
            lens.decode_into(&mut out).expect("room");
            assert_eq!(out.last(), Some(&last));
        });
    });
    group.finish();
}

/// Decodes 48 MiB of positions to fresh memory and to reused memory. An output of this size is still written through
/// the cache.
fn memory_table() {
    const BYTES: usize = 48 << 20;
    let count = BYTES / 12;
    let bytes = noise(8 * count);
    let lens = Lens::new(Md3Position, bytemuck::cast_slice(&bytes), 0, 8, count).expect("they lie inside");
    let decode = |out: &mut [[f32; 3]]| lens.decode_into(black_box(out)).expect("room");
    let fresh = || {
        let mut out = Vec::with_capacity(count);
        out.resize(count, [0f32; 3]);
        decode(&mut out);
        black_box(out);
    };
    let mut kept = vec![[1.0; 3]; count];
    let again = || decode(&mut kept);
    let runs: &mut [Run<'_>] = &mut [Box::new(again), Box::new(fresh)];
    let found = in_turns(count, Duration::ZERO, 15, runs);
    let mut table = Table::new(&["48 MiB of positions into", "ms", "times the first"]);
    let rows = ["a Vec that is kept", "a Vec made anew"];
    for (name, (rate, share)) in rows.into_iter().zip(found.rates.iter().zip(&found.shares)) {
        let milliseconds = count as f64 / rate * 1e3;
        table.row(vec![name.into(), format!("{milliseconds:.1}"), format!("{share:.1}")]);
    }
    table.print();
}

fn table(place: DataLocation) {
    let columns =
        ["vertex buffer", "data", "level", "Mvertices/s", "GB/s out", "limit", "share", "past the cache"];
    let mut table = Table::new(&columns);
    let mut pairs = Vec::new();
    for case in &CASES {
        let (stride, sizes, count) = (case.stride(), case.sizes(), case.count(place));
        let (bytes, texcoords) = (noise(16 * count + 128), noise(8 * count + 128));
        let [bytes, texcoords] = [&bytes, &texcoords].map(|words| as_in_file(bytemuck::cast_slice(words)));
        let mut out = touched(stride * count + 64);
        let out = &mut from_a_line(bytemuck::cast_slice_mut(&mut out))[..count * stride];
        let out = std::cell::RefCell::new(out);
        with_fill(case, bytes, texcoords, count, |fill| {
            let mut wanted = vec![0; if place == DataLocation::L2 { stride * count } else { 0 }];
            if place == DataLocation::L2 {
                fill(VertexBufferLayout::new(stride).with_level(Level::SCALAR), &mut wanted);
                let run =
                    |level| fill(VertexBufferLayout::new(stride).with_level(level), &mut out.borrow_mut());
                pairs.extend(slower(case.name, count, 41, &run));
            }
            for level in Level::all() {
                let layout = VertexBufferLayout::new(stride).with_level(level);
                let runs: &mut [Run<'_>] = &mut [
                    Box::new(|| fill(layout, black_box(&mut out.borrow_mut()))),
                    Box::new(|| copy_sizes(sizes, black_box(bytes), black_box(&mut out.borrow_mut()))),
                ];
                // Measured separately, because it removes the output from the cache.
                let past: &mut [Run<'_>] =
                    &mut [Box::new(|| fill(layout.non_temporal(), black_box(&mut out.borrow_mut())))];
                let (slice, turns) = match place {
                    DataLocation::L2 => (Duration::from_micros(300), 101),
                    DataLocation::Dram => (Duration::ZERO, 7),
                };
                let found = in_turns(count, slice, turns, runs);
                let past = in_turns(count, slice, turns, past);
                if place == DataLocation::L2 {
                    fill(layout, &mut out.borrow_mut());
                    assert!(**out.borrow() == *wanted, "{} {level}", case.name);
                }
                table.row(vec![
                    case.name.into(),
                    place.name().into(),
                    level.to_string(),
                    format!("{:.0}", found.rates[0] / 1e6),
                    format!("{:.1}", found.rates[0] * stride as f64 / 1e9),
                    format!("{:.0}", found.rates[1] / 1e6),
                    format!("{:.2}", found.shares[1]),
                    format!("{:.0}", past.rates[0] / 1e6),
                ]);
            }
        });
    }
    table.print();
    if place == DataLocation::L2 {
        print_slower(&pairs);
    }
}

fn main() {
    if has("--count") {
        return counts();
    }
    if !has("--table") {
        let criterion = Criterion::default().warm_up_time(Duration::from_millis(200));
        let mut criterion =
            criterion.measurement_time(Duration::from_millis(500)).sample_size(30).configure_from_args();
        benches(&mut criterion);
        memory(&mut criterion);
        criterion.final_summary();
    }
    if wants_tables() {
        println!("\n{}\n", machine());
        let one = ["--l2", "--dram", "--memory"].into_iter().find(|part| has(part));
        let wanted = |part| one.is_none_or(|one| one == part);
        if wanted("--l2") {
            table(DataLocation::L2);
        }
        if wanted("--dram") {
            table(DataLocation::Dram);
        }
        if wanted("--memory") {
            memory_table();
        }
    }
}
