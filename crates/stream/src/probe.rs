//! Finds the plan of a model from the first bytes of its files, without I/O.

use std::fmt;

use bytes::Bytes;
use meshlens::Parts;
use meshlens::lens::Bounds;
use meshlens::part::{FileRange, PartInfo};

use crate::Plan;
use crate::pieces::{FilePieces, as_pieces};

/// Options that determine how a [`Probe`] requests bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeOptions {
    /// The number of bytes in a request, at least 64: at the start of each file, and at each place where bytes are
    /// missing. Consecutive requests grow.
    pub read: u64,
    /// The number of rounds after which every round requests twice as many bytes as the previous one. A file that would
    /// need many rounds is then read as a whole.
    pub patience: u32,
}

impl Default for ProbeOptions {
    /// 4 KiB per request, and 12 rounds.
    fn default() -> Self {
        ProbeOptions { read: 4096, patience: 12 }
    }
}

/// The smallest number of bytes in a request.
const LEAST_READ: u64 = 64;
/// The largest number of headers that are requested ahead, if earlier headers were at equal distances.
const MOST_GUESSES: u64 = 64;

/// Finds the locations of the parts of a model. It does no I/O: [`step`](Self::step) returns the ranges that are
/// needed, and the caller passes their bytes to [`feed`](Self::feed).
///
/// ```
/// use meshlens_stream::{Probe, ProbeOptions, Step};
///
/// # let bytes = meshlens::md3::write::Model::new("empty")?.write()?;
/// # let read = |range: std::ops::Range<u64>| bytes[range.start as usize..range.end as usize].to_vec();
/// let mut probe = Probe::new(&[bytes.len() as u64], ProbeOptions::default());
/// let plan = loop {
///     match probe.step()? {
///         Step::Plan(plan) => break plan,
///         Step::Wants(ranges) => {
///             for wanted in ranges {
///                 probe.feed(wanted.file, wanted.start, read(wanted.range()));
///             }
///         }
///     }
/// };
/// assert_eq!(plan.mesh_count(), 0);
/// # Ok::<(), meshlens::Error>(())
/// ```
///
/// # Rounds
///
/// A round is a set of ranges that are requested together. The plan and the ranges of each round do not depend on the
/// portions in which the bytes arrive. Bytes that were not requested may also be passed, which saves rounds.
///
/// | format | after the first round | rounds |
/// |---|---|---|
/// | MD3 | bounds and tags are [known](Self::front); surfaces follow one another | 1 + surfaces |
/// | Unreal | everything, except for pairs with a mistaken frame size, which need the triangles | 1, or a few |
/// | Ultimate 3D 2.0 | nothing: each chunk follows the one before, and counts are stored between their arrays | 1 + 3 for each chunk |
/// | Ultimate 3D 1.0 | nothing: counts are stored between arrays | 1 + 3 for each mesh |
/// | UNIGINE | bounds are known; surfaces follow the records of animations and weights, which must be read | 1 + 8 for each surface |
///
/// These are upper bounds, for parts that are further apart than one request reaches; small files take one round.
/// Headers at equal distances, such as the headers of an animated model's frames, are predicted and requested together.
/// In any case there are at most [`max_rounds`](Self::max_rounds).
pub struct Probe {
    files: Vec<FilePieces>,
    options: ProbeOptions,
    /// The ranges that this round requests.
    wanted: Vec<FileRange>,
    rounds: u32,
    /// The number of bytes to request if they follow loaded bytes.
    ahead: u64,
    guess: Guess,
    front: Vec<PartInfo>,
    front_bounds: Option<Bounds>,
}

/// The result of a step: the bytes that a probe needs, or the plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// These bytes are needed. The ranges are sorted and inside the files.
    Wants(Vec<FileRange>),
    /// The plan is complete.
    Plan(Plan),
}

/// Places at which bytes were missing, at equal distances.
#[derive(Clone, Copy, Debug, Default)]
struct Guess {
    file: usize,
    last: Option<u64>,
    distance: Option<u64>,
    /// The number of places that are requested after the last one.
    ahead: u64,
}

impl Probe {
    /// Makes a probe of a model from the length of its file, or the lengths of the two files of an Unreal mesh,
    /// geometry first.
    pub fn new(file_lens: &[u64], options: ProbeOptions) -> Self {
        let options = ProbeOptions { read: options.read.max(LEAST_READ), ..options };
        let files: Vec<FilePieces> = file_lens.iter().map(|len| FilePieces::new(*len)).collect();
        let front = files.iter().enumerate();
        let front = front.map(|(file, pieces)| FileRange::new(file, 0..options.read.min(pieces.file_len())));
        let wanted = front.filter(|range| !range.is_empty()).collect();
        Probe {
            wanted,
            files,
            options,
            rounds: 1,
            ahead: options.read,
            guess: Guess::default(),
            front: Vec::new(),
            front_bounds: None,
        }
    }

    /// Adds bytes of a file, requested or not.
    pub fn feed(&mut self, file: usize, offset: u64, bytes: impl Into<Bytes>) {
        if let Some(pieces) = self.files.get_mut(file) {
            pieces.insert(offset, bytes);
        }
    }

