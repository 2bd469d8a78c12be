//! The validator: content of a pair or a script that some reader rejects or shows incorrectly, or that looks like a
//! mistake.
//!
//! The offset of a finding is in the frames file if its pointer begins with `/frames`, in the script if it begins with
//! `/script`, and otherwise in the geometry file. A mesh of one file has both in it.

use meshlens_wire::{OutOfRange, Report, report_unused};

use crate::codes;
use crate::layout::{HEADER_SIZE, MAX_PACKED_VERTICES};
use crate::pairing::{FileKind, UnpairedFile};
use crate::script::{MeshSequence, Script};
use crate::{Frames, Geometry, IncompleteFrame, LayoutRule, TriangleKind, Unreal};

/// The offset of the type in a triangle.
const TYPE: u64 = 6;

/// Adds the findings about a pair to `report`. O(size of the geometry file).
pub fn validate(unreal: &Unreal<'_>, report: &mut Report) {
    layout(unreal, report);
    match unreal.incomplete_frame() {
        Some(frame) => incomplete_frame(&frame, unreal, report),
        None => frames(unreal.frames(), report),
    }
    geometry(&unreal.geometry(), unreal.vertex_count(), report);
}

/// Adds the findings about one file without the other to `report`, including the finding that the other is missing.
/// O(size of the file).
pub fn validate_unpaired(file: &UnpairedFile<'_>, report: &mut Report) {
    let (pointer, missing) = match file.kind() {
        FileKind::Geometry => ("", "_a.3d with the positions of its vertices"),
        FileKind::Frames => ("/frames", "_d.3d with its triangles"),
    };
    let message = format_args!("the mesh lacks its {missing}");
    report.add(&codes::MISSING_COMPANION, 0, format_args!("{pointer}"), message);
    match file {
        UnpairedFile::Geometry(file) => geometry(file, file.vertex_count(), report),
        UnpairedFile::Frames(file) => frames(file, report),
    }
}

/// Adds the findings about the layout, which affect other readers.
fn layout(unreal: &Unreal<'_>, report: &mut Report) {
    let (vertices, frame_size) = (unreal.geometry().vertex_count(), unreal.frames().frame_size());
    let pointer = format_args!("/frames");
    // The second count of each header.
    let (vertices_at, at) = (unreal.parts().geometry.start + 2, unreal.parts().frames.start + 2);
    match unreal.rule() {
        LayoutRule::Packed => {}
        LayoutRule::Wide => {
            let message = format_args!(
                "vertices have 16 bits for each axis, as in Deus Ex; other engines read packed vertices"
            );
            report.add(&codes::VERTICES_16_BIT, at, pointer, message);
        }
        LayoutRule::Padded => {
            // The rule requires a larger frame, so this does not underflow.
            let extra = frame_size - vertices * 4;
            let message =
                format_args!("each frame of {frame_size} bytes has {extra} after its {vertices} vertices");
            report.add(&codes::FRAME_PADDED, at, pointer, message);
        }
        LayoutRule::MistakenFrameSize => {
            let message = format_args!(
                "the frame size is {frame_size}, 3 bytes for each of {vertices} vertices, but vertices have 4 bytes"
            );
            report.add(&codes::FRAME_SIZE_MISTAKEN, at, pointer, message);
        }
        LayoutRule::MistakenVertexCount => {
            let found = unreal.vertex_count();
            let message = format_args!(
                "the geometry file has {vertices} vertices, and a frame of {frame_size} bytes holds {found}"
            );
            report.add(&codes::VERTEX_COUNT_MISTAKEN, vertices_at, format_args!("/vertices"), message);
        }
    }
    if unreal.vertex_count() > MAX_PACKED_VERTICES {
        let message = format_args!(
            "{} vertices; the frame size has room for at most {MAX_PACKED_VERTICES}",
            unreal.vertex_count()
        );
        report.add(&codes::LIMIT_VERTICES, vertices_at, format_args!("/vertices"), message);
    }
}

/// The file ends inside its last frame.
fn incomplete_frame(frame: &IncompleteFrame<'_>, unreal: &Unreal<'_>, report: &mut Report) {
    let offset = unreal.frames().parts().frames().byte_range().end;
    let message = format_args!(
        "{} bytes are missing: the last frame has {} of {} vertices, and the others keep their positions",
        frame.missing_bytes(),
        frame.vertex_count(),
        unreal.vertex_count()
    );
    report.add(&codes::FRAME_INCOMPLETE, offset, format_args!("/frames/{}", frame.index()), message);
}

