//! Files of any size whose content is a header followed by zeros: for tests of the cost of opening.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use meshlens_md3::layout::{FRAME_SIZE, IDENT, VERSION};

/// Writes an MD3 model of one surface with `vertices` vertices at the origin in each of `frames` frames. All of it but
/// 216 bytes is a hole, which takes no disk space; a hole of `after` bytes follows its end. Returns the length of the
/// file.
///
/// # Errors
///
/// The file cannot be written or cannot be so large.
///
/// # Panics
///
/// The tables before the vertices end beyond 2 GiB, the limit of the format's offsets.
pub fn md3(path: &Path, frames: u32, vertices: u32, after: u64) -> io::Result<u64> {
    let offset = |value: u64| i32::try_from(value).expect("an offset below 2 GiB").to_le_bytes();
    let (header, surface) = (108u64, 216u64);
    let vertices_at = surface + u64::from(frames) * u64::from(FRAME_SIZE);
    let end = vertices_at + u64::from(frames) * u64::from(vertices) * 8;

    let mut head = Vec::new();
    head.extend(IDENT);
    head.extend(VERSION.to_le_bytes());
    head.extend([0; 64 + 4]);
    head.extend(frames.to_le_bytes());
    head.extend([0u32, 1, 0].map(u32::to_le_bytes).as_flattened());
    // Frames, tags, surfaces, and an end offset that cannot express the size of the file.
    head.extend([surface, surface, header, surface].map(offset).as_flattened());
    head.extend(IDENT);
    head.extend([0; 64 + 4]);
    head.extend([frames, 0, vertices, 0].map(u32::to_le_bytes).as_flattened());
    // The following offsets are relative to the surface. Texture coordinates may share bytes with the vertices: all are
    // zero.
    let vertices_at = vertices_at - header;
    head.extend([header, header, vertices_at, vertices_at, header].map(offset).as_flattened());
    assert_eq!(head.len() as u64, surface);

    let mut file = File::create(path)?;
    file.write_all(&head)?;
    file.set_len(end + after)?;
    Ok(end + after)
}