    /// Returns the next step. As long as bytes of this round are missing, it requests them again. O(bytes between the
    /// arrays).
    ///
    /// # Errors
    ///
    /// The bytes have no known format, or the parser fails: the same errors as for the whole file.
    pub fn step(&mut self) -> meshlens::Result<Step> {
        loop {
            let missing = self.missing();
            if !missing.is_empty() {
                return Ok(Step::Wants(missing));
            }
            let files = as_pieces(&self.files);
            if self.front_bounds.is_none()
                && let Ok(front) = Parts::locate_front(&files)
            {
                self.front = front.parts;
                self.front_bounds = front.bounds;
            }
            match Parts::locate_pieces(&files) {
                Ok(parts) => {
                    let lens = self.files.iter().map(FilePieces::file_len).collect();
                    return Ok(Step::Plan(Plan::new(parts, lens)));
                }
                Err(error) => {
                    let missing = Parts::missing(&error, &files).ok_or(error)?;
                    self.wanted = self.next_round(missing);
                    self.rounds += 1;
                }
            }
        }
    }

    /// The ranges of this round that are not loaded.
    fn missing(&self) -> Vec<FileRange> {
        let in_file = |range: &FileRange| {
            let missing = self.files.get(range.file).map(|file| file.missing(range.range()));
            let file = range.file;
            missing.unwrap_or_default().into_iter().map(move |missing| FileRange::new(file, missing))
        };
        self.wanted.iter().flat_map(in_file).collect()
    }

    /// The ranges of the next round, including `missing`.
    fn next_round(&mut self, missing: FileRange) -> Vec<FileRange> {
        let FileRange { file, start, end } = missing;
        let Some(pieces) = self.files.get(file) else { return vec![missing] };
        let follows = start > 0 && pieces.has(start - 1..start);
        self.ahead = if follows { self.ahead.saturating_mul(2) } else { self.options.read };
        let impatience = self.rounds.saturating_sub(self.options.patience);
        let impatient = self.options.read.checked_shl(impatience.min(62)).unwrap_or(u64::MAX);
        let ahead = self.ahead.max(impatient);

        let reach = |start: u64, ahead: u64| {
            // Loaded bytes do not count.
            let mut left = ahead;
            for gap in pieces.missing(start..u64::MAX) {
                let len = gap.end - gap.start;
                if len >= left {
                    return gap.start + left;
                }
                left -= len;
            }
            pieces.file_len()
        };
        let mut ranges = vec![FileRange::new(file, start..end.max(reach(start, ahead)))];
        for guess in self.guess.next(file, start) {
            let last = ranges.last().map_or(start, |range| range.end);
            if guess >= pieces.file_len() {
                break;
            }
            if guess > last {
                ranges.push(FileRange::new(file, guess..reach(guess, self.options.read)));
            }
        }
        ranges.sort_unstable();
        ranges.dedup_by(|next, range| {
            let is_joined = next.start <= range.end;
            if is_joined {
                range.end = range.end.max(next.end);
            }
            is_joined
        });
        ranges
    }

    /// The parts that are known before the plan: see the table above.
    pub fn front(&self) -> &[PartInfo] {
        &self.front
    }

    /// The bounding box of the model, if the format stores it near the start of the file (MD3, UNIGINE) and its bytes
    /// are loaded.
    pub const fn front_bounds(&self) -> Option<Bounds> {
        self.front_bounds
    }

    /// The length of a file.
    pub(crate) fn file_len(&self, file: usize) -> Option<u64> {
        self.files.get(file).map(FilePieces::file_len)
    }

    /// The number of rounds so far.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The largest number of rounds for any model whose files have `bytes` bytes in total.
    pub fn max_rounds(bytes: u64, options: ProbeOptions) -> u32 {
        // After `patience` rounds, each round loads twice as many bytes as the one before; parsers pass over a file at
        // most twice.
        let doublings = (bytes / options.read.max(LEAST_READ)).checked_ilog2().map_or(0, |log| log + 1);
        options.patience.saturating_add(doublings).saturating_add(4)
    }

    /// The number of loaded bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(FilePieces::len).sum()
    }

    /// The loaded bytes of each file, which a [`PartialModel`](crate::PartialModel) can reuse.
    pub fn into_files(self) -> Vec<FilePieces> {
        self.files
    }
}

impl Guess {
    /// Records that bytes are missing at `start`, and predicts the next places.
    fn next(&mut self, file: usize, start: u64) -> impl Iterator<Item = u64> + use<> {
        let last = self.last.replace(start).filter(|_| self.file == file);
        let moved = last.and_then(|last| start.checked_sub(last)).filter(|moved| *moved > 0);
        self.file = file;
        let is_as_guessed = match (self.distance, moved) {
            (Some(distance), Some(moved)) => distance.checked_mul(self.ahead + 1) == Some(moved),
            _ => false,
        };
        if is_as_guessed {
            // A distance that was seen twice predicts two places, and so on.
            self.ahead = (2 * self.ahead).clamp(2, MOST_GUESSES);
        } else {
            (self.distance, self.ahead) = (moved, 0);
        }
        let (distance, ahead) = (self.distance.unwrap_or(0), self.ahead);
        (1..=ahead).map_while(move |number| distance.checked_mul(number)?.checked_add(start))
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe")
            .field("files", &self.files)
            .field("rounds", &self.rounds)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_distances_are_guessed() {
        let mut guess = Guess::default();
        let mut next = |start| guess.next(0, start).collect::<Vec<_>>();
        assert_eq!(next(100), [0_u64; 0]);
        assert_eq!(next(150), [0_u64; 0], "a distance seen once");
        assert_eq!(next(200), [250, 300], "and twice");
        assert_eq!(next(350), [400, 450, 500, 550], "all guesses were right");
        assert_eq!(next(590), [0_u64; 0], "one was wrong");
        assert_eq!(next(580), [0_u64; 0], "back");
    }
}
