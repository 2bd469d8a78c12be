//! Boundary values in the numbers of headers: in one, two or three numbers at once, and in all of them if there are
//! few.

use std::cell::Cell;
use std::ops::Range;

use meshlens::Document;
use meshlens_testkit::headers::{boundaries, combinations, numbers};
use meshlens_testkit::mutate::Field;
use meshlens_testkit::targets::{Damage, TARGETS, Target, find};
use meshlens_testkit::{check, corpus};
use meshlens_unreal::Unreal;

use crate::{Damaging, Job, install_meter, run_all};

/// The targets that check the operations of commands on a model that parses, and the options that they expect after its
/// bytes.
const VERBS: [(&str, &[u8]); 8] = [
    ("model", &[]),
    ("convert", &[0, 1, 0, 0]),
    ("stream_plan", &[]),
    ("prefixes", &[]),
    ("thumb", &[0]),
    ("vertex_buffers", &[]),
    ("vat", &[0]),
    ("usd", &[0]),
];

/// Runs the checker of the format and, for a file that parses, one of [`VERBS`], alternating between them.
fn all_verbs(target: &Target, bytes: &[u8]) {
    thread_local!(static NEXT: Cell<usize> = const { Cell::new(0) });
    (target.check)(bytes);
    let (geometry, frames) = check::split_pair(bytes);
    if Document::parse(bytes).is_ok() || Unreal::parse(geometry, frames).is_ok() {
        let next = NEXT.replace((NEXT.get() + 1) % VERBS.len());
        let (verb, options) = VERBS[next];
        let verb = find(verb).expect("a target of this name");
        (verb.check)(&[bytes, options].concat());
    }
}

/// The numbers of a file that determine its structure, except numbers in arrays.
fn header(target: &Target, bytes: &[u8]) -> Vec<Field> {
    let Damage::EveryWay(shape) = target.damage else { return Vec::new() };
    let ranges = |document: Document<'_>| {
        let inside = |range: Range<u64>| range.start as usize..(range.end as usize).min(bytes.len());
        document.arrays().map(|array| inside(array.lens.byte_range())).collect::<Vec<_>>()
    };
    let arrays = Document::parse(bytes).map(ranges).unwrap_or_default();
    numbers(bytes, &arrays, shape)
}

/// The first numbers, and some of the others at regular intervals.
fn some(fields: Vec<Field>, first: usize, others: usize) -> Vec<Field> {
    let (start, rest) = fields.split_at(fields.len().min(first));
    let step = rest.len().div_ceil(others.max(1)).max(1);
    [start.to_vec(), rest.iter().copied().step_by(step).take(others).collect()].concat()
}

const ONE_AND_TWO: Damaging = |target, bytes, check| {
    let fields = some(header(target, bytes), 18, 6);
    combinations(bytes, &fields, 1, check);
    combinations(bytes, &fields, 2, check);
};

const TWO_OF_MANY: Damaging =
    |target, bytes, check| combinations(bytes, &some(header(target, bytes), 24, 24), 2, check);

const THREE: Damaging =
    |target, bytes, check| combinations(bytes, &some(header(target, bytes), 12, 4), 3, check);

const FOUR: Damaging =
    |target, bytes, check| combinations(bytes, &some(header(target, bytes), 4, 0), 4, check);

/// The smallest seed of each version of each format, or every seed.
fn jobs(is_every_seed: bool, damages: &[(&'static str, Damaging)]) -> Vec<Job> {
    let targets = TARGETS.iter().filter(|target| matches!(target.damage, Damage::EveryWay(_)));
    let jobs = targets.flat_map(|target| {
        let mut seeds = (target.seeds)();
        seeds.sort_by_key(|(_, bytes)| bytes.len());
        let mut versions = Vec::new();
        seeds.retain(|(_, bytes)| {
            let version = Document::parse(bytes).map(|document| document.version().to_string()).ok();
            let is_new = !versions.contains(&version);
            versions.push(version);
            is_new || is_every_seed
        });
        let with_damages = |(path, bytes): (String, Vec<u8>)| {
            let job = move |damage: &(&'static str, Damaging)| Job {
                target,
                path: path.clone(),
                bytes: bytes.clone(),
                damage: *damage,
                check: all_verbs,
            };
            damages.iter().map(job).collect::<Vec<_>>()
        };
        seeds.into_iter().flat_map(with_damages).collect::<Vec<_>>()
    });
    jobs.collect()
}

#[test]
fn two_boundary_values_in_the_headers_of_every_version() {
    install_meter();
    let jobs = jobs(false, &[("boundary values in one and two numbers of headers", ONE_AND_TWO)]);
    println!("{} files with boundary values in one and two numbers of headers", run_all(jobs));
}

#[test]
#[ignore = "millions of files, which take minutes: .ci/thorough"]
fn three_boundary_values_in_headers() {
    install_meter();
    let two = jobs(true, &[("boundary values in two of all numbers of headers", TWO_OF_MANY)]);
    let more = [
        ("boundary values in three numbers of headers", THREE),
        ("boundary values in the first four numbers", FOUR),
    ];
    let all: Vec<Job> = two.into_iter().chain(jobs(false, &more)).collect();
    println!("{} files with boundary values in two, three and four numbers of headers", run_all(all));
}

#[test]
fn numbers_in_headers_are_found() {
    let of = |target: &str, name: &str| {
        let (_, bytes) = corpus::with_extension(&[name]).swap_remove(0);
        header(find(target).expect("a target of this name"), &bytes)
    };
    let md3 = of("md3", "static_1.md3");
    // The version; the counts of frames, tags and surfaces; the offsets of frames, surfaces and the end.
    for at in [4, 76, 80, 84, 92, 100, 104] {
        assert!(md3.contains(&Field { at, size: 4 }), "{at}: {md3:?}");
    }
    // The counts of frames, shaders, vertices and triangles of the surface, and its offsets. The surface begins at 164.
    for at in (164 + 72..164 + 108).step_by(4) {
        assert!(md3.contains(&Field { at, size: 4 }), "{at}: {md3:?}");
    }
    // The numbers of triangles, of vertices and of frames, and the size of a frame.
    let [geometry, frames] = [of("unreal_geometry", "crate_d.3d"), of("unreal_frames", "crate_walk_a.3d")];
    assert!(geometry.contains(&Field { at: 0, size: 2 }), "{geometry:?}");
    assert!([0, 2].iter().all(|at| frames.contains(&Field { at: *at, size: 2 })), "{frames:?}");
}

#[test]
fn boundary_values_are_around_limits_and_lengths() {
    assert_eq!(boundaries(1, 7, 20), [0, 1, 4, 6, 8, 16, 19, 20, 21, 22, 32, 64, 127, 128, 254, 255]);
    let mut found = Vec::new();
    let fields = [0, 2].map(|at| Field { at, size: 1 });
    combinations(&[7, 9, 7], &fields, 2, &mut |bytes| found.push(bytes.to_vec()));
    let each = boundaries(1, 7, 3).len();
    assert_eq!(found.len(), each * each);
    assert_eq!((&found[0], found.last()), (&vec![0, 9, 0], Some(&vec![255, 9, 255])));
}
