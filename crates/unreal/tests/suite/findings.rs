//! Findings, and incomplete frames.

use meshlens_unreal::pairing::{FileKind, UnpairedFile};
use meshlens_unreal::write::{Files, Model};
use meshlens_unreal::{
    ParseOptions, Triangle, TriangleKind, TriangleType, Unreal, VertexEncoding, validate, validate_unpaired,
};
use meshlens_wire::Report;

use super::limits::{codes, counted, files, lenient, model, parse};

#[test]
fn every_irregularity_has_its_code() {
    type Change = fn(&mut Model);
    let cases: &[(&str, Change)] = &[
        ("TRIANGLE_DEGENERATE", |model| {
            model.triangles.push(Triangle { vertices: [0, 1, 0], ..Triangle::default() });
        }),
        ("VERTEX_UNUSED", |model| {
            // The vertices of both frames.
            model.vertices_per_frame = 6;
            model.triangles[0].vertices = [1, 3, 4];
        }),
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
    // The unused part of the header may have any content.
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

/// The completed vertices of the last frame of files that lack `missing` bytes, as one number for each vertex.
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
fn an_incomplete_frame_keeps_every_whole_vertex() {
    let packed = counted(VertexEncoding::Packed, 2);
    // Missing vertices keep their positions of frame 0.
    assert_eq!(completed(&packed, 4), Some((1, 2, 4, vec![3, 4, 2])));
    assert_eq!(completed(&packed, 1), Some((1, 2, 1, vec![3, 4, 2])), "half a vertex is none");
    assert_eq!(completed(&packed, 8), Some((1, 1, 8, vec![3, 1, 2])));
    assert_eq!(completed(&packed, 9), None, "no whole vertex");
    assert_eq!(completed(&packed, 12), None, "the whole frame");
    assert_eq!(completed(&packed, 16), None, "more than one frame");
    // There is no previous frame, so missing vertices get the position of the last available vertex.
    let single = counted(VertexEncoding::Packed, 1);
    assert_eq!(completed(&single, 4), Some((0, 2, 4, vec![0, 1, 1])));
    assert_eq!(completed(&single, 8), Some((0, 1, 8, vec![0, 0, 0])));
    let wide = counted(VertexEncoding::Wide, 2);
    assert_eq!(completed(&wide, 4), Some((1, 2, 4, vec![3, 4, 2])));
    // Each frame has one vertex more than the geometry file states.
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
