//! Predicts where the next headers of a file are, and how long they are.

use std::sync::atomic::{AtomicU64, Ordering};

use meshlens::wire::{Piece, Pieces};

use crate::pieces::FilePieces;

/// Places at which bytes were missing, at equal distances.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Guess {
    pub(crate) file: usize,
    pub(crate) last: Option<u64>,
    distance: Option<u64>,
    /// The number of places that are requested after the last one.
    pub(crate) ahead: u64,
}

/// How far a probe reads ahead, by what it has found.
#[derive(Clone, Copy)]
pub(crate) struct Pace {
    /// The number of rounds whose place was not predicted.
    pub(crate) surprises: u32,
    /// The number of bytes to request if they follow loaded bytes.
    pub(crate) ahead: u64,
    /// The smallest number of bytes to request at a predicted place.
    pub(crate) least: u64,
    pub(crate) guess: Guess,
}

impl Guess {
    /// Records that bytes are missing at `start`. Returns whether that was predicted, and the next places, at most `most`.
    pub(crate) fn next(
        &mut self,
        file: usize,
        start: u64,
        most: u64,
    ) -> (bool, impl Iterator<Item = u64> + use<>) {
        let last = self.last.replace(start).filter(|_| self.file == file);
        let moved = last.and_then(|last| start.checked_sub(last)).filter(|moved| *moved > 0);
        self.file = file;
        let is_as_guessed = match (self.distance, moved) {
            (Some(distance), Some(moved)) => most > 0 && distance.checked_mul(self.ahead + 1) == Some(moved),
            _ => false,
        };
        if is_as_guessed {
            // A distance that was seen twice predicts two places, and so on.
            self.ahead = (2 * self.ahead).max(2).min(most);
        } else {
            (self.distance, self.ahead) = (moved.filter(|_| most > 0), 0);
        }
        let (distance, ahead) = (self.distance.unwrap_or(0), self.ahead);
        let places = (1..=ahead).map_while(move |number| distance.checked_mul(number)?.checked_add(start));
        (is_as_guessed, places)
    }

    /// Counts the bytes that a parser uses at the places that were guessed last.
    pub(crate) fn watch(&self) -> Used {
        let first = self.last.unwrap_or(u64::MAX);
        Used { file: self.file, first, distance: self.distance.unwrap_or(u64::MAX), bytes: AtomicU64::new(0) }
    }
}

/// The largest number of bytes that a parser has used at places at equal distances.
#[derive(Debug)]
pub(crate) struct Used {
    file: usize,
    first: u64,
    distance: u64,
    bytes: AtomicU64,
}

impl Used {
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// The pieces of a file. Records where a parser reads.
#[derive(Debug)]
pub(crate) struct Watched<'a> {
    pub(crate) pieces: &'a FilePieces,
    pub(crate) file: usize,
    pub(crate) used: &'a Used,
}

impl Pieces for Watched<'_> {
    fn file_len(&self) -> u64 {
        self.pieces.file_len()
    }

    fn piece_before(&self, offset: u64) -> Option<Piece<'_>> {
        let piece = self.pieces.piece_before(offset)?;
        // The parser also requests the next place, which is not loaded.
        if self.file == self.used.file && offset >= self.used.first && offset < piece.end() {
            let inside = (offset - self.used.first) % self.used.distance;
            self.used.bytes.fetch_max(inside, Ordering::Relaxed);
        }
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_at_equal_distances_are_predicted() {
        let mut guess = Guess::default();
        let mut next = |start| guess.next(0, start, 64).1.collect::<Vec<_>>();
        assert_eq!(next(100), [0_u64; 0]);
        assert_eq!(next(150), [0_u64; 0], "a distance seen once");
        assert_eq!(next(200), [250, 300], "and twice");
        assert_eq!(next(350), [400, 450, 500, 550], "all guesses were right");
        assert_eq!(next(590), [0_u64; 0], "one was wrong");
        assert_eq!(next(580), [0_u64; 0], "back");
    }
}
