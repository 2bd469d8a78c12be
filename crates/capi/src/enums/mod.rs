//! The enumerations of the header, and their names.

mod arrays;
mod buffers;
mod files;
mod numbers;
/// Enumerations as C passes them: numbers, which may be out of range.
///
/// cbindgen:ignore
pub mod raw;
mod scene;
mod streaming;

use std::ffi::c_char;

use meshlens::Format;
use meshlens::lens::{Semantic, VertexFormat};

pub use arrays::*;
pub use buffers::*;
pub use files::*;
pub use scene::*;
pub use streaming::*;

/// The names of [`Format::ALL`], each followed by NULs.
#[allow(clippy::indexing_slicing, reason = "an index out of range does not compile")]
static FORMAT_NAMES: [[u8; 16]; Format::ALL.len()] = {
    let mut names = [[0; 16]; Format::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        let name = Format::ALL[index].name();
        let (start, rest) = names[index].split_at_mut(name.len());
        assert!(!rest.is_empty(), "no room for the NUL");
        start.copy_from_slice(name.as_bytes());
        index += 1;
    }
    names
};

/// The name of a format in lower case, such as "md3"; "" for an unknown number. The text is static.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_format_name(format: raw::ml_format) -> *const c_char {
    let index =
        ml_format::read(format).and_then(|format| Format::ALL.iter().position(|found| *found == format));
    index.and_then(|index| FORMAT_NAMES.get(index)).map_or(c"".as_ptr(), |name| name.as_ptr().cast())
}

/// The name of a semantic in lower case, such as "positions"; "" for an unknown number. The text is static.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_semantic_name(semantic: raw::ml_semantic) -> *const c_char {
    use Semantic::*;
    match ml_semantic::read(semantic) {
        Some(Position) => c"positions",
        Some(Normal) => c"normals",
        Some(PositionNormal) => c"positions_normals",
        Some(TangentFrame) => c"tangent_frames",
        Some(BitangentSign) => c"bitangent_signs",
        Some(Texcoord) => c"texcoords",
        Some(Color) => c"colors",
        Some(Joints) => c"joints",
        Some(Weights) => c"weights",
        Some(Triangles) => c"triangles",
        Some(Indices) => c"indices",
        Some(PointIndices) => c"point_indices",
        Some(Materials) => c"materials",
        Some(TriangleType) => c"triangle_types",
        Some(ShadowPosition) => c"shadow_positions",
        Some(ShadowNormal) => c"shadow_normals",
        Some(ShadowTriangles) => c"shadow_triangles",
        Some(TranslationFrames) => c"translation_frames",
        Some(Translations) => c"translations",
        Some(RotationFrames) => c"rotation_frames",
        Some(Rotations) => c"rotations",
        Some(ScaleFrames) => c"scale_frames",
        Some(Scales) => c"scales",
        _ => c"",
    }
    .as_ptr()
}

/// The size in bytes of an attribute with this format; 0 for an unknown number.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_vertex_format_size(format: raw::ml_vertex_format) -> usize {
    ml_vertex_format::read(format).map_or(0, VertexFormat::size)
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn names_equal_those_of_the_library() {
        // SAFETY: names are static.
        let text = |name| unsafe { CStr::from_ptr(name) }.to_str().unwrap();
        for format in Format::ALL {
            let number = ml_format::number(*format);
            assert_eq!(text(ml_format_name(number)), format.name());
            assert_eq!(ml_format::read(number), Some(*format));
        }
        for number in 1..=23 {
            let semantic = ml_semantic::read(number).unwrap();
            assert_eq!(text(ml_semantic_name(number)), semantic.name());
            assert_eq!(ml_semantic::number(semantic), number);
        }
        for number in [0, 24, -1, i32::MAX] {
            assert_eq!(text(ml_semantic_name(number)), "");
        }
        assert_eq!(text(ml_format_name(77)), "");
        use ml_format::*;
        let constants = [ML_FORMAT_MD3, ML_FORMAT_U3D, ML_FORMAT_UNREAL, ML_FORMAT_UNIGINE];
        let formats = [Format::Md3, Format::U3d, Format::Unreal, Format::Unigine];
        assert_eq!(constants.map(|constant| constant as i32), formats.map(ml_format::number));
        assert_eq!(ml_format::read(ML_FORMAT_DETECT as i32), None);
        let sizes: Vec<usize> = (0..=33).map(|format| ml_vertex_format_size(format)).collect();
        assert_eq!(sizes[..8], [0, 4, 8, 12, 16, 4, 8, 4]);
        assert_eq!((sizes[32], sizes[33]), (16, 0));
    }
}
