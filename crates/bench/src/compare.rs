//! `meshlens bench compare`: the rates of two measurements of the same files, side by side.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use meshlens_terminal::status::Status;
use meshlens_terminal::{Output, tell};
use serde::{Deserialize, Serialize};

use crate::args::Compare;

/// The parts of a report that a comparison needs.
#[derive(Deserialize)]
struct Measured {
    bytes: u64,
    load: Option<f64>,
    machine: serde_json::Value,
    arrays: Vec<Array>,
    whole: Whole,
}

#[derive(Deserialize)]
struct Array {
    format: String,
    name: String,
    elements: u64,
    crc32: u32,
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
struct Whole {
    elements: u64,
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
    spread: f64,
    melements_per_second: f64,
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
struct Row {
    what: String,
    /// Millions of elements per second.
    before: f64,
    after: f64,
    /// The difference, divided by the rate before.
    change: f64,
    verdict: Verdict,
}

impl Row {
    /// `tolerance` is a fraction of the rate before; `None` for a copy.
    fn new(what: String, before: Rate, after: Rate, tolerance: Option<f64>) -> Row {
        let (from, to) = (before.melements_per_second, after.melements_per_second);
        let change = to / from - 1.0;
        // Half of the distance between the quartiles of each measurement.
        let noise = (before.spread + after.spread) / 2.0;
        let verdict = match tolerance {
            None => Verdict::Copy,
            Some(tolerance) if change < -tolerance.max(noise) => Verdict::Slower,
            Some(tolerance) if change > tolerance.max(noise) => Verdict::Faster,
            Some(_) => Verdict::Same,
        };
        Row { what, before: from, after: to, change, verdict }
    }
}

pub(crate) fn run(arguments: &Compare, out: &mut Output) -> io::Result<Status> {
    let (before, after) = match (read(&arguments.before), read(&arguments.after)) {
        (Ok(before), Ok(after)) => (before, after),
        (before, after) => {
            [before.err(), after.err()].iter().flatten().for_each(|message| tell!("{message}"));
            return Ok(Status::Failed);
        }
    };
    if (before.bytes, before.whole.elements) != (after.bytes, after.whole.elements) {
        tell!(
            "the reports are of other files: {} bytes and {} elements before, {} bytes and {} elements after",
            before.bytes,
            before.whole.elements,
            after.bytes,
            after.whole.elements
        );
        return Ok(Status::Failed);
    }
    if before.machine != after.machine {
        tell!("the machines differ: {} before, {} after", before.machine, after.machine);
    }
    for (load, when) in [(before.load, "before"), (after.load, "after")] {
        if let Some(load) = load.filter(|load| *load >= 1.0) {
            tell!("the load {when} was {load}: other programs took time from the measurement");
        }
    }
    let changed = changed(&before, &after);
    changed.iter().for_each(|name| tell!("{name}: the values are other ones than before"));
    let rows = rows(&before, &after, arguments.tolerance / 100.0);
    crate::write(out, arguments.format, &rows, |rows, out| text(rows, out))?;
    let is_slower = rows.iter().any(|row| row.verdict == Verdict::Slower);
    Ok(if is_slower || !changed.is_empty() { Status::Findings } else { Status::Fine })
}

fn read(path: &Path) -> Result<Measured, String> {
    let text = fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    serde_json::from_slice(&text).map_err(|error| {
        format!("{}: not a report of \"meshlens bench --format json\": {error}", path.display())
    })
}

/// The arrays of both reports.
fn pairs<'a>(before: &'a Measured, after: &'a Measured) -> impl Iterator<Item = (&'a Array, &'a Array)> {
    before.arrays.iter().filter_map(|array| {
        let is_same = |other: &&Array| (&other.format, &other.name) == (&array.format, &array.name);
        Some((array, after.arrays.iter().find(is_same)?))
    })
}

/// The names of the arrays whose decoded values differ.
fn changed(before: &Measured, after: &Measured) -> Vec<String> {
    let changed = pairs(before, after).filter(|(a, b)| (a.elements, a.crc32) != (b.elements, b.crc32));
    changed.map(|(array, _)| format!("{} {}", array.format, array.name)).collect()
}

/// The rates that occur in both reports: of each array, and then of whole files.
fn rows(before: &Measured, after: &Measured, tolerance: f64) -> Vec<Row> {
    let mut rows = Vec::new();
    for (a, b) in pairs(before, after) {
        let name = format!("{} {}", a.format, a.name);
        for LevelRate { level, rate } in &a.levels {
            if let Some(other) = b.levels.iter().find(|other| other.level == *level) {
                rows.push(Row::new(format!("{name}, {level}"), *rate, other.rate, Some(tolerance)));
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

fn text(rows: &[Row], out: &mut Output) -> io::Result<()> {
    let width = rows.iter().map(|row| row.what.chars().count()).max().unwrap_or(0);
    writeln!(out, "{:<width$}  {:>8}  {:>8}  {:>8}", "Melements/s", "before", "after", "change")?;
    for Row { what, before, after, change, verdict } in rows {
        let verdict = match verdict {
            Verdict::Same | Verdict::Copy => "",
            Verdict::Faster => "  faster",
            Verdict::Slower => "  slower",
        };
        writeln!(out, "{what:<width$}  {before:>8.1}  {after:>8.1}  {:>+6.1} %{verdict}", change * 100.0)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_must_exceed_the_tolerance_and_the_spread() {
        let verdict = |before, after, spread| {
            let rate = |melements_per_second| Rate { spread, melements_per_second };
            Row::new(String::new(), rate(before), rate(after), Some(0.05)).verdict
        };
        assert_eq!(verdict(100.0, 94.0, 0.0), Verdict::Slower);
        assert_eq!(verdict(100.0, 96.0, 0.0), Verdict::Same);
        assert_eq!(verdict(100.0, 106.0, 0.0), Verdict::Faster);
        // Both measurements have a spread of 10 %.
        assert_eq!(verdict(100.0, 91.0, 0.1), Verdict::Same);
        assert_eq!(verdict(100.0, 89.0, 0.1), Verdict::Slower);
    }
}
