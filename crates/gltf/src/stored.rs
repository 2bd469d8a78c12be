//! The arrays and views that are stored so far, and how views are used.

use std::collections::HashMap;

use crate::buffer::Form;
use crate::json::Kind;
use crate::shape::{Attribute, ShapeValues};

/// A vector array that is stored, and its accessor.
pub(crate) struct Known {
    pub(crate) wanted: ShapeValues,
    pub(crate) accessor: usize,
}

/// The key of vector arrays: hash, attribute, form and number of vertices.
pub(crate) type VectorKey = (u64, Attribute, Form, usize);

/// The key of accessors: all members except the bounds, which follow from the others, and whether there are bounds.
pub(crate) type AccessorKey = (usize, u64, u16, Kind, usize, bool, bool);

/// The key of views: the hash of their content and their use.
pub(crate) type ViewKey = (u64, Use);

/// A view and its index in the plan.
pub(crate) type ViewIndex = (usize, usize);

/// The arrays that are stored so far.
#[derive(Default)]
pub(crate) struct Arrays {
    pub(crate) vectors: HashMap<VectorKey, Vec<Known>>,
    pub(crate) views: HashMap<ViewKey, Vec<ViewIndex>>,
    pub(crate) accessors: HashMap<AccessorKey, usize>,
    /// The decompressed size of all compressed views in bytes.
    pub(crate) decompressed: u64,
}

/// The use of a view. Each view has one use, which validators require.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Use {
    Vertices,
    Indices,
    Keys,
    Binds,
    Sparse,
    Image,
}

impl Use {
    /// glTF 2.0: bufferView.target.
    pub(crate) const fn target(self) -> Option<u16> {
        match self {
            Use::Vertices => Some(34962),
            Use::Indices => Some(34963),
            _ => None,
        }
    }
}

/// The compression of the elements of a view, if compression is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    /// No compression.
    Opaque,
    /// As elements of a number of bytes, a multiple of 4.
    Attributes(usize),
    /// As elements of a number of bytes, whose floats are multiples of [`STEP`].
    Steps(usize),
    /// As indices of a number of bytes, three for each triangle.
    Triangles(usize),
}
