//! Vertex buffers: attributes decoded to one buffer, through the cache and past it, and the cost of fresh memory.
//!
//! `-- --table` only prints the tables; `--l2`, `--dram` or `--memory` selects one of them. See `kernels.rs`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput};
use meshlens_benches::ratio::{Place, Run, Table, in_turns, machine, noise, touched};
use meshlens_lens::bench::copy_shape;
use meshlens_lens::{
    AttributeSource, Lens, Lerp, Level, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved,
};
use meshlens_md3::encoding::{Md3Normal, Md3Position};
use meshlens_source::Arena;

/// MD3 vertices in two frames, and the layouts to fill.
struct Case {
    name: &'static str,
    targets: [VertexFormat; 2],
    stride: usize,
    two_frames: bool,
}

const CASES: [Case; 5] = [
    Case {
        name: "f32x3 + f32x3",
        targets: [VertexFormat::Float32x3, VertexFormat::Float32x3],
        stride: 24,
        two_frames: false,
    },
    Case {
        name: "f32x3 + octahedral16x2",
        targets: [VertexFormat::Float32x3, VertexFormat::Octahedral16x2],
        stride: 16,
        two_frames: false,
    },
    Case {
        name: "f16x4 + snorm8x4",
        targets: [VertexFormat::Float16x4, VertexFormat::Snorm8x4],
        stride: 12,
        two_frames: false,
    },
    Case {
        name: "two frames, f32x3 + f32x3",
        targets: [VertexFormat::Float32x3, VertexFormat::Float32x3],
        stride: 24,
        two_frames: true,
    },
    Case {
        name: "two frames, f16x4 + snorm8x4",
        targets: [VertexFormat::Float16x4, VertexFormat::Snorm8x4],
        stride: 12,
        two_frames: true,
    },
];

/// Calls `then` with a function that fills `out` for the case and the layout.
fn with_fill<R>(
    case: &Case,
    bytes: &[u8],
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
    let (positions, normals): (&dyn AttributeSource, &dyn AttributeSource) = match case.two_frames {
        true => (&blended_positions, &blended_normals),
        false => (&position_a, &normal_a),
    };
    let [first, second] = case.targets;
    let attributes =
        [VertexAttribute::new(positions, 0, first), VertexAttribute::new(normals, first.size(), second)];
    then(&|layout, out| decode_interleaved(&attributes, layout, out).expect("a layout that fits"))
}

fn limit(stride: usize, bytes: &[u8], out: &mut [u8]) {
    match stride {
        24 => copy_shape::<8, 24>(Level::best(), bytes, out),
        16 => copy_shape::<8, 16>(Level::best(), bytes, out),
        _ => copy_shape::<8, 12>(Level::best(), bytes, out),
    }
}

