//! Options of parsing.

use core::fmt;
use core::str::FromStr;

use meshlens_wire::{Error, ErrorKind, Limits, Result};

use crate::FORMAT;

/// The handling of damage that occurs in real files.
///
/// ```
/// use meshlens_unreal::Strictness;
///
/// assert_eq!("lenient".parse(), Ok(Strictness::Lenient));
/// assert_eq!(Strictness::Strict.to_string(), "strict");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Strictness {
    /// A frames file that ends before the end of its last frame is an error, and so is a faulty line of a script.
    #[default]
    Strict,
    /// The whole frames of an incomplete frames file are used. If only the last frame is incomplete,
    /// [`Unreal::incomplete_frame`](crate::Unreal::incomplete_frame) has its available vertices. Faulty lines of a
    /// script are skipped. `validate` and `validate_script` report both.
    Lenient,
}

impl Strictness {
    /// `strict` or `lenient`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Strictness::Strict => "strict",
            Strictness::Lenient => "lenient",
        }
    }
}

impl fmt::Display for Strictness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Strictness {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let found =
            [Strictness::Strict, Strictness::Lenient].into_iter().find(|value| value.as_str() == text);
        found.ok_or_else(|| Error::of_call(FORMAT, ErrorKind::Syntax { expected: "strict or lenient" }))
    }
}

/// Options of parsing files and scripts. The functions without options use the default.
///
/// ```
/// use meshlens_unreal::ParseOptions;
///
/// assert_eq!(ParseOptions::LENIENT.limits, ParseOptions::default().limits);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ParseOptions {
    /// The handling of damaged content.
    pub strictness: Strictness,
    /// Limits on the cost of parsing. [`Limits::count`] limits the frames, and the lines of a script.
    pub limits: Limits,
}

impl ParseOptions {
    /// Lenient, with the default limits.
    pub const LENIENT: ParseOptions =
        ParseOptions { strictness: Strictness::Lenient, limits: Limits::DEFAULT };
}
