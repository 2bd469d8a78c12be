//! Both ends of every limit, and the error for each broken field.

use meshlens_fixtures::share::few_or_all;
use meshlens_md3::layout::WIDE_FRAME_SIZE;
use meshlens_md3::wire::{ErrorKind, Limits, Report};
use meshlens_md3::write::{Frame, MENDED, Model, Surface, Tag, name};
use meshlens_md3::{AnimationConfig, Md3, ParseOptions, Parts, Skin, validate};

/// A model with one triangle, two frames and one tag.
pub(super) fn model() -> Model {
    let mut model = Model::new("limits").unwrap();
    let mut surface = Surface::new("triangle").unwrap();
    surface.add_shader("shader.tga").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for z in [0.0, 4.0] {
        model.frames.push(Frame::named("frame").unwrap());
        let positions = [[0.0, 0.0, z], [8.0, 0.0, z], [0.0, 8.0, z]];
        surface.add_frame(&positions, &[[0.0, 0.0, 1.0]; 3]).unwrap();
        let axis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        model.tags.push(Tag { name: name("tag_x").unwrap(), origin: [0.0, 0.0, z], axis });
    }
    model.tags_per_frame = 1;
    model.surfaces.push(surface);
    model.recompute_bounds();
    model
}

/// The offset of the surface: after the header of 108 bytes, two frames of 56 bytes, and two tags of 112 bytes.
pub(super) const SURFACE: usize = 108 + 2 * 56 + 2 * 112;

