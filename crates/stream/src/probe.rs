//! From the first bytes of a file to its plan, without reading anything itself.

use std::fmt;

use bytes::Bytes;
use meshlens::Parts;
use meshlens::lens::Bounds;
use meshlens::part::{FileRange, PartInfo};

use crate::Plan;
use crate::pieces::{FilePieces, as_pieces};

/// How a [`Probe`] asks for bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeOptions {
    /// The number of bytes that are asked for at once, at least 64: of the front of each file, and from each place at which
    /// something is missing. Bytes that follow those that are there already are asked for in ever larger numbers.
    pub read: u64,
    /// After so many rounds, every round asks for twice as many bytes as the one before: what would take many rounds is
    /// then read whole.
    pub patience: u32,
}

impl Default for ProbeOptions {
    /// 4 KiB at once, and 12 rounds.
    fn default() -> Self {
        ProbeOptions { read: 4096, patience: 12 }
    }
}

/// The smallest number of bytes that are asked for at once.
const LEAST_READ: u64 = 64;
/// The most headers that are asked for ahead, where they have lain at equal distances.
const MOST_GUESSES: u64 = 64;

/// Finds out where the parts of a model lie. It reads nothing: it says which bytes it needs, and is fed with them.
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
/// A round is a set of ranges that are asked for together. The plan, and the ranges of each round, are the same in whatever
/// portions the bytes come; bytes that were not asked for may come too, and save rounds.
///
/// | format | after the first round | rounds |
/// |---|---|---|
/// | MD3 | bounds and tags are [known](Self::front); surfaces follow one another | 1 + surfaces |
/// | Unreal | everything, but for pairs whose frame size is mistaken: those need the triangles | 1, or a few |
/// | Ultimate 3D 2.0 | nothing: chunks follow one another, and counts stand between their arrays | 1 + 3 for each chunk |
/// | Ultimate 3D 1.0 | nothing: counts stand between arrays | 1 + 3 for each mesh |
/// | UNIGINE | bounds are known; surfaces follow the records of animations and of weights, which are read | 1 + 8 for each surface |
///
/// Those are the most, for parts that lie further apart than a read reaches; small files take one round. Headers at equal
/// distances, as of the frames of an animated model, are guessed and asked for together. In any case there are at most
/// [`max_rounds`](Self::max_rounds).
pub struct Probe {
    files: Vec<FilePieces>,
    options: ProbeOptions,
    /// What is asked for in this round.
    wanted: Vec<FileRange>,
    rounds: u32,
    /// The number of bytes to ask for if they follow those that are there.
    ahead: u64,
    guess: Guess,
    front: Vec<PartInfo>,
    front_bounds: Option<Bounds>,
}

/// What a probe needs, or what it has found.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// These bytes are needed. They are sorted, and lie in the files.
    Wants(Vec<FileRange>),
    /// Everything is known.
    Plan(Plan),
}

/// Places at which something was missing, at equal distances.
#[derive(Clone, Copy, Debug, Default)]
struct Guess {
    file: usize,
    last: Option<u64>,
    distance: Option<u64>,
    /// The number of places asked for after the last one.
    ahead: u64,
}

impl Probe {
    /// A probe of a model: the length of its file, or of the two files of an Unreal mesh, geometry first.
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

    /// Takes in bytes of a file, whether they were asked for or not.
    pub fn feed(&mut self, file: usize, offset: u64, bytes: impl Into<Bytes>) {
        if let Some(pieces) = self.files.get_mut(file) {
            pieces.insert(offset, bytes);
        }
    }

    /// The next step. As long as bytes of this round are missing, they are asked for again. O(bytes between the arrays).
    ///
    /// # Errors
    ///
    /// Bytes of no known format, and the errors of the format's parser: the same as for the whole file.
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

    /// What is asked for in this round and not there.
    fn missing(&self) -> Vec<FileRange> {
        let in_file = |range: &FileRange| {
            let missing = self.files.get(range.file).map(|file| file.missing(range.range()));
            let file = range.file;
            missing.unwrap_or_default().into_iter().map(move |missing| FileRange::new(file, missing))
        };
        self.wanted.iter().flat_map(in_file).collect()
    }

    /// The ranges of the next round, in which `missing` is.
    fn next_round(&mut self, missing: FileRange) -> Vec<FileRange> {
        let FileRange { file, start, end } = missing;
        let Some(pieces) = self.files.get(file) else { return vec![missing] };
        let follows = start > 0 && pieces.has(start - 1..start);
        self.ahead = if follows { self.ahead.saturating_mul(2) } else { self.options.read };
        let impatience = self.rounds.saturating_sub(self.options.patience);
        let impatient = self.options.read.checked_shl(impatience.min(62)).unwrap_or(u64::MAX);
        let ahead = self.ahead.max(impatient);

        let reach = |start: u64, ahead: u64| {
            // Bytes that are there already do not count.
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

    /// The parts that are known already, before the plan is: see the table above.
    pub fn front(&self) -> &[PartInfo] {
        &self.front
    }

    /// The box around the model, if the format stores it at a place that is known early (MD3, UNIGINE) and its bytes are
    /// there.
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

    /// The most rounds that any model takes whose files have `bytes` bytes in all.
    pub fn max_rounds(bytes: u64, options: ProbeOptions) -> u32 {
        // Once patience has ended, each round takes in twice as many bytes as the one before; parsers go through a file
        // at most twice.
        let doublings = (bytes / options.read.max(LEAST_READ)).checked_ilog2().map_or(0, |log| log + 1);
        options.patience.saturating_add(doublings).saturating_add(4)
    }

    /// The number of bytes that are there.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(FilePieces::len).sum()
    }

    /// The bytes that are there, of each file: a [`PartialModel`](crate::PartialModel) can go on with them.
    pub fn into_files(self) -> Vec<FilePieces> {
        self.files
    }
}

impl Guess {
    /// Notes that something is missing at `start`, and guesses where the next things are.
    fn next(&mut self, file: usize, start: u64) -> impl Iterator<Item = u64> + use<> {
        let last = self.last.replace(start).filter(|_| self.file == file);
        let moved = last.and_then(|last| start.checked_sub(last)).filter(|moved| *moved > 0);
        self.file = file;
        let is_as_guessed = match (self.distance, moved) {
            (Some(distance), Some(moved)) => distance.checked_mul(self.ahead + 1) == Some(moved),
            _ => false,
        };
        if is_as_guessed {
            // A distance seen twice is guessed twice, and so on.
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
        assert_eq!(next(100), []);
        assert_eq!(next(150), [], "a distance seen once");
        assert_eq!(next(200), [250, 300], "and twice");
        assert_eq!(next(350), [400, 450, 500, 550], "all guesses were right");
        assert_eq!(next(590), [], "one was wrong");
        assert_eq!(next(580), [], "back");
    }
}
