//! A SARIF 2.1.0 log of findings, for code scanning on pull requests.
//!
//! Results are written when all are known, the most severe first. The rules follow, one for each code that occurred.

use std::io::{self, Write};

use meshlens::{Code, Finding, Report, Severity};
use meshlens_assets::ModelFiles;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use crate::findings::codes;
use crate::item::{Item, outer_archive};
use crate::json;
use crate::terminal::tell;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The characters that are not escaped in a URI: unreserved characters, and the separator.
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

/// The largest number of results. Code scanning rejects a log with more.
const MAX_RESULTS: usize = 25_000;
/// The largest number of notifications about files with omitted findings.
const MAX_NOTIFICATIONS: usize = 100;

/// A log. It holds a limited number of results, so its memory does not grow with the number of files.
pub(crate) struct Log {
    /// Every code of the command.
    codes: Vec<&'static Code>,
    /// The codes of the findings, in the order in which they first occurred.
    rules: Vec<&'static Code>,
    results: Worst,
    notifications: Vec<Value>,
    /// The number of files without a separate notification, and the number of their findings that are not listed.
    left: (u64, u64),
}

/// The results of each severity, as JSON: the most severe ones if there are too many.
struct Worst {
    kept: [Vec<Box<str>>; 4],
    room: usize,
    left: u64,
}

impl Worst {
    fn add(&mut self, severity: Severity, result: impl FnOnce() -> io::Result<Box<str>>) -> io::Result<()> {
        if self.room > 0 {
            self.room -= 1;
        } else {
            self.left += 1;
            let less = self.kept.iter_mut().skip(severity as usize + 1).rev();
            if less.filter_map(Vec::pop).next().is_none() {
                return Ok(());
            }
        }
        if let Some(kept) = self.kept.get_mut(severity as usize) {
            kept.push(result()?);
        }
        Ok(())
    }
}

impl Log {
    /// An empty log.
    pub(crate) fn new() -> Log {
        let results = Worst { kept: Default::default(), room: MAX_RESULTS, left: 0 };
        Log { codes: codes(), rules: Vec::new(), results, notifications: Vec::new(), left: (0, 0) }
    }

    /// Adds the findings of one model, or of a path that names none.
    pub(crate) fn add(&mut self, path: &str, item: Option<&Item>, report: &Report) -> io::Result<()> {
        for finding in report.findings() {
            let rule = self.rule(finding.code);
            self.results.add(finding.severity, || {
                let mut bytes = Vec::new();
                let place = match item {
                    Some(item) => place(item, &finding.pointer),
                    None => (path != "-").then(|| Artifact { uri: uri(path), entry: None }),
                };
                json::write(&mut bytes, &result(place, finding, rule))?;
                Ok(String::from_utf8(bytes).map_err(io::Error::other)?.into())
            })?;
        }
        let left = report.total() - report.findings().count() as u64;
        if left > 0 && self.notifications.len() < MAX_NOTIFICATIONS {
            self.notify(&format!("{path}: {left} more findings are not listed"));
        } else if left > 0 {
            self.left = (self.left.0 + 1, self.left.1 + left);
        }
        Ok(())
    }

    fn notify(&mut self, text: &str) {
        self.notifications.push(json!({"level": "note", "message": {"text": text}}));
    }

    /// Writes the log. `is_complete` is whether all files could be read.
    pub(crate) fn write(mut self, out: &mut dyn Write, is_complete: bool) -> io::Result<()> {
        if let (files @ 1.., findings) = self.left {
            self.notify(&format!("{findings} more findings of {files} more files are not listed"));
        }
        if let left @ 1.. = self.results.left {
            let text = format!(
                "{left} less severe findings are not listed: a log holds at most {MAX_RESULTS}; \
                 --min-severity leaves findings out"
            );
            self.notify(&text);
            tell!("{text}");
        }
        write!(out, "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[{{\"results\":[")?;
        let results = self.results.kept.iter().flatten();
        for (number, result) in results.enumerate() {
            out.write_all(if number > 0 { b",\n" } else { b"\n" })?;
            out.write_all(result.as_bytes())?;
        }
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

/// SARIF has no hints, so they become notes, and the rule keeps the severity.
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

fn result(place: Option<Artifact>, finding: &Finding, rule: Option<usize>) -> Value {
    let Finding { code, severity, message, pointer, offset, .. } = finding;
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
        // A binary file has no lines. Without this fingerprint, code scanning would merge all of its results.
        "partialFingerprints": {"primaryLocationLineHash": format!("{code}:{entry}{pointer}")},
    });
    if let Some(rule) = rule {
        result["ruleIndex"] = rule.into();
    }
    if let Some(Artifact { uri, .. }) = &place {
        // Code scanning requires a line. An offset in an entry is not an offset in the archive.
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
struct Artifact {
    uri: String,
    /// The path inside the archive, if the file is one.
    entry: Option<String>,
}

/// The location of a finding with this pointer; `None` for standard input.
fn place(item: &Item, pointer: &str) -> Option<Artifact> {
    if item.is_stdin {
        return None;
    }
    let file = match item.located.files() {
        ModelFiles::Pair { frames, .. } if pointer.starts_with("/frames") => frames,
        ModelFiles::Pair { script: Some(script), .. } if pointer.starts_with("/script") => script.file(),
        files => files.files().first().copied()?,
    };
    Some(match (file.os_path(), file.archive()) {
        (Some(path), _) => Artifact { uri: uri(&path.to_string_lossy()), entry: None },
        // The archive may be nested in another one.
        (None, Some(archive)) => {
            let (outer, rest) = outer_archive(archive);
            let rest = if rest.is_empty() { String::new() } else { format!("{rest}!") };
            Artifact { uri: uri(outer), entry: Some(rest + file.path().as_str()) }
        }
        (None, None) => Artifact { uri: uri(&item.uri), entry: None },
    })
}

/// A path as a URI: relative to the working folder, or absolute.
fn uri(path: &str) -> String {
    let slashes = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let relative = slashes.strip_prefix("./").unwrap_or(&slashes);
    let escaped = utf8_percent_encode(relative, ESCAPED);
    match (relative.starts_with('/'), cfg!(windows) && relative.get(1..3) == Some(":/")) {
        (true, _) => format!("file://{escaped}"),
        (false, true) => format!("file:///{escaped}"),
        // A colon in the first component of a relative path would be parsed as the end of a scheme.
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
    fn the_most_severe_results_are_kept() {
        let mut results = Worst { kept: Default::default(), room: 2, left: 0 };
        let severities =
            [Severity::Hint, Severity::Warning, Severity::Hint, Severity::Error, Severity::Warning];
        for (number, severity) in severities.into_iter().enumerate() {
            results.add(severity, || Ok(number.to_string().into())).unwrap();
        }
        let kept: Vec<&str> = results.kept.iter().flatten().map(|result| &**result).collect();
        assert_eq!((kept, results.left), (vec!["3", "1"], 3));
    }

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
