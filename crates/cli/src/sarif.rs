//! A SARIF 2.1.0 log of findings, for code scanning on pull requests.
//!
//! Results are written as they come. The rules follow, one for each code that occurred.

use std::io::{self, Write};
use std::path::Path;

use meshlens::{Code, Finding, Report, Severity};
use meshlens_assets::{FoundFile, ModelFiles};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use crate::findings::codes;
use crate::item::Item;
use crate::json;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// What a path keeps in a URI: unreserved characters, and the separator.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A log whose results are being written.
pub(crate) struct Log {
    /// Every code that the command knows.
    codes: Vec<&'static Code>,
    /// The codes of the results, in the order in which they first occurred.
    rules: Vec<&'static Code>,
    results: u64,
    notifications: Vec<Value>,
}

impl Log {
    /// Writes the beginning.
    pub(crate) fn begin(out: &mut dyn Write) -> io::Result<Log> {
        out.write_all(b"{\"$schema\":\"")?;
        out.write_all(SCHEMA.as_bytes())?;
        out.write_all(b"\",\"version\":\"2.1.0\",\"runs\":[{\"results\":[")?;
        Ok(Log { codes: codes(), rules: Vec::new(), results: 0, notifications: Vec::new() })
    }

    /// Writes the findings of one model.
    pub(crate) fn add(&mut self, out: &mut dyn Write, item: &Item, report: &Report) -> io::Result<()> {
        for finding in report.findings() {
            out.write_all(if self.results > 0 { b",\n" } else { b"\n" })?;
            self.results += 1;
            json::write(out, &result(item, finding, self.rule(finding.code)))?;
        }
        let left = report.total() - report.findings().count() as u64;
        if left > 0 {
            let text = format!("{}: {left} more findings are not listed", item.uri);
            self.notifications.push(json!({"level": "note", "message": {"text": text}}));
        }
        Ok(())
    }

    /// Writes the end. `is_complete` is whether all files could be read.
    pub(crate) fn end(self, out: &mut dyn Write, is_complete: bool) -> io::Result<()> {
        let driver = json!({
            "name": "meshlens",
            "informationUri": concat!("https://docs.rs/", env!("CARGO_PKG_NAME")),
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": self.rules.iter().copied().map(rule).collect::<Vec<_>>(),
        });
        let mut invocation = json!({"executionSuccessful": is_complete});
        if !self.notifications.is_empty() {
            invocation["toolExecutionNotifications"] = self.notifications.into();
        }
        out.write_all(b"\n],\"invocations\":[")?;
        json::write(out, &invocation)?;
        out.write_all(b"],\n\"tool\":{\"driver\":")?;
        json::write(out, &driver)?;
        out.write_all(b"}}]}\n")
    }

    /// The index of the rule of a code; `None` if the code is not in the list.
    fn rule(&mut self, name: &str) -> Option<usize> {
        let known = self.rules.iter().position(|code| code.name == name);
        known.or_else(|| {
            let index = self.codes.binary_search_by_key(&name, |code| code.name).ok()?;
            self.rules.push(self.codes.get(index)?);
            Some(self.rules.len() - 1)
        })
    }
}

/// SARIF has no hints: they are notes, and the rule keeps the severity.
const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info | Severity::Hint => "note",
    }
}

fn rule(code: &Code) -> Value {
    let Code { name, severity, plural, meaning, remedy, .. } = code;
    json!({
        "id": name,
        "shortDescription": {"text": plural},
        "fullDescription": {"text": meaning},
        "help": {
            "text": format!("{meaning}\nWhat to do: {remedy}"),
            "markdown": format!("{meaning}\n\n**What to do:** {remedy}"),
        },
        "defaultConfiguration": {"level": level(*severity)},
        "properties": {"severity": severity.as_str()},
    })
}

