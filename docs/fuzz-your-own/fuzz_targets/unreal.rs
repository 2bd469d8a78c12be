//! A small reader of Unreal meshes, both files in one buffer, beside that of meshlens.
#![no_main]

use fuzz_your_own::{Bytes, Frame, Refusal, target};
use meshlens::Document;
use meshlens_mutate::{Kind, split_pair};

target!(
    read,
    |bytes| {
        let (geometry, frames) = split_pair(bytes);
        Document::parse_pair(geometry, frames)
    },
    Kind::Unreal
);

/// Replace this function with your parser.
fn read(bytes: &[u8]) -> Result<Vec<Frame>, Refusal> {
    let mut bytes = Bytes { all: bytes, at: 0 };
    let (triangles, vertices) = (bytes.u16()?, bytes.u16()?);
    bytes.take::<44>(1)?;
    let corner =
        |triangle: &[u8; 16]| [0, 2, 4].map(|at| u32::from(triangle[at]) | u32::from(triangle[at + 1]) << 8);
    let mut indices: Vec<u32> = bytes.take(triangles)?.iter().flat_map(corner).collect();
    let (frames, size) = (bytes.u16()?, bytes.u16()?);
    // The other layouts are mistakes of exporters.
    if size != 4 * vertices && size != 8 * vertices {
        return Err(Refusal::Unknown);
    }
    let mut found = Vec::new();
    // Frames at the end may be missing.
    let there = (bytes.all.len() - bytes.at).checked_div(size).unwrap_or(0);
    for frame in 0..frames.min(there) {
        let positions = if size == 4 * vertices {
            let packed = |bytes: &[u8; 4]| {
                let bits = i32::from_le_bytes(*bytes);
                [bits << 21 >> 21, bits << 10 >> 21, bits >> 22].map(|number| number as f32)
            };
            bytes.take(vertices)?.iter().map(packed).collect()
        } else {
            let wide = |bytes: &[u8; 8]| {
                [0, 2, 4].map(|at| f32::from(i16::from_le_bytes([bytes[at], bytes[at + 1]])))
            };
            bytes.take(vertices)?.iter().map(wide).collect()
        };
        found.push(Frame { mesh: 0, frame, positions, indices: std::mem::take(&mut indices) });
    }
    Ok(found)
}
