//! Findings: the problems of a file that a validator reports, and the losses of a conversion.

use std::ffi::c_char;

use meshlens::Report;
use meshlens::wire::Severity;

use crate::asset::ml_asset;
use crate::call::{at, call};
use crate::enums::{ml_severity, raw};
use crate::error::{ML_NO_OFFSET, ml_error};
use crate::handle;
use crate::memory::{Allocator, Limited};
use crate::names::{TextAt, TextBuilder, Texts};
use crate::result::{Result, ml_result};
use crate::sized::{self, Growing};

/// A list of findings. It is immutable, and stays open when the file is closed.
pub struct ml_report {
    info: ml_report_info,
    findings: Vec<FindingTexts>,
    groups: Vec<Group>,
    texts: Texts,
    allocator: Allocator,
}

struct FindingTexts {
    severity: Severity,
    code: TextAt,
    message: TextAt,
    pointer: TextAt,
    offset: Option<u64>,
    count: u64,
}

struct Group {
    severity: Severity,
    code: TextAt,
    count: u64,
    findings: u64,
}

handle::opaque!(ml_report: allocator);

impl ml_report {
    pub(crate) fn new(report: &Report, memory: &Limited) -> Result<ml_report> {
        let mut texts = TextBuilder::default();
        let findings = report.findings().map(|finding| FindingTexts {
            severity: finding.severity,
            code: texts.add(finding.code),
            message: texts.add(&finding.message),
            pointer: texts.add(&finding.pointer),
            offset: finding.offset,
            count: finding.count,
        });
        let findings: Vec<FindingTexts> = findings.collect();
        let groups = report.groups().map(|group| Group {
            severity: group.code.severity,
            code: texts.add(group.code.name),
            count: group.count,
            findings: group.findings,
        });
        let groups: Vec<Group> = groups.collect();
        let [errors, warnings, infos, hints] = Severity::ALL.map(|severity| report.count(severity));
        let info = ml_report_info {
            size: 0,
            finding_count: findings.len(),
            group_count: groups.len(),
            total: report.total(),
            errors,
            warnings,
            infos,
            hints,
        };
        Ok(ml_report { info, findings, groups, texts: texts.finish(memory)?, allocator: memory.allocator })
    }
}

/// Validates the files of an asset, such as all parts of a player: reports content that is broken, or legal but unusual,
/// also in the script that it was opened with. ml_get_node_asset makes an asset of one node, which has the findings of its
/// file alone. The findings about an imported asset (glTF) are those of its import, which also ml_get_asset_report has.
/// At most `max_findings` findings are kept, the most severe first (100 if it is 0); all are counted.
///
/// On success, `*report` is a new handle, to be closed with ml_close_report; otherwise it is NULL.
///
/// Cost: O(size of the files).
/// Threads: any.
/// Errors: ML_ERROR_INCOMPLETE for a loaded part that is not the whole model; ML_ERROR_MEMORY, ML_ERROR_MEMORY_LIMIT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_validate(
    asset: *const ml_asset,
    max_findings: usize,
    report: *mut *mut ml_report,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(report)?;
        let asset = handle::get(asset)?;
        let capacity = if max_findings == 0 { Report::DEFAULT_CAPACITY } else { max_findings };
        let mut found = Report::with_capacity(capacity);
        asset.validate(&mut found)?;
        handle::open(report, ml_report::new(&found, asset.memory())?)
    })
}

/// Closes a report, and frees its texts. NULL is ignored.
///
/// Cost: O(findings).
/// Threads: any, one at a time.
/// Errors: those of ml_close.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_close_report(report: *mut ml_report) -> ml_result {
    call!(std::ptr::null_mut(), handle::close(report))
}

/// The counts of a report.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_report_info {
    /// sizeof(ml_report_info), or 0 for the first version of the struct.
    pub size: usize,
    /// The number of kept findings, for ml_get_finding.
    pub finding_count: usize,
    /// The number of codes, for ml_get_finding_group.
    pub group_count: usize,
    /// The number of all findings, kept or not.
    pub total: u64,
    /// The number of findings of ML_SEVERITY_ERROR, kept or not.
    pub errors: u64,
    /// The number of findings of ML_SEVERITY_WARNING, kept or not.
    pub warnings: u64,
    /// The number of findings of ML_SEVERITY_INFO, kept or not.
    pub infos: u64,
    /// The number of findings of ML_SEVERITY_HINT, kept or not.
    pub hints: u64,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_report_info {}

/// Writes the counts of a report.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_report_info(
    report: *const ml_report,
    info: *mut ml_report_info,
    error: *mut ml_error,
) -> ml_result {
    call!(error, sized::write(info, handle::get(report)?.info))
}

/// One finding about one place in a file, or about several values with the same fault.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_finding {
    /// sizeof(ml_finding), or 0 for the first version of the struct.
    pub size: usize,
    /// A stable name in SCREAMING_SNAKE_CASE, which ml_explain explains. Valid until ml_close_report, like the other
    /// texts.
    pub code: *const c_char,
    /// A description of the finding, with numbers.
    pub message: *const c_char,
    /// The place in the document, such as "/surfaces/2/triangles/17"; empty for the whole.
    pub pointer: *const c_char,
    /// The absolute byte offset in the file; ML_NO_OFFSET if the finding has no location in a file.
    pub offset: u64,
    /// The number of values or places that the finding is about, usually 1.
    pub count: u64,
    /// The severity.
    pub severity: raw::ml_severity,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_finding {}

/// Writes a kept finding. Errors come first, then warnings, infos and hints, each in the order in which they were
/// found.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such finding.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_finding(
    report: *const ml_report,
    index: usize,
    finding: *mut ml_finding,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let report = handle::get(report)?;
        let found = at(&report.findings, "finding", index)?;
        let written = ml_finding {
            size: 0,
            code: report.texts.get(found.code),
            message: report.texts.get(found.message),
            pointer: report.texts.get(found.pointer),
            offset: found.offset.unwrap_or(ML_NO_OFFSET),
            count: found.count,
            severity: ml_severity::number(found.severity),
        };
        sized::write(finding, written)
    })
}

/// All findings of one code.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_finding_group {
    /// sizeof(ml_finding_group), or 0 for the first version of the struct.
    pub size: usize,
    /// The code. Valid until ml_close_report.
    pub code: *const c_char,
    /// The number of values or places that the findings are about.
    pub count: u64,
    /// The number of findings, kept or not.
    pub finding_count: u64,
    /// The severity of each.
    pub severity: raw::ml_severity,
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_finding_group {}

/// Writes the number of findings with a code. Groups are sorted by severity, the most severe first, and then by name.
///
/// Cost: O(1).
/// Threads: any.
/// Errors: ML_ERROR_INDEX if there is no such group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_get_finding_group(
    report: *const ml_report,
    index: usize,
    group: *mut ml_finding_group,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        let report = handle::get(report)?;
        let found = at(&report.groups, "group", index)?;
        let written = ml_finding_group {
            size: 0,
            code: report.texts.get(found.code),
            count: found.count,
            finding_count: found.findings,
            severity: ml_severity::number(found.severity),
        };
        sized::write(group, written)
    })
}