fn result(item: &Item, finding: &Finding, rule: Option<usize>) -> Value {
    let Finding { code, severity, message, pointer, offset, .. } = finding;
    let place = place(item, pointer);
    let entry = place.as_ref().and_then(|place| place.entry.as_deref()).unwrap_or_default();
    let mut text = message.clone();
    if !pointer.is_empty() {
        text += &format!(" ({pointer})");
    }
    // The message of a parse error ends with its offset.
    let at = offset.map(|offset| format!(" at {offset:#x}")).unwrap_or_default();
    if !text.ends_with(&at) {
        text += &at;
    }
    if !entry.is_empty() {
        text += &format!(" in {entry}");
    }
    let mut result = json!({
        "ruleId": code,
        "level": level(*severity),
        "message": {"text": text},
        // Without it, results of a binary file, which has no lines, are the same to code scanning.
        "partialFingerprints": {"primaryLocationLineHash": format!("{code}:{entry}{pointer}")},
    });
    if let Some(rule) = rule {
        result["ruleIndex"] = rule.into();
    }
    if let Some(Place { uri, .. }) = &place {
        // Code scanning requires a line. An offset in an entry of an archive is no offset in the archive.
        let mut region = json!({"startLine": 1});
        if let Some(offset) = offset.filter(|_| entry.is_empty()) {
            region["byteOffset"] = offset.into();
        }
        let mut location = json!({"physicalLocation": {"artifactLocation": {"uri": uri}, "region": region}});
        let name = format!("{entry}{pointer}");
        if !name.is_empty() {
            location["logicalLocations"] = json!([{"fullyQualifiedName": name}]);
        }
        result["locations"] = json!([location]);
    }
    result
}

/// The file that contains a finding.
struct Place {
    uri: String,
    /// The path inside the archive, if the file is one.
    entry: Option<String>,
}

/// The place of a finding with this pointer; `None` for standard input.
fn place(item: &Item, pointer: &str) -> Option<Place> {
    if item.is_stdin {
        return None;
    }
    let file = match item.located.files() {
        ModelFiles::Pair { frames, .. } if pointer.starts_with("/frames") => frames,
        ModelFiles::Pair { script: Some(script), .. } if pointer.starts_with("/script") => script.file(),
        files => files.files().first().copied()?,
    };
    Some(match (file.os_path(), file.archive()) {
        (Some(path), _) => Place { uri: uri(&path.to_string_lossy()), entry: None },
        (None, Some(archive)) => nested(archive, file),
        (None, None) => Place { uri: uri(&item.uri), entry: None },
    })
}

/// The place of a file in an archive, which may itself be in an archive.
fn nested(archive: &str, file: &FoundFile) -> Place {
    let outer = archive.match_indices('!').map(|(end, _)| end).find_map(|end| {
        let (outer, rest) = archive.split_at_checked(end)?;
        Path::new(outer).is_file().then_some((outer, rest.trim_start_matches('!')))
    });
    match outer {
        Some((outer, rest)) => {
            Place { uri: uri(outer), entry: Some(format!("{rest}!{}", file.path().as_str())) }
        }
        None => Place { uri: uri(archive), entry: Some(file.path().as_str().to_owned()) },
    }
}

/// A path as a URI: relative to the working folder, or absolute.
fn uri(path: &str) -> String {
    let slashes = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let relative = slashes.strip_prefix("./").unwrap_or(&slashes);
    let escaped = utf8_percent_encode(relative, ESCAPED);
    match (relative.starts_with('/'), cfg!(windows) && relative.get(1..3) == Some(":/")) {
        (true, _) => format!("file://{escaped}"),
        (false, true) => format!("file:///{escaped}"),
        // A colon in the first part of a relative path would end a scheme.
        (false, false) if relative.split('/').next().is_some_and(|first| first.contains(':')) => {
            format!("./{escaped}")
        }
        (false, false) => escaped.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("./models/a b#1.md3"), "models/a%20b%231.md3");
        assert_eq!(uri("/srv/x%20.md3"), "file:///srv/x%2520.md3");
        assert_eq!(uri("a:b/c.md3"), "./a:b/c.md3");
        assert_eq!(uri("größe.md3"), "gr%C3%B6%C3%9Fe.md3");
    }

    #[test]
    fn severities_are_levels() {
        assert_eq!(Severity::ALL.map(level), ["error", "warning", "note", "note"]);
    }
}
