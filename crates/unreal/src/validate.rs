//! The validator: everything a pair or a script may hold that some reader stumbles over, or that looks like a mistake.
//!
//! Offsets speak of the frames file where a finding's pointer begins with `/frames`, of the script where it begins
//! with `/script`, and of the geometry file everywhere else.

use meshlens_wire::Report;
use meshlens_wire::Severity::{Error, Info, Warning};

use crate::layout::{HEADER_SIZE, MAX_PACKED_VERTICES};
use crate::pairing::{Half, Role};
use crate::script::{Mesh, MeshSequence, Script};
use crate::{Frames, Geometry, LayoutRule, TriangleKind, Unreal};

/// Adds what there is to say about a pair to `report`. O(geometry file).
pub fn validate(unreal: &Unreal<'_>, report: &mut Report) {
    layout(unreal, report);
    frames(unreal.frames(), report);
    geometry(unreal.geometry(), unreal.vertex_count(), report);
}

/// Adds what there is to say about one file by itself, and that the other one is not there.
pub fn validate_half(half: &Half<'_>, report: &mut Report) {
    let (pointer, other) = match half.role() {
        Role::Geometry => ("", "_a.3d: nothing says where its vertices are"),
        Role::Frames => ("/frames", "_d.3d: nothing says which vertices make triangles"),
    };
    let message = format_args!("the file stands without its {other}");
    report.add(Warning, "MISSING_COMPANION", 0, format_args!("{pointer}"), message);
    match half {
        Half::Geometry(half) => geometry(half, half.vertex_count(), report),
        Half::Frames(half) => frames(half, report),
    }
}

/// What the rule that told the layout means for other readers.
fn layout(unreal: &Unreal<'_>, report: &mut Report) {
    let (vertices, frame_size) = (unreal.geometry().vertex_count(), unreal.frames().frame_size());
    let pointer = format_args!("/frames");
    match unreal.rule() {
        LayoutRule::Packed => {}
        LayoutRule::Wide => {
            let message = format_args!(
                "vertices are 16 bits wide, as Deus Ex has them; other engines read packed ones"
            );
            report.add(Info, "VERTICES_16_BIT", 2, pointer, message);
        }
        LayoutRule::Padded => {
            let extra = frame_size.saturating_sub(vertices.saturating_mul(4));
            let message =
                format_args!("each frame of {frame_size} bytes has {extra} behind its {vertices} vertices");
            report.add(Info, "FRAME_PADDED", 2, pointer, message);
        }
        LayoutRule::MistakenFrameSize => {
            let message = format_args!(
                "the frame size is {frame_size}, 3 bytes for each of {vertices} vertices, but 4 are stored"
            );
            report.add(Warning, "FRAME_SIZE_MISTAKEN", 2, pointer, message);
        }
        LayoutRule::MistakenVertexCount => {
            let found = unreal.vertex_count();
            let message =
                format_args!("{vertices} vertices are counted, a frame of {frame_size} bytes holds {found}");
            report.add(Warning, "VERTEX_COUNT_MISTAKEN", 2, format_args!("/vertices"), message);
        }
    }
    if unreal.vertex_count() as u64 > u64::from(MAX_PACKED_VERTICES) {
        let message = format_args!(
            "{} vertices, a frame size can speak of {MAX_PACKED_VERTICES}",
            unreal.vertex_count()
        );
        report.add(Warning, "LIMIT_VERTICES", 2, format_args!("/vertices"), message);
    }
}

fn frames(frames: &Frames<'_>, report: &mut Report) {
    let (count, declared) = (frames.frame_count(), frames.declared_frame_count());
    let end = frames.parts().frames().byte_range().end;
    let pointer = format_args!("/frames");
    if declared == 0 {
        let message = format_args!("there is no frame, so there is nothing to show");
        report.add(Error, "NO_FRAMES", 0, pointer, message);
    }
    if count < declared {
        let message = format_args!("the file ends after {count} of {declared} frames");
        report.add(Error, "FRAMES_TRUNCATED", end, pointer, message);
    } else if frames.trailing_bytes() > 0 {
        let message = format_args!("{} bytes follow the last frame", frames.trailing_bytes());
        report.add(Info, "TRAILING_BYTES", end, pointer, message);
    }
}

