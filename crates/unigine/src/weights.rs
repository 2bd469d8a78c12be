//! Skin weights: which bones move a vertex, and how much.

use meshlens_lens::encoding::UnigineWeight;
use meshlens_lens::{Encoding, Error, Result};
use meshlens_wire::{Data, ErrorKind, Expected, Place};
use zerocopy::little_endian::{I16, U16};

use crate::layout::MAX_INFLUENCES;
use crate::reader::{Budget, Reader, Table};

/// Bytes of one bone's part of a record.
const PART: usize = 4;

/// The bones that move one vertex (UNIGINE: MESH File Format, "For each surface weight").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Influence {
    /// How many of the four count.
    pub count: u8,
    /// Bone numbers, unchecked; 0 where they do not count.
    pub bones: [i16; 4],
    /// Shares of 65535, cut off: they add up to 65533 to 65535; 0 where they do not count.
    pub weights: [u16; 4],
}

impl Influence {
    /// The weights as shares of 1.
    pub fn shares(&self) -> [f32; 4] {
        self.weights.map(|weight| UnigineWeight.decode(U16::new(weight)))
    }

    /// Bone and weight of those that count.
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

/// Walks the weights once. A record is a byte that counts its parts, and 4 bytes for each.
pub(crate) fn locate(reader: &mut Reader<'_>, budget: &mut Budget) -> meshlens_wire::Result<Table> {
    let count = reader.count("weights")?;
    let offset = reader.offset();
    reader.data().span(offset, count.into(), 1, "weights")?;
    budget.spend(reader, "weights", count.into())?;
    for index in 0..u64::from(count) {
        let at = reader.offset();
        let parts = reader.cursor.u8("weight count")?;
        if parts > MAX_INFLUENCES {
            let (expected, found) = (Expected::AtMost(MAX_INFLUENCES.into()), parts.into());
            let kind = ErrorKind::Value { what: "bones of a vertex", expected, found };
            return Err(reader.data().error(at, kind).at(Place::new("vertex", index)));
        }
        reader.cursor.take(u64::from(parts).saturating_mul(PART as u64), "weight")?;
    }
    Ok(Table { offset, count })
}

/// The weights of a surface's vertices, read front to back: their records differ in size.
#[derive(Clone, Debug)]
pub struct Weights<'a> {
    rest: &'a [u8],
    offset: u64,
    left: usize,
}

impl<'a> Weights<'a> {
    pub(crate) fn new(data: Data<'a>, table: Table) -> Self {
        let start = usize::try_from(table.offset).unwrap_or(usize::MAX);
        Weights {
            rest: data.bytes().get(start..).unwrap_or_default(),
            offset: table.offset,
            left: table.len(),
        }
    }

    /// Absolute offset of the next record.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Writes every vertex' bones and weights.
    ///
    /// # Errors
    ///
    /// An output that does not hold one element for each record.
    pub fn decode_into(self, out: &mut [Influence]) -> Result<()> {
        if out.len() != self.left {
            return Err(Error::Length { expected: self.left, found: out.len() });
        }
        for (out, influence) in out.iter_mut().zip(self) {
            *out = influence;
        }
        Ok(())
    }
}

impl Iterator for Weights<'_> {
    type Item = Influence;

    #[inline]
    fn next(&mut self) -> Option<Influence> {
        self.left = self.left.checked_sub(1)?;
        // Every record was proven; one is missing only from a mapped file that changes.
        let (count, rest) = self.rest.split_first().unwrap_or((&0, &[]));
        let count = (*count).min(MAX_INFLUENCES);
        let size = usize::from(count).saturating_mul(PART);
        let (parts, rest) = rest.split_at_checked(size).unwrap_or_default();
        self.rest = rest;
        self.offset = self.offset.saturating_add(size as u64).saturating_add(1);
        Some(Influence::read(count, parts))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Weights<'_> {}
impl core::iter::FusedIterator for Weights<'_> {}
