//! Incomplete files: separate pieces of their bytes.

use core::fmt;

/// Consecutive bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// The absolute offset of the first byte.
    pub offset: u64,
    /// The bytes.
    pub bytes: &'a [u8],
}

impl Piece<'_> {
    /// The absolute offset of the end.
    pub const fn end(&self) -> u64 {
        // An end that saturates is after the end of every file.
        self.offset.saturating_add(self.bytes.len() as u64)
    }
}

impl fmt::Debug for Piece<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Piece({:#x}..{:#x})", self.offset, self.end())
    }
}

/// Some of the bytes of a file, in pieces. [`PieceList`] implements it, and so can any type that keeps bytes by their offset.
///
/// Pieces do not overlap, and there is a gap between any two of them. A table across two adjacent pieces would not be
/// found.
pub trait Pieces: fmt::Debug + Sync {
    /// The length of the whole file.
    fn file_len(&self) -> u64;

    /// The last piece that begins at or before `offset`, or `None` if all begin later. It may end before `offset`.
    fn piece_before(&self, offset: u64) -> Option<Piece<'_>>;
}

/// Pieces of a file in a list.
///
/// ```
/// use meshlens_wire::{Data, Piece, PieceList};
///
/// let pieces = [Piece { offset: 0, bytes: b"IDP3" }, Piece { offset: 100, bytes: &[7; 8] }];
/// let pieces = PieceList::new(&pieces, 4096).ok_or("the pieces overlap")?;
/// let data = Data::of_pieces("md3", &pieces);
/// assert_eq!(data.take(102, 2, "count")?, [7; 2]);
/// let error = data.take(50, 4, "offset").unwrap_err();
/// assert_eq!((error.offset(), error.code()), (50, "INCOMPLETE"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceList<'a> {
    pieces: &'a [Piece<'a>],
    file_len: u64,
}

impl<'a> PieceList<'a> {
    /// Pieces of a file of `file_len` bytes. `None` unless they are sorted by offset, are not empty, have gaps between
    /// them, and lie in the file. O(pieces).
    pub fn new(pieces: &'a [Piece<'a>], file_len: u64) -> Option<Self> {
        let is_apart = pieces.iter().zip(pieces.iter().skip(1)).all(|(a, b)| a.end() < b.offset);
        let is_inside = pieces.last().is_none_or(|last| last.end() <= file_len);
        let is_list = is_apart && is_inside && pieces.iter().all(|piece| !piece.bytes.is_empty());
        is_list.then_some(PieceList { pieces, file_len })
    }

    /// A file of `file_len` bytes without available bytes.
    pub const fn empty(file_len: u64) -> Self {
        PieceList { pieces: &[], file_len }
    }
}

impl Pieces for PieceList<'_> {
    fn file_len(&self) -> u64 {
        self.file_len
    }

    fn piece_before(&self, offset: u64) -> Option<Piece<'_>> {
        let after = self.pieces.partition_point(|piece| piece.offset <= offset);
        self.pieces.get(after.checked_sub(1)?).copied()
    }
}