fn geometry(geometry: &Geometry<'_>, vertices: usize, report: &mut Report) {
    if vertices == 0 {
        report.add(Info, "NO_VERTICES", 2, format_args!("/vertices"), format_args!("there is no vertex"));
    }
    if geometry.triangle_count() == 0 {
        report.add(Info, "NO_TRIANGLES", 0, format_args!("/triangles"), format_args!("there is no triangle"));
    }
    let mut weapon = None;
    for (number, triangle) in geometry.records().enumerate() {
        let offset = geometry.triangle_offset(number);
        let pointer = format_args!("/triangles/{number}");
        if let Some(index) = triangle.vertices.into_iter().find(|index| usize::from(*index) >= vertices) {
            let message = format_args!("vertex {index} of {vertices}");
            report.add(Error, "INDEX_OUT_OF_RANGE", offset, pointer, message);
        }
        let [a, b, c] = triangle.vertices;
        if a == b || b == c || c == a {
            let message = format_args!("the corners {a}, {b}, {c} span no area");
            report.add(Info, "TRIANGLE_DEGENERATE", offset, pointer, message);
        }
        match triangle.triangle_type.kind() {
            TriangleKind::Unknown(bits) => {
                let message = format_args!("no kind of triangle has number {bits}");
                report.add(Warning, "TRIANGLE_TYPE_UNKNOWN", offset.saturating_add(6), pointer, message);
            }
            TriangleKind::Weapon => {
                if let Some(first) = weapon {
                    let message =
                        format_args!("weapons are attached at triangle {first}, this one is no use");
                    report.add(Info, "WEAPON_TRIANGLE_AGAIN", offset.saturating_add(6), pointer, message);
                }
                weapon = weapon.or(Some(number));
            }
            _ => {}
        }
    }
    if geometry.trailing_bytes() > 0 {
        let end = geometry.parts().triangles().byte_range().end.max(HEADER_SIZE);
        let message = format_args!("{} bytes follow the last triangle", geometry.trailing_bytes());
        report.add(Info, "TRAILING_BYTES", end, format_args!("/triangles"), message);
    }
}

/// Adds what there is to say about a script by itself: the lines that a lenient parse skipped.
pub fn validate_script(script: &Script<'_>, report: &mut Report) {
    for fault in script.faults() {
        let message = format_args!("the line is skipped: {fault}");
        report.add(Warning, "EXEC_LINE_SKIPPED", fault.offset(), format_args!("/script"), message);
    }
    let more = script.fault_count().saturating_sub(script.faults().len() as u64);
    if let Some(last) = script.faults().last().filter(|_| more > 0) {
        let message = format_args!("{more} more lines are skipped");
        report.add(Warning, "EXEC_LINE_SKIPPED", last.offset(), format_args!("/script"), message);
    }
}

/// Adds what there is to say about a script's mesh and the pair it names: sequences that the frames do not hold.
pub fn validate_mesh(mesh: &Mesh<'_, '_>, unreal: &Unreal<'_>, report: &mut Report) {
    validate_sequences(mesh.sequences(), unreal.frame_count(), report);
}

/// Adds what there is to say about the sequences of one mesh, of whose frames there are `count`.
pub fn validate_sequences(sequences: &[MeshSequence<'_>], count: usize, report: &mut Report) {
    for (number, sequence) in sequences.iter().enumerate() {
        let pointer = format_args!("/script/{}/sequences/{number}", sequence.mesh);
        let frames = sequence.frames();
        if frames.is_empty() {
            let message = format_args!("the sequence \"{}\" has no frame", sequence.name);
            report.add(Info, "SEQUENCE_EMPTY", sequence.offset, pointer, message);
        } else if frames.end > count as u64 {
            let last = frames.end.saturating_sub(1);
            let message = format_args!(
                "the sequence \"{}\" goes from frame {} to {last}, the file has {count}",
                sequence.name, frames.start
            );
            report.add(Warning, "SEQUENCE_OUT_OF_RANGE", sequence.offset, pointer, message);
        }
    }
}
