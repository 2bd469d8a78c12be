//! From a model's place to its bytes.

use std::io::stdin;
use std::path::Path;

use meshlens_source::{Access, Error, Source, UNSIZED_LIMIT, read_into};

use crate::inputs::{Item, Location};

/// The bytes of a file, read into `buffer` or mapped, whichever suits its size.
#[allow(
    unsafe_code,
    reason = "the command line decides for its user that files may be mapped, and has --no-mmap"
)]
pub(crate) fn source(path: &Path, no_mmap: bool, mut buffer: Vec<u8>) -> Result<Source, Error> {
    if no_mmap {
        read_into(path, &mut buffer)?;
        return Ok(Source::from_vec(buffer));
    }
    // SAFETY: the user of this program vouches that nobody writes to the files meanwhile, as the help of --no-mmap
    // says; nothing here trusts a byte to be the same when it is read again, and results are only believed when the
    // file was intact to the end.
    unsafe { Source::open_guarded(path, Access::Everything, buffer) }
}

/// Calls `then` with the bytes of a model, read into `buffer` where they are neither mapped nor borrowed.
pub(crate) fn with_bytes<R>(
    item: &Item,
    no_mmap: bool,
    buffer: &mut Vec<u8>,
    then: impl FnOnce(&[u8]) -> R,
) -> Result<R, Error> {
    match &item.location {
        Location::File(path) => {
            let source = source(path, no_mmap, std::mem::take(buffer))?;
            let result = then(&source);
            source.intact()?;
            *buffer = source.into_buffer();
            Ok(result)
        }
        Location::Entry { archive, entry } => {
            // The number came from this archive's own list.
            let result = archive.read(&archive.entries()[*entry]).map(|bytes| then(&bytes));
            // Whatever the entry's fault was, a changed archive explains it better.
            archive.bytes().intact()?;
            result
        }
        Location::Stdin => Ok(then(&Source::from_reader(stdin().lock(), UNSIZED_LIMIT)?)),
    }
}
