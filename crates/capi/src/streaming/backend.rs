//! Files that are read by callbacks of the caller, on threads of the streamer.

use std::io;
use std::sync::Arc;

use meshlens_stream::backend::{Read, Version};
use meshlens_stream::{Error, FileName};

use crate::assets::{Callbacks, c_path};

/// Reads through the callbacks.
pub(super) fn answer(files: &Callbacks, mut read: Read) {
    let name = read.file().clone();
    let known = read.version().and_then(|version| version.downcast_ref::<u64>().copied());
    match fill(files, &name, known, &mut read) {
        Ok((len, size, version)) => {
            let version: Version = Arc::new(version);
            read.finish(len, size, Some(version));
        }
        Err(Fault::File(error)) => read.fail_with(&error),
        Err(Fault::Read(error)) => read.fail(error),
    }
}

/// Why a read failed.
enum Fault {
    /// A callback failed.
    File(io::Error),
    Read(Error),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault::File(error)
    }
}

/// Returns the number of bytes read, the length of the file and its version.
fn fill(
    files: &Callbacks,
    name: &FileName,
    known: Option<u64>,
    read: &mut Read,
) -> Result<(usize, u64, u64), Fault> {
    let path = c_path(name)?;
    let (size, version) = files.size_of(&path)?;
    if known.is_some_and(|known| known != version) {
        return Err(Fault::Read(Error::Changed { file: name.clone() }));
    }
    let range = read.range();
    let bytes = range.end.min(size).saturating_sub(range.start);
    let no_memory = || Fault::Read(Error::NoMemory { file: name.clone(), bytes });
    let wanted = usize::try_from(bytes).map_err(|_| no_memory())?;
    let buffer = read.try_buffer().map_err(|_| no_memory())?;
    let room = buffer.get_mut(..wanted).ok_or_else(no_memory)?;
    if !room.is_empty() {
        files.read_into(&path, range.start, room)?;
    }
    Ok((wanted, size, version))
}
