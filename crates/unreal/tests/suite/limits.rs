//! Both ends of every limit, and the error of each broken field.

use meshlens_unreal::script::Script;
use meshlens_unreal::write::{Files, MENDED, Model, Vertices};
use meshlens_unreal::{
    Frames, FramesParts, Geometry, LayoutRule, NormalScratch, ParseOptions, Parts, Prefix, Strictness,
    Triangle, Unreal, VertexEncoding, validate,
};
use meshlens_wire::{Error, ErrorKind, Limits, Report};

/// A triangle in two frames, the second 4 units higher.
pub(super) fn model(format: VertexEncoding) -> Model {
    let mut model = Model::new(format, 3);
    model.triangles.push(Triangle { vertices: [0, 1, 2], texture: 1, ..Triangle::default() });
    for z in [0.0, 4.0] {
        model.add_frame(&[[0.0, 0.0, z], [0.0, 8.0, z], [8.0, 0.0, z]]).unwrap();
    }
    model
}

pub(super) fn files() -> Files {
    model(VertexEncoding::Packed).write().unwrap()
}

/// The files with 16-bit fields changed: `geometry` in the geometry file, `frames` in the frames file.
fn with_u16(geometry: &[(usize, u16)], frames: &[(usize, u16)]) -> Files {
    let mut files = files();
    for (at, value) in geometry {
        files.geometry[*at..*at + 2].copy_from_slice(&value.to_le_bytes());
    }
    for (at, value) in frames {
        files.frames[*at..*at + 2].copy_from_slice(&value.to_le_bytes());
    }
    files
}

pub(super) fn parse(files: &Files) -> Result<Unreal<'_>, Error> {
    Unreal::parse(&files.geometry, &files.frames)
}

pub(super) fn lenient(files: &Files) -> Unreal<'_> {
    Unreal::parse_with(&files.geometry, &files.frames, &ParseOptions::LENIENT).unwrap()
}

pub(super) fn error(files: &Files) -> String {
    parse(files).map(|_| ()).unwrap_err().to_string()
}

pub(super) fn codes(files: &Files) -> Vec<&'static str> {
    let found = codes_as_they_are(files);
    // What is mended, and nothing else, is gone after a rewrite.
    let mut model = Model::from(&lenient(files));
    model.mend();
    if let Some(rewritten) = model.write_as_is().ok().filter(|_| model.frame_count() > 0) {
        let is_mended = |code: &str| MENDED.iter().any(|mended| mended.name == code);
        let left: Vec<_> = found.iter().copied().filter(|code| !is_mended(code)).collect();
        assert_eq!(codes_as_they_are(&rewritten), left);
    }
    found
}

fn codes_as_they_are(files: &Files) -> Vec<&'static str> {
    let mut report = Report::default();
    validate(&lenient(files), &mut report);
    report.findings().map(|finding| finding.code).collect()
}

#[test]
fn the_mesh_has_no_findings() {
    let files = files();
    let unreal = parse(&files).unwrap();
    assert_eq!(codes(&files), [""; 0]);
    assert_eq!((unreal.rule(), unreal.vertex_encoding()), (LayoutRule::Packed, VertexEncoding::Packed));
    assert_eq!((unreal.frame_count(), unreal.vertex_count(), unreal.triangle_count()), (2, 3, 1));
    let stored: Vec<_> = unreal.positions(1).unwrap().iter().collect();
    assert_eq!(stored, [[0.0, 0.0, 16.0], [0.0, 64.0, 16.0], [64.0, 0.0, 16.0]]);
    assert_eq!(unreal.unit_positions(1).unwrap().get(2), Some([8.0, 0.0, 4.0]));
    assert_eq!(unreal.integer_positions(1).unwrap().get(2), Some([64, 0, 16]));
    assert_eq!(unreal.positions(1).unwrap().byte_range(), 16..28);
    assert_eq!(unreal.compute_bounds(1).unwrap().max, [64.0, 64.0, 16.0]);
    let mut out = [[0.0; 3]; 3];
    unreal.lerp_positions_into(0, 1, 0.25, &mut out).unwrap();
    assert_eq!(out, [[0.0, 0.0, 4.0], [0.0, 64.0, 4.0], [64.0, 0.0, 4.0]]);
    let error = unreal.lerp_positions_into(0, 1, 0.25, &mut out[..2]).unwrap_err();
    assert!(error.to_string().contains("elements of the output: expected 3, found 2"), "{error}");
}

