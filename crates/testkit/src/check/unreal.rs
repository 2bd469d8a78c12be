//! Unreal meshes, each of their files separately, and scripts.

use meshlens::{Document, Finding};
use meshlens_mutate::split_pair;
use meshlens_unreal::encoding::{
    UnrealPacked, UnrealPackedInteger, UnrealPackedUnits, UnrealWide, UnrealWideInteger,
};
use meshlens_unreal::script::{MAX_FAULTS, Script};
use meshlens_unreal::{
    FileKind, Frames, FramesParts, Geometry, GeometryParts, LayoutRule, NormalScratch, ParseOptions, Parts,
    Prefix, TriangleKind, TriangleType, Unreal, VertexEncoding, write,
};
use meshlens_wire::{Error, ErrorKind, Report};

use super::{checked, document, document_of, error, lens, parsed, report};
use crate::meter::bounded;

/// Checks bytes as a geometry file.
pub fn unreal_geometry(bytes: &[u8]) {
    let Some(geometry) = parsed(bytes, Geometry::parse) else { return };
    let count = geometry.triangle_count();
    triangles(&geometry, bytes);
    for vertices in [geometry.vertex_count(), 0, usize::MAX] {
        match geometry.checked_triangles(vertices) {
            Ok(triangles) => assert!(triangles.iter().flatten().all(|index| usize::from(index) < vertices)),
            Err(found) => {
                error(&found, bytes);
                let at = found.offset() as usize;
                let index = u16::from_le_bytes([bytes[at], bytes[at + 1]]);
                assert!(usize::from(index) >= vertices, "{found}");
            }
        }
    }
    assert!(geometry.triangle(count).is_none() && geometry.triangle(usize::MAX).is_none());
    assert_eq!(geometry.unused_header().len(), 44);
    assert_eq!(geometry.triangle_offset(count) + geometry.trailing_bytes(), bytes.len() as u64);
    ask_for_more(&[bytes], |[geometry]| {
        GeometryParts::locate(geometry).map(|parts| assert!(Geometry::bind(parts, bytes).is_ok()))
    });
    document(&Document::parse_unpaired(FileKind::Geometry, bytes).expect("the same parser"), bytes);
}

fn triangles(geometry: &Geometry<'_>, bytes: &[u8]) {
    lens(geometry.triangles(), bytes);
    for field in [geometry.types(), geometry.colors(), geometry.textures(), geometry.flags()] {
        lens(field, bytes);
    }
    for corner in 0..3 {
        lens(geometry.texcoord_bytes(corner).expect("a corner"), bytes);
        lens(geometry.texcoords(corner).expect("a corner"), bytes);
    }
    assert!(geometry.texcoords(3).is_err());
    let triangles = geometry.triangles();
    let types = geometry.types();
    let textures = geometry.textures();
    let texcoords = geometry.texcoord_bytes(2).expect("a corner");
    assert_eq!(geometry.records().len(), geometry.triangle_count());
    for (index, triangle) in geometry.records().enumerate() {
        assert_eq!(geometry.triangle(index), Some(triangle));
        assert_eq!(triangles.get(index), Some(triangle.vertices));
        assert_eq!(types.get(index), Some(triangle.triangle_type.0));
        assert_eq!(texcoords.get(index), Some(triangle.texcoords[2]));
        assert_eq!(textures.get(index), Some(triangle.texture));
        let TriangleType(bits) = triangle.triangle_type;
        assert_eq!(TriangleType::new(triangle.triangle_type.kind(), bits).0, bits);
    }
    let weapon = geometry.records().position(|t| t.triangle_type.kind() == TriangleKind::Weapon);
    assert_eq!(geometry.weapon_triangle(), weapon);
}

/// Checks bytes as a frames file.
pub fn unreal_frames(bytes: &[u8]) {
    let lenient = Frames::parse_with(bytes, &ParseOptions::LENIENT);
    let frames = match (bounded(bytes.len(), "parse", || Frames::parse(bytes)), lenient) {
        (Ok(strict), Ok(lenient)) => {
            assert_eq!(strict.frame_count(), lenient.frame_count());
            assert_eq!(strict.frame_count(), strict.declared_frame_count());
            lenient
        }
        (Err(strict), Ok(lenient)) => {
            error(&strict, bytes);
            assert!(lenient.frame_count() < lenient.declared_frame_count());
            lenient
        }
        (Err(strict), Err(found)) => {
            assert_eq!(strict, found);
            return error(&found, bytes);
        }
        (Ok(_), Err(found)) => panic!("lenient is stricter than strict: {found}"),
    };
    for frame in 0..frames.frame_count() {
        assert_eq!(frames.frame_bytes(frame).map(<[u8]>::len), Ok(frames.frame_stride()));
    }
    assert_eq!(frames.frame_stride(), frames.frame_size());
    for frame in [frames.frame_count(), usize::MAX] {
        error(&frames.frame_bytes(frame).expect_err("there is no such frame"), bytes);
    }
    ask_for_more(&[bytes], |[prefix]| {
        FramesParts::locate(prefix, &ParseOptions::LENIENT)
            .map(|parts| assert!(Frames::bind(parts, bytes).is_ok()))
    });
    document(&Document::parse_unpaired(FileKind::Frames, bytes).expect("the same parser"), bytes);
}