fn with_i32(at: usize, value: i32) -> Vec<u8> {
    let mut bytes = model().write().unwrap();
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

pub(super) fn error(bytes: &[u8]) -> (u64, &'static str, String) {
    let error = Md3::parse(bytes).map(|_| ()).unwrap_err();
    (error.offset(), error.code(), error.to_string())
}

#[test]
fn the_unchanged_model_has_no_findings() {
    let bytes = model().write().unwrap();
    assert_eq!(codes(&bytes), [""; 0]);
    let md3 = Md3::parse(&bytes).unwrap();
    assert_eq!((md3.frame_count(), md3.tag_count(), md3.surface_count()), (2, 1, 1));
    assert_eq!(md3.surface(0).unwrap().offset(), SURFACE as u64);
    assert_eq!(md3.compute_bounds(1).unwrap().max, [8.0, 8.0, 4.0]);
    assert_eq!(md3.frame(1).unwrap().bounds, md3.compute_bounds(1).unwrap());
}

#[test]
fn identifiers_and_versions() {
    assert_eq!(
        error(b""),
        (0, "OUT_OF_BOUNDS", "md3: \"IDP3\" of 4 bytes at 0x0 end past the file (0x0)".into())
    );
    assert_eq!(error(b"IDP2").1, "MAGIC");
    assert_eq!(error(&with_i32(4, 14)), (4, "VERSION", "md3: expected version 15, found 14 at 0x4".into()));
    let (offset, code, text) = error(&with_i32(SURFACE, 1));
    assert_eq!((offset, code), (SURFACE as u64, "MAGIC"));
    assert!(text.starts_with("md3: surface 0: "), "{text}");
}

#[test]
fn every_negative_field_is_an_error_at_its_own_offset() {
    for field in (76..108).step_by(4) {
        let (offset, code, text) = error(&with_i32(field, -1));
        assert_eq!((offset, code), (field as u64, "VALUE"), "{text}");
        assert!(text.ends_with(&format!("expected at least 0, found -1 at {field:#x}")), "{text}");
    }
    for field in (72..108).step_by(4) {
        let (offset, code, text) = error(&with_i32(SURFACE + field, -1));
        assert_eq!((offset, code), ((SURFACE + field) as u64, "VALUE"), "{text}");
    }
}

#[test]
fn every_offset_is_at_most_the_end_of_the_file() {
    let len = model().write().unwrap().len();
    for (field, start) in [(92, 0), (96, 0), (100, 0), (104, 0)] {
        let (offset, _, _) = error(&with_i32(field, (len - start + 1) as i32));
        assert_eq!(offset, field as u64);
    }
    assert!(Md3::parse(&with_i32(104, len as i32)).is_ok());
    for field in [88, 92, 96, 100, 104] {
        let (offset, _, _) = error(&with_i32(SURFACE + field, (len - SURFACE + 1) as i32));
        assert_eq!(offset, (SURFACE + field) as u64);
    }
    assert!(Md3::parse(&with_i32(SURFACE + 104, (len - SURFACE) as i32)).is_ok());
}

#[test]
fn counts_are_bounded_by_the_file() {
    // The vertices are the last block. Two frames with three vertices fit, but three frames do not.
    let (offset, code, text) = error(&with_i32(SURFACE + 72, 3));
    assert_eq!(code, "OUT_OF_BOUNDS");
    assert_eq!(offset, (model().write().unwrap().len() - 48) as u64);
    assert!(text.contains("9 vertices x 8 bytes"), "{text}");
    for field in [72, 76, 80, 84] {
        assert_eq!(error(&with_i32(SURFACE + field, i32::MAX)).1, "OUT_OF_BOUNDS");
    }
    for field in [76, 80] {
        assert_eq!(error(&with_i32(field, i32::MAX)).1, "OUT_OF_BOUNDS");
    }
    let (_, code, text) = error(&with_i32(84, i32::MAX));
    assert_eq!(code, "LIMIT", "{text}");
    assert_eq!(error(&with_i32(84, 2)).1, "OUT_OF_BOUNDS", "there is no second surface");
}

#[test]
fn a_surface_chain_must_advance() {
    for end in [0, 1, 107] {
        let (offset, code, text) = error(&with_i32(SURFACE + 104, end));
        assert_eq!((offset, code), ((SURFACE + 104) as u64, "VALUE"), "{text}");
    }
}

#[test]
fn surfaces_over_the_same_bytes_are_bounded() {
    // 40 surface headers, each with vertices that include the rest of the file.
    let mut bytes = model().write().unwrap();
    bytes.truncate(SURFACE);
    let header: Vec<u8> = model().write().unwrap()[SURFACE..SURFACE + 108].to_vec();
    let surfaces = 40;
    for index in 0..surfaces {
        let mut header = header.clone();
        let after = (surfaces - index) * 108;
        for (field, value) in [(72, 1), (76, 0), (80, 512), (84, 0), (104, 108)] {
            header[field..field + 4].copy_from_slice(&i32::to_le_bytes(value));
        }
        for field in [88, 92, 96, 100] {
            header[field..field + 4].copy_from_slice(&i32::to_le_bytes(after));
        }
        bytes.extend(header);
    }
    bytes.extend([0; 4096]);
    let end = bytes.len() as i32;
    for (at, value) in [(84, surfaces), (104, end)] {
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    let (_, code, text) = error(&bytes);
    assert_eq!(code, "LIMIT", "{text}");
    bytes[84..88].copy_from_slice(&8i32.to_le_bytes());
    assert!(Md3::parse(&bytes).is_ok());
    assert!(codes(&bytes).contains(&"OVERLAP"));
}

#[test]
fn frames_without_bytes_are_refused() {
    let mut model = model();
    let mut empty = Surface::new("empty").unwrap();
    empty.frame_count = 2;
    model.surfaces = vec![empty];
    let mut bytes = model.write().unwrap();
    assert!(Md3::parse(&bytes).is_ok());
    bytes[SURFACE + 72..SURFACE + 76].copy_from_slice(&i32::MAX.to_le_bytes());
    let (offset, code, _) = error(&bytes);
    assert_eq!((offset, code), ((SURFACE + 72) as u64, "VALUE"));
}

#[test]
fn vertex_indices_past_the_end_are_errors() {
    let triangles = SURFACE + 108 + 68;
    for (value, index) in [(3, 3), (-1, -1), (i32::MIN, i64::from(i32::MIN))] {
        let bytes = with_i32(triangles + 4, value);
        let md3 = Md3::parse(&bytes).unwrap();
        let surface = md3.surface(0).unwrap();
        assert_eq!(surface.triangles().get(0), Some([0, value, 2]));
        let error = surface.checked_triangles().unwrap_err();
        assert_eq!(error.offset(), (triangles + 4) as u64);
        assert_eq!(error.kind(), &ErrorKind::Index { what: "vertex", index, count: 3 });
        assert_eq!(codes(&bytes), ["INDEX_OUT_OF_RANGE"]);
    }
    assert!(Md3::parse(&with_i32(triangles + 4, 2)).unwrap().surface(0).unwrap().checked_triangles().is_ok());
}

#[test]
fn checked_frames_contain_no_nan() {
    let bytes = with_i32(108 + 56 + 36, f32::NAN.to_bits() as i32);
    let md3 = Md3::parse(&bytes).unwrap();
    let error = md3.checked_frames().map(|_| ()).unwrap_err();
    assert_eq!((error.offset(), error.code()), (108 + 56, "NOT_FINITE"));
    assert_eq!(codes(&bytes), ["FRAME_NOT_FINITE"]);
}

#[test]
fn the_stride_determines_wide_frames() {
    let mut wide = model();
    wide.wide_frames = true;
    wide.frames[1].name = name("a name of more than sixteen bytes").unwrap();
    let bytes = wide.write().unwrap();
    let md3 = Md3::parse(&bytes).unwrap();
    assert!(md3.has_wide_frames());
    assert_eq!(md3.parts().frames().stride(), WIDE_FRAME_SIZE);
    assert_eq!(md3.frame(1).unwrap().name, "a name of more than sixteen bytes");
    assert_eq!(codes(&bytes), ["FRAME_STRIDE_104"]);
    assert_eq!(Model::try_from(&md3).unwrap(), wide);
}

#[test]
fn a_model_may_start_anywhere() {
    let mut bytes = vec![0xaa; 1001];
    bytes.extend(model().write().unwrap());
    let from = |start| ParseOptions { start, ..ParseOptions::default() };
    let md3 = Md3::parse_with(&bytes, &from(1001)).unwrap();
    let positions = md3.surface(0).unwrap().positions(1).unwrap();
    assert_eq!(positions.get(1), Some([8.0, 0.0, 4.0]));
    assert_eq!(positions.byte_range().end, bytes.len() as u64 - 2);
    assert_eq!(Model::try_from(&md3).unwrap(), model());

    bytes[1001 + 4] = 16;
    assert_eq!(Md3::parse_with(&bytes, &from(1001)).map(|_| ()).unwrap_err().offset(), 1005);
    assert!(Md3::parse_with(&bytes, &from(u64::MAX)).is_err());
    assert!(Md3::parse_with(&bytes, &from(bytes.len() as u64)).is_err());
}

#[test]
fn the_limits_of_the_caller_are_checked() {
    let bytes = model().write().unwrap();
    let at_most = |count| ParseOptions { limits: Limits { count, ..Limits::DEFAULT }, start: 0 };
    assert!(Md3::parse_with(&bytes, &at_most(1)).is_ok());
    let error = Md3::parse_with(&bytes, &at_most(0)).map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Limit { what: "NUM_SURFACES", limit: 0, found: 1 });
}

#[test]
fn a_located_model_is_bound_to_its_bytes() {
    let bytes = model().write().unwrap();
    let options = ParseOptions::default();
    let parts = Parts::locate(&bytes[..SURFACE + 108], bytes.len() as u64, &options).unwrap();
    let frame = parts.surfaces()[0].frame_vertices(1).unwrap();
    assert_eq!(frame.byte_range(), bytes.len() as u64 - 24..bytes.len() as u64);
    assert!(parts.surfaces()[0].frame_vertices(2).is_none());
    assert!(Md3::bind(parts.clone(), &bytes[..bytes.len() - 1]).is_err());
    let (start, end) = (parts.start(), parts.end());
    assert_eq!((start, end, parts.tags_per_frame()), (0, bytes.len() as u64, 1));
    let surface = parts.surfaces()[0];
    assert_eq!((surface.frame_count(), surface.vertices_per_frame(), surface.end()), (2, 3, end));
    assert_eq!(Model::try_from(&Md3::bind(parts, &bytes).unwrap()).unwrap(), model());
}

/// An empty model has no tables, so only the header refers to its bytes.
#[test]
fn a_model_without_tables_binds_to_bytes_that_hold_its_headers() {
    let bytes = Model::new("empty").unwrap().write().unwrap();
    let parts = Md3::parse(&bytes).unwrap().into_parts();
    assert_eq!(Md3::bind(parts.clone(), &bytes).unwrap().name(), "empty");
    assert_eq!(Md3::bind(parts, &bytes[..107]).map(|_| ()).unwrap_err().code(), "OUT_OF_BOUNDS");
}

#[test]
fn the_writer_refuses_inconsistent_arrays() {
    assert_eq!(name(&"x".repeat(63)).unwrap()[63], 0);
    assert!(name(&"x".repeat(64)).is_err() && name("a\0b").is_err());
    let fails = |change: fn(&mut Model)| {
        let mut model = model();
        change(&mut model);
        model.write().unwrap_err().to_string()
    };
    assert!(
        fails(|model| model.surfaces[0].triangles[0] = [0, 1, 3]).contains("vertex 3; there are 3 (0 to 2)")
    );
    assert!(fails(|model| model.tags_per_frame = 2).contains("tags: expected 4, found 2"));
    assert!(
        fails(|model| _ = model.surfaces[0].vertices.pop()).contains("surface 0: vertices of all frames")
    );
    assert!(
        fails(|model| {
            model.wide_frames = true;
            model.frames.clear();
            model.tags.clear();
            model.surfaces.clear();
        })
        .contains("frames for wide names")
    );
    let mut surface = Surface::new("a").unwrap();
    assert!(surface.add_frame(&[[0.0; 3]], &[[0.0; 3]]).is_err());
    surface.texcoords.push([0.0; 2]);
    assert!(surface.add_frame(&[[0.0; 3]], &[]).is_err());
    assert!(surface.add_frame(&[[0.0; 3]], &[[0.0; 3]]).is_ok());
}

/// A text above the limit is refused before its first line is read.
#[test]
fn texts_have_at_most_sixteen_mebibytes() {
    let mut text = vec![few_or_all(b' ', b'\n'); 16 << 20];
    assert!(Skin::parse(&text).is_ok());
    assert!(AnimationConfig::parse(&text).is_ok());
    text.push(b'\n');
    let kind = ErrorKind::Limit { what: "bytes of text", limit: 16_777_216, found: 16_777_217 };
    assert_eq!(Skin::parse(&text).unwrap_err().kind(), &kind);
    assert_eq!(AnimationConfig::parse(&text).unwrap_err().kind(), &kind);
}

pub(super) fn codes(bytes: &[u8]) -> Vec<&'static str> {
    let found = codes_as_they_are(bytes);
    // What is mended, and nothing else, is gone after a rewrite.
    if let Ok(mut model) = Model::try_from(&Md3::parse(bytes).unwrap()) {
        model.mend(&[]);
        let left = codes_as_they_are(&model.write().unwrap());
        let is_mended = |code: &str| MENDED.iter().any(|mended| mended.name == code);
        assert_eq!(left, found.iter().copied().filter(|code| !is_mended(code)).collect::<Vec<_>>());
    }
    found
}

fn codes_as_they_are(bytes: &[u8]) -> Vec<&'static str> {
    let mut report = Report::default();
    validate(&Md3::parse(bytes).unwrap(), &mut report);
    report.findings().map(|finding| finding.code).collect()
}
