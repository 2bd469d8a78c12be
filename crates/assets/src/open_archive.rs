//! Opens archives within a budget.

use meshlens::wire::Budget;
use meshlens_source::{Archive, ArchiveLimits, ReadAt};

use crate::Error;
use crate::archive_files::ArchiveFiles;
use crate::mount::Mount;

/// Opens an archive over any bytes. The memory of the list of its entries is reserved from `budget`.
pub(crate) fn open_archive<B: ReadAt + Send + Sync + 'static>(
    bytes: B,
    name: &str,
    budget: Option<&Budget>,
) -> Result<Mount, Error> {
    let mut reserved = budget.map(Budget::empty);
    let mut refused = None;
    let mut reserve = |bytes: u64| {
        let Some(reserved) = &mut reserved else { return true };
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let grown = reserved.grow(bytes, format_args!("the list of its entries"));
        grown.map_err(|over| refused = Some(over)).is_ok()
    };
    let archive = Archive::parse_within(bytes, name, ArchiveLimits::default(), &mut reserve);
    match refused {
        Some(over) => Err(Error::memory(name, over)),
        None => Ok(Mount::of_archive(name, ArchiveFiles::with_memory(archive?, reserved))),
    }
}
