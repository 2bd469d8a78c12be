//! Both ends of every limit, and the error of each broken field.

use meshlens_unigine::layout::{ROTATION, TRANSLATION};
use meshlens_unigine::write::{Anim, Animation, Bone, Model, Surface, Target, name};
use meshlens_unigine::{
    Anim as AnimFile, Influence, Mesh as MeshFile, ParseOptions, Parts, Transform, Version, Welder,
    index_width, validate,
};
use meshlens_wire::{Compact, ErrorKind, Limits, Report};

/// A mesh of one triangle that hangs on the second of two bones, the first one's child.
fn mesh(version: Version) -> Model {
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

fn anim(version: Version) -> Anim {
    let mut anim = Anim::new(version);
    anim.bones = mesh(Version::Ms11).bones;
    let poses = [Transform::IDENTITY, Transform { position: [0.0, 0.0, 8.0], ..Transform::IDENTITY }];
    anim.animations.push(Animation::new(version, "lift", &[1], version.known_flags(), &poses).unwrap());
    anim
}

/// Where ms11's parts lie in [`mesh`]: magic 4, bounds 40, bones, an animation's name, the surface.
const BONES: usize = 44;
const ANIMATIONS: usize = BONES + 1 + 1 + 5 + 2 + 1 + 4 + 2;
const SURFACES: usize = ANIMATIONS + 1 + 1 + 5;
const BOUNDS: usize = SURFACES + 1 + 1 + 9;
const SECOND_MAGIC: usize = BOUNDS + 40 + 1 + 1 + 1;
const TRACK: usize = SECOND_MAGIC + 4 + 80;
const RECORDS: usize = TRACK + 1 + 2 + 1 + 1;
const VERTICES: usize = RECORDS + 33 + 5;
const TANGENTS: usize = VERTICES + 1 + 36;
const WEIGHTS: usize = TANGENTS + 1 + 24;
const TEXCOORDS: usize = WEIGHTS + 1 + 15;
const COLORS: usize = TEXCOORDS + 1 + 24 + 1;
const COORDINATES: usize = COLORS + 1;
const END: usize = COORDINATES + 4 + 4;

fn bytes() -> Vec<u8> {
    mesh(Version::Ms11).write().unwrap()
}

/// The mesh with some of its bytes replaced.
fn with(at: usize, len: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes();
    bytes.splice(at..at + len, new.iter().copied());
    bytes
}

fn error(bytes: &[u8]) -> (u64, &'static str, String) {
    let error = MeshFile::parse(bytes).map(|_| ()).unwrap_err();
    (error.offset(), error.code(), error.to_string())
}

fn codes(bytes: &[u8]) -> Vec<&'static str> {
    let mut report = Report::default();
    match Version::of(bytes).unwrap().is_mesh() {
        true => validate(&MeshFile::parse(bytes).unwrap(), &mut report),
        false => validate(&AnimFile::parse(bytes).unwrap(), &mut report),
    }
    report.findings().map(|finding| finding.code).collect()
}

