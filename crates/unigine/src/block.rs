//! Blocks of ms14: bytes that are stored as they are, or packed with LZ4.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use alloc::vec::Vec;
use core::marker::PhantomData;
use core::ops::Range;

use meshlens_wire::{Complete, Data, Error, ErrorKind, Expected, Limits, Place, Presence, Result, Span};

use crate::reader::Reader;

/// The largest number of bytes that one byte of LZ4 becomes.
const MAX_RATIO: u64 = 255;

/// The location of a block. Plain data, without the bytes.
#[derive(Clone, Copy, Debug)]
pub struct BlockParts {
    offset: u64,
    unpacked: u64,
    content: Span,
}

impl BlockParts {
    /// Reads the sizes and steps over the content. A size that LZ4 cannot reach is an error.
    pub(crate) fn locate(reader: &mut Reader<'_>) -> Result<Self> {
        let offset = reader.offset();
        let unpacked = size(reader, "unpacked size")?;
        let stored = size(reader, "packed size")?;
        reader.data().span(reader.offset(), stored, 1, "block bytes")?;
        // If the product saturates, every size is below it.
        let most = stored.saturating_mul(MAX_RATIO);
        if unpacked > most {
            let found = i64::try_from(unpacked).unwrap_or(i64::MAX);
            let expected = Expected::AtMost(i64::try_from(most).unwrap_or(i64::MAX));
            return Err(reader
                .data()
                .error(offset, ErrorKind::Value { what: "unpacked size", expected, found }));
        }
        let content = reader.cursor.span(stored, 1, "block bytes")?;
        Ok(BlockParts { offset, unpacked, content })
    }

    /// The absolute offset of the block. It begins with its two sizes, followed by the content.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The content as it is stored, as elements of one byte.
    pub const fn content(&self) -> Span {
        self.content
    }

    /// The number of bytes of the content after unpacking.
    pub const fn unpacked_len(&self) -> u64 {
        self.unpacked
    }

    /// Whether the content is packed with LZ4. It is not packed if both sizes are equal.
    pub const fn is_packed(&self) -> bool {
        self.unpacked != self.content.count()
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

/// One block of ms14: the geometry of a surface, or its edges and spatial tree.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a, P: Presence = Complete> {
    data: Data<'a>,
    parts: BlockParts,
    surface: usize,
    presence: PhantomData<P>,
}

impl<'a, P: Presence> Block<'a, P> {
    pub(crate) const fn new(data: Data<'a>, parts: BlockParts, surface: usize) -> Self {
        Block { data, parts, surface, presence: PhantomData }
    }

    /// The location of the block.
    pub const fn parts(&self) -> &BlockParts {
        &self.parts
    }

    /// The absolute offset of the block. It begins with its two sizes, followed by the content.
    pub const fn offset(&self) -> u64 {
        self.parts.offset
    }

    /// The absolute byte range of the content in the file.
    pub const fn byte_range(&self) -> Range<u64> {
        self.parts.content.byte_range()
    }

    /// The number of bytes of the content after unpacking.
    pub const fn unpacked_len(&self) -> u64 {
        self.parts.unpacked
    }

    /// Whether the content is packed with LZ4; if not, [`as_bytes`](Self::as_bytes) is the content.
    pub const fn is_packed(&self) -> bool {
        self.parts.is_packed()
    }

    /// The content as it is stored.
    pub fn as_bytes(&self) -> P::Of<&'a [u8]> {
        P::read(self.data.bind(self.parts.content).map_err(|error| error.at(self.place())), Default::default)
    }

    /// Replaces the content of `out` with the unpacked content of the block. O(unpacked bytes).
    ///
    /// # Errors
    ///
    /// The unpacked content exceeds [`Limits::output`], which is checked before anything is allocated; or the bytes are
    /// not an LZ4 block of the size that the file gives.
    pub fn unpack_into(&self, out: &mut Vec<u8>, limits: &Limits) -> Result<()> {
        out.clear();
        let stored = P::result(self.as_bytes())?;
        let found = self.parts.unpacked;
        let too_much = ErrorKind::Limit { what: "unpacked bytes", limit: limits.output, found };
        if found > limits.output {
            return Err(self.error(too_much));
        }
        let len = usize::try_from(found).map_err(|_| self.error(too_much))?;
        out.try_reserve_exact(len).map_err(|_| self.error(too_much))?;
        if !self.is_packed() {
            out.extend_from_slice(stored);
            return Ok(());
        }
        out.resize(len, 0);
        if lz4_flex::block::decompress_into(stored, out).is_ok_and(|unpacked| unpacked == len) {
            return Ok(());
        }
        out.clear();
        Err(self.error(ErrorKind::Syntax { expected: "an LZ4 block of the unpacked size" }))
    }

    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        self.data.error(self.offset(), kind).at(self.place())
    }

    fn place(&self) -> Place {
        Place::new("surface", self.surface as u64)
    }
}
