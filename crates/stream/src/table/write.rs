//! Writes tables.

use meshlens::wire::ErrorKind;
use meshlens::{Error, Result};

use super::known::write_file;
use super::{CHECKED_FROM, HEADER, MAGIC, MOST_FILES, NAME, PlanTable, RECORD, Record, TableFile, VERSION};
use super::{Known, checksum, hash};
use crate::pieces::{FilePieces, as_pieces};
use crate::plan::whole_files;
use crate::{Plan, Probe, ProbeOptions, Step};

/// Makes a [`PlanTable`] of the models of an archive. The same models in the same order give the same bytes.
#[derive(Debug, Default)]
pub struct PlanTableBuilder {
    models: Vec<Known>,
    records: Vec<Record>,
    /// The number of bytes of the table.
    bytes: u64,
}

impl PlanTableBuilder {
    /// Adds a model whose files are in memory: the name and the bytes of one file, or of the two files of an Unreal mesh,
    /// geometry first. Returns what the table knows about it; `None` if the table has no room.
    ///
    /// # Errors
    ///
    /// The bytes have no known format, or the parser fails. The model is not added.
    pub fn add(&mut self, files: &[(&str, &[u8])]) -> Result<Option<Known>> {
        if files.len() > MOST_FILES {
            let (limit, found) = (MOST_FILES as u64, files.len() as u64);
            return Err(Error::of_call(NAME, ErrorKind::Limit { what: "files of a model", limit, found }));
        }
        let bytes: Vec<&[u8]> = files.iter().map(|(_, bytes)| *bytes).collect();
        let plan = Plan::of(&bytes)?;
        let (headers, front) = headers(&bytes);
        let bounds = match front {
            Some(bounds) => Some(bounds),
            None => plan.located().bind_pieces(&as_pieces(&whole_files(&bytes)))?.bounds()?,
        };
        for headers in [headers, bytes.iter().map(|bytes| FilePieces::new(bytes.len() as u64)).collect()] {
            let mut detail = Vec::from((files.len() as u32).to_le_bytes());
            for ((name, bytes), pieces) in files.iter().zip(&headers) {
                let (len, crc32) = (bytes.len() as u64, crc32fast::hash(bytes));
                write_file(&TableFile { name, len, crc32 }, pieces, &mut detail);
            }
            let size = self.bytes.max(HEADER) + RECORD + detail.len() as u64;
            if size <= PlanTable::MAX_BYTES {
                self.bytes = size;
                let known = Known { format: plan.format(), bounds, detail: detail.into() };
                self.push(files, &known);
                return Ok(Some(known));
            }
        }
        Ok(None)
    }

    fn push(&mut self, files: &[(&str, &[u8])], known: &Known) {
        let (name, bytes) = files.first().copied().unwrap_or_default();
        self.records.push(Record {
            hash: hash(name),
            len: bytes.len() as u64,
            crc32: crc32fast::hash(bytes),
            format: Some(known.format),
            detail: 0,
            detail_len: known.detail.len() as u32,
            bounds: known.bounds,
        });
        self.models.push(known.clone());
    }

    /// The number of models.
    pub fn len(&self) -> usize {
        self.models.len()
    }

    /// Whether there are no models.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    /// The bytes of the table.
    pub fn finish(self) -> Vec<u8> {
        let len = self.bytes.max(HEADER);
        let mut out = Vec::with_capacity(len as usize);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        out.extend(len.to_le_bytes());
        out.extend((self.models.len() as u32).to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        let mut models: Vec<(Record, Known)> = self.records.into_iter().zip(self.models).collect();
        // Stable: models with the same hash keep their order.
        models.sort_by_key(|(record, _)| record.hash);
        let mut detail = HEADER + RECORD * models.len() as u64;
        for (record, known) in &mut models {
            record.detail = detail;
            record.write(known.format, &mut out);
            detail += u64::from(record.detail_len);
        }
        for (_, known) in &models {
            out.extend_from_slice(&known.detail);
        }
        let sum = checksum(&out).to_le_bytes();
        out[CHECKED_FROM - sum.len()..CHECKED_FROM].copy_from_slice(&sum);
        out
    }
}

/// The bytes that the plan of a model needs, in small portions, and its bounds if they are in them. Empty if they are too many.
fn headers(files: &[&[u8]]) -> (Vec<FilePieces>, Option<meshlens::lens::Bounds>) {
    let lens: Vec<u64> = files.iter().map(|bytes| bytes.len() as u64).collect();
    let options = ProbeOptions { read: 64, patience: u32::MAX, max_bytes: PlanTable::MAX_HEADERS, whole: 0 };
    let mut probe = Probe::new(&lens, options);
    while let Ok(step) = probe.step() {
        let Step::Wants(ranges) = step else {
            let front = probe.front_bounds();
            return (probe.into_files(), front);
        };
        for range in ranges {
            let bytes =
                files.get(range.file).and_then(|bytes| bytes.get(range.start as usize..range.end as usize));
            probe.feed(range.file, range.start, bytes.unwrap_or_default().to_vec());
        }
    }
    let front = probe.front_bounds();
    (lens.into_iter().map(FilePieces::new).collect(), front)
}
