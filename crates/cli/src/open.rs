//! From a model's place to its bytes.

use std::borrow::Cow;
use std::io::stdin;
use std::path::Path;

use meshlens::Document;
use meshlens::unreal::Role;
use meshlens_source::{Access, Error, Source, UNSIZED_LIMIT, read_into};

use crate::args::Password;
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

    /// The files, decrypted where they are encrypted and there is a password.
    pub(crate) fn unlock(self, password: &Password) -> meshlens::Result<Unlocked<'b>> {
        let plain = match self {
            Files::One(bytes) => match password.unlock(bytes)? {
                Cow::Owned(plain) => Some(plain),
                Cow::Borrowed(_) => None,
            },
            Files::Pair { .. } | Files::Half(..) => None,
        };
        Ok(Unlocked { files: self, plain })
    }

    /// The file whose first bytes say what the format is, where a format says so.
    pub(crate) fn first(self) -> &'b [u8] {
        match self {
            Files::One(bytes) | Files::Half(_, bytes) | Files::Pair { geometry: bytes, .. } => bytes,
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

/// The files of a model that nothing locks any more: as they are, or decrypted into memory of their own.
pub(crate) struct Unlocked<'b> {
    files: Files<'b>,
    plain: Option<Vec<u8>>,
}

impl Unlocked<'_> {
    pub(crate) fn parse(&self) -> meshlens::Result<Document<'_>> {
        match &self.plain {
            Some(plain) => Document::parse(plain),
            None => self.files.parse(),
        }
    }

    /// Bytes of all files.
    pub(crate) fn len(&self) -> u64 {
        self.files.len()
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
