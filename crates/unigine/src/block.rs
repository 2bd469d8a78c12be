//! Blocks of ms14: bytes stored raw or packed as one LZ4 block.

use alloc::vec::Vec;
use core::ops::Range;

use meshlens_wire::{Data, Error, ErrorKind, Expected, Limits, Place, Result};

use crate::reader::Reader;

/// Bytes of the two sizes in front of a block's content.
const SIZES: u64 = 16;
/// What one byte of LZ4 can become at most.
const MAX_RATIO: u64 = 255;

/// Where a block lies: plain data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockParts {
    /// Of the sizes in front.
    pub(crate) offset: u64,
    pub(crate) unpacked: u64,
    pub(crate) stored: u64,
}

impl BlockParts {
    /// Reads the sizes and steps over the content. A size that LZ4 cannot reach is an error here already.
    pub(crate) fn locate(reader: &mut Reader<'_>) -> Result<Self> {
        let offset = reader.offset();
        let unpacked = size(reader, "unpacked size")?;
        let stored = size(reader, "packed size")?;
        reader.data().span(reader.offset(), stored, 1, "block bytes")?;
        let most = stored.saturating_mul(MAX_RATIO);
        if unpacked > most {
            let found = i64::try_from(unpacked).unwrap_or(i64::MAX);
            let expected = Expected::AtMost(i64::try_from(most).unwrap_or(i64::MAX));
            return Err(reader
                .data()
                .error(offset, ErrorKind::Value { what: "unpacked size", expected, found }));
        }
        reader.cursor.span(stored, 1, "block bytes")?;
        Ok(BlockParts { offset, unpacked, stored })
    }

    pub(crate) const fn is_packed(&self) -> bool {
        self.unpacked != self.stored
    }

    pub(crate) const fn content(&self) -> Range<u64> {
        let start = self.offset.saturating_add(SIZES);
        start..start.saturating_add(self.stored)
    }
}

fn size(reader: &mut Reader<'_>, what: &'static str) -> Result<u64> {
    let offset = reader.offset();
    let value = reader.cursor.i64(what)?;
    u64::try_from(value).map_err(|_| {
        let kind = ErrorKind::Value { what, expected: Expected::AtLeast(0), found: value };
        reader.data().error(offset, kind)
    })
}

/// One block of ms14: a surface's geometry, or its edges and spatial tree.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    data: Data<'a>,
    parts: BlockParts,
    surface: usize,
}

impl<'a> Block<'a> {
    pub(crate) const fn new(data: Data<'a>, parts: BlockParts, surface: usize) -> Self {
        Block { data, parts, surface }
    }

    /// Absolute offset of the block: of its two sizes, which the content follows.
    pub const fn offset(&self) -> u64 {
        self.parts.offset
    }

    /// Where the content lies in the file, as absolute byte offsets.
    pub const fn byte_range(&self) -> Range<u64> {
        self.parts.content()
    }

    /// Bytes of the content once it is unpacked.
    pub const fn unpacked_len(&self) -> u64 {
        self.parts.unpacked
    }

    /// Whether the content is LZ4; otherwise [`as_bytes`](Self::as_bytes) is all there is to it.
    pub const fn is_packed(&self) -> bool {
        self.parts.is_packed()
    }

    /// The content as it lies.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.data.take(self.parts.content().start, self.parts.stored, "block bytes").unwrap_or_default()
    }

    /// Replaces what `out` holds with the unpacked content.
    ///
    /// # Errors
    ///
    /// Content of more bytes than [`Limits::output`], before anything is allocated; bytes that are no LZ4 block of the
    /// size they claim.
    pub fn unpack_into(&self, out: &mut Vec<u8>, limits: &Limits) -> Result<()> {
        out.clear();
        let found = self.parts.unpacked;
        let too_much = ErrorKind::Limit { what: "unpacked bytes", limit: limits.output, found };
        if found > limits.output {
            return Err(self.error(too_much));
        }
        let len = usize::try_from(found).map_err(|_| self.error(too_much))?;
        out.try_reserve_exact(len).map_err(|_| self.error(too_much))?;
        if !self.is_packed() {
            out.extend_from_slice(self.as_bytes());
            return Ok(());
        }
        out.resize(len, 0);
        if lz4_flex::block::decompress_into(self.as_bytes(), out).is_ok_and(|unpacked| unpacked == len) {
            return Ok(());
        }
        out.clear();
        Err(self.error(ErrorKind::Syntax { expected: "an LZ4 block of the size it claims" }))
    }

    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        self.data.error(self.offset(), kind).at(Place::new("surface", self.surface as u64))
    }
}
