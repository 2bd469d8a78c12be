//! Both ends of every limit, and the error of each broken field.

use meshlens_unreal::pairing::{FileKind, UnpairedFile};
use meshlens_unreal::script::Script;
use meshlens_unreal::write::{Files, Model, Vertices};
use meshlens_unreal::{
    Frames, FramesParts, Geometry, LayoutRule, NormalScratch, ParseOptions, Parts, Prefix, Strictness,
    Triangle, TriangleKind, TriangleType, Unreal, VertexEncoding, validate, validate_script,
    validate_sequences, validate_unpaired,
};
use meshlens_wire::{Error, ErrorKind, Limits, Report};

/// A triangle in two frames, the second 4 units higher.
fn model(format: VertexEncoding) -> Model {
    let mut model = Model::new(format, 3);
    model.triangles.push(Triangle { vertices: [0, 1, 2], texture: 1, ..Triangle::default() });
    for z in [0.0, 4.0] {
        model.add_frame(&[[0.0, 0.0, z], [0.0, 8.0, z], [8.0, 0.0, z]]).unwrap();
    }
    model
}

fn files() -> Files {
    model(VertexEncoding::Packed).write().unwrap()
}

/// The files with a 16-bit field changed: first of the geometry's, then of the frames'.
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

fn parse(files: &Files) -> Result<Unreal<'_>, Error> {
    Unreal::parse(&files.geometry, &files.frames)
}

fn lenient(files: &Files) -> Unreal<'_> {
    Unreal::parse_with(&files.geometry, &files.frames, &ParseOptions::LENIENT).unwrap()
}

fn error(files: &Files) -> String {
    parse(files).map(|_| ()).unwrap_err().to_string()
}

fn codes(files: &Files) -> Vec<&'static str> {
    let mut report = Report::default();
    validate(&lenient(files), &mut report);
    report.findings().map(|finding| finding.code).collect()
}

