//! The table of a pack: what is needed of the headers of its models, in one entry of the archive. `docs/pack.md` has the layout.
//!
//! A table saves reads, and nothing else: each model is compared with the directory of the archive, its headers are parsed like
//! those of a file, and whatever does not fit is read from the file.

mod known;
mod write;

use bytes::Bytes;
use meshlens::lens::Bounds;
use meshlens::wire::{Cursor, ErrorKind, Expected, Magic};
use meshlens::{Format, Result};
use meshlens_source::{Archive, Entry, ReadAt};

pub use known::Known;
pub use write::PlanTableBuilder;

const MAGIC: [u8; 8] = *b"mlplans\0";
const VERSION: u32 = 1;
const HEADER: u64 = 32;
const RECORD: u64 = 64;
/// The start of the bytes that the checksum covers.
const CHECKED_FROM: usize = 16;
/// The flag of a record with bounds.
const HAS_BOUNDS: u32 = 1;
/// The largest number of files of a model.
const MOST_FILES: usize = 2;
const NAME: &str = "plan table";

/// The table of a pack, which `meshlens pack` writes as the entry [`PlanTable::NAME`] of an archive. A streamer that reads from
/// the archive uses it: bounds are known when a model is opened, and plans take no read.
///
/// ```
/// use meshlens_stream::{PlanTable, PlanTableBuilder, TableFile};
///
/// # let bytes = meshlens::md3::write::sample(&[0.0, 8.0])?;
/// let mut builder = PlanTableBuilder::default();
/// builder.add(&[("flag.md3", &bytes)])?;
/// let table = PlanTable::parse(builder.finish().into())?;
///
/// let flag = TableFile { name: "flag.md3", len: bytes.len() as u64, crc32: crc32fast::hash(&bytes) };
/// assert!(table.find(&[flag]).is_some_and(|known| known.bounds().is_some()));
/// assert!(table.find(&[TableFile { crc32: 0, ..flag }]).is_none(), "another file");
/// # Ok::<(), meshlens::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlanTable {
    bytes: Bytes,
    count: usize,
}

/// A file as the directory of its archive describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableFile<'a> {
    /// The name of the entry.
    pub name: &'a str,
    /// The length of the file.
    pub len: u64,
    /// The CRC-32 of the file.
    pub crc32: u32,
}

impl<'a> TableFile<'a> {
    pub(crate) fn of_entry(entry: Entry<'a>) -> Self {
        TableFile { name: entry.name(), len: entry.size(), crc32: entry.crc32() }
    }
}

impl PlanTable {
    /// The name of the entry.
    pub const NAME: &'static str = "meshlens.plans";

    /// The largest size of a table in bytes. A larger one is not read.
    pub const MAX_BYTES: u64 = 64 << 20;

    /// The largest number of bytes of headers of one model. A model with more has only its bounds in the table.
    pub const MAX_HEADERS: u64 = 64 << 10;

    /// Checks the length and the checksum of a table. O(bytes).
    ///
    /// # Errors
    ///
    /// The bytes are not a table of this version, are not complete, or have another checksum.
    pub fn parse(bytes: Bytes) -> Result<PlanTable> {
        let mut cursor = Cursor::new(NAME, &bytes);
        let at = cursor;
        if cursor.take(8, "magic")? != MAGIC {
            return Err(at.error(ErrorKind::Magic { expected: "mlplans", found: Magic::new(&bytes) }));
        }
        let at = cursor;
        let version = cursor.u32("version")?;
        if version != VERSION {
            return Err(at.error(ErrorKind::Version { expected: "1", found: version.into() }));
        }
        let at = cursor;
        exact(at, "checksum", cursor.u32("checksum")?.into(), checksum(&bytes).into())?;
        let at = cursor;
        exact(at, "length", cursor.u64("length")?, bytes.len() as u64)?;
        let at = cursor;
        let count = cursor.u32("number of models")?;
        let most = (bytes.len() as u64).saturating_sub(HEADER) / RECORD;
        if u64::from(count) > most {
            let expected = Expected::AtMost(most as i64);
            let kind = ErrorKind::Value { what: "number of models", expected, found: count.into() };
            return Err(at.error(kind));
        }
        Ok(PlanTable { bytes: bytes.clone(), count: count as usize })
    }

    /// The table of an archive. `None` if it has none that can be used.
    pub(crate) fn of_archive<B: ReadAt>(archive: &Archive<B>) -> Option<PlanTable> {
        let entry = archive.find(Self::NAME).filter(|entry| entry.size() <= Self::MAX_BYTES)?;
        // The table has a checksum of its own.
        Self::parse(Bytes::from(archive.read_unverified(&entry).ok()?.into_owned())).ok()
    }

    /// The number of models.
    pub const fn len(&self) -> usize {
        self.count
    }

