//! Skin weights: the bones that move a vertex, and their weights.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use crate::encoding::UnigineWeight;
use alloc::vec::Vec;
use meshlens_lens::Encoding;
use meshlens_wire::{Data, ErrorKind, Expected, Place, Result, Span};
use zerocopy::little_endian::{I16, U16};

use crate::layout::MAX_INFLUENCES;
use crate::reader::{Budget, Reader};

/// The number of bytes of one bone and weight.
const PART: usize = 4;

/// The bones that move one vertex (UNIGINE: MESH File Format, "For each surface weight").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Influence {
    /// The number of bones, at most 4.
    pub count: u8,
    /// The indices of the bones, unchecked; 0 from `count` on.
    pub bones: [i16; 4],
    /// The weights as unorm integers; 0 from `count` on. Writers truncate, so that the sum may be up to 3 less
    /// than 65535.
    pub weights: [u16; 4],
}

impl Influence {
    /// The weights as floats, 0 to 1.
    pub fn normalized_weights(&self) -> [f32; 4] {
        self.weights.map(|weight| UnigineWeight.decode(U16::new(weight)))
    }

    /// The bone and the weight of each of the `count` influences.
    pub fn parts(&self) -> impl Iterator<Item = (i16, u16)> + use<> {
        self.bones.into_iter().zip(self.weights).take(self.count.into())
    }

    fn read(count: u8, parts: &[u8]) -> Influence {
        let mut influence = Influence { count, ..Influence::default() };
        let slots = influence.bones.iter_mut().zip(&mut influence.weights);
        for ((bone, weight), part) in slots.zip(parts.as_chunks::<PART>().0) {
            let [a, b, c, d] = *part;
            *bone = I16::from_bytes([a, b]).get();
            *weight = U16::from_bytes([c, d]).get();
        }
        influence
    }
}

/// The locations of the weights of a surface. Records differ in size: each has a count, followed by that number of
/// bones and weights.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WeightsParts {
    start: u64,
    end: u64,
    pub(crate) count: u32,
}

impl WeightsParts {
    /// Walks the weights once.
    pub(crate) fn locate(reader: &mut Reader<'_>, budget: &mut Budget) -> Result<Self> {
        let count = reader.count("weights")?;
        let start = reader.offset();
        reader.data().span(start, count.into(), 1, "weights")?;
        budget.spend(reader, "weights", count.into())?;
        for index in 0..u64::from(count) {
            let at = reader.offset();
            let parts = reader.cursor.u8("weight count")?;
            if parts > MAX_INFLUENCES {
                let (expected, found) = (Expected::AtMost(MAX_INFLUENCES.into()), parts.into());
                let kind = ErrorKind::Value { what: "bones of a vertex", expected, found };
                return Err(reader.data().error(at, kind).at(Place::new("vertex", index)));
            }
            reader.cursor.take(parts_size(parts) as u64, "weight")?;
        }
        Ok(WeightsParts { start, end: reader.offset(), count })
    }

    /// The records, as elements of one byte.
    pub(crate) const fn span(&self) -> Span {
        Span::of_bytes(self.start..self.end)
    }
}

/// The number of bytes of `count` bones and weights, at most 4 of them.
const fn parts_size(count: u8) -> usize {
    (count as usize).wrapping_mul(PART)
}

/// The weights of the vertices of a surface, read from front to back, because their records vary in size.
#[derive(Clone, Debug)]
pub struct Weights<'a> {
    data: Data<'a>,
    rest: &'a [u8],
    offset: u64,
    left: usize,
}

impl<'a> Weights<'a> {
    pub(crate) fn new(data: Data<'a>, parts: WeightsParts) -> Result<Self> {
        let rest = data.bind(parts.span())?;
        Ok(Weights { data, rest, offset: parts.start, left: parts.count as usize })
    }

    pub(crate) const fn empty(data: Data<'a>) -> Self {
        Weights { data, rest: &[], offset: 0, left: 0 }
    }

    /// The absolute offset of the next record.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Writes the bones and weights of every vertex to `out`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if `out` does not have one element for each record.
    pub fn decode_into(self, out: &mut [Influence]) -> Result<()> {
        if out.len() != self.left {
            return Err(self.data.length_error(self.offset, "elements of the output", self.left, out.len()));
        }
        for (out, influence) in out.iter_mut().zip(self) {
            *out = influence;
        }
        Ok(())
    }

    /// Locates the records, for access in any order. O(vertices); memory for one number for each 16 vertices.
    pub fn index(self) -> WeightsIndex<'a> {
        let (weights, mut walk) = (self.clone(), self);
        let mut starts = Vec::with_capacity(weights.left.div_ceil(INDEXED));
        while walk.left > 0 {
            // The records are inside the file.
            starts.push(walk.offset.wrapping_sub(weights.offset) as usize);
            walk.by_ref().take(INDEXED).for_each(drop);
        }
        WeightsIndex { weights, starts }
    }
}

/// The number of records between two entries of an index.
const INDEXED: usize = 16;

/// The weights of the vertices of a surface, for access in any order. [`Weights::index`] makes it.
#[derive(Clone, Debug)]
pub struct WeightsIndex<'a> {
    weights: Weights<'a>,
    /// The offset of every sixteenth record, from the first one on.
    starts: Vec<usize>,
}

impl WeightsIndex<'_> {
    /// The number of vertices.
    pub const fn len(&self) -> usize {
        self.weights.left
    }

    /// Whether there are no vertices.
    pub const fn is_empty(&self) -> bool {
        self.weights.left == 0
    }

    /// The bones and weights of a vertex, or `None` if the index is out of range. At most 16 records are skipped.
    pub fn get(&self, index: usize) -> Option<Influence> {
        self.iter_from(index).next()
    }

    /// The influences from one vertex on, in file order; empty if the vertex is out of range. The cost is the cost of
    /// [`get`](Self::get), and then O(1) for each vertex.
    pub fn iter_from(&self, index: usize) -> Weights<'_> {
        let mut walk = self.weights.clone();
        let start = self.starts.get(index.wrapping_div(INDEXED)).copied();
        let (Some(left), Some(start)) = (walk.left.checked_sub(index), start) else {
            walk.left = 0;
            return walk;
        };
        // If a mapped file has changed, missing records are empty.
        walk.rest = walk.rest.get(start..).unwrap_or_default();
        let skipped = index.wrapping_rem(INDEXED);
        walk.left = left.saturating_add(skipped);
        walk.by_ref().take(skipped).for_each(drop);
        walk
    }
}

impl Iterator for Weights<'_> {
    type Item = Influence;

    #[inline]
    fn next(&mut self) -> Option<Influence> {
        self.left = self.left.checked_sub(1)?;
        // Parsing has proven every record. If a mapped file has changed, missing records are empty.
        let (count, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        let count = (*count).min(MAX_INFLUENCES);
        let size = parts_size(count);
        let (parts, rest) = rest.split_at_checked(size).unwrap_or((&[], &[]));
        self.rest = rest;
        // The records end inside the file.
        self.offset = self.offset.wrapping_add(size as u64).wrapping_add(1);
        Some(Influence::read(count, parts))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Weights<'_> {}
impl core::iter::FusedIterator for Weights<'_> {}