/// Checks a pair of files in one buffer; see [`split_pair`].
pub fn unreal_pair(bytes: &[u8]) {
    let (geometry, frames) = split_pair(bytes);
    unreal_files(geometry, frames);
}

/// The file that an error or a finding of a pair is about.
fn file_of<'b>(found: &Error, geometry: &'b [u8], frames: &'b [u8]) -> &'b [u8] {
    if found.format() == meshlens_unreal::GEOMETRY { geometry } else { frames }
}

/// Checks a pair of files.
pub fn unreal_files(geometry: &[u8], frames: &[u8]) {
    let len = geometry.len() + frames.len();
    let lenient = bounded(len, "parse", || Unreal::parse_with(geometry, frames, &ParseOptions::LENIENT));
    let unreal = match (Unreal::parse(geometry, frames), lenient) {
        (Ok(strict), Ok(lenient)) => {
            assert_eq!((strict.rule(), strict.frame_count()), (lenient.rule(), lenient.frame_count()));
            strict
        }
        (Err(strict), Ok(lenient)) => {
            error(&strict, file_of(&strict, geometry, frames));
            assert!(lenient.frame_count() < lenient.frames().declared_frame_count());
            lenient
        }
        (_, Err(found)) => return error(&found, file_of(&found, geometry, frames)),
    };
    let vertices = unreal.vertex_count();
    assert_eq!(unreal.rule() == LayoutRule::Wide, unreal.vertex_encoding().size() == 8);
    if let Some(triangles) = checked(unreal.checked_triangles(), geometry) {
        assert!(triangles.iter().flatten().all(|index| usize::from(index) < vertices));
    }
    let mut scratch = NormalScratch::default();
    let mut out = vec![[0.0; 3]; vertices];
    for frame in 0..unreal.frame_count() {
        positions(&unreal, frame, frames);
        smooth_normals(&unreal, frame, &mut scratch, &mut out);
        assert_eq!(unreal.compute_bounds(frame).is_some(), vertices > 0);
        if let Some(attachment) = checked(unreal.weapon_attachment(frame), geometry) {
            assert_eq!(attachment.map(|a| a.triangle), unreal.geometry().weapon_triangle());
        }
    }
    if let Some(last) = unreal.frame_count().checked_sub(1) {
        unreal.lerp_positions_into(0, last, 0.5, &mut out).expect("both frames are there");
    }
    for frame in [unreal.frame_count(), usize::MAX] {
        error(&unreal.positions(frame).expect_err("there is no such frame"), frames);
        error(&unreal.weapon_attachment(frame).expect_err("nor here"), frames);
        let found = unreal.smooth_normals_into(frame, [1.0; 3], &mut scratch, &mut out);
        error(&found.expect_err("nor here"), frames);
    }
    ask_for_more(&[geometry, frames], |[a, b]| {
        Parts::locate(a, b, &ParseOptions::LENIENT)
            .map(|parts| assert!(Unreal::bind(parts, geometry, frames).is_ok()))
    });
    rewrite(&unreal);
    document_of(&Document::Unreal(unreal), &[geometry, frames], |finding: &Finding| {
        if finding.pointer.starts_with("/frames") { frames } else { geometry }
    });
}

fn positions(unreal: &Unreal<'_>, frame: usize, frames: &[u8]) {
    let (floats, integers, units) = (
        unreal.positions(frame).expect("the frame is below the count"),
        unreal.integer_positions(frame).expect("the frame is below the count"),
        unreal.unit_positions(frame).expect("the frame is below the count"),
    );
    if unreal.vertex_encoding() == VertexEncoding::Packed {
        lens(floats.downcast::<UnrealPacked>().expect("packed"), frames);
        lens(integers.downcast::<UnrealPackedInteger>().expect("packed"), frames);
        lens(units.downcast::<UnrealPackedUnits>().expect("packed"), frames);
    } else {
        lens(floats.downcast::<UnrealWide>().expect("wide"), frames);
        lens(integers.downcast::<UnrealWideInteger>().expect("wide"), frames);
        lens(units.downcast::<UnrealWide>().expect("wide"), frames);
    }
    assert_eq!(floats.len(), unreal.vertex_count());
    // The padding of the last 16-bit vertex is not part of its position.
    let padding = if floats.is_empty() || unreal.vertex_encoding() == VertexEncoding::Packed { 0 } else { 2 };
    assert_eq!(unreal.vertex_bytes(frame).map(<[u8]>::len), Ok(floats.as_bytes().len() + padding));
    let [x, y, z] = unreal.unit_scale();
    for ((float, integer), unit) in floats.iter().zip(integers).zip(units) {
        assert_eq!(float, integer.map(f32::from));
        assert_eq!(unit, [float[0] * x, float[1] * y, float[2] * z]);
    }
}

