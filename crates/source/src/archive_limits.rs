//! Limits on the sizes of the entries of an archive, and their checks.

use crate::entry::{Entries, Entry};
use crate::zip_record::Method;
use crate::{EntryFault, Error, Result};

/// The default of [`ArchiveLimits::max_entry_bytes`]: 256 MiB.
pub const DEFAULT_MAX_ENTRY_BYTES: u64 = 256 << 20;

/// The default of [`ArchiveLimits::max_ratio`]. Deflate reaches at most 1,032; models rarely exceed 20.
pub const DEFAULT_MAX_RATIO: u32 = 200;

/// The default of [`ArchiveLimits::max_entries`].
pub const DEFAULT_MAX_ENTRIES: u64 = 1 << 20;

/// Entries that inflate to at most this many bytes (1 MiB) may have any ratio.
pub const RATIO_FREE_BYTES: u64 = 1 << 20;

/// The default of [`ArchiveLimits::max_total_bytes`]: 64 GiB.
pub const DEFAULT_MAX_TOTAL_BYTES: u64 = 64 << 30;

/// Archives whose entries inflate to at most this many bytes in total (64 MiB) may have any ratio.
pub const TOTAL_RATIO_FREE_BYTES: u64 = 64 << 20;

/// Limits on the work and memory that reading an archive takes.
///
/// Entries that overlap are refused, so the work of reading every entry is bounded by the size of the archive and these
/// limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ArchiveLimits {
    /// The largest size in bytes of an inflated entry. Stored entries are borrowed and have no limit.
    pub max_entry_bytes: u64,
    /// The largest ratio of inflated to compressed size of an entry larger than [`RATIO_FREE_BYTES`]; and of all
    /// entries together, if they inflate to more than [`TOTAL_RATIO_FREE_BYTES`].
    pub max_ratio: u32,
    /// The largest total size in bytes of all inflated entries. Entries that exceed a limit for one entry are refused
    /// and do not count.
    pub max_total_bytes: u64,
    /// The largest number of entries.
    pub max_entries: u64,
}

impl Default for ArchiveLimits {
    fn default() -> ArchiveLimits {
        ArchiveLimits {
            max_entry_bytes: DEFAULT_MAX_ENTRY_BYTES,
            max_ratio: DEFAULT_MAX_RATIO,
            max_total_bytes: DEFAULT_MAX_TOTAL_BYTES,
            max_entries: DEFAULT_MAX_ENTRIES,
        }
    }
}

/// Checks the total inflated size of all deflated entries, except entries that are refused anyway.
pub(crate) fn check_total(name: &str, entries: Entries<'_>, limits: &ArchiveLimits) -> Result<()> {
    let is_read = |entry: &Entry<'_>| {
        entry.method() == Method::Deflated && !entry.is_overlapping() && check_size(entry, limits).is_ok()
    };
    let (mut size, mut compressed) = (0u64, 0u64);
    for entry in entries.filter(is_read) {
        size = size.saturating_add(entry.size());
        compressed = compressed.saturating_add(entry.compressed_size());
    }
    if size > limits.max_total_bytes {
        return Err(Error::TotalSize { archive: name.into(), size, limit: limits.max_total_bytes });
    }
    if size > TOTAL_RATIO_FREE_BYTES && size > compressed.saturating_mul(limits.max_ratio.into()) {
        let limit = limits.max_ratio;
        return Err(Error::TotalRatio { archive: name.into(), compressed, size, limit });
    }
    Ok(())
}

/// Checks the inflated size that the archive states for an entry.
pub(crate) fn check_size(entry: &Entry<'_>, limits: &ArchiveLimits) -> Result<(), EntryFault> {
    let (size, compressed) = (entry.size(), entry.compressed_size());
    if size > limits.max_entry_bytes {
        return Err(EntryFault::TooLarge { size, limit: limits.max_entry_bytes });
    }
    if size > RATIO_FREE_BYTES && size > compressed.saturating_mul(limits.max_ratio.into()) {
        return Err(EntryFault::Ratio { compressed, size, limit: limits.max_ratio });
    }
    Ok(())
}
