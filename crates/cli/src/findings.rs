//! Formats findings and losses as lines of text.

use std::fmt::Display;
use std::io::{self, Write};

use clap::builder::styling::AnsiColor;
use meshlens::wire::Group;
use meshlens::{Code, Report, Severity};

use crate::terminal::{Output, is_verbose};

/// The counts as text, such as "1 error, 2 warnings"; `None` if all are zero.
pub(crate) fn counts(counts: [u64; 4]) -> Option<String> {
    let named = Severity::ALL.into_iter().zip(counts).filter(|(_, count)| *count > 0);
    let texts: Vec<String> = named.map(|(severity, number)| count(number, severity)).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// A number of things: "1 file", "2 files".
pub(crate) fn count(number: u64, name: impl Display) -> String {
    format!("{number} {name}{}", if number == 1 { "" } else { "s" })
}

/// The number of findings of each severity, the most severe first.
pub(crate) fn count_all(report: &Report) -> [u64; 4] {
    Severity::ALL.map(|severity| report.count(severity))
}

const fn color(severity: Severity) -> AnsiColor {
    match severity {
        Severity::Error => AnsiColor::Red,
        Severity::Warning => AnsiColor::Yellow,
        Severity::Info => AnsiColor::Cyan,
        Severity::Hint => AnsiColor::BrightBlack,
    }
}

/// Prints a finding, or all findings with one code, on a line, with the severity in its color.
pub(crate) fn print_line(out: &mut Output, severity: Severity, line: &impl Display) -> io::Result<()> {
    let (word, text) = (severity.to_string(), line.to_string());
    let rest = text.strip_prefix(&word).unwrap_or(&text);
    write!(out, "  ")?;
    out.write_colored(color(severity), &word)?;
    writeln!(out, "{rest}")
}

/// Prints the losses of a conversion: a line for each code, or for each loss with `-v`.
pub(crate) fn print_losses(out: &mut Output, losses: &Report) -> io::Result<()> {
    if is_verbose() {
        for finding in losses.findings() {
            writeln!(out, "  lost: {} [{}]", finding.message, finding.code)?;
        }
        let left = losses.total() - losses.findings().count() as u64;
        return if left > 0 { writeln!(out, "  lost: {left} more") } else { Ok(()) };
    }
    for Group { code, count, findings, first, .. } in losses.groups() {
        let message = first.as_ref().map_or("", |first| first.message.as_str());
        if *findings == 1 {
            writeln!(out, "  lost: {message} [{code}]")?;
        } else {
            writeln!(out, "  lost: {count} {}, such as {message} [{code}]", code.plural)?;
        }
    }
    Ok(())
}

/// The code with this name, in any case.
pub(crate) fn find_code(name: &str) -> Option<&'static Code> {
    codes().into_iter().find(|code| code.name.eq_ignore_ascii_case(name))
}

/// Every code that the command prints, sorted by name.
pub(crate) fn codes() -> Vec<&'static Code> {
    let assets = meshlens_assets::codes::ALL.iter().chain(meshlens_assets::material::codes::ALL);
    let lists = meshlens_gltf::codes::ALL.iter().chain(assets).chain(crate::codes::ALL).copied();
    let mut codes: Vec<&'static Code> = meshlens::codes::all().chain(lists).collect();
    codes.sort_by_key(|code| code.name);
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_defined_once_and_explained_in_sentences() {
        let codes = codes();
        assert!(codes.len() > 200, "{}", codes.len());
        for pair in codes.windows(2) {
            assert_ne!(pair[0].name, pair[1].name, "one name, two meanings");
        }
        for code in codes {
            let is_name = |byte: u8| byte == b'_' || byte.is_ascii_uppercase() || byte.is_ascii_digit();
            assert!(code.name.bytes().all(is_name), "{code}");
            assert!(!code.plural.is_empty() && !code.plural.ends_with('.'), "{code}");
            assert!(code.meaning.ends_with('.') && code.remedy.ends_with('.'), "{code}");
        }
    }

    #[test]
    fn counts_are_words() {
        assert_eq!(counts([1, 2, 0, 3]).as_deref(), Some("1 error, 2 warnings, 3 hints"));
        assert_eq!(counts([0; 4]), None);
    }
}