#[test]
fn the_mesh_itself_is_sound() {
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
fn sixteen_bit_vertices_are_known_by_the_frame_size() {
    let files = model(VertexEncoding::Wide).write().unwrap();
    let unreal = parse(&files).unwrap();
    assert_eq!((unreal.rule(), unreal.frames().frame_size()), (LayoutRule::Wide, 24));
    assert_eq!(unreal.positions(1).unwrap().get(2), Some([8.0, 0.0, 4.0]));
    assert_eq!(unreal.unit_scale(), [1.0; 3]);
    assert_eq!(codes(&files), ["VERTICES_16_BIT"]);
}

#[test]
fn a_geometry_file_ends_no_earlier_than_its_triangles() {
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
fn counts_of_nothing() {
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
fn the_largest_claim_in_the_smallest_file() {
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
    // 12 bytes hold 3 vertices, fewer than the 4 that are counted: enough only while no triangle names the fourth.
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
fn a_vertex_number_past_the_end_never_comes_checked() {
    // Rule 1 holds, so the layout does not follow from the indices. The second corner is at 48 + 2.
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
fn every_irregularity_has_its_code() {
    type Change = fn(&mut Model);
    let cases: &[(&str, Change)] = &[
        ("TRIANGLE_DEGENERATE", |model| model.triangles[0].vertices = [0, 1, 0]),
        ("TRIANGLE_TYPE_UNKNOWN", |model| model.triangles[0].triangle_type = TriangleType(5 + 16)),
        ("WEAPON_TRIANGLE_AGAIN", |model| {
            model.triangles[0].triangle_type = TriangleType::new(TriangleKind::Weapon, 0);
            model.triangles.push(model.triangles[0]);
        }),
    ];
    for (code, change) in cases {
        let mut model = model(VertexEncoding::Packed);
        change(&mut model);
        let files = model.write().unwrap();
        parse(&files).unwrap();
        assert_eq!(codes(&files), [*code]);
    }
    let mut trailing = files();
    trailing.geometry.push(0);
    assert_eq!(codes(&trailing), ["TRAILING_BYTES"]);
    trailing.frames.extend([0; 2]);
    assert_eq!(codes(&trailing), ["TRAILING_BYTES", "TRAILING_BYTES"]);
    // The unused header may hold anything.
    let mut junk = files();
    junk.geometry[4..48].fill(0xa5);
    assert_eq!(codes(&junk), [""; 0]);
}

#[test]
fn a_file_without_the_other_is_a_finding() {
    let Files { geometry, frames } = files();
    let unpaired_codes = |kind, bytes: &[u8]| -> Vec<&'static str> {
        let mut report = Report::default();
        validate_unpaired(&UnpairedFile::parse(kind, bytes).unwrap(), &mut report);
        report.findings().map(|finding| finding.code).collect()
    };
    assert_eq!(unpaired_codes(FileKind::Geometry, &geometry), ["MISSING_COMPANION"]);
    assert_eq!(unpaired_codes(FileKind::Frames, &frames), ["MISSING_COMPANION"]);
    assert_eq!(unpaired_codes(FileKind::Frames, &frames[..20]), ["FRAMES_TRUNCATED", "MISSING_COMPANION"]);
}

#[test]
fn the_callers_limits_hold() {
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
fn a_located_mesh_binds_to_the_bytes_it_was_located_in() {
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
fn more_vertices_than_a_frame_size_can_speak_of() {
    // 3 x 21,845 is 65,535: the fourth rule, whose frames are 87,380 bytes apart.
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
fn the_writer_refuses_what_does_not_fit_together() {
    let mut model = model(VertexEncoding::Packed);
    assert!(model.add_frame(&[[0.0; 3]; 2]).unwrap_err().to_string().contains("expected 3, found 2"));
    model.vertices = Vertices::Packed(vec![0; 7]);
    assert_eq!(
        model.write().unwrap_err().to_string(),
        "unreal frames: vertices of all frames 7 does not fit vertices of one 3"
    );
    // Positions past the ends stop there, and do not wrap around.
    let mut far = Model::new(VertexEncoding::Packed, 1);
    far.add_frame(&[[1e6, -1e6, 1e6]]).unwrap();
    far.add_integer_frame(&[[-2000, 2000, -2000]]).unwrap();
    let files = far.write().unwrap();
    let unreal = parse(&files).unwrap();
    assert_eq!(unreal.integer_positions(0).unwrap().get(0), Some([1023, -1024, 511]));
    assert_eq!(unreal.integer_positions(1).unwrap().get(0), Some([-1024, 1023, -512]));
}

#[test]
fn a_weapon_hangs_between_the_first_two_corners() {
    let mut model = model(VertexEncoding::Packed);
    assert_eq!(parse(&model.write().unwrap()).unwrap().weapon_attachment(0), Ok(None));
    let triangle_type = TriangleType::new(TriangleKind::Weapon, TriangleType::UNLIT);
    model.triangles.push(Triangle { vertices: [1, 2, 0], triangle_type, ..Triangle::default() });
    let mut files = model.write().unwrap();
    let unreal = parse(&files).unwrap();
    let attachment = unreal.weapon_attachment(1).unwrap().unwrap();
    assert_eq!((attachment.triangle, attachment.origin), (1, [32.0, 32.0, 16.0]));
    assert_eq!(attachment.corners, [[0.0, 64.0, 16.0], [64.0, 0.0, 16.0], [0.0, 0.0, 16.0]]);
    files.geometry[64] = 9;
    let error = parse(&files).unwrap().weapon_attachment(1).unwrap_err();
    assert_eq!((error.offset(), error.code()), (64, "INDEX_OUT_OF_RANGE"));
}

#[test]
fn normals_are_those_of_the_scaled_mesh_and_show_no_seam() {
    // Two faces that meet at a right angle along Y, each with vertices of its own: one flat, 4 wide, one upright,
    // 2 high. Stored Z counts double, so both have the same area when they are shown.
    let mut model = Model::new(VertexEncoding::Packed, 8);
    model
        .add_integer_frame(&[
            [0, 0, 0],
            [0, 10, 0],
            [4, 10, 0],
            [4, 0, 0],
            [4, 0, 0],
            [4, 10, 0],
            [4, 10, -2],
            [4, 0, -2],
        ])
        .unwrap();
    for vertices in [[0, 2, 1], [0, 3, 2], [4, 6, 5], [4, 7, 6]] {
        model.triangles.push(Triangle { vertices, ..Triangle::default() });
    }
    // What nobody sees does not count.
    let triangle_type = TriangleType::new(TriangleKind::Weapon, 0);
    model.triangles.push(Triangle { vertices: [0, 1, 2], triangle_type, ..Triangle::default() });
    let files = model.write().unwrap();
    let unreal = parse(&files).unwrap();
    let mut scratch = NormalScratch::default();
    let mut normals = [[0.0; 3]; 8];
    unreal.smooth_normals_into(0, unreal.unit_scale(), &mut scratch, &mut normals).unwrap();
    assert_eq!(normals[0], [0.0, 0.0, 1.0], "clockwise from above faces up");
    assert_eq!(normals[6], [1.0, 0.0, 0.0]);
    // Corner 3 has one triangle of the first face, 4 two of the second, at one position: 1 to 2.
    let [x, y, z] = normals[3];
    assert_eq!(normals[3], normals[4]);
    assert!((x - 2.0 * z).abs() < 1e-6 && y == 0.0 && z > 0.0, "{:?}", normals[3]);
    assert_eq!(normals[2], normals[5]);
    // With stored Z as it is, the upright face is half as large.
    unreal.smooth_normals_into(0, [1.0; 3], &mut scratch, &mut normals).unwrap();
    assert!((normals[3][0] - normals[3][2]).abs() < 1e-6);
}

#[test]
fn scripts_say_where_they_are_wrong() {
    let error = |text: &str| {
        let error = Script::parse(text.as_bytes()).unwrap_err();
        (error.offset(), error.to_string())
    };
    assert_eq!(error("\n#exec MESH IMPORT MESH=a ANIVFILE=b"), (6, "uc: expected DATAFILE= at 0x6".into()));
    assert_eq!(error("#exec mesh origin mesh=a x=b").0, 27);
    assert_eq!(error("#exec mesh origin mesh=a x=\"q\"").0, 28);
    assert_eq!(
        error("#exec mesh sequence mesh=a seq=b startframe=-1"),
        (44, "uc: STARTFRAME: expected at least 0, found -1 at 0x2c".into())
    );
    assert_eq!(error("#exec meshmap settexture num=1").0, 5);
    assert_eq!(error("#exec mesh notify mesh= seq=b").0, 5);

    let text = b"#exec mesh origin mesh=a x=b\n#exec mesh sequence mesh=a seq=b numframes=2";
    let script = Script::parse_with(text, &ParseOptions::LENIENT).unwrap();
    assert_eq!((script.fault_count(), script.sequences().len()), (1, 1));
    let mut report = Report::default();
    validate_script(&script, &mut report);
    assert_eq!(
        report.findings().map(|f| (f.code, f.offset.unwrap_or_default())).collect::<Vec<_>>(),
        [("EXEC_LINE_SKIPPED", 27)]
    );
}

#[test]
fn scripts_are_read_as_engines_read_them() {
    let text = b"#EXEC Mesh Import Mesh=a AnivFile=\"x y_a.3d\" DataFile=..\\M\\a_d.3d X=1 Y=-2.5 Z=.5 LODNOTEX MLOD=1 ZEROTEX=0 UNMIRROR\r
#exec mesh origin mesh=A x=10 yaw=64 // turned\r
#exec mesh origin mesh=a x=20,y=5 pitch=-32\r
#exec mesh sequence mesh=b seq=Other startframe=9 numframes=1\r
#exec mesh sequence mesh=a seq=Walk startframe=0 numframes=2 rate=7.5 group=G\r
#exec mesh sequence mesh=A seq=Run startframe=2 numframes=3\r
#exec mesh notify mesh=a seq=Run time=0.5 function=Step\r
#exec meshmap new meshmap=am mesh=a\r
#exec meshmap scale meshmap=a x=9 y=9 z=9\r
#exec meshmap scale meshmap=AM x=0.1 y=0.1 z=0.2\r
#exec meshmap settexture meshmap=am num=0 texture=Pkg.Skins.T0\r
#exec meshmap settexture meshmap=am num=0 texture=T1\r
#exec texture import file=Textures\\t1.pcx flags=2\r
#exec texture import name=T0 file=a.pcx\r\n";
    let script = Script::parse(text).unwrap();
    assert_eq!(script.meshes().len(), 1);
    let mesh = script.mesh("A").unwrap();
    let import = mesh.import();
    assert!(import.frames_file == "x y_a.3d" && import.geometry_file == r"..\M\a_d.3d", "{import:?}");
    assert_eq!(import.position, [1.0, -2.5, 0.5]);
    assert_eq!((import.mlod, import.zero_texture, import.unmirror), (true, false, true));
    assert_eq!(
        (mesh.origin(), mesh.rotation()),
        ([20.0, 0.0, 0.0], [0.0, -32.0, 0.0]),
        "the last line counts"
    );
    let sequences: Vec<_> =
        mesh.sequences().iter().map(|s| (s.name.to_string(), s.frames(), s.rate)).collect();
    assert_eq!(sequences, [("Walk".into(), 0..2, Some(7.5)), ("Run".into(), 2..5, None)]);
    assert_eq!(mesh.sequence("walk").unwrap().group, "G");
    assert_eq!((mesh.notifies().len(), mesh.notifies()[0].time), (1, 0.5));
    assert!(mesh.meshmap() == "am");
    assert_eq!(mesh.scale(), [0.1, 0.1, 0.2]);
    assert_eq!(mesh.texture(0).unwrap().texture, "T1");
    assert_eq!((mesh.textures().len(), mesh.texture(1)), (2, None));
    assert_eq!(script.texture_import("t1").unwrap().flags, 2);
    assert_eq!(script.texture_import("Pkg.Skins.T0").unwrap().file, "a.pcx");
    assert_eq!(script.texture_import("T2"), None);
    assert_eq!(mesh.transform().apply([20.0, 0.0, 0.0]), [0.0; 3]);
}

#[test]
fn sequences_past_the_frames_are_findings() {
    let files = files();
    let unreal = parse(&files).unwrap();
    let found = |first: u32, count: u32| -> Vec<&'static str> {
        let text = format!(
            "#exec mesh import mesh=a anivfile=a_a.3d datafile=a_d.3d\n\
             #exec mesh sequence mesh=a seq=s startframe={first} numframes={count}"
        );
        let script = Script::parse(text.as_bytes()).unwrap();
        let mut report = Report::default();
        validate_sequences(script.mesh("a").unwrap().sequences(), unreal.frame_count(), &mut report);
        report.findings().map(|finding| finding.code).collect()
    };
    assert_eq!(found(0, 2), [""; 0]);
    assert_eq!(found(1, 1), [""; 0]);
    assert_eq!(found(1, 2), ["SEQUENCE_OUT_OF_RANGE"]);
    assert_eq!(found(u32::MAX, u32::MAX), ["SEQUENCE_OUT_OF_RANGE"]);
    assert_eq!(found(0, 0), ["SEQUENCE_EMPTY"]);
}

#[test]
fn names_of_values_parse_back() {
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        assert_eq!(strictness.to_string().parse(), Ok(strictness));
    }
    let error = "Strict".parse::<Strictness>().unwrap_err();
    assert_eq!(error.to_string(), "unreal: expected strict or lenient");
    let error = "packed".parse::<VertexEncoding>().unwrap_err();
    assert_eq!(error.to_string(), "unreal: expected packed32 or i16x4");
}

/// Frames of three vertices each: (0, 1, 2), (3, 4, 5), and so on, all on a line.
fn counted(format: VertexEncoding, frames: i16) -> Files {
    let mut model = Model::new(format, 3);
    model.triangles.push(Triangle { vertices: [0, 1, 2], ..Triangle::default() });
    for first in (0..frames).map(|frame| frame * 3) {
        model.add_integer_frame(&[[first; 3], [first + 1; 3], [first + 2; 3]]).unwrap();
    }
    model.write().unwrap()
}

/// The vertices of the last frame of files that lack `missing` bytes, as one number each: completed.
fn completed(files: &Files, missing: usize) -> Option<(usize, usize, u64, Vec<i16>)> {
    let frames = &files.frames[..files.frames.len() - missing];
    assert!(Unreal::parse(&files.geometry, frames).is_err(), "an error in strict mode");
    let unreal = Unreal::parse_with(&files.geometry, frames, &ParseOptions::LENIENT).unwrap();
    let cut = unreal.incomplete_frame()?;
    let file = cut.complete();
    let opened = cut.open(&file).unwrap();
    assert_eq!(
        (opened.frame_count(), opened.vertex_count(), opened.incomplete_frame().is_none()),
        (1, 3, true)
    );
    let positions = opened.integer_positions(0).unwrap();
    Some((
        cut.index(),
        cut.vertex_count(),
        cut.missing_bytes(),
        positions.iter().map(|[x, _, _]| x).collect(),
    ))
}

#[test]
fn a_frame_that_is_cut_keeps_every_whole_vertex() {
    let packed = counted(VertexEncoding::Packed, 2);
    // The vertices that are missing stay where they were in frame 0.
    assert_eq!(completed(&packed, 4), Some((1, 2, 4, vec![3, 4, 2])));
    assert_eq!(completed(&packed, 1), Some((1, 2, 1, vec![3, 4, 2])), "half a vertex is none");
    assert_eq!(completed(&packed, 8), Some((1, 1, 8, vec![3, 1, 2])));
    assert_eq!(completed(&packed, 9), None, "no whole vertex");
    assert_eq!(completed(&packed, 12), None, "the whole frame");
    assert_eq!(completed(&packed, 16), None, "more than one frame");
    // There is no earlier frame, so missing vertices have the position of the last one that exists.
    let single = counted(VertexEncoding::Packed, 1);
    assert_eq!(completed(&single, 4), Some((0, 2, 4, vec![0, 1, 1])));
    assert_eq!(completed(&single, 8), Some((0, 1, 8, vec![0, 0, 0])));
    let wide = counted(VertexEncoding::Wide, 2);
    assert_eq!(completed(&wide, 4), Some((1, 2, 4, vec![3, 4, 2])));
    // Each frame has one vertex more than the geometry file says.
    let padded = with_more(&packed, 2);
    assert_eq!(
        completed(&padded, 4),
        Some((1, 3, 4, vec![3, 4, 5])),
        "only what follows the vertices is missing"
    );
    assert_eq!(completed(&padded, 8), Some((1, 2, 8, vec![3, 4, 2])));
}

/// The same frames with one more packed vertex at the end of each.
fn with_more(files: &Files, frames: usize) -> Files {
    let mut bytes = files.frames[..2].to_vec();
    bytes.extend(16u16.to_le_bytes());
    for frame in files.frames[4..].chunks_exact(12).take(frames) {
        bytes.extend(frame);
        bytes.extend([0; 4]);
    }
    Files { geometry: files.geometry.clone(), frames: bytes }
}

#[test]
fn missing_bytes_are_a_finding() {
    let mut files = counted(VertexEncoding::Packed, 2);
    files.frames.truncate(files.frames.len() - 4);
    let mut report = Report::default();
    validate(&lenient(&files), &mut report);
    let found: Vec<_> = report.findings().collect();
    assert_eq!(found.len(), 1, "{report:?}");
    assert_eq!(
        (found[0].code, found[0].pointer.as_str(), found[0].offset),
        ("FRAME_INCOMPLETE", "/frames/1", Some(16))
    );
    assert!(
        found[0].message.starts_with("4 bytes are missing: the last frame has 2 of 3 vertices"),
        "{}",
        found[0].message
    );
}

/// A script above the limit is refused before its first line is read.
#[test]
fn a_script_has_at_most_sixteen_mebibytes() {
    let mut text = vec![b' '; 16 << 20];
    assert!(Script::parse(&text).is_ok());
    text.push(b' ');
    let error = Script::parse(&text).unwrap_err();
    let kind = ErrorKind::Limit { what: "bytes of text", limit: 16_777_216, found: 16_777_217 };
    assert_eq!((error.offset(), error.kind()), (0, &kind));
}
