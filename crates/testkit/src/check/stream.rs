//! Plans and partial models are the same for any portions of a file, and their values equal those of the whole file.

use meshlens::{Document, Format};
use meshlens_stream::{FileRange, Part, PartialModel, Plan, Probe, ProbeOptions, Step};

/// The sizes of the portions that a probe is fed with, in bytes.
const PORTIONS: [usize; 4] = [1, 7, 4096, usize::MAX];
/// The number of parts that are loaded one by one. In a larger plan, parts at regular intervals are loaded.
const PARTS: usize = 48;

/// For a model of any format, a probe that receives the requested bytes in portions of any size finds the plan of the
/// whole file, or its error. Each part of the plan that is loaded separately equals the same part of the whole file.
pub fn stream_plan(bytes: &[u8]) {
    let files = match Format::detect(bytes) {
        Some(_) => vec![bytes],
        None => {
            let (geometry, frames) = super::split_pair(bytes);
            vec![geometry, frames]
        }
    };
    let whole = Plan::of(&files);
    let mut rounds = None;
    for portion in PORTIONS {
        let options = ProbeOptions { read: 64, patience: 3, ..ProbeOptions::default() };
        let (found, asked) = probe(&files, options, portion);
        match (&found, &whole) {
            (Ok(found), Ok(whole)) => assert_eq!(found, whole, "in portions of {portion}"),
            (Err(found), Err(whole)) => assert_eq!(found.to_string(), whole.to_string()),
            _ => panic!("{found:?} in portions of {portion} is not {whole:?}"),
        }
        assert_eq!(rounds.get_or_insert_with(|| asked.clone()), &asked, "in portions of {portion}");
    }
    remote(&files, &whole);
    if let Ok(plan) = &whole {
        parts(plan, &files);
    }
    limits(&files);
}

/// The length of a file that repeats its bytes, in bytes.
const REPEATED: u64 = 1 << 40;
/// The largest number of bytes that a probe of such a file may request.
const MOST_BYTES: u64 = 8 << 10;

/// A probe of large files requests at most the number of bytes of its limit, in at most the promised number of rounds.
/// The large files are repetitions of the given ones.
fn limits(files: &[&[u8]]) {
    if files.iter().any(|file| file.is_empty()) {
        return;
    }
    let lens: Vec<u64> = files.iter().map(|_| REPEATED).collect();
    let options = ProbeOptions { read: 64, patience: 3, max_bytes: MOST_BYTES, ..ProbeOptions::default() };
    let mut probe = Probe::new(&lens, options);
    let mut requested = 0;
    while let Ok(Step::Wants(wanted)) = probe.step() {
        requested += wanted.iter().map(FileRange::len).sum::<u64>();
        assert!(requested <= MOST_BYTES, "{requested} bytes, at most {MOST_BYTES}");
        for range in wanted {
            let file = files[range.file];
            let from = (range.start % file.len() as u64) as usize;
            let bytes: Vec<u8> = file.iter().cycle().skip(from).take(range.len() as usize).copied().collect();
            probe.feed(range.file, range.start, bytes);
        }
    }
    let most = Probe::max_rounds(REPEATED, options);
    assert!(probe.rounds() <= most, "{} rounds, at most {most}", probe.rounds());
}

/// From a server, a small file takes two rounds, and no byte is requested twice.
fn remote(files: &[&[u8]], whole: &meshlens::Result<Plan>) {
    let options = ProbeOptions { read: 64, ..ProbeOptions::REMOTE };
    let (found, asked) = probe(files, options, usize::MAX);
    assert_eq!(found.map_err(|error| error.to_string()), whole.clone().map_err(|error| error.to_string()));
    let all: u64 = files.iter().map(|file| file.len() as u64).sum();
    let requested: u64 = asked.iter().flatten().map(FileRange::len).sum();
    assert!(requested <= all, "{requested} bytes of {all}");
    assert!(all > options.whole || asked.len() <= 1 + files.len(), "{} rounds", asked.len());
}

/// Probes files, feeding `portion` bytes of the requested ranges at a time. Also returns the requests of each round.
fn probe(
    files: &[&[u8]],
    options: ProbeOptions,
    portion: usize,
) -> (meshlens::Result<Plan>, Vec<Vec<FileRange>>) {
    let lens: Vec<u64> = files.iter().map(|file| file.len() as u64).collect();
    let mut probe = Probe::new(&lens, options);
    let mut asked = Vec::new();
    let found = loop {
        let wanted = match probe.step() {
            Ok(Step::Plan(plan)) => break Ok(plan),
            Ok(Step::Wants(wanted)) => wanted,
            Err(error) => break Err(error),
        };
        assert!(!wanted.is_empty() && wanted.is_sorted());
        for range in &wanted {
            assert!(!range.is_empty() && range.end <= lens[range.file], "{range:?} of {lens:?}");
            let mut at = range.start as usize;
            while at < range.end as usize {
                let end = at.saturating_add(portion).min(range.end as usize);
                probe.feed(range.file, at as u64, files[range.file][at..end].to_vec());
                at = end;
                if at < range.end as usize {
                    // While a round is incomplete, its remaining bytes are requested.
                    let step = probe.step().expect("nothing is parsed before the round is over");
                    let Step::Wants(rest) = step else { panic!("the round is not over") };
                    assert_eq!(rest[0], FileRange { start: at as u64, ..*range });
                }
            }
        }
        asked.push(wanted);
    };
    let most = Probe::max_rounds(lens.iter().sum(), options);
    assert!(asked.len() as u32 <= most, "{} rounds, at most {most}", asked.len());
    (found, asked)
}

