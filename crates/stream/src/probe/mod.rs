//! Finds the plan of a model from the first bytes of its files, without I/O.

mod files;
mod rounds;
mod stepped;

use bytes::Bytes;
use meshlens::lens::Bounds;
use meshlens::part::{FileRange, Front};
use meshlens::wire::ErrorKind;
use meshlens::{Error, Format, Parts};

use crate::guess::{Guess, Pace, Watched};
use crate::pieces::{FilePieces, as_pieces, missing};
use crate::probe_options::{LEAST_READ, ProbeOptions};
use crate::{Few, Plan};

pub(crate) use files::ProbeFiles;
pub(crate) use stepped::{FrontRead, Stepped};

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
/// | MD3 | bounds are [known](Self::front_bounds); surfaces follow one another | 1 + surfaces |
/// | Unreal | everything, except for pairs with a mistaken frame size, which need the triangles | 1, or a few |
/// | Ultimate 3D 2.0 | nothing: each chunk follows the previous chunk, and counts are stored between their arrays | 1 + 3 for each chunk |
/// | Ultimate 3D 1.0 | nothing: counts are stored between arrays | 1 + 3 for each mesh |
/// | UNIGINE | bounds are known; surfaces follow the records of animations and weights, which must be read | 1 + 8 for each surface |
///
/// These are upper bounds, for parts that are further apart than one request reaches; small files take one round.
/// Headers at equal distances, such as the headers of an animated model's frames, are predicted and requested together.
/// With [`ProbeOptions::REMOTE`], a file of up to 1 MiB takes at most two rounds, whatever it contains.
/// In any case there are at most [`max_rounds`](Self::max_rounds), and at most [`ProbeOptions::max_bytes`] are requested.
pub struct Probe {
    pub(crate) files: ProbeFiles,
    options: ProbeOptions,
    /// The ranges that this round requests.
    wanted: Few<FileRange>,
    /// The range without which the parser does not get on.
    needed: FileRange,
    rounds: u32,
    /// The number of bytes that were requested.
    requested: u64,
    /// The number of bytes for which there was no memory.
    lost: u64,
    pace: Pace,
    /// The pace before this round, and the number of bytes that the headers at the last places took. `None` in the first round.
    before: Option<(Pace, u64)>,
    front: Front,
    /// Whether it began with bytes that were not read.
    is_known: bool,
    /// The last step, until the scheduler takes it.
    pub(crate) stepped: Option<meshlens::Result<Step>>,
}

/// The result of a step: the bytes that a probe needs, or the plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// These bytes are needed. The ranges are sorted and inside the files.
    Wants(Vec<FileRange>),
    /// The plan is complete.
    Plan(Plan),
}

impl Probe {
    /// Makes a probe of a model from the length of its file, or the lengths of the two files of an Unreal mesh,
    /// geometry first.
    pub fn new(file_lens: &[u64], options: ProbeOptions) -> Self {
        let read = options.read.max(LEAST_READ);
        Probe::begun(file_lens, options, (0..file_lens.len()).map(|file| FileRange::new(file, 0..read)))
    }

    /// Makes a probe whose files are read by these ranges first.
    pub(crate) fn begun(
        file_lens: &[u64],
        options: ProbeOptions,
        first: impl Iterator<Item = FileRange>,
    ) -> Self {
        let options = ProbeOptions { read: options.read.max(LEAST_READ), ..options };
        let inside = |range: FileRange| {
            let end = range.end.min(file_lens.get(range.file).copied().unwrap_or(0));
            FileRange::new(range.file, range.start..end)
        };
        let wanted: Few<FileRange> = first.map(inside).filter(|range| !range.is_empty()).collect();
        Probe {
            requested: wanted.iter().map(FileRange::len).fold(0, u64::saturating_add),
            needed: FileRange::new(0, 0..0),
            wanted,
            files: ProbeFiles::new(file_lens),
            options,
            rounds: 1,
            lost: 0,
            pace: Pace { surprises: 0, ahead: options.read, least: LEAST_READ, guess: Guess::default() },
            before: None,
            front: Front::default(),
            is_known: false,
            stepped: None,
        }
    }

    /// A probe of files with these bytes, which has requested nothing yet.
    pub(crate) fn known(files: Few<FilePieces>, options: ProbeOptions) -> Self {
        let lens: Few<u64> = files.iter().map(FilePieces::file_len).collect();
        let probe = Probe::begun(&lens, options, std::iter::empty());
        Probe { files: files.into(), is_known: true, ..probe }
    }

    /// The probe that has read these bytes in its first round, and nothing else.
    pub(crate) fn again(files: ProbeFiles, options: ProbeOptions) -> Self {
        let lens: Few<u64> = files.pieces.iter().map(FilePieces::file_len).collect();
        let read = files
            .pieces
            .iter()
            .enumerate()
            .flat_map(|(file, pieces)| pieces.ranges().map(move |range| FileRange::new(file, range)));
        let probe = Probe::begun(&lens, options, read);
        Probe { files, ..probe }
    }