#[test]
fn the_files_themselves_are_sound() {
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
fn counts_stop_where_the_file_does() {
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
    // With a count of one more surface, the parser reads the bytes that follow, and fails there.
    assert!(MeshFile::parse(&with(SURFACES, 1, &[2])).is_err());
}

#[test]
fn strings_end_with_their_nul() {
    let mut bytes = bytes();
    bytes[BONES + 2 + 4] = b'!';
    let (offset, code, text) = error(&bytes);
    assert_eq!((offset, code), (BONES as u64 + 2, "UNTERMINATED"), "{text}");
    assert!(text.starts_with("unigine: bone 0: "), "{text}");
    // Of length 0, a name is empty.
    let bytes = with(SURFACES + 1, 10, &[0]);
    let mesh = MeshFile::parse(&bytes).unwrap();
    assert!(mesh.surface(0).unwrap().name().is_empty());
    assert_eq!(codes(&bytes), ["NAME_WITHOUT_NUL"]);
}

#[test]
fn parents_exist_and_do_not_go_around() {
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
    // Empty frames of all animations count together.
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
fn the_callers_limits_hold() {
    let bytes = bytes();
    let parse =
        |limits: Limits| MeshFile::parse_with(&bytes, &limits.into()).map(|_| ()).map_err(|e| *e.kind());
    assert_eq!(parse(Limits { count: 2, work: 5, ..Limits::DEFAULT }), Ok(()));
    let kind = ErrorKind::Limit { what: "bones", limit: 1, found: 2 };
    assert_eq!(parse(Limits { count: 1, ..Limits::DEFAULT }), Err(kind));
    // Two frame records and three weights.
    let kind = ErrorKind::Limit { what: "weights", limit: 4, found: 5 };
    assert_eq!(parse(Limits { work: 4, ..Limits::DEFAULT }), Err(kind));
}

/// An ms14 mesh whose geometry is packed, and where that block lies.
fn packed() -> (Vec<u8>, usize) {
    let mut model = mesh(Version::Ms14);
    model.pack = true;
    let bytes = model.write().unwrap();
    let mesh = MeshFile::parse(&bytes).unwrap();
    assert!(mesh.surface(0).unwrap().is_packed());
    let at = mesh.surface(0).unwrap().geometry_block().unwrap().offset() as usize;
    (bytes, at)
}

#[test]
fn packed_blocks_unpack_to_the_same_and_no_further_than_allowed() {
    let (bytes, at) = packed();
    let parsed = MeshFile::parse(&bytes).unwrap();
    let surface = parsed.surface(0).unwrap();
    let mut buffer = Vec::new();
    assert!(surface.geometry_in_place().is_none());
    assert_eq!((surface.vertex_count(), surface.triangle_count()), (3, 1));
    let model = Model::try_from(&parsed).unwrap();
    assert_eq!(model.surfaces, mesh(Version::Ms14).surfaces);
    let size = surface.geometry_block().unwrap().unpacked_len();
    let limits = |output| Limits { output, ..Limits::DEFAULT };
    assert!(surface.geometry_with(&mut buffer, &limits(size)).is_ok());
    let error = surface.geometry_with(&mut buffer, &limits(size - 1)).map(|_| ()).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("LIMIT", at as u64));

    // One byte more than LZ4 can make of what is stored.
    let stored = surface.geometry_block().unwrap().as_bytes().len() as u64;
    let claim = |size: u64| {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&size.to_le_bytes());
        bytes
    };
    assert!(MeshFile::parse(&claim(255 * stored)).is_ok());
    let (offset, code, text) = self::error(&claim(255 * stored + 1));
    assert_eq!((offset, code), (at as u64, "VALUE"), "{text}");
    assert_eq!(codes(&claim(size + 1)), ["SYNTAX"], "a size that is not the block's");
    assert_eq!(self::error(&claim(1 << 63)).1, "VALUE");
    let mut bytes = bytes.clone();
    bytes[at + 8..at + 16].copy_from_slice(&u64::to_le_bytes(1 << 40));
    assert_eq!(self::error(&bytes).1, "OUT_OF_BOUNDS");
}

#[test]
fn raw_blocks_lie_in_the_file_and_tables_do_not_leave_them() {
    let bytes = mesh(Version::Ms14).write().unwrap();
    let parsed = MeshFile::parse(&bytes).unwrap();
    let surface = parsed.surface(0).unwrap();
    let block = surface.geometry_block().unwrap();
    let positions = surface.geometry_in_place().unwrap().positions();
    assert_eq!(positions.byte_range().start, block.byte_range().start);
    assert!(core::ptr::eq(&bytes[positions.byte_range().start as usize], &positions.as_bytes()[0]));
    assert_eq!(surface.block_entry().unwrap().0, block.offset() as i64);

    // The block is one byte shorter, so its last index is outside.
    let at = block.offset() as usize;
    let mut short = bytes.clone();
    for size in [at, at + 8] {
        short[size] -= 1;
    }
    short.remove(block.byte_range().end as usize - 1);
    let (_, code, text) = error(&short);
    assert_eq!(code, "OUT_OF_BOUNDS", "{text}");
    // One byte longer: that byte is left over.
    let mut long = bytes.clone();
    for size in [at, at + 8] {
        long[size] += 1;
    }
    long.insert(block.byte_range().end as usize, 0);
    assert_eq!(codes(&long), ["BLOCK_TRAILING_BYTES"]);
    let mut wrong = bytes.clone();
    let entry = surface.block_entry().unwrap().1 as usize;
    wrong[entry] += 1;
    assert_eq!(codes(&wrong), ["BLOCK_OFFSET"]);
}

#[test]
fn a_number_past_the_end_never_comes_checked() {
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
fn a_located_mesh_binds_to_the_bytes_it_was_located_in() {
    let bytes = bytes();
    let parts = Parts::locate(&bytes, bytes.len() as u64, &ParseOptions::default()).unwrap();
    assert!(MeshFile::bind(parts.clone(), &bytes[..bytes.len() - 1]).is_err());
    assert_eq!(Model::try_from(&MeshFile::bind(parts, &bytes).unwrap()).unwrap(), mesh(Version::Ms11));
    let error =
        Parts::locate(&bytes[..60], bytes.len() as u64, &ParseOptions::default()).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), "INCOMPLETE");
}

