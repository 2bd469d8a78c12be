//! Makes the parts of files that assimp does not read valid. If both readers then agree, these parts are the reason for
//! the difference.

fn number(bytes: &[u8], at: usize) -> Option<usize> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?) as usize)
}

fn put(bytes: &mut [u8], at: usize, value: usize) {
    if let Some(word) = bytes.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
        *word = (value as u32).to_le_bytes();
    }
}

const IDENT: usize = u32::from_le_bytes(*b"IDP3") as usize;
const HEADER: usize = 108;

/// One frame, no tags, no shaders, and the right version, identifiers and end. The surfaces and their first frames are
/// unchanged. Surfaces without vertices or triangles, which assimp skips, have neither.
pub(crate) fn md3(bytes: &[u8]) -> Vec<u8> {
    let mut mended = bytes.to_vec();
    let (count, surfaces) = (number(bytes, 84).unwrap_or(0), number(bytes, 100).unwrap_or(0));
    // VERSION, NUM_FRAMES, NUM_TAGS, NUM_SKINS, OFS_FRAMES, OFS_TAGS, OFS_EOF
    for (at, value) in [(4, 15), (76, 1), (80, 0), (88, 0), (92, HEADER), (96, HEADER), (104, bytes.len())] {
        put(&mut mended, at, value);
    }
    let mut at = surfaces;
    // In some surfaces, the offset of the end is 0.
    for index in 0..count.min(bytes.len()) {
        let (Some(vertices), Some(triangles), Some(end)) =
            (number(bytes, at + 80), number(bytes, at + 84), number(bytes, at + 104))
        else {
            break;
        };
        // IDENT, NUM_FRAMES, NUM_SHADERS, OFS_SHADERS
        for (field, value) in [(0, IDENT), (72, 1), (76, 0), (92, HEADER)] {
            put(&mut mended, at + field, value);
        }
        if vertices == 0 || triangles == 0 {
            put(&mut mended, at + 80, 0);
            put(&mut mended, at + 84, 0);
        }
        if index + 1 == count {
            put(&mut mended, at + 104, bytes.len() - at);
        }
        at += end;
    }
    mended
}

/// One frame. Like in assimp, vertices whose index is at least the number of triangles are replaced by vertex 0.
pub(crate) fn unreal(geometry: &[u8], frames: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (mut geometry, mut frames) = (geometry.to_vec(), frames.to_vec());
    let triangles = geometry.first_chunk().map_or(0, |count| usize::from(u16::from_le_bytes(*count)));
    for triangle in geometry.get_mut(48..).unwrap_or_default().chunks_exact_mut(16).take(triangles) {
        for number in triangle[..6].chunks_exact_mut(2) {
            if usize::from(u16::from_le_bytes([number[0], number[1]])) >= triangles {
                number.fill(0);
            }
        }
    }
    if let Some(count) = frames.first_chunk_mut() {
        *count = 1u16.to_le_bytes();
    }
    (geometry, frames)
}