fn benches(c: &mut Criterion) {
    for case in &CASES {
        let count = Place::L2.elements(8 + case.stride);
        let bytes = noise(16 * count);
        let mut out = touched(case.stride * count);
        let out: &mut [u8] = bytemuck::cast_slice_mut(&mut out);
        let mut wanted = out.to_vec();
        with_fill(case, bytemuck::cast_slice(&bytes), count, |fill| {
            fill(VertexBufferLayout::new(case.stride).with_level(Level::SCALAR), &mut wanted);
            let mut group = c.benchmark_group(format!("interleave/{}", case.name));
            group.throughput(Throughput::Elements(count as u64));
            for level in Level::all() {
                let layout = VertexBufferLayout::new(case.stride).with_level(level);
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

/// The size of the output in bytes: too large for an allocator to keep it.
const FRESH: usize = 64 << 20;

/// Decodes to fresh memory, to a new arena and to a reused arena.
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
    group.bench_function("fresh arena", |b| {
        b.iter(|| {
            let mut arena = Arena::with_capacity(FRESH).expect("memory");
            let out: &mut [[f32; 3]] = arena.reset().take(count).expect("room");
            lens.decode_into(out).expect("room");
            assert_eq!(out.last(), Some(&last));
        });
    });
    let mut arena = Arena::with_capacity(FRESH).expect("memory");
    group.bench_function("reused arena", |b| {
        b.iter(|| {
            let out: &mut [[f32; 3]] = arena.reset().take(count).expect("room");
            lens.decode_into(out).expect("room");
            assert_eq!(out.last(), Some(&last));
        });
    });
    group.finish();
}

/// Decodes 48 MiB of positions in the same three ways. An output of this size is still written through the cache.
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
    let arena = || {
        let mut arena = Arena::with_capacity(BYTES).expect("memory");
        decode(arena.reset().take(count).expect("room"));
        black_box(arena);
    };
    let mut kept = Arena::with_capacity(BYTES).expect("memory");
    let again = || decode(kept.reset().take(count).expect("room"));
    let runs: &mut [Run<'_>] = &mut [Box::new(again), Box::new(arena), Box::new(fresh)];
    let found = in_turns(count, Duration::ZERO, 15, runs);
    let mut table = Table::new(&["48 MiB of positions into", "ms", "times the first"]);
    for (name, (rate, share)) in ["an arena that is kept", "an arena made anew", "a Vec made anew"]
        .into_iter()
        .zip(found.rates.iter().zip(&found.shares))
    {
        let milliseconds = count as f64 / rate * 1e3;
        table.row(vec![name.into(), format!("{milliseconds:.1}"), format!("{share:.1}")]);
    }
    table.print();
}

fn table(place: Place) {
    let columns =
        ["vertex buffer", "data", "level", "Mvertices/s", "GB/s out", "limit", "share", "past the cache"];
    let mut table = Table::new(&columns);
    for case in &CASES {
        let count = place.elements(8 + case.stride);
        let bytes = noise(16 * count);
        let bytes: &[u8] = bytemuck::cast_slice(&bytes);
        let mut out = touched(case.stride * count + 64);
        let out: &mut [u8] = bytemuck::cast_slice_mut(&mut out);
        let start = out.as_ptr().align_offset(64);
        let out = std::cell::RefCell::new(&mut out[start..start + count * case.stride]);
        with_fill(case, bytes, count, |fill| {
            for level in Level::all() {
                let layout = VertexBufferLayout::new(case.stride).with_level(level);
                let runs: &mut [Run<'_>] = &mut [
                    Box::new(|| fill(layout, black_box(&mut out.borrow_mut()))),
                    Box::new(|| limit(case.stride, black_box(bytes), black_box(&mut out.borrow_mut()))),
                    Box::new(|| fill(layout.non_temporal(), black_box(&mut out.borrow_mut()))),
                ];
                let (slice, turns) = match place {
                    Place::L2 => (Duration::from_micros(300), 101),
                    Place::Dram => (Duration::ZERO, 7),
                };
                let found = in_turns(count, slice, turns, runs);
                table.row(vec![
                    case.name.into(),
                    place.name().into(),
                    level.to_string(),
                    format!("{:.0}", found.rates[0] / 1e6),
                    format!("{:.1}", found.rates[0] * case.stride as f64 / 1e9),
                    format!("{:.0}", found.rates[1] / 1e6),
                    format!("{:.2}", found.shares[1]),
                    format!("{:.0}", found.rates[2] / 1e6),
                ]);
            }
        });
    }
    table.print();
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if !has("--table") {
        let criterion = Criterion::default().warm_up_time(Duration::from_millis(200));
        let mut criterion =
            criterion.measurement_time(Duration::from_millis(500)).sample_size(30).configure_from_args();
        benches(&mut criterion);
        memory(&mut criterion);
        criterion.final_summary();
    }
    if has("--table")
        || !(has("--test") || has("--list") || arguments.iter().any(|name| !name.starts_with("--")))
    {
        println!("\n{}\n", machine());
        let one = ["--l2", "--dram", "--memory"].into_iter().find(|part| has(part));
        let wanted = |part| one.is_none_or(|one| one == part);
        if wanted("--l2") {
            table(Place::L2);
        }
        if wanted("--dram") {
            table(Place::Dram);
        }
        if wanted("--memory") {
            memory_table();
        }
    }
}
