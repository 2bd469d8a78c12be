//! Reports: collections of findings. All findings are counted, even if they are not kept.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

use crate::{Code, Error, Finding, Group, Severity};

/// Collects findings up to a capacity, the worst first, and counts all of them by severity and by code.
///
/// The findings of a validator and the losses of a conversion are collected in the same way.
///
/// ```
/// use meshlens_wire::{Report, codes};
///
/// let mut report = Report::with_capacity(1);
/// report.add(&codes::TRAILING_BYTES, 72, format_args!(""), format_args!("4 bytes follow the last surface"));
/// for triangle in [7, 9] {
///     let pointer = format_args!("/triangles/{triangle}");
///     report.add(&codes::INDEX_OUT_OF_RANGE, 76, pointer, format_args!("vertex 4; there are 4 (0 to 3)"));
/// }
/// assert_eq!(report.findings().map(|finding| finding.code).collect::<Vec<_>>(), ["INDEX_OUT_OF_RANGE"]);
/// assert_eq!(report.total(), 3);
/// assert!(report.is_truncated());
/// let worst = report.groups().next().ok_or("no group")?;
/// let first = worst.first.as_ref().ok_or("no finding")?;
/// assert_eq!((worst.count, first.pointer.as_str()), (2, "/triangles/7"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    /// For each severity, the findings that are kept.
    kept: [Vec<Finding>; 4],
    /// For each severity, the number of findings. It saturates.
    counts: [u64; 4],
    groups: BTreeMap<&'static str, Group>,
    capacity: usize,
}

impl Default for Report {
    fn default() -> Self {
        Report::with_capacity(Report::DEFAULT_CAPACITY)
    }
}

impl Report {
    /// The number of findings that a default report keeps.
    pub const DEFAULT_CAPACITY: usize = 100;

    /// A report that keeps at most `capacity` findings, and in addition the first one of each code. With a capacity of 0, it only
    /// counts.
    pub fn with_capacity(capacity: usize) -> Self {
        Report { kept: Default::default(), counts: [0; 4], groups: BTreeMap::new(), capacity }
    }

    /// Adds a finding about a place in a file. The texts are formatted only if the finding is kept.
    pub fn add(
        &mut self,
        code: &'static Code,
        offset: u64,
        pointer: fmt::Arguments<'_>,
        message: fmt::Arguments<'_>,
    ) {
        self.push(code, Some(offset), 1, pointer, message);
    }

    /// Adds a finding about `count` values, the first of them at `offset`. Adds nothing if `count` is 0.
    pub fn add_several(
        &mut self,
        code: &'static Code,
        count: u64,
        offset: u64,
        pointer: fmt::Arguments<'_>,
        message: fmt::Arguments<'_>,
    ) {
        self.push(code, Some(offset), count, pointer, message);
    }

    /// Adds a loss of a conversion: `count` values that are not preserved. Adds nothing if `count` is 0. `pointer` is
    /// the place in the model, such as the name of a mesh.
    pub fn lose(
        &mut self,
        code: &'static Code,
        count: u64,
        pointer: fmt::Arguments<'_>,
        message: fmt::Arguments<'_>,
    ) {
        self.push(code, None, count, pointer, message);
    }

    /// Adds a parse error as a finding.
    pub fn add_error(&mut self, error: &Error) {
        self.push(error.kind().code(), Some(error.offset()), 1, format_args!(""), format_args!("{error}"));
    }

