//! The directory of a zip archive: from the `zip` crate, brought into our own lean entries.

use std::io::Cursor;

use zip::CompressionMethod;
use zip::read::{ArchiveOffset, Config, ZipArchive};

use crate::entry::{Entry, Method, name_fault};

/// An end record is 22 bytes and at most 65,535 bytes of comment before the end (APPNOTE 4.3.16). The `zip` crate
/// begins to look a few bytes earlier, and nothing that it finds may escape us.
const END_RECORD_REACH: usize = 22 + 0xFFFF + 1024;

const END_RECORD: &[u8] = b"PK\x05\x06";
const ZIP64_LOCATOR: &[u8] = b"PK\x06\x07";
const ZIP64_END_RECORD: &[u8] = b"PK\x06\x06";

/// Why a directory cannot be listed.
pub(crate) enum Fault {
    TooMany(u64),
    Broken(Box<str>),
}

/// Lists the entries in the order of the directory. One pass over the directory; no entry's own bytes are touched.
pub(crate) fn list(bytes: &[u8], max_entries: u64) -> Result<Vec<Entry>, Fault> {
    let broken = |error: zip::result::ZipError| Fault::Broken(error.to_string().into());

    let zip64 = zip64_entries(bytes);
    if let Some(count) = zip64.filter(|&count| count > max_entries) {
        return Err(Fault::TooMany(count));
    }
    // With ZIP64, the directory is where its record says: no search for a record that was not counted above.
    let archive_offset = if zip64.is_some() { ArchiveOffset::Known(0) } else { ArchiveOffset::Detect };
    let zip = ZipArchive::with_config(Config { archive_offset }, Cursor::new(bytes)).map_err(broken)?;
    if zip.len() as u64 > max_entries {
        return Err(Fault::TooMany(zip.len() as u64));
    }

    let mut entries = Vec::with_capacity(zip.len());
    for index in 0..zip.len() {
        let found = zip.by_index_data(index).map_err(broken)?;
        let name: Box<str> =
            found.name().unwrap_or_else(|_| String::from_utf8_lossy(found.name_raw())).into();
        let entry = Entry {
            name_fault: name_fault(&name),
            name,
            size: found.size(),
            compressed_size: found.compressed_size(),
            header_offset: found.header_start(),
            crc32: found.crc32(),
            method: method(found.compression()),
            encrypted: found.encrypted(),
        };
        entries.push((found.central_header_start(), entry));
    }
    // The crate keeps the place of the first of several equal names, and the content of the last.
    entries.sort_by_key(|&(at, _)| at);
    Ok(entries.into_iter().map(|(_, entry)| entry).collect())
}

fn method(method: CompressionMethod) -> Method {
    match method {
        CompressionMethod::Stored => Method::Stored,
        CompressionMethod::Deflated => Method::Deflated,
        #[allow(deprecated)] // The only way to learn the number of an unsupported method.
        other => Method::Other(other.to_u16()),
    }
}

/// The most entries that any ZIP64 end record within reach claims, or `None` for an archive without one.
///
/// The `zip` crate sizes its table by that claim before it reads the first entry. A plain archive cannot
/// claim more than 65,535; a ZIP64 one could ask for all the memory there is.
fn zip64_entries(bytes: &[u8]) -> Option<u64> {
    let word = |at: usize| Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?));
    let start = bytes.len().saturating_sub(END_RECORD_REACH);
    let mut most = None;
    for (at, _) in bytes[start..].windows(4).enumerate().filter(|(_, window)| *window == END_RECORD) {
        let Some(locator) = (start + at).checked_sub(20).filter(|&at| bytes[at..].starts_with(ZIP64_LOCATOR))
        else {
            continue;
        };
        let record = word(locator + 8).and_then(|at| usize::try_from(at).ok()).unwrap_or(usize::MAX);
        let claimed = match bytes.get(record..) {
            Some(rest) if rest.starts_with(ZIP64_END_RECORD) => {
                word(record + 24).unwrap_or(0).max(word(record + 32).unwrap_or(0))
            }
            _ => 0,
        };
        most = most.max(Some(claimed));
    }
    most
}
