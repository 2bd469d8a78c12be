//! Formats as data: names, detection and parsers.

use alloc::string::String;
use alloc::vec::Vec;

use meshlens_wire::{Code, Pieces, Result};

use super::{Document, Parts};
use crate::model::Space;
use crate::part::Front;

/// Decrypts a file with a password; `None` if the file is not encrypted.
type Decrypt = fn(&[u8], &str) -> Option<Result<Vec<u8>>>;

/// Locates the parts of a model of two files.
type LocatePair = fn(&dyn Pieces, &dyn Pieces) -> Result<Parts>;

/// The name and the functions of a format, for use before a file is parsed.
pub(crate) struct FormatInfo {
    /// The short name, in lower case.
    pub(crate) name: &'static str,
    /// Extensions of file names, in lower case, without the dot.
    pub(crate) extensions: &'static [&'static str],
    /// The space of the format's models.
    pub(crate) space: Space,
    /// The codes of the format's findings and losses.
    pub(crate) codes: &'static [&'static Code],
    /// Whether bytes start with the identifier of the format.
    pub(crate) detect: fn(&[u8]) -> bool,
    /// Whether bytes have another format that the parser names in its error.
    pub(crate) knows_other: fn(&[u8]) -> bool,
    /// Parses bytes, independent of their first bytes.
    pub(crate) parse: for<'a> fn(&'a [u8]) -> Result<Document<'a>>,
    /// Locates the parts of a file, independent of its first bytes.
    pub(crate) locate: fn(&dyn Pieces) -> Result<Parts>,
    /// Locates the parts of a model of two files, and the name of the second file in errors; `None` for formats of one file.
    pub(crate) locate_pair: Option<(LocatePair, &'static str)>,
    /// Locates the parts that are known before the other parts.
    pub(crate) locate_front: fn(&dyn Pieces) -> Result<Front>,
    /// The version in the header, for files that do not parse.
    pub(crate) peek_version: fn(&[u8]) -> Option<String>,
    /// Decrypts a file; `None` if it is not encrypted.
    pub(crate) decrypt: Decrypt,
}

impl FormatInfo {
    /// A format whose models have one file. Its parser has no parts that are known early, no version in the header, no
    /// encryption, and no errors about other formats.
    pub(crate) const fn new(
        name: &'static str,
        extensions: &'static [&'static str],
        space: Space,
        codes: &'static [&'static Code],
        detect: fn(&[u8]) -> bool,
        parse: for<'a> fn(&'a [u8]) -> Result<Document<'a>>,
        locate: fn(&dyn Pieces) -> Result<Parts>,
    ) -> Self {
        FormatInfo {
            name,
            extensions,
            space,
            codes,
            detect,
            parse,
            locate,
            locate_pair: None,
            locate_front: |_| Ok(Front::default()),
            knows_other: |_| false,
            peek_version: |_| None,
            decrypt: |_, _| None,
        }
    }
}