#[test]
fn sixteen_bit_vertices_are_recognized_by_the_frame_size() {
    let files = model(VertexEncoding::Wide).write().unwrap();
    let unreal = parse(&files).unwrap();
    assert_eq!((unreal.rule(), unreal.frames().frame_size()), (LayoutRule::Wide, 24));
    assert_eq!(unreal.positions(1).unwrap().get(2), Some([8.0, 0.0, 4.0]));
    assert_eq!(unreal.unit_scale(), [1.0; 3]);
    assert_eq!(codes(&files), ["VERTICES_16_BIT"]);
}

#[test]
fn a_geometry_file_must_contain_its_triangles() {
    let Files { geometry, .. } = files();
    let error = |bytes: &[u8]| Geometry::parse(bytes).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error(b""), "unreal geometry: header of 48 bytes at 0x0 end past the file (0x0)");
    assert_eq!(error(&geometry[..47]), "unreal geometry: header of 48 bytes at 0x0 end past the file (0x2f)");
    assert_eq!(
        error(&geometry[..48]),
        "unreal geometry: triangles of 16 bytes at 0x30 end past the file (0x30)"
    );
    assert_eq!(
        error(&geometry[..63]),
        "unreal geometry: triangles of 16 bytes at 0x30 end past the file (0x3f)"
    );
    assert!(Geometry::parse(&geometry).is_ok());
    let mut all = geometry.clone();
    all[0..2].fill(0xff);
    assert_eq!(error(&all), "unreal geometry: 65535 triangles x 16 bytes at 0x30 end past the file (0x40)");
}

#[test]
fn a_frames_file_cut_short_is_an_error_or_a_finding() {
    let mut files = files();
    let error = |bytes: &[u8]| Frames::parse(bytes).map(|_| ()).unwrap_err().to_string();
    assert_eq!(error(b"\x01\0\x0c"), "unreal frames: header of 4 bytes at 0x0 end past the file (0x3)");
    assert_eq!(
        error(&files.frames[..27]),
        "unreal frames: 2 frames x 12 bytes at 0x4 end past the file (0x1b)"
    );
    // Frame 1 is incomplete or missing.
    for (len, frames, found) in [
        (27, 1, "FRAME_INCOMPLETE"),
        (16, 1, "FRAMES_TRUNCATED"),
        (15, 0, "FRAMES_TRUNCATED"),
        (4, 0, "FRAMES_TRUNCATED"),
    ] {
        files.frames.truncate(len);
        assert_eq!(parse(&files).map(|_| ()).unwrap_err().code(), "OUT_OF_BOUNDS");
        let unreal = lenient(&files);
        assert_eq!((unreal.frame_count(), unreal.frames().declared_frame_count()), (frames, 2));
        assert_eq!(codes(&files), [found]);
    }
    files.frames.truncate(3);
    assert!(Unreal::parse_with(&files.geometry, &files.frames, &ParseOptions::LENIENT).is_err());
}