fn frames(frames: &Frames<'_>, report: &mut Report) {
    let (count, declared) = (frames.frame_count(), frames.declared_frame_count());
    let end = frames.parts().frames().byte_range().end;
    let pointer = format_args!("/frames");
    if declared == 0 {
        let message = format_args!("there is no frame, so there is nothing to show");
        report.add(&codes::NO_FRAMES, frames.parts().start, pointer, message);
    }
    if count < declared {
        let message = format_args!("the file ends after {count} of {declared} frames");
        report.add(&codes::FRAMES_TRUNCATED, end, pointer, message);
    } else if frames.trailing_bytes() > 0 {
        let message = format_args!("{} bytes follow the last frame", frames.trailing_bytes());
        report.add(&codes::TRAILING_BYTES, end, pointer, message);
    }
}

fn geometry(geometry: &Geometry<'_>, vertices: usize, report: &mut Report) {
    let start = geometry.parts().start;
    if vertices == 0 {
        let message = format_args!("there is no vertex");
        report.add(&codes::NO_VERTICES, start + 2, format_args!("/vertices"), message);
    }
    if geometry.triangle_count() == 0 {
        let message = format_args!("there is no triangle");
        report.add(&codes::NO_TRIANGLES, start, format_args!("/triangles"), message);
    }
    let mut weapon = None;
    for (number, triangle) in geometry.records().enumerate() {
        let offset = geometry.triangle_offset(number);
        let pointer = format_args!("/triangles/{number}");
        if let Some(index) = triangle.vertices.into_iter().find(|index| usize::from(*index) >= vertices) {
            let message = format_args!("{}", OutOfRange::new("vertex", index, vertices));
            report.add(&codes::INDEX_OUT_OF_RANGE, offset, pointer, message);
        }
        let [a, b, c] = triangle.vertices;
        if a == b || b == c || c == a {
            let message = format_args!("the corners {a}, {b}, {c} are not three different vertices");
            report.add(&codes::TRIANGLE_DEGENERATE, offset, pointer, message);
        }
        match triangle.triangle_type.kind() {
            TriangleKind::Unknown(bits) => {
                let message = format_args!("{bits} is no known kind of triangle");
                report.add(&codes::TRIANGLE_TYPE_UNKNOWN, offset + TYPE, pointer, message);
            }
            TriangleKind::Weapon => {
                if let Some(first) = weapon {
                    let message =
                        format_args!("weapons are attached to triangle {first}, so this one is not used");
                    report.add(&codes::WEAPON_TRIANGLE_AGAIN, offset + TYPE, pointer, message);
                }
                weapon = weapon.or(Some(number));
            }
            _ => {}
        }
    }
    let corners = geometry.records().flat_map(|triangle| triangle.vertices.map(u32::from));
    report_unused(vertices, corners, start + 2, format_args!("/vertices"), report);
    if geometry.trailing_bytes() > 0 {
        let end = geometry.parts().triangles().byte_range().end.max(HEADER_SIZE);
        let message = format_args!("{} bytes follow the last triangle", geometry.trailing_bytes());
        report.add(&codes::TRAILING_BYTES, end, format_args!("/triangles"), message);
    }
}

/// Adds a finding to `report` for each line that a lenient parse of a script skipped. O(lines).
pub fn validate_script(script: &Script<'_>, report: &mut Report) {
    for fault in script.faults() {
        let message = format_args!("the line is skipped: {fault}");
        report.add(&codes::EXEC_LINE_SKIPPED, fault.offset(), format_args!("/script"), message);
    }
    // Every kept fault is also counted.
    let more = script.fault_count() - script.faults().len() as u64;
    if let Some(last) = script.faults().last().filter(|_| more > 0) {
        let message = format_args!("{more} more lines are skipped");
        report.add(&codes::EXEC_LINE_SKIPPED, last.offset(), format_args!("/script"), message);
    }
}

/// Adds a finding to `report` for each sequence that has no frames, or extends past the last frame of a mesh with
/// `count` frames.
pub fn validate_sequences(sequences: &[MeshSequence<'_>], count: usize, report: &mut Report) {
    for (number, sequence) in sequences.iter().enumerate() {
        let pointer = format_args!("/script/{}/sequences/{number}", sequence.mesh);
        let frames = sequence.frames();
        if frames.is_empty() {
            let message = format_args!("the sequence \"{}\" has no frames", sequence.name);
            report.add(&codes::SEQUENCE_EMPTY, sequence.offset, pointer, message);
        } else if frames.end > count as u64 {
            let last = frames.end - 1;
            let message = format_args!(
                "the sequence \"{}\" goes from frame {} to {last}; the file has {count} frames",
                sequence.name, frames.start
            );
            report.add(&codes::SEQUENCE_OUT_OF_RANGE, sequence.offset, pointer, message);
        }
    }
}