fn parts(plan: &Plan, files: &[&[u8]]) {
    let whole = match files {
        [file] => Document::parse(file),
        _ => Document::parse_pair(files[0], files[1]),
    };
    let whole = whole.expect("its parts can be located");
    let all: Vec<Part> = plan.parts().collect();
    for part in all.iter().step_by(all.len().div_ceil(PARTS).max(1)) {
        let model = load(plan, *part, files);
        let document = model.document().expect("files as long as they were");
        assert_eq!((document.format(), document.version()), (whole.format(), whole.version()));
        for array in document.arrays() {
            let array = match array {
                Ok(array) => array,
                Err(error) => {
                    assert_eq!(error.code(), "INCOMPLETE", "{part}: {error}");
                    continue;
                }
            };
            let bytes = array.lens.as_bytes();
            let range = array.lens.byte_range();
            if !bytes.is_empty() {
                assert_eq!(
                    bytes,
                    &files[array.file][range.start as usize..range.end as usize],
                    "{part}: {array:?}"
                );
            }
        }
        if *part == Part::Bounds {
            let same = |bounds: Option<meshlens::lens::Bounds>| {
                bounds.map(|bounds| [bounds.min, bounds.max].map(|corner| corner.map(f32::to_bits)))
            };
            assert_eq!(same(model.bounds().expect("they are loaded")), same(whole.bounds()));
        }
    }
    meshes(plan, files, &whole);
    let model = load(plan, Part::Whole, files);
    assert_eq!(model.missing(Part::Whole), []);
    assert_eq!(model.model().is_ok(), meshlens::Model::new(whole).is_ok());
}

/// Each mesh that is loaded separately equals the same mesh of the whole file.
fn meshes(plan: &Plan, files: &[&[u8]], whole: &Document<'_>) {
    for mesh in 0..plan.mesh_count().min(4) {
        let frames = plan.located().frame_count(mesh);
        for frame in [0, frames.saturating_sub(1)] {
            let part = Part::Mesh { mesh: mesh as u32, frame: frame as u32 };
            if plan.part(part).is_none() {
                continue;
            }
            let model = load(plan, part, files);
            let alone = model.document().and_then(|document| document.into_mesh(mesh));
            let among = whole.clone().into_mesh(mesh);
            let (alone, among) = match (alone, among) {
                (Ok(Some(alone)), Ok(Some(among))) => (alone, among),
                (Err(alone), Err(among)) => {
                    assert_eq!(alone.to_string(), among.to_string());
                    continue;
                }
                (alone, among) => panic!("{alone:?} is not {among:?}"),
            };
            let text = |topology: meshlens::Result<meshlens::model::Topology>| match topology {
                Ok(topology) => format!("{topology:?}"),
                Err(error) => error.to_string(),
            };
            assert_eq!(text(alone.topology()), text(among.topology()), "{part}");
            let points = |mesh: &meshlens::model::Mesh<'_>| {
                mesh.positions(frame).map(|lens| bits(&lens.to_vec())).map_err(|error| error.to_string())
            };
            assert_eq!(points(&alone), points(&among), "{part}");
            let (mut a, mut b) = (Vec::new(), Vec::new());
            let there = [alone.normals_into(frame, &mut a).ok(), among.normals_into(frame, &mut b).ok()];
            assert_eq!((there[0], bits(&a)), (there[1], bits(&b)), "{part}");
            assert_eq!(alone.texcoord_sets(), among.texcoord_sets(), "{part}");
        }
    }
}

fn bits(values: &[[f32; 3]]) -> Vec<[u32; 3]> {
    values.iter().map(|value| value.map(f32::to_bits)).collect()
}

/// A partial model with one part loaded.
fn load(plan: &Plan, part: Part, files: &[&[u8]]) -> PartialModel {
    let mut model = PartialModel::new(plan.clone());
    let info = plan.part(part).expect("a part of the plan");
    assert_eq!(model.missing(part), info.ranges());
    let mut stored = 0;
    for pair in info.ranges().windows(2) {
        assert!(pair[0].file != pair[1].file || pair[0].end < pair[1].start, "{part}: {pair:?}");
    }
    for range in info.ranges() {
        let bytes = &files[range.file][range.start as usize..range.end as usize];
        stored += bytes.len() as u64;
        model.insert(range.file, range.start, bytes.to_vec());
    }
    assert_eq!((model.bytes(), info.stored_size()), (stored, stored));
    assert!(model.has(part) && model.missing(part).is_empty());
    for needed in info.needs() {
        assert!(plan.part(*needed).is_some(), "{part} needs {needed}");
    }
    model
}