#[test]
fn counts_of_zero() {
    let no_frames = with_u16(&[], &[(0, 0)]);
    assert_eq!(parse(&no_frames).unwrap().frame_count(), 0);
    assert_eq!(codes(&no_frames), ["NO_FRAMES", "TRAILING_BYTES"]);
    let no_triangles = with_u16(&[(0, 0)], &[]);
    assert_eq!(codes(&no_triangles), ["NO_TRIANGLES", "TRAILING_BYTES"]);

    let no_size = with_u16(&[], &[(2, 0)]);
    assert_eq!(error(&no_size), "unreal frames: frame size: expected at least 1, found 0 at 0x2");
    let nothing = Model::new(VertexEncoding::Packed, 0).write().unwrap();
    assert_eq!((nothing.geometry.len(), nothing.frames.as_slice()), (48, &[0; 4][..]));
    assert_eq!(codes(&nothing), ["NO_FRAMES", "NO_VERTICES", "NO_TRIANGLES"]);
    // Frames with bytes but without vertices: the file size limits their number.
    let mut padding = nothing.clone();
    padding.frames = vec![3, 0, 4, 0, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4];
    let unreal = parse(&padding).unwrap();
    assert_eq!((unreal.rule(), unreal.frame_count(), unreal.vertex_count()), (LayoutRule::Padded, 3, 0));
    assert!(unreal.positions(2).unwrap().is_empty() && unreal.compute_bounds(2).is_none());
}

#[test]
fn the_largest_counts_in_the_smallest_file() {
    let files = Files { geometry: vec![0xff; 52], frames: vec![0xff; 52] };
    assert!(error(&files).starts_with("unreal geometry: 65535 triangles x 16 bytes"));
    let mut header = files.geometry.clone();
    header[0..2].fill(0);
    let claim = Files { geometry: header, frames: files.frames };
    assert!(error(&claim).starts_with("unreal frames: 65535 frames x 65535 bytes at 0x4"));
}

#[test]
fn the_error_for_files_that_do_not_fit_has_both_numbers() {
    let files = with_u16(&[(2, 5)], &[(2, 10)]);
    let error = parse(&files).map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "unreal frames: frame size 10 does not fit the geometry's vertex count 5 at 0x2"
    );
    assert_eq!((error.code(), error.offset()), ("MISMATCH", 2));
    // 12 bytes hold 3 vertices, fewer than the 4 that the header states. This is enough if no triangle uses the fourth.
    let fewer = with_u16(&[(2, 4)], &[]);
    assert_eq!(parse(&fewer).unwrap().rule(), LayoutRule::MistakenVertexCount);
    let named = with_u16(&[(2, 4), (52, 3)], &[]);
    assert_eq!(parse(&named).map(|_| ()).unwrap_err().code(), "MISMATCH");
}

#[test]
fn each_rule_reads_the_same_triangle() {
    let packed = |rule, files: &Files, codes_expected: &[&str]| {
        let unreal = parse(files).unwrap();
        assert_eq!(unreal.rule(), rule);
        assert_eq!(unreal.vertex_count(), 3);
        assert_eq!(unreal.positions(1).unwrap().get(2), Some([64.0, 0.0, 16.0]));
        assert_eq!(codes(files), codes_expected);
        assert_eq!(Model::from(&unreal), model(VertexEncoding::Packed));
    };
    packed(LayoutRule::Packed, &files(), &[]);
    let mut padded = with_u16(&[], &[(2, 20)]);
    padded.frames.splice(16..16, [9; 8]);
    padded.frames.extend([9; 8]);
    packed(LayoutRule::Padded, &padded, &["FRAME_PADDED"]);
    packed(LayoutRule::MistakenFrameSize, &with_u16(&[], &[(2, 9)]), &["FRAME_SIZE_MISTAKEN"]);
    packed(LayoutRule::MistakenVertexCount, &with_u16(&[(2, 7)], &[]), &["VERTEX_COUNT_MISTAKEN"]);
}

