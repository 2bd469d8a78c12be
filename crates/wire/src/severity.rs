//! The severity of a finding.

use core::fmt;

/// The severity of a finding. The numbers are the same as in the reports of the Khronos glTF-Validator.
///
/// ```
/// use meshlens_wire::Severity;
///
/// assert_eq!("warning".parse(), Ok(Severity::Warning));
/// assert_eq!(Severity::Hint.to_string(), "hint");
/// assert!(Severity::Error < Severity::Info, "the worst is the least");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The content is broken: some readers fail, or show it incorrectly.
    Error = 0,
    /// The content is legal or tolerated, but a known engine refuses it or shows it differently.
    Warning = 1,
    /// Information that does not need a change.
    Info = 2,
    /// A detail that does not affect readers.
    Hint = 3,
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Severity; 4] = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint];

    /// The name in lower case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        }
    }

    /// The number: 0 for errors, 3 for hints.
    pub const fn number(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
