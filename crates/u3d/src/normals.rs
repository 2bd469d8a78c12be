//! Normals of either width.

use meshlens_lens::encoding::{U3dNormal8, U3dNormal16};
use meshlens_lens::{Error as LensError, Lens};
use meshlens_wire::Result;

/// Normals as a mesh stores them.
#[derive(Clone, Copy, Debug)]
pub enum Normals<'a> {
    /// Two bytes each: version 1.0, and early files of version 2.0.
    Bytes(Lens<'a, U3dNormal8>),
    /// Two 16-bit integers each: version 2.0.
    Shorts(Lens<'a, U3dNormal16>),
}

impl<'a> Normals<'a> {
    /// Number of normals: one for each vertex.
    pub const fn len(&self) -> usize {
        match self {
            Normals::Bytes(lens) => lens.len(),
            Normals::Shorts(lens) => lens.len(),
        }
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Normal `index`, or `None` past the last.
    pub fn get(&self, index: usize) -> Option<[f32; 3]> {
        match self {
            Normals::Bytes(lens) => lens.get(index),
            Normals::Shorts(lens) => lens.get(index),
        }
    }

    /// The stored latitude and longitude of normal `index`.
    pub fn code(&self, index: usize) -> Option<[i16; 2]> {
        match self {
            Normals::Bytes(lens) => lens.get_raw(index).map(|code| code.map(|byte| i16::from(byte as i8))),
            Normals::Shorts(lens) => lens.get_raw(index).map(|code| code.map(|short| short.get())),
        }
    }

    /// The normals, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [f32; 3]> + use<'a> {
        let normals = *self;
        // Every index below the length has an element, so the default never shows.
        (0..self.len()).map(move |index| normals.get(index).unwrap_or_default())
    }

    /// Decodes every normal into `out`; unit length.
    ///
    /// # Errors
    ///
    /// An output that does not hold one value for each normal.
    pub fn decode_into(&self, out: &mut [[f32; 3]]) -> Result<(), LensError> {
        match self {
            Normals::Bytes(lens) => lens.decode_into(out),
            Normals::Shorts(lens) => lens.decode_into(out),
        }
    }
}