#[test]
fn vertex_indices_past_the_end_are_errors() {
    // Rule 1 applies, so the layout does not depend on the indices. The index of the second corner is at 48 + 2.
    for index in [3, u16::MAX] {
        let files = with_u16(&[(50, index)], &[]);
        let unreal = parse(&files).unwrap();
        assert_eq!(unreal.triangles().get(0), Some([0, index, 2]));
        let error = unreal.checked_triangles().unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Index { what: "vertex", index: index.into(), count: 3 });
        assert_eq!(error.offset(), 50);
        assert_eq!(codes(&files), ["INDEX_OUT_OF_RANGE"]);
        let mut normals = [[7.0; 3]; 3];
        unreal.smooth_normals_into(0, [1.0; 3], &mut NormalScratch::default(), &mut normals).unwrap();
        assert_eq!(normals, [[0.0, 0.0, 1.0]; 3], "a triangle that names no vertex is not followed");
        assert!(Model::from(&unreal).write().unwrap_err().to_string().contains("triangle 0: vertex"));
        assert_eq!(Model::from(&unreal).write_as_is().unwrap(), files);
    }
    assert!(parse(&with_u16(&[(50, 2)], &[])).unwrap().checked_triangles().is_ok());
}

#[test]
fn the_limits_of_the_caller_are_checked() {
    let files = files();
    let at_most =
        |count, strictness| ParseOptions { strictness, limits: Limits { count, ..Limits::DEFAULT } };
    let parse = |count| {
        let options = at_most(count, Strictness::Strict);
        Unreal::parse_with(&files.geometry, &files.frames, &options).map(|_| ())
    };
    assert_eq!(parse(2), Ok(()));
    assert_eq!(parse(1).unwrap_err().kind(), &ErrorKind::Limit { what: "frames", limit: 1, found: 2 });
    let line = b"#exec mesh origin mesh=a\n#exec obj load file=b\n";
    assert!(Script::parse_with(line, &at_most(1, Strictness::Strict)).is_ok());
    let error = Script::parse_with(&line.repeat(2), &at_most(1, Strictness::Lenient)).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Limit { what: "#exec lines", limit: 1, found: 2 });
}

#[test]
fn a_located_mesh_is_bound_to_its_bytes() {
    let Files { geometry, frames } = files();
    let prefixes = (
        Prefix { bytes: &geometry[..48], file_len: geometry.len() as u64 },
        Prefix { bytes: &frames[..4], file_len: frames.len() as u64 },
    );
    let parts = Parts::locate(prefixes.0, prefixes.1, &ParseOptions::default()).unwrap();
    assert_eq!(parts.frame_vertices(1).unwrap().byte_range(), 16..28);
    assert_eq!(parts.triangles().byte_range(), 48..64);
    assert!(parts.frame_vertices(2).is_none());
    assert_eq!((parts.vertex_count(), parts.geometry().vertex_count()), (3, 3));
    let of_frames = FramesParts::locate(prefixes.1, &ParseOptions::default()).unwrap();
    assert_eq!((of_frames.declared_frame_count(), of_frames.frame_size()), (2, 12));
    assert!(Unreal::bind(parts, &geometry, &frames[..27]).is_err());
    assert!(Unreal::bind(parts, &geometry[..63], &frames).is_err());
    assert_eq!(Model::from(&Unreal::bind(parts, &geometry, &frames).unwrap()), model(VertexEncoding::Packed));
    // The fifth rule needs the triangles.
    let Files { geometry, frames } = with_u16(&[(2, 7)], &[]);
    let short = Prefix { bytes: &geometry[..48], file_len: geometry.len() as u64 };
    let error = Parts::locate(short, Prefix::whole(&frames), &ParseOptions::default()).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Incomplete { needed: 54, available: 48 });
}

