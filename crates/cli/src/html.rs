//! The report of `meshlens inspect --html`: one file with pictures, counts and findings, which refers to no other file.
//!
//! Every text from a file is escaped twice: control and bidirectional characters as on the terminal, then markup. The page's own
//! policy allows no connections.

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use meshlens::wire::Budget;
use meshlens::{Report as Findings, Severity};
use meshlens_assets::LoadedFiles;
use meshlens_gltf::ImportLimits;
use meshlens_thumb::{Background, Options};

use crate::args::Password;
use crate::failure::Failure;
use crate::inspect::row::{COLUMNS, Row};
use crate::item::Item;
use crate::memory::Memory;
use crate::sink::Sink;
use crate::terminal;
use crate::thumb::open::{self, Opened, Share};

/// The width and height of a picture in pixels.
const SIZE: u32 = 192;

/// What the report shows of a model besides its row.
pub(crate) struct Shown {
    /// A PNG file, or the reason why there is none.
    picture: Result<Vec<u8>, String>,
    /// Findings with one code: the severity and the text.
    findings: Vec<(Severity, String)>,
}

/// Makes pictures for a report.
pub(crate) struct Artist {
    memory: Memory,
}

impl Artist {
    pub(crate) fn new() -> Artist {
        Artist { memory: Memory::new(None) }
    }

    /// The picture and the findings of a model.
    pub(crate) fn show(
        &self,
        item: &Item,
        files: &LoadedFiles,
        is_valid: bool,
        password: &Password,
    ) -> Shown {
        let mut report = Findings::default();
        if let Ok(document) = files.document() {
            files.validate(&document, &mut report);
        }
        let findings = report.groups().map(|group| (group.code.severity, group.to_string())).collect();
        let picture = match is_valid {
            true => self.picture(item, password).map_err(|failure| failure.message),
            false => Err(String::new()),
        };
        Shown { picture, findings }
    }

    fn picture(&self, item: &Item, password: &Password) -> Result<Vec<u8>, Failure> {
        let one = |budget: &Budget| {
            let limit = self.memory.of_one_file(ImportLimits::DEFAULT.bytes);
            let loaded = item.located.load(password.get()).map_err(|error| Failure::asset(&error))?;
            open::open(item, &item.uri, loaded, None, &Share { budget, limit, threads: 1 }, |opened| {
                let Opened { parts, assets, .. } = opened;
                let unusable = RefCell::new(Vec::new());
                let find = |material: &_| open::texture(assets, material, &mut unusable.borrow_mut());
                let options = Options {
                    size: SIZE,
                    background: Background::Transparent,
                    textures: Some(&find),
                    budget: Some(budget),
                    ..Options::default()
                };
                let made = meshlens_thumb::picture(parts, &options).and_then(|picture| picture.to_png());
                made.map_err(|error| open::failure(&item.uri, parts, error))
            })
        };
        self.memory.run(one, |failure| failure.waits)
    }
}

/// A report that is being written.
pub(crate) struct Report {
    file: Sink,
    path: std::path::PathBuf,
    /// The first error; nothing is written after it.
    failed: Option<std::io::Error>,
}

impl Report {
    /// Starts the report; `None` if none is wanted.
    pub(crate) fn create(path: Option<&Path>, force: bool) -> Result<Option<Report>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let file = Sink::create(path, force).map_err(Failure::file)?;
        let mut report = Report { file, path: path.into(), failed: None };
        report.write(HEAD);
        report.write("<table><thead><tr><th>picture</th>");
        for column in &COLUMNS {
            let kind = if column.is_number { " class=n" } else { "" };
            report.write(&format!("<th{kind}><button>{}</button></th>", column.name));
        }
        report.write("</tr></thead><tbody>\n");
        Ok(Some(report))
    }

    fn write(&mut self, text: &str) {
        if self.failed.is_none() {
            self.failed = self.file.write_all(text.as_bytes()).err();
        }
    }

    /// Adds the row of a model.
    pub(crate) fn add(&mut self, row: &Row, shown: Option<&Shown>) {
        let mut text = String::from("<tr><td class=p>");
        match shown.map(|shown| &shown.picture) {
            Some(Ok(png)) => {
                let data = STANDARD.encode(png);
                let name = escape(&row.uri);
                text += &format!(
                    "<img alt=\"picture of {name}\" width={SIZE} height={SIZE} src=\"data:image/png;base64,{data}\">"
                );
            }
            Some(Err(reason)) if !reason.is_empty() => text += &format!("<small>{}</small>", escape(reason)),
            _ => text += "<small>no picture</small>",
        }
        text += "</td>";
        for (column, cell) in COLUMNS.iter().zip(row.cells()) {
            let kind = match (column.is_number, column.name) {
                (true, _) => " class=n",
                (_, "file") => " class=f",
                _ => "",
            };
            text += &format!("<td{kind} data-name=\"{}\">{}", column.name, escape(&cell));
            if column.name == "findings" {
                if let Some(error) = &row.error {
                    text += &format!("<p class=error>{}</p>", escape(error));
                }
                for (severity, finding) in shown.iter().flat_map(|shown| &shown.findings) {
                    text += &format!("<p class={severity}>{}</p>", escape(finding));
                }
            }
            text += "</td>";
        }
        text += "</tr>\n";
        self.write(&text);
    }

    /// Writes the end, and puts the file in its place.
    pub(crate) fn finish(mut self, files: u64, bytes: u64) -> Result<(), Failure> {
        let files = if files == 1 { "1 file".into() } else { format!("{files} files") };
        self.write(&format!("</tbody></table>\n<p>{files}, {bytes} bytes</p>\n{TAIL}"));
        match self.failed {
            Some(error) => Err(Failure::output(&self.path, &error)),
            None => Sink::commit_all(vec![self.file]).map_err(Failure::file),
        }
    }
}

/// Escapes text for an HTML page.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in terminal::escape(text).chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            c => escaped.push(c),
        }
    }
    escaped
}

const HEAD: &str = include_str!("html/head.html");
const TAIL: &str = include_str!("html/tail.html");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_never_markup() {
        let hostile = "<script>alert('x')</script>&\"\u{1b}[2J\u{202e}\n";
        let expected = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;&quot;\\u{1b}[2J\\u{202e}\\n";
        assert_eq!(escape(hostile), expected);
    }

    #[test]
    fn the_page_refers_to_no_other_file() {
        for page in [HEAD, TAIL] {
            assert!(!page.contains("://") && !page.contains("src=") && !page.contains("href"));
        }
        assert!(HEAD.contains("default-src 'none'"));
    }
}
