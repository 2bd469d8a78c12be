//! The properties of a format that are known without a file: its number, its names and its space; and detection.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use meshlens_wire::{Code, Error, ErrorKind, Result};

use super::Format;
use crate::model::Space;

impl Format {
    /// The number of bytes at the start of a file that [`detect`](Self::detect) needs.
    pub const DETECT_BYTES: usize = 64;

    /// Detects the format of `bytes` by their first bytes; `None` if it is unknown. Unreal meshes have no identifier
    /// and are recognized by their file names.
    pub fn detect(bytes: &[u8]) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| (format.info().detect)(bytes))
    }

    /// The format whose parser has a specific error for the format of `bytes`.
    pub(crate) fn knows_other(bytes: &[u8]) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| (format.info().knows_other)(bytes))
    }

    /// The version in the header of a file of this format, for files that do not parse, such as encrypted ones; `None`
    /// if the header has no version.
    pub fn peek_version(self, bytes: &[u8]) -> Option<String> {
        (self.info().peek_version)(bytes)
    }

    /// A number that stays the same in every version and build, for interfaces outside Rust. It is never 0.
    pub const fn number(self) -> u8 {
        self as u8
    }

    /// The format with this [number](Format::number); `None` if this build has no such format.
    pub fn from_number(number: u8) -> Option<Format> {
        Format::ALL.iter().copied().find(|format| format.number() == number)
    }

    /// The short name in lower case, as in errors and reports.
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// The space of the models of this format: axes, handedness and winding.
    pub const fn space(self) -> Space {
        self.info().space
    }

    /// The format whose files usually have this extension, without the dot and in any case. Files of other formats may
    /// have the same extension.
    pub fn from_extension(extension: &str) -> Option<Format> {
        let has = |known: &&str| extension.eq_ignore_ascii_case(known);
        Format::ALL.iter().copied().find(|format| format.info().extensions.iter().any(has))
    }

    /// The codes of the format's findings and losses.
    pub(crate) const fn codes(self) -> &'static [&'static Code] {
        self.info().codes
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    /// The format with this [name](Format::name).
    fn from_str(name: &str) -> Result<Self> {
        let found = Format::ALL.iter().copied().find(|format| format.name() == name);
        found.ok_or_else(|| {
            Error::of_call("meshlens", ErrorKind::Unsupported { what: "a format of this name" })
        })
    }
}
