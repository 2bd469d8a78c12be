//! Owned pieces of a file.

use std::fmt;
use std::ops::Range;

use bytes::Bytes;
use meshlens::part::FileRange;
use meshlens::wire::{Piece, Pieces};

use crate::Few;
use crate::piece_map::PieceMap;

/// The bytes of one file that are loaded so far.
///
/// Bytes can come from any owner: a `Vec`, an `Arc<[u8]>` ([`Bytes::from_owner`]), or a mapped file
/// (`Bytes::from_owner(source)`). Clones share them.
///
/// ```
/// use meshlens_stream::FilePieces;
///
/// let mut file = FilePieces::new(100);
/// file.insert(10, vec![1, 2, 3]);
/// file.insert(50, &b"static"[..]);
/// assert_eq!(file.get(11..13).as_deref(), Some(&[2, 3][..]));
/// assert_eq!(file.missing(8..60), [8..10, 13..50, 56..60]);
/// ```
#[derive(Clone, Default)]
pub struct FilePieces {
    file_len: u64,
    /// The pieces by offset. None is empty, and there is a gap between any two.
    pieces: PieceMap,
}

/// Frees the bytes of files on a thread of the streamer that loaded them.
pub(crate) trait Discard: Send + Sync {
    fn discard(&self, files: Few<FilePieces>);
}

impl FilePieces {
    /// Makes a file of `file_len` bytes without any pieces.
    pub const fn new(file_len: u64) -> Self {
        FilePieces { file_len, pieces: PieceMap::new() }
    }

    /// The length of the whole file.
    pub const fn file_len(&self) -> u64 {
        self.file_len
    }

    /// The number of loaded bytes. O(pieces).
    pub fn len(&self) -> u64 {
        self.pieces.iter().map(|(_, piece)| piece.len() as u64).sum()
    }

    /// Whether no bytes are loaded.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Adds bytes that start at absolute `offset`. Bytes that are already loaded are not replaced. Bytes after the end
    /// of the file are left out.
    ///
    /// Bytes that are adjacent to loaded bytes are joined with them, which copies both. Other bytes are stored without
    /// a copy. If the system does not provide the memory for a copy, the bytes are left out, and are still
    /// [missing](Self::missing).
    pub fn insert(&mut self, offset: u64, bytes: impl Into<Bytes>) {
        let mut bytes = bytes.into();
        let room = self.file_len.saturating_sub(offset);
        bytes.truncate(usize::try_from(room).unwrap_or(usize::MAX));
        // The end is inside the file, because the bytes after it are cut off.
        let range = offset..offset.saturating_add(bytes.len() as u64);
        if self.gaps(range.clone()).next() == Some(range.clone()) {
            return self.fill(range, bytes);
        }
        for gap in self.missing(range) {
            let part = bytes.slice((gap.start - offset) as usize..(gap.end - offset) as usize);
            self.fill(gap, part);
        }
    }

    /// Adds the bytes of a range that is not loaded at all.
    fn fill(&mut self, range: Range<u64>, bytes: Bytes) {
        let before = self.pieces.last_before(range.start);
        let before = before.filter(|(at, piece)| at + piece.len() as u64 == range.start).map(|(at, _)| at);
        let after = self.pieces.remove(range.end);
        let start = before.unwrap_or(range.start);
        if before.is_none() && after.is_none() {
            self.pieces.insert(start, bytes);
            return;
        }
        let before = before.and_then(|at| self.pieces.remove(at)).unwrap_or_default();
        let after = after.unwrap_or_default();
        let added = bytes.len() + after.len();
        // If the previous piece is not shared, it grows in place: a file that arrives byte by byte is not copied each
        // time.
        let (mut joined, copied) = match before.is_unique() {
            true => (Vec::from(before), Bytes::new()),
            false => (Vec::new(), before),
        };
        if joined.try_reserve(copied.len() + added).is_ok() {
            joined.extend_from_slice(&copied);
            joined.extend_from_slice(&bytes);
            joined.extend_from_slice(&after);
            self.pieces.insert(start, joined.into());
            return;
        }
        let before = if copied.is_empty() { Bytes::from(joined) } else { copied };
        for (at, piece) in [(start, before), (range.end, after)] {
            if !piece.is_empty() {
                self.pieces.insert(at, piece);
            }
        }
    }

