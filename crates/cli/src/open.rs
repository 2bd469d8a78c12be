//! From a model's place to its bytes.

use std::io::stdin;
use std::path::Path;

use meshlens::Document;
use meshlens::unreal::Role;
use meshlens_source::{Access, Error, Source, UNSIZED_LIMIT, read_into};

use crate::inputs::{Input, Location};

/// The bytes of a model, one file or two.
#[derive(Clone, Copy)]
pub(crate) enum Files<'b> {
    One(&'b [u8]),
    Pair { geometry: &'b [u8], frames: &'b [u8] },
    Half(Role, &'b [u8]),
}

impl<'b> Files<'b> {
    pub(crate) fn parse(self) -> meshlens::Result<Document<'b>> {
        match self {
            Files::One(bytes) => Document::parse(bytes),
            Files::Pair { geometry, frames } => Document::parse_pair(geometry, frames),
            Files::Half(role, bytes) => Document::parse_half(role, bytes),
        }
    }

    /// Bytes of all files.
    pub(crate) fn len(self) -> u64 {
        match self {
            Files::One(bytes) | Files::Half(_, bytes) => bytes.len() as u64,
            Files::Pair { geometry, frames } => geometry.len() as u64 + frames.len() as u64,
        }
    }
}

/// Memory that files are read into, kept from model to model.
#[derive(Default)]
pub(crate) struct Buffers {
    first: Vec<u8>,
    second: Vec<u8>,
}

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

/// Calls `then` with the files of a model, read into `buffers` where they are neither mapped nor borrowed.
pub(crate) fn with_files<R>(
    input: &Input,
    no_mmap: bool,
    buffers: &mut Buffers,
    then: impl FnOnce(Files<'_>) -> R,
) -> Result<R, Error> {
    let Buffers { first, second } = buffers;
    match input {
        Input::One(location) => with_bytes(location, no_mmap, first, |bytes| then(Files::One(bytes))),
        Input::Half(role, location) => {
            with_bytes(location, no_mmap, first, |bytes| then(Files::Half(*role, bytes)))
        }
        Input::Pair { geometry, frames, .. } => with_bytes(geometry, no_mmap, first, |geometry| {
            with_bytes(frames, no_mmap, second, |frames| then(Files::Pair { geometry, frames }))
        })?,
    }
}

fn with_bytes<R>(
    location: &Location,
    no_mmap: bool,
    buffer: &mut Vec<u8>,
    then: impl FnOnce(&[u8]) -> R,
) -> Result<R, Error> {
    match location {
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
