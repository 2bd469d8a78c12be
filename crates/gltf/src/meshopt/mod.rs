//! `KHR_meshopt_compression` and `EXT_meshopt_compression`: an encoder of attributes and triangles in their common layout, and a
//! decoder of all modes and filters. Appendices are appendices of the extensions' documents.
//!
//! The library meshoptimizer needs a C++ compiler, so it is not used.

mod decode;
mod decode_triangles;
mod encode;
mod encode_triangles;
mod filters;
mod reader;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(crate) use decode::decode;
pub(crate) use encode::{Attributes, Exponents};
pub(crate) use encode_triangles::Triangles;

/// The extension of compressed arrays. Both have the same arrays, and differ in the readers that know them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Meshopt {
    /// `KHR_meshopt_compression`, ratified in 2026.
    #[default]
    Khr,
    /// `EXT_meshopt_compression`, for older readers.
    Ext,
}

impl Meshopt {
    /// The name of the extension.
    pub const fn name(self) -> &'static str {
        match self {
            Meshopt::Khr => "KHR_meshopt_compression",
            Meshopt::Ext => "EXT_meshopt_compression",
        }
    }
}

/// The number of elements whose differences are packed together.
const GROUP: usize = 16;
/// The first byte of attributes in the layout of version 0.
const ATTRIBUTES_0: u8 = 0xa0;
/// The first byte of attributes in the layout of version 1.
const ATTRIBUTES_1: u8 = 0xa1;
/// The first byte of triangles.
const TRIANGLES: u8 = 0xe1;
/// The first byte of indices.
const INDICES: u8 = 0xd1;
/// The least number of bytes after the last block of attributes, in version 0 and 1.
const MIN_TAIL_0: usize = 32;
const MIN_TAIL_1: usize = 24;

/// The number of elements of every block of attributes but the last: at most 256 elements and 8192 bytes.
const fn block_elements(stride: usize) -> usize {
    let elements = 8192 / stride / GROUP * GROUP;
    if elements < 256 { elements } else { 256 }
}

/// The layout of compressed elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) mode: Mode,
    pub(crate) filter: Filter,
    /// The number of elements.
    pub(crate) count: usize,
    /// Bytes of an element.
    pub(crate) stride: usize,
}

/// The layout of the compressed bytes (appendix A).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Mode {
    /// Elements of a multiple of 4 bytes.
    Attributes,
    /// Indices, three for each triangle.
    Triangles,
    /// Any indices.
    Indices,
}

/// The filter that is applied to decompressed elements (appendix B).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(crate) enum Filter {
    #[default]
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// A fault of compressed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The offset into the compressed bytes.
    pub(crate) offset: usize,
    /// The expected content.
    pub(crate) expected: &'static str,
}

impl Layout {
    /// The requirement that a layout violates; `None` if it is valid.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        let Layout { mode, filter, count, stride } = *self;
        let are_indices = mode != Mode::Attributes;
        Some(match filter {
            _ if !are_indices && (!stride.is_multiple_of(4) || !(4..=256).contains(&stride)) => {
                "a byteStride from 4 to 256 that is a multiple of 4"
            }
            _ if mode == Mode::Triangles && !count.is_multiple_of(3) => "a count that is a multiple of 3",
            _ if are_indices && stride != 2 && stride != 4 => "a byteStride of 2 or 4",
            Filter::None => return None,
            _ if are_indices => "no filter",
            Filter::Octahedral | Filter::Color if stride != 4 && stride != 8 => "a byteStride of 4 or 8",
            Filter::Quaternion if stride != 8 => "a byteStride of 8",
            _ => return None,
        })
    }
}
