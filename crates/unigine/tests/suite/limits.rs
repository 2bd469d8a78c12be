//! Both ends of every limit, and the error of each broken field.

use meshlens_unigine::layout::ROTATION;
use meshlens_unigine::write::{Anim, Animation, Bone, MENDED, Model, Surface};
use meshlens_unigine::{
    Anim as AnimFile, Influence, Mesh as MeshFile, ParseOptions, Parts, Transform, Version, Welder,
    index_width, validate,
};
use meshlens_wire::{Compact, ErrorKind, Limits, Report};

/// A mesh of one triangle that is bound to the second of two bones, which is a child of the first.
pub(super) fn mesh(version: Version) -> Model {
    let mut mesh = Model::new(version);
    mesh.pack = false;
    mesh.bones = vec![Bone::new("root", None).unwrap(), Bone::new("tip", Some(0)).unwrap()];
    let mut surface = Surface::new("triangle").unwrap();
    surface.targets[0].positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    surface.targets[0].add_tangents(version, &[[0.0, 0.0, 0.0, 1.0]; 3]);
    surface.weights = vec![Influence { count: 1, bones: [1, 0, 0, 0], weights: [65535, 0, 0, 0] }; 3];
    surface.texcoords0 = vec![[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]];
    surface.add_triangle([[0, 0], [1, 1], [2, 2]]);
    mesh.surfaces.push(surface);
    if version < Version::Ms13 {
        let poses = [Transform::IDENTITY, Transform { position: [0.0, 0.0, 8.0], ..Transform::IDENTITY }];
        mesh.animations.push(Animation::new(version, "lift", &[1], 0x7f, &poses).unwrap());
    }
    mesh.recompute_bounds();
    mesh
}

pub(super) fn anim(version: Version) -> Anim {
    let mut anim = Anim::new(version);
    anim.bones = mesh(Version::Ms11).bones;
    let poses = [Transform::IDENTITY, Transform { position: [0.0, 0.0, 8.0], ..Transform::IDENTITY }];
    anim.animations.push(Animation::new(version, "lift", &[1], version.known_flags(), &poses).unwrap());
    anim
}

/// Offsets of the parts of ms11 in [`mesh`]: magic (4 bytes), bounds (40 bytes), bones, the name of an animation, the
/// surface.
const BONES: usize = 44;

const ANIMATIONS: usize = BONES + 1 + 1 + 5 + 2 + 1 + 4 + 2;

const SURFACES: usize = ANIMATIONS + 1 + 1 + 5;

pub(super) const BOUNDS: usize = SURFACES + 1 + 1 + 9;

const SECOND_MAGIC: usize = BOUNDS + 40 + 1 + 1 + 1;

pub(super) const TRACK: usize = SECOND_MAGIC + 4 + 80;

const RECORDS: usize = TRACK + 1 + 2 + 1 + 1;

const VERTICES: usize = RECORDS + 33 + 5;

const TANGENTS: usize = VERTICES + 1 + 36;

pub(super) const WEIGHTS: usize = TANGENTS + 1 + 24;

pub(super) const TEXCOORDS: usize = WEIGHTS + 1 + 15;

pub(super) const COLORS: usize = TEXCOORDS + 1 + 24 + 1;

pub(super) const COORDINATES: usize = COLORS + 1;

const END: usize = COORDINATES + 4 + 4;

pub(super) fn bytes() -> Vec<u8> {
    mesh(Version::Ms11).write().unwrap()
}

/// The mesh with some of its bytes replaced.
pub(super) fn with(at: usize, len: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes();
    bytes.splice(at..at + len, new.iter().copied());
    bytes
}

pub(super) fn error(bytes: &[u8]) -> (u64, &'static str, String) {
    let error = MeshFile::parse(bytes).map(|_| ()).unwrap_err();
    (error.offset(), error.code(), error.to_string())
}

#[test]
fn the_files_have_no_findings() {
    for version in Version::ALL {
        let bytes = match version.is_mesh() {
            true => mesh(version).write().unwrap(),
            false => anim(version).write().unwrap(),
        };
        assert_eq!(codes(&bytes), [""; 0], "{version}");
    }
    let bytes = bytes();
    assert_eq!((&bytes[SECOND_MAGIC..][..4], &bytes[END..]), (&b"ms11"[..], &b"ms11"[..]));
    let mesh = MeshFile::parse(&bytes).unwrap();
    let geometry = mesh.surface(0).unwrap().geometry_in_place().unwrap();
    assert_eq!(geometry.positions().byte_range().start, VERTICES as u64 + 1);
    assert_eq!(geometry.coordinate_indices().byte_range().start, COORDINATES as u64 + 1);
    assert_eq!(mesh.bounds().bounds.max, [1.0, 1.0, 0.0]);
}

