//! The values of options.

use std::time::{Duration, SystemTime};

use meshlens::model::Axis;

/// The name of an engine.
pub(super) fn engine() -> clap::builder::PossibleValuesParser {
    crate::engines::names().into()
}

pub(super) fn frames(text: &str) -> Result<(usize, usize), String> {
    let parsed = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parsed
        .filter(|(a, b)| a <= b)
        .ok_or_else(|| "expected the first and the last frame, such as 10..24".into())
}

/// An axis: x, -x, y, -y, z or -z.
pub(super) fn axis(text: &str) -> Result<Axis, String> {
    let axes = [Axis::X, Axis::Y, Axis::Z, Axis::NegX, Axis::NegY, Axis::NegZ];
    let is_named =
        |axis: &Axis| axis.name().trim_start_matches('+').eq_ignore_ascii_case(text.trim_start_matches('+'));
    axes.into_iter().find(is_named).ok_or_else(|| "expected x, -x, y, -y, z or -z".into())
}

pub(super) fn whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number".into())
}

/// A factor for lengths: with it, every length remains a finite number.
pub(super) fn scale(text: &str) -> Result<f32, String> {
    within(text, 1e-6, 1e6)
}

/// A number of frames per second.
pub(super) fn rate(text: &str) -> Result<f32, String> {
    within(text, 1e-3, 1e3)
}

fn within(text: &str, least: f32, most: f32) -> Result<f32, String> {
    let value = text.parse().ok().filter(|value| (least..=most).contains(value));
    value.ok_or_else(|| format!("expected a number from {least} to {most}"))
}

/// The time of the last change of a file, or a time in UTC.
pub(super) fn since(text: &str) -> Result<SystemTime, String> {
    match std::fs::metadata(text) {
        Ok(meta) => meta.modified().map_err(|error| error.to_string()),
        Err(_) => time(text).ok_or_else(|| {
            "expected a file, or a time such as 2026-11-24 or 2026-11-24T08:30:00 in UTC".into()
        }),
    }
}

/// A date, or a date and a time of day, in UTC. A `Z` may follow the time.
fn time(text: &str) -> Option<SystemTime> {
    let (date, time) = text.split_once(['T', ' ']).unwrap_or((text, "00:00:00"));
    let numbers = |text: &str, separator| -> Option<Vec<u64>> {
        let is_number = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        text.split(separator).map(|part| Some(part).filter(is_number)?.parse().ok()).collect()
    };
    let [year @ 1970..=9999, month @ 1..=12, day] = numbers(date, '-')?[..] else { return None };
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    };
    if !(1..=days).contains(&day) {
        return None;
    }
    let (hour, minute, second) = match numbers(time.trim_end_matches('Z'), ':')?[..] {
        [hour @ 0..24, minute @ 0..60] => (hour, minute, 0),
        [hour @ 0..24, minute @ 0..60, second @ 0..=60] => (hour, minute, second),
        _ => return None,
    };
    // Years begin in March, so that a leap day is the last day of its year.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    // The days from 1 March of year 0 to 1 January 1970.
    let days = days.checked_sub(719_468)?;
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc() {
        let seconds =
            |text| time(text)?.duration_since(SystemTime::UNIX_EPOCH).ok().map(|time| time.as_secs());
        assert_eq!(seconds("1970-01-01"), Some(0));
        assert_eq!(seconds("2000-03-01"), Some(951_868_800));
        assert_eq!(seconds("2024-02-29T12:30:05Z"), Some(1_709_209_805));
        assert_eq!(seconds("2026-11-24 03:43"), Some(1_795_491_780));
        let times =
            ["", "1969-12-31", "2024-13-01", "2024-1", "2024-01-01T24:00", "2024-01-01T1", "+2024-01-01"];
        let no_days = ["2026-02-29", "2026-02-30", "2100-02-29", "2026-04-31", "2026-12-32", "2026-01-00"];
        for wrong in times.iter().chain(&no_days).copied() {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
