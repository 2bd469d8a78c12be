//! What is known about stored elements that need not be decoded one by one.

use crate::VertexFormat;

/// The bytes of elements that need not be decoded one by one.
#[derive(Clone, Copy, Debug)]
pub struct Stored<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) stride: usize,
    pub(crate) kind: StoredKind,
}

/// What is known about the encoding of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StoredKind {
    /// Nothing is known.
    Other,
    /// On a little-endian machine, elements are stored like attributes of this format.
    As(VertexFormat),
    /// Three `i16` that are multiplied by this factor.
    Position16(f32),
    /// A zenith and an azimuth of one byte each.
    ZenithAzimuth,
}

/// Elements of one frame, or of two blended frames, before their components are exchanged and multiplied.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "other machines have no kernel for them"))]
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    pub(crate) first: Stored<'a>,
    /// The second frame, and its weight.
    pub(crate) second: Option<(Stored<'a>, f32)>,
    /// Whether blended values are scaled to length 1.
    pub(crate) is_direction: bool,
    pub(crate) motion: Option<Motion>,
}

/// The conversion of decoded values.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "other machines have no kernel for them"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Motion {
    /// For each component, its source and its factor.
    Turn([usize; 4], [f32; 4]),
    /// The matrix of positions.
    Positions([[f32; 3]; 4]),
    /// The matrix of directions, which are then scaled to length 1.
    Directions([[f32; 3]; 4]),
}

impl<'a> Parts<'a> {
    pub(crate) const fn new(first: Stored<'a>) -> Self {
        Parts { first, second: None, is_direction: false, motion: None }
    }
}