#[test]
fn magics_at_the_start_in_the_middle_and_at_the_end() {
    let text = |start: &[u8]| error(&[start, &[0; 64]].concat()).2;
    assert_eq!(text(b"ms15"), "unigine: ms15 is not supported at 0x0");
    assert_eq!(text(b"sk10"), "unigine: sk10 is not supported at 0x0");
    assert_eq!(text(b"an10"), "unigine: expected \"ms10\" to \"ms14\", found \"an10\" at 0x0");
    let other = AnimFile::parse(b"an12").map(|_| ()).unwrap_err();
    assert_eq!(other.to_string(), "unigine: an12 is not supported at 0x0");
    for (at, place) in [(SECOND_MAGIC, SECOND_MAGIC), (END, END)] {
        let (offset, code, _) = error(&with(at, 4, b"ms12"));
        assert_eq!((offset, code), (place as u64, "MAGIC"));
    }
    assert_eq!(error(&bytes()[..END]).0, END as u64);
    let blocks = mesh(Version::Ms14).write().unwrap();
    let magics = blocks.windows(4).filter(|window| window == b"ms14").count();
    assert_eq!(magics, 5, "each of them is checked:");
    for at in (0..blocks.len() - 3).filter(|at| blocks[*at..].starts_with(b"ms14")).skip(1) {
        let mut bytes = blocks.clone();
        bytes[at] = b'M';
        let (offset, code, _) = error(&bytes);
        assert_eq!((offset, code), (at as u64, "MAGIC"));
    }
}

#[test]
fn counts_are_bounded_by_the_file() {
    let fields = [
        BONES,
        ANIMATIONS,
        SURFACES,
        BOUNDS + 40,
        TRACK,
        RECORDS - 1,
        VERTICES,
        TANGENTS,
        WEIGHTS,
        TEXCOORDS,
        TEXCOORDS + 25,
        COLORS,
        COORDINATES,
        COORDINATES + 4,
    ];
    for at in fields {
        let (offset, code, text) = error(&with(at, 1, &[0x41]));
        assert_eq!((offset, code), (at as u64, "VALUE"), "{text}");
        assert!(text.contains("expected at least 0, found -1"), "{text}");
        let most = Compact::new(i32::MAX).unwrap();
        let (offset, code, text) = error(&with(at, 1, most.as_bytes()));
        assert!(code == "OUT_OF_BOUNDS" || code == "LIMIT", "{at}: {text}");
        assert!(offset >= at as u64 && offset <= at as u64 + 5, "{at}: {text}");
    }
    // If the count has one more surface, the parser reads the following bytes as a surface, and fails there.
    assert!(MeshFile::parse(&with(SURFACES, 1, &[2])).is_err());
}

#[test]
fn strings_end_with_their_nul() {
    let mut bytes = bytes();
    bytes[BONES + 2 + 4] = b'!';
    let (offset, code, text) = error(&bytes);
    assert_eq!((offset, code), (BONES as u64 + 2, "UNTERMINATED"), "{text}");
    assert!(text.starts_with("unigine: bone 0: "), "{text}");
    // A name of length 0 is empty.
    let bytes = with(SURFACES + 1, 10, &[0]);
    let mesh = MeshFile::parse(&bytes).unwrap();
    assert!(mesh.surface(0).unwrap().name().is_empty());
    assert_eq!(codes(&bytes), ["NAME_WITHOUT_NUL"]);
}

#[test]
fn parents_must_exist_and_not_form_a_cycle() {
    let parent = BONES + 1 + 6;
    for (value, code) in [(2i16, "INDEX_OUT_OF_RANGE"), (-2, "VALUE"), (i16::MAX, "INDEX_OUT_OF_RANGE")] {
        let (offset, found, text) = error(&with(parent, 2, &value.to_le_bytes()));
        assert_eq!((offset, found), (parent as u64, code), "{text}");
    }
    let (_, code, text) = error(&with(parent, 2, &[1, 0]));
    assert_eq!(code, "VALUE", "{text}");
    assert!(text.contains("bone 0: parent: expected a bone that is not a descendant, found 1"), "{text}");
    assert_eq!(error(&with(parent, 2, &[0, 0])).1, "VALUE", "its own parent");
}

