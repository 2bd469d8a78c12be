//! The vertices of one frame, whichever way they are stored.

use core::ops::Range;

use meshlens_lens::encoding::{
    UnrealPacked, UnrealPackedInteger, UnrealPackedUnits, UnrealWide, UnrealWideInteger,
};
use meshlens_lens::{Encoding, Iter, Lens};

/// A lens onto vertices of either width: `P` decodes packed ones and `W` 16-bit ones, to the same type.
///
/// The variants hold the lens itself, for batches and everything else a [`Lens`] does.
#[derive(Clone, Copy, Debug)]
pub enum VertexLens<'a, P, W> {
    /// Packed vertices, 4 bytes each.
    Packed(Lens<'a, P>),
    /// 16-bit vertices, 8 bytes each.
    Wide(Lens<'a, W>),
}

/// Positions as the integers that are stored, in floats: what engines scale.
pub type Positions<'a> = VertexLens<'a, UnrealPacked, UnrealWide>;
/// Positions as the integers that are stored.
pub type IntegerPositions<'a> = VertexLens<'a, UnrealPackedInteger, UnrealWideInteger>;
/// Positions in the units of the tools that write them, X / 8, Y / 8 and Z / 4 where they are packed. For 16-bit
/// vertices no scale is published, and they come as they are stored.
pub type UnitPositions<'a> = VertexLens<'a, UnrealPackedUnits, UnrealWide>;

/// Calls a method of whichever lens there is.
macro_rules! either {
    ($type:ident, $self:ident, $inner:ident => $call:expr) => {
        match $self {
            $type::Packed($inner) => $call,
            $type::Wide($inner) => $call,
        }
    };
}

impl<'a, P, W> VertexLens<'a, P, W>
where
    P: Encoding,
    W: Encoding<Value = P::Value>,
{
    /// Vertices.
    pub const fn len(&self) -> usize {
        either!(VertexLens, self, lens => lens.len())
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where in the frames file they lie.
    pub const fn byte_range(&self) -> Range<u64> {
        either!(VertexLens, self, lens => lens.byte_range())
    }

    /// The vertices as they lie, 4 or 8 bytes each.
    pub const fn as_bytes(&self) -> &'a [u8] {
        either!(VertexLens, self, lens => lens.as_bytes())
    }

    /// Vertex `index`, or `None` past the last.
    pub fn get(&self, index: usize) -> Option<P::Value> {
        either!(VertexLens, self, lens => lens.get(index))
    }

    /// Each vertex, from either end.
    pub const fn iter(&self) -> VertexIter<'a, P, W> {
        match self {
            VertexLens::Packed(lens) => VertexIter::Packed(lens.iter()),
            VertexLens::Wide(lens) => VertexIter::Wide(lens.iter()),
        }
    }

    /// Decodes every vertex into `out`, whose length must be the number of vertices.
    ///
    /// # Errors
    ///
    /// An output of another length, which then stays as it is.
    pub fn decode_into(&self, out: &mut [P::Value]) -> meshlens_lens::Result<()> {
        either!(VertexLens, self, lens => lens.decode_into(out))
    }

    /// Decodes every vertex into bytes, as [`Lens::decode_strided`] does.
    ///
    /// # Errors
    ///
    /// Those of [`Lens::decode_strided`].
    pub fn decode_strided(&self, out: &mut [u8], offset: usize, stride: usize) -> meshlens_lens::Result<()> {
        either!(VertexLens, self, lens => lens.decode_strided(out, offset, stride))
    }
}

impl<'a, P, W> IntoIterator for VertexLens<'a, P, W>
where
    P: Encoding,
    W: Encoding<Value = P::Value>,
{
    type Item = P::Value;
    type IntoIter = VertexIter<'a, P, W>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Decodes one vertex after another, from either end.
#[derive(Clone, Debug)]
pub enum VertexIter<'a, P, W> {
    /// Packed vertices.
    Packed(Iter<'a, P>),
    /// 16-bit vertices.
    Wide(Iter<'a, W>),
}

impl<P, W> Iterator for VertexIter<'_, P, W>
where
    P: Encoding,
    W: Encoding<Value = P::Value>,
{
    type Item = P::Value;

    fn next(&mut self) -> Option<P::Value> {
        either!(VertexIter, self, iter => iter.next())
    }

    fn nth(&mut self, n: usize) -> Option<P::Value> {
        either!(VertexIter, self, iter => iter.nth(n))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        either!(VertexIter, self, iter => iter.size_hint())
    }
}

impl<P, W> DoubleEndedIterator for VertexIter<'_, P, W>
where
    P: Encoding,
    W: Encoding<Value = P::Value>,
{
    fn next_back(&mut self) -> Option<P::Value> {
        either!(VertexIter, self, iter => iter.next_back())
    }
}

impl<P, W> ExactSizeIterator for VertexIter<'_, P, W>
where
    P: Encoding,
    W: Encoding<Value = P::Value>,
{
}
impl<P, W> core::iter::FusedIterator for VertexIter<'_, P, W>
where
    P: Encoding,
    W: Encoding<Value = P::Value>,
{
}
