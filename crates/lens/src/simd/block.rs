//! Memory for the values of a block.

/// The number of elements of a block, a multiple of the lanes of every register.
pub(crate) const BLOCK: usize = 256;

/// The components of a block.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Planes(pub(crate) [[f32; BLOCK]; 4]);

impl Planes {
    pub(crate) const fn new() -> Self {
        Planes([[0.0; BLOCK]; 4])
    }
}

/// Decoded values with interleaved components.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Values(pub(crate) [f32; 4 * BLOCK]);

impl Values {
    pub(crate) const fn new() -> Self {
        Values([0.0; 4 * BLOCK])
    }
}