    /// Adds all pieces of `other`, a file of the same length.
    pub fn merge(&mut self, other: &FilePieces) {
        for (offset, bytes) in other.pieces.iter() {
            self.insert(offset, bytes.clone());
        }
    }

    /// The piece that contains the byte at `offset`.
    fn piece_at(&self, offset: u64) -> Option<(u64, &Bytes)> {
        let (start, piece) = self.pieces.last_to(offset)?;
        (offset < start + piece.len() as u64).then_some((start, piece))
    }

    /// Whether all bytes of a range are loaded. O(log pieces).
    pub fn has(&self, range: Range<u64>) -> bool {
        let is_there = |(start, piece): (u64, &Bytes)| range.end <= start + piece.len() as u64;
        range.is_empty() || self.piece_at(range.start).is_some_and(is_there)
    }

    /// The bytes of a range, without a copy; `None` if one of them is not loaded.
    pub fn get(&self, range: Range<u64>) -> Option<Bytes> {
        if range.is_empty() {
            return Some(Bytes::new());
        }
        let (start, piece) = self.piece_at(range.start).filter(|_| self.has(range.clone()))?;
        Some(piece.slice((range.start - start) as usize..(range.end - start) as usize))
    }

    /// The missing parts of `range`, sorted by offset. Bytes after the end of the file are not missing.
    pub fn missing(&self, range: Range<u64>) -> Vec<Range<u64>> {
        self.gaps(range).collect()
    }

    /// The missing parts of `range`, in order.
    pub(crate) fn gaps(&self, range: Range<u64>) -> impl Iterator<Item = Range<u64>> + '_ {
        let (mut at, end) = (range.start, range.end.min(self.file_len));
        std::iter::from_fn(move || {
            while at < end {
                if let Some((start, piece)) = self.piece_at(at) {
                    at = start + piece.len() as u64;
                    continue;
                }
                let next = self.pieces.first_from(at).map_or(end, |(next, _)| next.min(end));
                return Some(std::mem::replace(&mut at, next)..next);
            }
            None
        })
    }

    /// The end of the last piece that starts before `offset`, at most `offset`; 0 if there is none.
    pub(crate) fn end_before(&self, offset: u64) -> u64 {
        let last = self.pieces.last_before(offset);
        last.map_or(0, |(start, piece)| offset.min(start + piece.len() as u64))
    }

    /// The end of `count` missing bytes from `start` on; loaded bytes do not count.
    pub(crate) fn reach(&self, start: u64, mut count: u64) -> u64 {
        for gap in self.gaps(start..u64::MAX) {
            let len = gap.end - gap.start;
            if len >= count {
                return gap.start + count;
            }
            count -= len;
        }
        self.file_len
    }

    /// Drops all bytes outside these ranges. If less than half of a piece is kept, it is copied, so that the rest is
    /// freed.
    pub fn keep(&mut self, ranges: &[Range<u64>]) {
        let mut kept = FilePieces::new(self.file_len);
        for (start, piece) in self.pieces.iter() {
            let end = start + piece.len() as u64;
            for range in ranges {
                let part = range.start.max(start)..range.end.min(end);
                if part.is_empty() {
                    continue;
                }
                let bytes = piece.slice((part.start - start) as usize..(part.end - start) as usize);
                let is_copied = bytes.len() < piece.len() / 2;
                kept.insert(part.start, if is_copied { Bytes::copy_from_slice(&bytes) } else { bytes });
            }
        }
        *self = kept;
    }

    /// The loaded ranges, sorted by offset.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> + '_ {
        self.pieces.iter().map(|(start, piece)| start..start + piece.len() as u64)
    }
}