#[test]
fn a_vertex_has_four_bones_at_most() {
    let (offset, code, text) = error(&with(WEIGHTS + 1, 1, &[5]));
    assert_eq!((offset, code), (WEIGHTS as u64 + 1, "VALUE"), "{text}");
    let four = [4, 1, 0, 0xff, 0x3f, 1, 0, 0xff, 0x3f, 0, 0, 0xff, 0x3f, 0, 0, 0, 0x40];
    let bytes = with(WEIGHTS + 1, 5, &four);
    let mesh = MeshFile::parse(&bytes).unwrap();
    let first = mesh.surface(0).unwrap().geometry_in_place().unwrap().weights().next().unwrap();
    assert_eq!((first.count, first.weights), (4, [0x3fff, 0x3fff, 0x3fff, 0x4000]));
    assert_eq!(codes(&bytes), [""; 0], "65533 in all: truncated");
    // Weights of 16383.75 / 65535 each are 65532 after truncation, which is not a fault; 65531 is.
    let four = [4, 1, 0, 0xff, 0x3f, 1, 0, 0xff, 0x3f, 0, 0, 0xff, 0x3f, 0, 0, 0xff, 0x3f];
    assert_eq!(codes(&with(WEIGHTS + 1, 5, &four)), [""; 0]);
    let less = [&four[..15], &[0xfe, 0x3f]].concat();
    assert_eq!(codes(&with(WEIGHTS + 1, 5, &less)), ["WEIGHT_SUM"]);
}

#[test]
fn index_widths_change_at_256_and_65536() {
    for (count, width) in [(255, 1), (256, 2), (65_535, 2), (65_536, 4)] {
        for version in [Version::Ms10, Version::Ms11, Version::Ms14] {
            let mut model = Model::new(version);
            let mut surface = Surface::new("many").unwrap();
            surface.targets[0].positions = vec![[0.5; 3]; count];
            surface.targets[0].add_tangents(version, &vec![[0.0, 0.0, 0.0, 1.0]; count]);
            let last = count as u32 - 1;
            surface.add_triangle([[last, 0], [0, last], [1, 1]]);
            model.surfaces.push(surface);
            let bytes = model.write().unwrap();
            let mesh = MeshFile::parse(&bytes).unwrap();
            let mut buffer = Vec::new();
            let geometry = mesh.surface(0).unwrap().geometry(&mut buffer).unwrap();
            let (coordinates, triangles) = geometry.checked_indices().unwrap();
            assert_eq!((coordinates.stride(), triangles.stride()), (width, width), "{version}: {count}");
            assert_eq!(coordinates.iter().collect::<Vec<_>>(), [last, 0, 1]);
            assert_eq!(triangles.iter().collect::<Vec<_>>(), [0, last, 1]);
            assert_eq!(index_width(count as u32) as usize, width);
        }
    }
}

#[test]
fn frames_without_bytes_are_refused() {
    let still = |bones: &[i16], frames: i32| {
        let mut bytes = b"an11\0an11".to_vec();
        bytes.extend(Compact::new(bones.len() as i32).unwrap().as_bytes());
        bones.iter().for_each(|bone| bytes.extend(bone.to_le_bytes()));
        bytes.extend(Compact::new(frames).unwrap().as_bytes());
        bytes.extend(b"an11");
        bytes
    };
    for (frames, is_ok) in [(0, true), (65_536, true), (65_537, false), (1_000_000_000, false)] {
        let bytes = still(&[], frames);
        let outcome = AnimFile::parse(&bytes).map(|anim| anim.animation(0).unwrap().frame_count());
        match outcome {
            Ok(count) => assert!(is_ok && count == frames as usize),
            Err(error) => assert!(!is_ok && error.code() == "LIMIT" && error.offset() == 10, "{error}"),
        }
    }
    let error = AnimFile::parse(&still(&[0], 1_000_000_000)).map(|_| ()).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("OUT_OF_BOUNDS", 17), "{error}");
    // The empty frames of all animations count together.
    let mut anim = Anim::new(Version::An10);
    for _ in 0..2 {
        let mut animation = Animation::new(Version::An10, "none", &[], 0, &[]).unwrap();
        animation.frame_count = 40_000;
        anim.animations.push(animation);
    }
    let error = AnimFile::parse(&anim.write().unwrap()).map(|_| ()).unwrap_err();
    let kind = ErrorKind::Limit { what: "frames without bones", limit: 65_536, found: 80_000 };
    assert_eq!(error.kind(), &kind);
}