/// Every normal has length 1, and vertices at the same position have the same normal.
fn smooth_normals(unreal: &Unreal<'_>, frame: usize, scratch: &mut NormalScratch, out: &mut Vec<[f32; 3]>) {
    unreal.smooth_normals_into(frame, unreal.unit_scale(), scratch, out).expect("one normal per vertex");
    let positions = unreal.integer_positions(frame).expect("the frame is below the count");
    let mut by_position: Vec<_> = positions.iter().zip(out.iter().map(|n| n.map(f32::to_bits))).collect();
    by_position.sort_unstable();
    assert!(by_position.windows(2).all(|pair| pair[0].0 != pair[1].0 || pair[0].1 == pair[1].1));
    for normal in out.iter() {
        let square: f32 = normal.iter().map(|axis| axis * axis).sum();
        assert!((square - 1.0).abs() < 1e-5, "{normal:?}");
    }
    let length = out.len();
    out.push([0.0; 3]);
    assert!(unreal.smooth_normals_into(frame, [1.0; 3], scratch, out).is_err());
    out.truncate(length);
}

/// Locating parts in prefixes has the same result as in whole files, or requests bytes after one of the prefixes.
fn ask_for_more<const N: usize>(files: &[&[u8]; N], locate: impl Fn([Prefix<'_>; N]) -> Result<(), Error>) {
    let mut here = [0usize; N];
    loop {
        let mut prefixes = [Prefix::whole(&[]); N];
        for ((prefix, file), here) in prefixes.iter_mut().zip(files).zip(here) {
            *prefix = Prefix { bytes: &file[..here], file_len: file.len() as u64 };
        }
        let Err(found) = locate(prefixes) else { return };
        let ErrorKind::Incomplete { needed, available } = *found.kind() else {
            panic!("prefixes of {here:?} bytes of files that parse: {found}");
        };
        let file = if N == 2 && found.format() == meshlens_unreal::FRAMES { 1 } else { 0 };
        assert!(available == here[file] as u64 && needed > available, "{found}");
        here[file] = needed as usize;
    }
}

/// A written mesh equals the original when it is read back.
fn rewrite(unreal: &Unreal<'_>) {
    let model = write::Model::from(unreal);
    let files = match model.write_as_is() {
        Ok(files) => files,
        // The rule for mistaken frame sizes allows more vertices than a frame size can express.
        Err(found) => return assert!(matches!(found.kind(), ErrorKind::Limit { .. }), "{found}"),
    };
    assert_eq!(model.write().is_ok(), unreal.checked_triangles().is_ok());
    let again = Unreal::parse(&files.geometry, &files.frames).expect("what was written parses");
    let copy = write::Model::from(&again);
    assert!(copy == model, "a rewrite changed the mesh");
    assert_eq!(copy.write_as_is(), Ok(files), "canonical files are not rewritten byte for byte");
}

/// Checks bytes as a `.uc` script.
pub fn uc_script(bytes: &[u8]) {
    let parse = || Script::parse_with(bytes, &ParseOptions::LENIENT);
    let lenient = match bounded(bytes.len(), "parse", parse) {
        Ok(script) => script,
        Err(found) => {
            assert!(matches!(found.kind(), ErrorKind::Limit { .. }));
            return error(&found, bytes);
        }
    };
    match Script::parse(bytes) {
        Ok(strict) => {
            assert_eq!(strict, lenient);
            assert_eq!(lenient.fault_count(), 0);
        }
        Err(found) => {
            error(&found, bytes);
            assert_eq!(lenient.faults().first(), Some(&found));
        }
    }
    assert_eq!(lenient.faults().len() as u64, lenient.fault_count().min(MAX_FAULTS as u64));
    for fault in lenient.faults() {
        error(fault, bytes);
    }
    let mut findings = Report::default();
    meshlens_unreal::validate_script(&lenient, &mut findings);
    report(&findings, bytes);
    assert_eq!(findings.total() > 0, lenient.fault_count() > 0);

    let mut sequences = 0;
    for mesh in lenient.meshes().take(64) {
        let name = mesh.name();
        assert!(lenient.mesh(&name.to_text()).is_some() || !name.to_text().is_ascii());
        for sequence in mesh.sequences() {
            assert!(sequence.offset <= bytes.len() as u64 && !sequence.name.is_empty());
            assert!(sequence.frames_per_second().is_finite());
            sequences += 1;
        }
        for line in mesh.textures() {
            assert_eq!(mesh.texture(line.slot).map(|last| last.slot), Some(line.slot));
        }
        assert!(
            mesh.notifies()
                .iter()
                .all(|notify| notify.mesh.eq_ignore_case(&name.to_text()) || !name.to_text().is_ascii())
        );
        let transform = mesh.transform();
        assert_eq!((transform.origin, transform.scale), (mesh.origin(), mesh.scale()));
        let _ = transform.apply([1.0, 2.0, 3.0]);
    }
    assert!(sequences == 0 || !lenient.sequences().is_empty());
    for import in lenient.texture_imports().iter().take(64) {
        assert!(!import.file.is_empty());
    }
}