impl Pieces for FilePieces {
    fn file_len(&self) -> u64 {
        self.file_len
    }

    fn piece_before(&self, offset: u64) -> Option<Piece<'_>> {
        let (offset, bytes) = self.pieces.last_to(offset)?;
        Some(Piece { offset, bytes })
    }
}

/// The parts of ranges that are not loaded. Files that do not exist have none.
pub(crate) fn missing<'a>(
    files: &'a [FilePieces],
    ranges: &'a [FileRange],
) -> impl Iterator<Item = FileRange> + 'a {
    ranges.iter().flat_map(move |range| {
        let gaps = files.get(range.file).into_iter().flat_map(move |pieces| pieces.gaps(range.range()));
        gaps.map(move |gap| FileRange::new(range.file, gap))
    })
}

/// The files in the form that parsers accept.
pub(crate) fn as_pieces<P: Pieces>(files: &[P]) -> Few<&dyn Pieces> {
    files.iter().map(|file| file as &dyn Pieces).collect()
}

impl fmt::Debug for FilePieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilePieces")
            .field("file_len", &self.file_len)
            .field("ranges", &self.ranges().collect::<Vec<_>>())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(range: Range<u64>) -> Vec<u8> {
        range.map(|at| at as u8).collect()
    }

    fn ranges(file: &FilePieces) -> Vec<(u64, u64)> {
        file.ranges().map(|range| (range.start, range.end)).collect()
    }

    #[test]
    fn adjacent_pieces_are_joined() {
        let mut file = FilePieces::new(40);
        for range in [10..14, 20..24, 30..31] {
            file.insert(range.start, bytes(range));
        }
        assert_eq!(ranges(&file), [(10, 14), (20, 24), (30, 31)]);
        file.insert(14, bytes(14..20));
        assert_eq!(ranges(&file), [(10, 24), (30, 31)]);
        file.insert(5, bytes(5..40));
        assert_eq!(ranges(&file), [(5, 40)]);
        assert_eq!(file.get(5..40).as_deref(), Some(&bytes(5..40)[..]));
        assert_eq!((file.get(4..6), file.get(0..0), file.len()), (None, Some(Bytes::new()), 35));
    }

    #[test]
    fn loaded_bytes_are_not_replaced() {
        let mut file = FilePieces::new(8);
        file.insert(2, vec![1, 1]);
        file.insert(0, vec![2; 20]);
        assert_eq!(file.get(0..8).as_deref(), Some(&[2, 2, 1, 1, 2, 2, 2, 2][..]));
        file.insert(9, vec![3]);
        file.insert(u64::MAX, vec![3]);
        assert_eq!(ranges(&file), [(0, 8)]);
    }

    #[test]
    fn pieces_in_any_order_make_the_same_file() {
        let whole = bytes(0..64);
        for step in [1, 3, 7, 64] {
            let starts: Vec<usize> = (0..64).step_by(step).collect();
            for order in [starts.clone(), starts.iter().rev().copied().collect()] {
                let mut file = FilePieces::new(64);
                for start in order {
                    file.insert(start as u64, whole[start..(start + step).min(64)].to_vec());
                }
                assert_eq!(file.get(0..64).as_deref(), Some(&whole[..]));
                assert_eq!(ranges(&file), [(0, 64)]);
            }
        }
    }

    #[test]
    fn missing_ranges_end_with_the_file() {
        let mut file = FilePieces::new(10);
        assert_eq!(file.missing(0..100).first(), Some(&(0..10)));
        assert_eq!(file.missing(12..100), []);
        file.insert(0, bytes(0..10));
        assert_eq!(file.missing(0..100), []);
        file.keep(&[0..3, 8..12]);
        assert_eq!((ranges(&file), file.get(8..10).as_deref()), (vec![(0, 3), (8, 10)], Some(&[8, 9][..])));
        file.keep(&[]);
        assert!(file.is_empty());
    }
}