#[test]
fn the_widest_frames_and_the_most_triangles() {
    for (format, most) in [(VertexEncoding::Packed, 16_383), (VertexEncoding::Wide, 8_191)] {
        let mut model = Model::new(format, most);
        model.add_integer_frame(&vec![[1, -2, 3]; most]).unwrap();
        let last = (most - 1) as u16;
        model.triangles = vec![Triangle { vertices: [0, 1, last], ..Triangle::default() }; 65_535];
        let files = model.write().unwrap();
        let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
        assert_eq!((unreal.vertex_count(), unreal.triangle_count()), (most, 65_535));
        assert_eq!(unreal.checked_triangles().unwrap().iter().next_back(), Some([0, 1, last]));
        assert_eq!(unreal.integer_positions(0).unwrap().iter().next_back(), Some([1, -2, 3]));
        assert_eq!(Model::from(&unreal), model);

        model.triangles.push(Triangle::default());
        assert!(
            model.write().unwrap_err().to_string().contains("triangles: the limit is 65535, found 65536")
        );
        let mut wider = Model::new(format, most + 1);
        wider.add_integer_frame(&vec![[0; 3]; most + 1]).unwrap();
        let error = wider.write().unwrap_err();
        assert_eq!(
            error.kind(),
            &ErrorKind::Limit { what: "vertices", limit: most as u64, found: most as u64 + 1 }
        );
    }
    let mut frames = Model::new(VertexEncoding::Packed, 1);
    frames.vertices = Vertices::Packed(vec![0; 65_536]);
    assert!(frames.write().unwrap_err().to_string().contains("frames: the limit is 65535, found 65536"));
    frames.vertices = Vertices::Packed(vec![0; 65_535]);
    let files = frames.write().unwrap();
    assert_eq!(Unreal::parse(&files.geometry, &files.frames).unwrap().frame_count(), 65_535);
}

#[test]
fn more_vertices_than_a_frame_size_can_store() {
    // 3 x 21,845 is 65,535, so the fourth rule applies. Its frames are 87,380 bytes apart.
    let mut files = Model::new(VertexEncoding::Packed, 0).write().unwrap();
    files.geometry[2..4].copy_from_slice(&21_845u16.to_le_bytes());
    files.frames = vec![2, 0, 0xff, 0xff];
    files.frames.resize(4 + 2 * 87_380, 0);
    let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
    assert_eq!((unreal.rule(), unreal.vertex_count()), (LayoutRule::MistakenFrameSize, 21_845));
    assert_eq!(unreal.positions(1).unwrap().byte_range(), 87_384..174_764);
    assert_eq!(codes(&files), ["FRAME_SIZE_MISTAKEN", "LIMIT_VERTICES", "NO_TRIANGLES"]);
    let error = Model::from(&unreal).write().unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Limit { what: "vertices", limit: 16_383, found: 21_845 });
}

#[test]
fn the_writer_refuses_inconsistent_arrays() {
    let mut model = model(VertexEncoding::Packed);
    assert!(model.add_frame(&[[0.0; 3]; 2]).unwrap_err().to_string().contains("expected 3, found 2"));
    model.vertices = Vertices::Packed(vec![0; 7]);
    assert_eq!(
        model.write().unwrap_err().to_string(),
        "unreal frames: vertices of all frames 7 does not fit vertices of one 3"
    );
    // Positions out of range are clamped and do not wrap around.
    let mut far = Model::new(VertexEncoding::Packed, 1);
    far.add_frame(&[[1e6, -1e6, 1e6]]).unwrap();
    far.add_integer_frame(&[[-2000, 2000, -2000]]).unwrap();
    let files = far.write().unwrap();
    let unreal = parse(&files).unwrap();
    assert_eq!(unreal.integer_positions(0).unwrap().get(0), Some([1023, -1024, 511]));
    assert_eq!(unreal.integer_positions(1).unwrap().get(0), Some([-1024, 1023, -512]));
}

/// Frames of three vertices each: (0, 1, 2), (3, 4, 5), and so on. All vertices are on a line.
pub(super) fn counted(format: VertexEncoding, frames: i16) -> Files {
    let mut model = Model::new(format, 3);
    model.triangles.push(Triangle { vertices: [0, 1, 2], ..Triangle::default() });
    for first in (0..frames).map(|frame| frame * 3) {
        model.add_integer_frame(&[[first; 3], [first + 1; 3], [first + 2; 3]]).unwrap();
    }
    model.write().unwrap()
}