#[test]
fn every_irregularity_of_a_model_has_its_code() {
    type Change = fn(&mut Model);
    let cases: &[(&str, Change)] = &[
        ("NAME_TRAILING_BYTES", |mesh| mesh.bones[0].name = b"root\0x\0".to_vec()),
        ("DUPLICATE_BONE_NAME", |mesh| mesh.bones[1].name = name("root").unwrap()),
        ("PARENT_AFTER_CHILD", |mesh| (mesh.bones[0].parent, mesh.bones[1].parent) = (Some(1), None)),
        ("BONE_NOT_FINITE", |mesh| mesh.bones[0].transform.scale[1] = f32::NAN),
        ("BONE_ROTATION_NOT_UNIT", |mesh| mesh.bones[0].transform.rotation = [0.0, 0.0, 0.0, 1.1]),
        ("BOUNDS_NOT_FINITE", |mesh| mesh.bounds.radius = f32::INFINITY),
        ("BOUNDS_INVERTED", |mesh| mesh.bounds.bounds.min[0] = 2.0),
        ("BOUNDS_EXCEEDED", |mesh| mesh.surfaces[0].bounds.bounds.max[0] = 0.9),
        ("NO_SURFACES", |mesh| mesh.surfaces.clear()),
        ("SURFACE_EMPTY", |mesh| mesh.surfaces.push(Surface::new("empty").unwrap())),
        ("NO_MORPH_TARGETS", |mesh| {
            let mut none = Surface::new("none").unwrap();
            none.targets.clear();
            mesh.surfaces.push(none);
        }),
        ("DUPLICATE_SURFACE_NAME", |mesh| mesh.surfaces.push(mesh.surfaces[0].clone())),
        ("POSITION_NOT_FINITE", |mesh| mesh.surfaces[0].targets[0].positions[1][2] = f32::NAN),
        ("TANGENT_W_ZERO", |mesh| mesh.surfaces[0].targets[0].tangents[2] = [0, 0, 32767, 0]),
        ("TANGENT_NOT_UNIT", |mesh| mesh.surfaces[0].targets[0].tangents[2] = [0, 0, 0, 30000]),
        ("TEXCOORD_NOT_FINITE", |mesh| mesh.surfaces[0].texcoords0[1][0] = f32::NEG_INFINITY),
        ("VERTEX_WITHOUT_BONES", |mesh| mesh.surfaces[0].weights[0].count = 0),
        ("WEIGHT_SUM", |mesh| mesh.surfaces[0].weights[0].weights[0] = 65531),
        ("TRIANGLE_DEGENERATE", |mesh| mesh.surfaces[0].coordinate_indices[1] = 0),
        ("ANIMATION_EMPTY", |mesh| {
            mesh.animations[0].frame_count = 0;
            mesh.animations[0].records.clear();
        }),
        ("ANIMATION_BONE_TWICE", |mesh| {
            mesh.animations[0] =
                Animation::new(Version::Ms11, "two", &[1, 1], 0x7f, &[Transform::IDENTITY; 2]).unwrap();
        }),
        ("MASK_UNKNOWN_BITS", |mesh| mesh.animations[0].mask = 0xff),
        ("RECORD_UNKNOWN_BITS", |mesh| mesh.animations[0].records[0] = 0xff),
        ("RECORD_OUTSIDE_MASK", |mesh| mesh.animations[0].mask = 0x7e),
        ("FIRST_FRAME_INCOMPLETE", |mesh| {
            mesh.animations[0].records.drain(29..33);
            mesh.animations[0].records[0] = 0x3f;
        }),
        ("RECORD_NOT_FINITE", |mesh| {
            mesh.animations[0].records[1..5].copy_from_slice(&f32::NAN.to_le_bytes())
        }),
    ];
    for (code, change) in cases {
        let mut mesh = mesh(Version::Ms11);
        change(&mut mesh);
        let bytes = mesh.write().unwrap_or_else(|error| panic!("{code}: {error}"));
        // Some changes break more than one rule.
        let mut found = codes(&bytes);
        found.dedup();
        assert!(found.contains(code) && found.len() <= 2, "{code}: {found:?}");
    }
}

