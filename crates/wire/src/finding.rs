//! Findings: what a validator has to say about a file that parses.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::Error;

/// How bad a finding is; the numbers are those of the Khronos glTF-Validator report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The content is broken: some reader will fail or show something wrong.
    Error = 0,
    /// Legal or tolerated, but a known engine refuses it or shows it differently.
    Warning = 1,
    /// Worth knowing.
    Info = 2,
    /// A matter of style.
    Hint = 3,
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Severity; 4] = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint];
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
            Severity::Hint => "hint",
        })
    }
}

/// One remark about one place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A stable name in SCREAMING_SNAKE_CASE.
    pub code: &'static str,
    /// What was found, in words and numbers.
    pub message: String,
    /// Absolute byte offset in the file.
    pub offset: u64,
    /// The place in the document, such as `/surfaces/2/triangles/17`; empty for the whole.
    pub pointer: String,
}

impl From<&Error> for Finding {
    fn from(error: &Error) -> Self {
        Finding {
            severity: Severity::Error,
            code: error.code(),
            message: alloc::format!("{error}"),
            offset: error.offset(),
            pointer: String::new(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.severity, self.code, self.message)?;
        if !self.pointer.is_empty() {
            write!(f, " ({})", self.pointer)?;
        }
        write!(f, " at {:#x}", self.offset)
    }
}

/// Collects findings, the worst kept first when there are too many, and counts them all.
///
/// ```
/// use meshlens_wire::{Report, Severity};
///
/// let mut report = Report::with_capacity(1);
/// report.add(Severity::Info, "FLAGS_SET", 72, format_args!("/flags"), format_args!("flags are 0x1"));
/// report.add(Severity::Error, "NO_FRAMES", 76, format_args!("/frames"), format_args!("there is no frame"));
/// assert_eq!(report.findings().map(|finding| finding.code).collect::<Vec<_>>(), ["NO_FRAMES"]);
/// assert_eq!(report.count(Severity::Info), 1);
/// assert!(report.is_truncated());
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    kept: [Vec<Finding>; 4],
    counts: [u64; 4],
    capacity: usize,
}

impl Default for Report {
    fn default() -> Self {
        Report::with_capacity(Report::DEFAULT_CAPACITY)
    }
}

impl Report {
    /// Findings kept when nothing else is asked for.
    pub const DEFAULT_CAPACITY: usize = 100;

    /// A report that keeps at most `capacity` findings.
    pub fn with_capacity(capacity: usize) -> Self {
        Report { kept: Default::default(), counts: [0; 4], capacity }
    }

    /// Adds a finding. Its texts are only written when it is kept.
    pub fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        offset: u64,
        pointer: fmt::Arguments<'_>,
        message: fmt::Arguments<'_>,
    ) {
        self.count_one(severity);
        if self.has_room(severity) {
            self.push(Finding {
                severity,
                code,
                message: alloc::fmt::format(message),
                offset,
                pointer: alloc::fmt::format(pointer),
            });
        }
    }

    /// Adds a parse error as a finding.
    pub fn add_error(&mut self, error: &Error) {
        self.count_one(Severity::Error);
        if self.has_room(Severity::Error) {
            self.push(Finding::from(error));
        }
    }

    fn count_one(&mut self, severity: Severity) {
        #[cfg(feature = "steps")]
        meshlens_steps::count(1);
        if let Some(count) = self.counts.get_mut(severity as usize) {
            *count = count.saturating_add(1);
        }
    }

    /// Whether another finding this bad would be kept.
    fn has_room(&self, severity: Severity) -> bool {
        let as_bad = self.kept.iter().take((severity as usize).saturating_add(1));
        as_bad.fold(0usize, |sum, kept| sum.saturating_add(kept.len())) < self.capacity
    }

    fn push(&mut self, finding: Finding) {
        if let Some(kept) = self.kept.get_mut(finding.severity as usize) {
            kept.push(finding);
        }
    }

    /// The findings kept: errors first, then warnings, infos and hints, each in the order they were found.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.kept.iter().flatten().take(self.capacity)
    }

    /// How many findings of this severity there are, kept or not.
    pub fn count(&self, severity: Severity) -> u64 {
        self.counts.get(severity as usize).copied().unwrap_or_default()
    }

    /// How many findings there are, kept or not.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count))
    }

    /// Whether some findings were counted and not kept.
    pub fn is_truncated(&self) -> bool {
        self.total() > self.findings().count() as u64
    }

    /// The worst severity found.
    pub fn worst(&self) -> Option<Severity> {
        Severity::ALL.into_iter().find(|severity| self.count(*severity) > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_are_kept_and_all_are_counted() {
        let mut report = Report::with_capacity(3);
        for offset in 0..5 {
            report.add(Severity::Hint, "STYLE", offset, format_args!(""), format_args!("style"));
        }
        for offset in 5..7 {
            report.add(
                Severity::Error,
                "BROKEN",
                offset,
                format_args!("/a/{offset}"),
                format_args!("broken"),
            );
        }
        let offsets: Vec<u64> = report.findings().map(|finding| finding.offset).collect();
        assert_eq!(offsets, [5, 6, 0]);
        assert_eq!((report.count(Severity::Hint), report.count(Severity::Error), report.total()), (5, 2, 7));
        assert_eq!(report.worst(), Some(Severity::Error));
        assert!(report.is_truncated());
        assert_eq!(report.findings().next().unwrap().pointer, "/a/5");
    }

    #[test]
    fn a_parse_error_becomes_a_finding_with_its_code() {
        let error = crate::Data::new("md3", b"").take(0, 4, "ident").unwrap_err();
        let mut report = Report::default();
        report.add_error(&error);
        let finding = report.findings().next().unwrap();
        assert_eq!((finding.code, finding.severity, finding.offset), ("OUT_OF_BOUNDS", Severity::Error, 0));
        assert_eq!(finding.message, "md3: ident of 4 bytes at 0x0 end past the file (0x0)");
        assert!(!report.is_truncated());
    }
}