#[test]
fn the_limits_of_the_caller_are_checked() {
    let bytes = bytes();
    let parse =
        |limits: Limits| MeshFile::parse_with(&bytes, &limits.into()).map(|_| ()).map_err(|e| *e.kind());
    assert_eq!(parse(Limits { count: 2, work: 5, ..Limits::DEFAULT }), Ok(()));
    let kind = ErrorKind::Limit { what: "bones", limit: 1, found: 2 };
    assert_eq!(parse(Limits { count: 1, ..Limits::DEFAULT }), Err(kind));
    // There are two frame records and three weights.
    let kind = ErrorKind::Limit { what: "weights", limit: 4, found: 5 };
    assert_eq!(parse(Limits { work: 4, ..Limits::DEFAULT }), Err(kind));
}

#[test]
fn indices_past_the_end_are_errors() {
    for (at, what) in [(COORDINATES + 2, "vertex"), (COORDINATES + 4 + 2, "tangent")] {
        let bytes = with(at, 1, &[3]);
        let mesh = MeshFile::parse(&bytes).unwrap();
        let geometry = mesh.surface(0).unwrap().geometry_in_place().unwrap();
        let error = geometry.checked_indices().map(|_| ()).unwrap_err();
        assert_eq!(
            (error.offset(), error.kind()),
            (at as u64, &ErrorKind::Index { what, index: 3, count: 3 })
        );
        assert_eq!(Welder::default().weld(&geometry).unwrap_err(), error);
        assert_eq!(codes(&bytes), ["INDEX_OUT_OF_RANGE"]);
    }
}

#[test]
fn a_located_mesh_is_bound_to_its_bytes() {
    let bytes = bytes();
    let parts = Parts::locate(&bytes, bytes.len() as u64, &ParseOptions::default()).unwrap();
    assert!(MeshFile::bind(parts.clone(), &bytes[..bytes.len() - 1]).is_err());
    assert_eq!(Model::try_from(&MeshFile::bind(parts, &bytes).unwrap()).unwrap(), mesh(Version::Ms11));
    let error =
        Parts::locate(&bytes[..60], bytes.len() as u64, &ParseOptions::default()).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "INCOMPLETE");
}

#[test]
fn ranges_are_one_larger_than_their_values() {
    let anim = anim(Version::An10);
    let ranges = anim.animations[0].ranges.unwrap();
    assert_eq!((ranges.translation_min, ranges.translation_size), ([0.0; 3], [1.0, 1.0, 9.0]));
    assert_eq!((ranges.scale_min, ranges.scale_size), ([1.0; 3], [1.0; 3]));
    // 8/9 of 65535 is 58253.33, which is truncated.
    assert_eq!(anim.animations[0].records[21..], [0x04, 0x8d, 0xe3]);
    let turned = Animation::new(Version::An10, "turn", &[0], ROTATION, &[Transform::IDENTITY]).unwrap();
    let ranges = turned.ranges.unwrap();
    assert_eq!((ranges.translation_min, ranges.translation_size), ([1e9; 3], [-2e9; 3]));
    assert_eq!((ranges.scale_min, ranges.scale_size), ([1e9; 3], [-2e9; 3]));
}

pub(super) fn codes(bytes: &[u8]) -> Vec<&'static str> {
    let found = codes_as_they_are(bytes);
    // What is mended, and nothing else, is gone after a rewrite.
    let mended = match Version::of(bytes).unwrap().is_mesh() {
        true => Model::try_from(&MeshFile::parse(bytes).unwrap()).and_then(|mut model| {
            model.mend();
            model.write()
        }),
        false => {
            let mut anim = Anim::from(&AnimFile::parse(bytes).unwrap());
            anim.mend();
            anim.write()
        }
    };
    if let Ok(bytes) = mended {
        let is_mended = |code: &str| MENDED.iter().any(|mended| mended.name == code);
        let left: Vec<_> = found.iter().copied().filter(|code| !is_mended(code)).collect();
        assert_eq!(codes_as_they_are(&bytes), left);
    }
    found
}

fn codes_as_they_are(bytes: &[u8]) -> Vec<&'static str> {
    let mut report = Report::default();
    match Version::of(bytes).unwrap().is_mesh() {
        true => validate(&MeshFile::parse(bytes).unwrap(), &mut report),
        false => validate(&AnimFile::parse(bytes).unwrap(), &mut report),
    }
    report.findings().map(|finding| finding.code).collect()
}
