//! The place where a weapon is attached.

/// The place where a weapon is attached in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Attachment {
    /// The index of the weapon triangle.
    pub triangle: usize,
    /// The midpoint of its corners 0 and 1, in the coordinates of [`Unreal::positions`](crate::Unreal::positions).
    pub origin: [f32; 3],
    /// Its three corners.
    pub corners: [[f32; 3]; 3],
}
