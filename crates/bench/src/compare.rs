//! `meshlens bench compare`: the rates of two measurements of the same files, side by side.

use std::io::{self, Write};
use std::path::Path;

use meshlens_source::Source;
use meshlens_terminal::status::Status;
use meshlens_terminal::{Output, tell, told};
use serde::{Deserialize, Serialize};

use crate::args::{Compare, Format};
use crate::report::Share;

/// The largest size of a report in bytes, many times that of a real one. The work grows with its square.
const LIMIT: u64 = 1 << 20;

/// The parts of a report that a comparison needs.
#[derive(Deserialize)]
pub(crate) struct Measured {
    build: serde_json::Value,
    machine: serde_json::Value,
    bytes: u64,
    files_crc32: u32,
    load: Option<f64>,
    arrays: Vec<Array>,
    whole: WholeFile,
}

#[derive(Deserialize)]
struct Array {
    format: String,
    name: String,
    elements: u64,
    crc32: u32,
    kernel: bool,
    levels: Vec<LevelRate>,
    memcpy: Rate,
}

#[derive(Deserialize)]
struct LevelRate {
    level: String,
    #[serde(flatten)]
    rate: Rate,
}

#[derive(Deserialize)]
struct WholeFile {
    levels: Vec<WholeRates>,
    memcpy: Rate,
}

#[derive(Deserialize)]
struct WholeRates {
    level: String,
    one_core: Rate,
    all_cores: Rate,
}

#[derive(Clone, Copy, Deserialize)]
struct Rate {
    melements_per_second: f64,
    spread: f64,
    of_copy: Share,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Same,
    Faster,
    Slower,
    /// A copy, which measures the machine.
    Copy,
}

/// One rate in both reports.
#[derive(Serialize)]
pub(crate) struct Row {
    what: String,
    /// Millions of elements per second.
    before: f64,
    after: f64,
    /// The rates divided by those of the copies.
    before_of_copy: f64,
    after_of_copy: f64,
    /// The difference of the rates divided by those of the copies, divided by the one before; for a copy, of the rates.
    change: f64,
    verdict: Verdict,
}

impl Row {
    /// `tolerance` is a fraction of the rate before; `None` for a copy.
    fn new(what: String, before: Rate, after: Rate, tolerance: Option<f64>) -> Row {
        let (from, to) = match tolerance {
            None => (before.melements_per_second, after.melements_per_second),
            Some(_) => (before.of_copy.median, after.of_copy.median),
        };
        let change = to / from - 1.0;
        // Turns of a busy machine may be alike in the ratios and not in the durations, or the other way around.
        let noise = (before.of_copy.spread + after.of_copy.spread).max(before.spread + after.spread);
        let verdict = match tolerance {
            None => Verdict::Copy,
            Some(tolerance) if change < -tolerance.max(noise) => Verdict::Slower,
            Some(tolerance) if change > tolerance.max(noise) => Verdict::Faster,
            Some(_) => Verdict::Same,
        };
        Row {
            what,
            before: before.melements_per_second,
            after: after.melements_per_second,
            before_of_copy: before.of_copy.median,
            after_of_copy: after.of_copy.median,
            change,
            verdict,
        }
    }
}

pub(crate) fn run(arguments: &Compare, out: &mut Output) -> io::Result<Status> {
    let reports = [&arguments.before, &arguments.after].map(|path| told(read(path)));
    let [Some(before), Some(after)] = reports else { return Ok(Status::Failed) };
    if (before.bytes, before.files_crc32) != (after.bytes, after.files_crc32) {
        let files =
            |report: &Measured| format!("{} bytes with CRC-32 {:08x}", report.bytes, report.files_crc32);
        tell!("the reports are of other files: {} before, {} after", files(&before), files(&after));
        return Ok(Status::Failed);
    }
    for (what, before, after) in
        [("machines", &before.machine, &after.machine), ("builds", &before.build, &after.build)]
    {
        if before != after {
            tell!("the {what} differ: {before} before, {after} after");
        }
    }
    for (load, when) in [(before.load, "before"), (after.load, "after")] {
        if let Some(load) = load.filter(|load| *load >= 1.0) {
            tell!("the load {when} was {load}: other programs took time from the measurement");
        }
    }
    let changed = changed(&before, &after);
    changed.iter().for_each(|name| tell!("{name}: the values are other ones than before"));
    let rows = rows(&before, &after, arguments.tolerance / 100.0);
    match arguments.format {
        Format::Text => text(&rows, out)?,
        Format::Json => crate::json(&rows, out)?,
    }
    let is_slower = rows.iter().any(|row| row.verdict == Verdict::Slower);
    Ok(if is_slower || !changed.is_empty() { Status::Findings } else { Status::Fine })
}

/// Reads a report. Devices and pipes, which may have no end, are refused.
pub(crate) fn read(path: &Path) -> Result<Measured, String> {
    let text = Source::read_limited(path, LIMIT).map_err(|error| error.to_string())?;
    let fault = |fault: String| {
        format!("{}: not a report of \"meshlens bench --format json\": {fault}", path.display())
    };
    let report: Measured = serde_json::from_slice(&text).map_err(|error| fault(error.to_string()))?;
    let wrong = rates(&report).find(|rate| !rate.is_measured());
    match wrong {
        Some(rate) => Err(fault(format!(
            "a rate of {} M/s, {} of the copy",
            rate.melements_per_second, rate.of_copy.median
        ))),
        None => Ok(report),
    }
}