#[test]
fn every_irregularity_of_bytes_has_its_code() {
    let mut bytes = bytes();
    bytes.push(0);
    assert_eq!(codes(&bytes), ["TRAILING_BYTES"]);
    assert_eq!(codes(&with(WEIGHTS, 1, &[0x83, 0x00])), ["COMPACT_NOT_MINIMAL"]);
    assert_eq!(codes(&with(WEIGHTS + 1 + 1, 2, &[2, 0])), ["WEIGHT_BONE"]);
    assert_eq!(codes(&with(WEIGHTS, 6, &[2])), ["WEIGHT_COUNT"]);
    assert_eq!(codes(&with(TEXCOORDS, 9, &[2])), ["TEXCOORD_COUNT"]);
    assert_eq!(codes(&with(COLORS, 1, &[1, 9, 9, 9, 9])), ["COLOR_COUNT"]);
    assert_eq!(codes(&with(COORDINATES, 4, &[2, 0, 1])), ["INDEX_COUNTS"]);
    assert_eq!(codes(&with(COORDINATES, 8, &[2, 0, 1, 2, 0, 1])), ["INDEX_COUNT_NOT_TRIPLE"]);
    assert_eq!(codes(&with(TRACK + 1, 2, &[2, 0])), ["ANIMATION_BONE"]);
    // A second morph target without vertices.
    let mut bytes = with(WEIGHTS, 0, &[0, 0]);
    bytes.splice(BOUNDS + 40..BOUNDS + 43, [2, 1, 0, 1, 0]);
    assert_eq!(codes(&bytes), ["MORPH_TARGET_COUNT"]);

    let mut none = Anim::new(Version::An10);
    assert_eq!(codes(&none.write().unwrap()), ["NO_ANIMATIONS"]);
    none = anim(Version::An10);
    none.animations[0].ranges.as_mut().unwrap().translation_size[2] = f32::NAN;
    let found = codes(&none.write().unwrap());
    assert_eq!(found, ["RANGE_NOT_FINITE", "RECORD_NOT_FINITE", "RECORD_NOT_FINITE"]);
}

#[test]
fn ranges_are_one_larger_than_what_they_span() {
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

#[test]
fn the_writer_refuses_what_does_not_fit_together() {
    assert_eq!(name("ab").unwrap(), b"ab\0");
    assert!(name("a\0b").is_err());
    let fails = |change: fn(&mut Model)| {
        let mut mesh = mesh(Version::Ms11);
        change(&mut mesh);
        mesh.write().unwrap_err().to_string()
    };
    assert!(fails(|mesh| mesh.version = Version::An10).contains("a version of a mesh"));
    assert!(fails(|mesh| mesh.version = Version::Ms13).contains("animations: expected 0, found 1"));
    assert!(fails(|mesh| mesh.bones[0].parent = Some(1)).contains("a bone that is not a descendant"));
    assert!(fails(|mesh| mesh.bones[0].parent = Some(7)).contains("bone 0: bone 7; there are 2 (0 to 1)"));
    assert!(fails(|mesh| mesh.bones[0].name = b"x".to_vec()).contains("expected a NUL"));
    assert!(
        fails(|mesh| mesh.surfaces[0].coordinate_indices[0] = 3).contains("vertex 3; there are 3 (0 to 2)")
    );
    assert!(
        fails(|mesh| mesh.surfaces[0].triangle_indices[0] = 3).contains("tangent 3; there are 3 (0 to 2)")
    );
    assert!(
        fails(|mesh| _ = mesh.surfaces[0].triangle_indices.pop()).contains("triangle indices: expected 3")
    );
    assert!(fails(|mesh| _ = mesh.surfaces[0].weights.pop()).contains("weights: expected 3, found 2"));
    assert!(fails(|mesh| mesh.surfaces[0].weights[0].bones[0] = 2).contains("bone 2; there are 2 (0 to 1)"));
    assert!(fails(|mesh| mesh.surfaces[0].weights[0].count = 5).contains("at most 4, found 5"));
    assert!(fails(|mesh| mesh.surfaces[0].colors.push([0; 4])).contains("colors: expected 3, found 1"));
    assert!(fails(|mesh| mesh.surfaces[0].targets.push(Target::default())).contains("morph target"));
    assert!(fails(|mesh| _ = mesh.animations[0].records.pop()).contains("records: expected 2, found 1"));
    assert!(fails(|mesh| mesh.animations[0].bones[0] = 2).contains("animation 0: bone 2"));
    assert!(Animation::new(Version::An11, "", &[0], 8, &[]).is_err(), "an11 has three flags");
    assert!(Animation::new(Version::Ms13, "", &[0], 0, &[]).is_err());
    assert!(Animation::new(Version::An10, "", &[0, 1], TRANSLATION, &[Transform::IDENTITY; 3]).is_err());
    let mut two = anim(Version::An11);
    two.animations.push(two.animations[0].clone());
    assert!(two.write().unwrap_err().to_string().contains("animations: expected 1, found 2"));
}