    /// Whether it has read and requested nothing after its first round.
    pub(crate) const fn is_new(&self) -> bool {
        self.rounds == 1 && !self.is_known
    }

    /// Reads further ahead from now on, if these options do, such as for a latency that is known by now. Returns whether they do.
    pub(crate) fn read_ahead(&mut self, options: ProbeOptions) -> bool {
        let is_further = options.whole > self.options.whole;
        if is_further {
            self.options = ProbeOptions { read: options.read.max(LEAST_READ), ..options };
        }
        is_further
    }

    /// Whether all of its bytes were known before the first read.
    pub(crate) const fn is_known(&self) -> bool {
        self.is_known && self.requested == 0
    }

    /// Adds bytes of a file, requested or not.
    pub fn feed(&mut self, file: usize, offset: u64, bytes: impl Into<Bytes>) {
        if let Some(pieces) = self.files.pieces.get_mut(file) {
            let bytes = bytes.into();
            let range = offset..offset.saturating_add(bytes.len() as u64).min(pieces.file_len());
            pieces.insert(offset, bytes);
            if !pieces.has(range.clone()) {
                self.lost = self.lost.max(range.end - range.start);
            }
        }
    }

    /// Returns the next step. As long as bytes of this round are missing, it requests them again. O(bytes between the
    /// arrays).
    ///
    /// # Errors
    ///
    /// The bytes have no known format, or the parser fails: the same errors as for the whole file.
    /// [`Limit`](meshlens::wire::ErrorKind::Limit) if the headers need more than [`ProbeOptions::max_bytes`], or more
    /// memory than the system provides.
    pub fn step(&mut self) -> meshlens::Result<Step> {
        loop {
            let missing = self.missing();
            if self.lost > 0 {
                let (limit, found) = (self.bytes(), self.bytes().saturating_add(self.lost));
                let kind = ErrorKind::Limit { what: "bytes of headers in memory", limit, found };
                return Err(Error::new("meshlens", 0, kind));
            }
            if !missing.is_empty() {
                return Ok(Step::Wants(missing.into_vec()));
            }
            let used = self.pace.guess.watch();
            let watched: Few<Watched<'_>> = self
                .files
                .pieces
                .iter()
                .enumerate()
                .map(|(file, pieces)| Watched { pieces, file, used: &used })
                .collect();
            let files = as_pieces(&watched);
            if self.front.bounds.is_none()
                && let Ok(front) = Parts::locate_front(&files)
            {
                self.front = front;
            }
            match Parts::locate_pieces(&files) {
                Ok(parts) => {
                    let lens = self.files.pieces.iter().map(FilePieces::file_len).collect();
                    return Ok(Step::Plan(Plan::new(parts, lens)));
                }
                Err(error) => {
                    let missing = Parts::missing(&error, &files).ok_or(error)?;
                    drop(files);
                    drop(watched);
                    let used = used.bytes();
                    self.needed = missing;
                    self.before = Some((self.pace, used));
                    self.wanted = self.next_round(missing, used);
                    self.rounds = self.rounds.saturating_add(1);
                    let limit = self.options.max_bytes;
                    let round = self.missing();
                    let found = round.iter().map(FileRange::len).fold(self.requested, u64::saturating_add);
                    if found > limit {
                        let kind = ErrorKind::Limit { what: "bytes to read for the headers", limit, found };
                        return Err(Error::new(error.format(), missing.start, kind));
                    }
                    self.requested = found;
                }
            }
        }
    }

    /// The ranges of this round that are not loaded.
    fn missing(&self) -> Few<FileRange> {
        missing(&self.files.pieces, &self.wanted).collect()
    }

    /// The bounding box of the model, if the format stores it near the start of the file (MD3, UNIGINE) and its bytes
    /// are loaded.
    pub const fn front_bounds(&self) -> Option<Bounds> {
        self.front.bounds
    }

    /// The format, once it is known.
    pub(crate) const fn format(&self) -> Option<Format> {
        self.front.format
    }

    /// The length of a file.
    pub(crate) fn file_len(&self, file: usize) -> Option<u64> {
        self.files.pieces.get(file).map(FilePieces::file_len)
    }

    /// The number of rounds so far.
    pub const fn rounds(&self) -> u32 {
        self.rounds
    }

    /// The largest number of rounds for any model whose files have `bytes` bytes in total. It grows with the logarithm
    /// of `bytes` up to 1 MiB, and is then proportional to `bytes`.
    pub fn max_rounds(bytes: u64, options: ProbeOptions) -> u32 {
        options.max_rounds(bytes)
    }

    /// The number of loaded bytes.
    pub fn bytes(&self) -> u64 {
        self.files.pieces.iter().map(FilePieces::len).sum()
    }

    /// The loaded bytes of each file, which a [`PartialModel`](crate::PartialModel) can reuse.
    pub fn into_files(self) -> Vec<FilePieces> {
        self.files.pieces.into_vec()
    }
}

debug_fields!(self, Probe { files: self.files.pieces, rounds: self.rounds });