impl Rate {
    /// Whether a program can have measured these numbers, so that quotients of them are finite.
    fn is_measured(&self) -> bool {
        let is_positive = |number: f64| (1e-12..=1e15).contains(&number);
        is_positive(self.melements_per_second)
            && is_positive(self.of_copy.median)
            && self.of_copy.spread >= 0.0
            && self.spread >= 0.0
    }
}

fn rates(report: &Measured) -> impl Iterator<Item = Rate> {
    let of_array = |array: &Array| {
        [array.memcpy].into_iter().chain(array.levels.iter().map(|level| level.rate)).collect::<Vec<_>>()
    };
    let of_whole = report.whole.levels.iter().flat_map(|level| [level.one_core, level.all_cores]);
    report.arrays.iter().flat_map(of_array).chain(of_whole).chain([report.whole.memcpy])
}

/// The arrays of both reports.
fn pairs<'a>(before: &'a Measured, after: &'a Measured) -> impl Iterator<Item = (&'a Array, &'a Array)> {
    before.arrays.iter().filter_map(|array| {
        let is_same = |other: &&Array| (&other.format, &other.name) == (&array.format, &array.name);
        Some((array, after.arrays.iter().find(is_same)?))
    })
}

/// The names of the arrays whose decoded values differ.
pub(crate) fn changed(before: &Measured, after: &Measured) -> Vec<String> {
    let changed = pairs(before, after).filter(|(a, b)| (a.elements, a.crc32) != (b.elements, b.crc32));
    changed.map(|(array, _)| format!("{} {}", array.format, array.name)).collect()
}

/// The rates that occur in both reports: of each array, and then of whole files.
pub(crate) fn rows(before: &Measured, after: &Measured, tolerance: f64) -> Vec<Row> {
    let mut rows = Vec::new();
    for (a, b) in pairs(before, after) {
        let name = format!("{} {}", a.format, a.name);
        for LevelRate { level, rate } in &a.levels {
            if let Some(other) = b.levels.iter().find(|other| other.level == *level) {
                // Arrays without kernels are copied, which measures the machine.
                let tolerance = (a.kernel || b.kernel).then_some(tolerance);
                rows.push(Row::new(format!("{name}, {level}"), *rate, other.rate, tolerance));
            }
        }
        rows.push(Row::new(format!("{name}, memcpy"), a.memcpy, b.memcpy, None));
    }
    for WholeRates { level, one_core, all_cores } in &before.whole.levels {
        if let Some(other) = after.whole.levels.iter().find(|other| other.level == *level) {
            let name = format!("whole files, {level}");
            rows.push(Row::new(format!("{name}, one core"), *one_core, other.one_core, Some(tolerance)));
            rows.push(Row::new(format!("{name}, all cores"), *all_cores, other.all_cores, Some(tolerance)));
        }
    }
    rows.push(Row::new("whole files, memcpy".into(), before.whole.memcpy, after.whole.memcpy, None));
    rows
}

pub(crate) fn text(rows: &[Row], out: &mut Output) -> io::Result<()> {
    let width = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
    writeln!(out, "{:<width$}  {:>9}  {:>9}  {:>15}  {:>8}", "", "M/s", "M/s", "times the copy", "change")?;
    for Row { what, before, after, before_of_copy, after_of_copy, change, verdict } in rows {
        let (from, to, change) = (before_of_copy, after_of_copy, change * 100.0);
        let verdict = match verdict {
            Verdict::Same | Verdict::Copy => "",
            Verdict::Faster => "  faster",
            Verdict::Slower => "  slower",
        };
        writeln!(
            out,
            "{what:<width$}  {before:>9.1}  {after:>9.1}  {from:>6.2} > {to:>6.2}  {change:>+6.1} %{verdict}"
        )?;
    }
    if rows.iter().all(|row| matches!(row.verdict, Verdict::Same | Verdict::Copy)) {
        writeln!(out, "no difference")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_must_exceed_the_tolerance_and_the_spread() {
        let verdict = |before, after, spread| {
            // The rates themselves do not matter, only their quotients with the copies.
            let rate = |median| Rate {
                melements_per_second: 7.0 + median,
                spread,
                of_copy: Share { median, spread },
            };
            Row::new(String::new(), rate(before), rate(after), Some(0.05)).verdict
        };
        assert_eq!(verdict(1.0, 0.94, 0.0), Verdict::Slower);
        assert_eq!(verdict(1.0, 0.96, 0.0), Verdict::Same);
        assert_eq!(verdict(1.0, 1.06, 0.0), Verdict::Faster);
        // Both measurements have a spread of 10 %.
        assert_eq!(verdict(1.0, 0.81, 0.1), Verdict::Same);
        assert_eq!(verdict(1.0, 0.79, 0.1), Verdict::Slower);
    }
}