    /// Adds the counts of `other`, and as many of its findings as fit.
    pub fn append(&mut self, other: Report) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
        for (name, group) in other.groups {
            match self.groups.get_mut(name) {
                Some(own) => {
                    own.count = own.count.saturating_add(group.count);
                    own.findings = own.findings.saturating_add(group.findings);
                    if own.first.is_none() {
                        own.first = group.first;
                    }
                }
                None => {
                    self.groups.insert(name, group);
                }
            }
        }
        for finding in other.kept.into_iter().flatten() {
            self.keep(finding);
        }
    }

    fn push(
        &mut self,
        code: &'static Code,
        offset: Option<u64>,
        count: u64,
        pointer: fmt::Arguments<'_>,
        message: fmt::Arguments<'_>,
    ) {
        if count == 0 {
            return;
        }
        crate::steps::count(1);
        if let Some(sum) = self.counts.get_mut(code.severity as usize) {
            *sum = sum.saturating_add(1);
        }
        let group =
            self.groups.entry(code.name).or_insert(Group { code, count: 0, findings: 0, first: None });
        group.count = group.count.saturating_add(count);
        group.findings = group.findings.saturating_add(1);
        let is_first = group.first.is_none() && self.capacity > 0;
        if !is_first && !self.has_room(code.severity) {
            return;
        }
        let (pointer, message) = (alloc::fmt::format(pointer), alloc::fmt::format(message));
        let finding = Finding { offset, pointer, count, ..Finding::new(code, message) };
        if is_first && let Some(group) = self.groups.get_mut(code.name) {
            group.first = Some(finding.clone());
        }
        self.keep(finding);
    }

    /// Whether another finding of this severity would be kept.
    fn has_room(&self, severity: Severity) -> bool {
        let as_bad = self.kept.iter().zip(Severity::ALL).filter(|(_, kept)| *kept <= severity);
        as_bad.map(|(kept, _)| kept.len()).sum::<usize>() < self.capacity
    }

    fn keep(&mut self, finding: Finding) {
        if self.has_room(finding.severity)
            && let Some(kept) = self.kept.get_mut(finding.severity as usize)
        {
            kept.push(finding);
        }
    }

    /// Removes the findings that are less severe than `least`, including their counts.
    ///
    /// ```
    /// use meshlens_wire::{Report, Severity, codes};
    ///
    /// let mut report = Report::default();
    /// report.add(&codes::TRAILING_BYTES, 72, format_args!(""), format_args!("4 bytes follow the last surface"));
    /// report.add(&codes::INDEX_OUT_OF_RANGE, 76, format_args!(""), format_args!("vertex 4; there are 4 (0 to 3)"));
    /// report.keep_from(Severity::Error);
    /// assert_eq!((report.total(), report.count(Severity::Error), report.groups().count()), (1, 1, 1));
    /// ```
    pub fn keep_from(&mut self, least: Severity) {
        self.retain(|code| code.severity <= least);
    }

    /// Removes the findings whose codes are not kept, including their counts. O(codes + findings that are kept).
    ///
    /// ```
    /// use meshlens_wire::{Report, codes};
    ///
    /// let mut report = Report::with_capacity(1);
    /// for code in [&codes::LIMIT_VERTICES, &codes::LIMIT_VERTICES, &codes::TRAILING_BYTES] {
    ///     report.add(code, 72, format_args!(""), format_args!("a finding"));
    /// }
    /// report.retain(|code| *code != codes::LIMIT_VERTICES);
    /// assert_eq!((report.total(), report.groups().count(), report.findings().count()), (1, 1, 0));
    /// ```
    pub fn retain(&mut self, is_kept: impl Fn(&'static Code) -> bool) {
        let Report { kept, counts, groups, .. } = self;
        groups.retain(|_, group| {
            let keeps = is_kept(group.code);
            if !keeps && let Some(count) = counts.get_mut(group.code.severity as usize) {
                *count = count.saturating_sub(group.findings);
            }
            keeps
        });
        for kept in kept {
            kept.retain(|finding| groups.contains_key(finding.code));
        }
    }

    /// The findings that are kept: errors, then warnings, infos and hints, each in the order in which they were added.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.kept.iter().flatten().take(self.capacity)
    }

    /// The findings by code, including findings that are not kept: the worst first, then by the names of the codes.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        Severity::ALL
            .into_iter()
            .flat_map(|severity| self.groups.values().filter(move |group| group.code.severity == severity))
    }

    /// The number of findings of a severity, including findings that are not kept.
    pub fn count(&self, severity: Severity) -> u64 {
        // There is a count for each severity.
        self.counts.get(severity as usize).copied().unwrap_or(0)
    }

    /// The number of all findings, including findings that are not kept.
    pub fn total(&self) -> u64 {
        self.counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count))
    }

    /// Whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.total() == 0
    }

    /// Whether some findings were counted, but not kept.
    pub fn is_truncated(&self) -> bool {
        self.total() > self.findings().count() as u64
    }

    /// The worst severity of all findings; `None` if there are no findings.
    pub fn worst(&self) -> Option<Severity> {
        Severity::ALL.into_iter().find(|severity| self.count(*severity) > 0)
    }
}