    /// Whether the table has no models.
    pub const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// What is known about the model of these files: one, or the two files of an Unreal mesh, geometry first. `None` if the
    /// table does not have them with the same names, lengths and checksums. O(log models).
    pub fn find(&self, files: &[TableFile<'_>]) -> Option<Known> {
        let first = files.first()?;
        let hash = hash(first.name);
        let mut number = self.first_with(hash);
        while let Some(record) = self.record(number).filter(|record| record.hash == hash) {
            if (record.len, record.crc32) == (first.len, first.crc32)
                && let Some(known) = self.known(&record, files)
            {
                return Some(known);
            }
            number += 1;
        }
        None
    }

    /// The number of the first record with at least this hash.
    fn first_with(&self, hash: u64) -> usize {
        let is_before = |number: usize| {
            let found = self.record_bytes(number).and_then(|record| record.first_chunk());
            found.is_some_and(|found| u64::from_le_bytes(*found) < hash)
        };
        // Hashes are spread evenly: the place is near its share of the table. A step away from it is twice as long as the last.
        let guess = ((u128::from(hash) * self.count as u128) >> 64) as usize;
        let (mut low, mut high, mut step) = (guess, guess, 16);
        while low > 0 && !is_before(low - 1) {
            (low, high, step) = (low.saturating_sub(step), low - 1, 2 * step);
        }
        while high < self.count && is_before(high) {
            (low, high, step) = (high + 1, self.count.min(high + step), 2 * step);
        }
        while low < high {
            let middle = low.midpoint(high);
            if is_before(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    fn record_bytes(&self, number: usize) -> Option<&[u8]> {
        let start = (number < self.count).then(|| HEADER as usize + number * RECORD as usize)?;
        self.bytes.get(start..start + RECORD as usize)
    }

    fn record(&self, number: usize) -> Option<Record> {
        Record::read(&mut Cursor::new(NAME, self.record_bytes(number)?)).ok()
    }

    /// What a record knows about files, if it is about them.
    fn known(&self, record: &Record, files: &[TableFile<'_>]) -> Option<Known> {
        let start = usize::try_from(record.detail).ok()?;
        let detail = self.bytes.get(start..start.checked_add(record.detail_len as usize)?)?;
        let detail = self.bytes.slice_ref(detail);
        let known = Known { format: record.format?, bounds: record.bounds, detail };
        known.is_of(files).then_some(known)
    }
}

/// Checks a number that must have one value.
fn exact(at: Cursor<'_>, what: &'static str, found: u64, expected: u64) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    let expected = Expected::Exactly(expected as i64);
    Err(at.error(ErrorKind::Value { what, expected, found: found as i64 }))
}

/// The checksum of a table.
fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes.get(CHECKED_FROM..).unwrap_or_default())
}

/// The hash of a name: FNV-1a of 64 bits.
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// A model in the table.
#[derive(Debug)]
struct Record {
    hash: u64,
    /// The length and the checksum of the first file.
    len: u64,
    crc32: u32,
    /// `None` if this build does not have the format.
    format: Option<Format>,
    detail: u64,
    detail_len: u32,
    bounds: Option<Bounds>,
}

impl Record {
    fn read(cursor: &mut Cursor<'_>) -> Result<Record> {
        let hash = cursor.u64("hash")?;
        let (len, crc32) = (cursor.u64("file length")?, cursor.u32("file checksum")?);
        let format = cursor.u32("format")?;
        let (detail, detail_len) = (cursor.u64("offset")?, cursor.u32("length")?);
        let flags = cursor.u32("flags")?;
        let mut corners = [[0.0; 3]; 2];
        for number in corners.as_flattened_mut() {
            *number = cursor.f32("bounds")?;
        }
        let [min, max] = corners;
        Ok(Record {
            hash,
            len,
            crc32,
            format: Format::ALL.iter().copied().find(|known| *known as u32 == format),
            detail,
            detail_len,
            bounds: (flags & HAS_BOUNDS != 0).then_some(Bounds { min, max }),
        })
    }

    fn write(&self, format: Format, out: &mut Vec<u8>) {
        out.extend(self.hash.to_le_bytes());
        out.extend(self.len.to_le_bytes());
        out.extend(self.crc32.to_le_bytes());
        out.extend((format as u32).to_le_bytes());
        out.extend(self.detail.to_le_bytes());
        out.extend(self.detail_len.to_le_bytes());
        out.extend(if self.bounds.is_some() { HAS_BOUNDS } else { 0 }.to_le_bytes());
        let Bounds { min, max } = self.bounds.unwrap_or(Bounds { min: [0.0; 3], max: [0.0; 3] });
        for number in [min, max].as_flattened() {
            out.extend(number.to_le_bytes());
        }
    }
}
