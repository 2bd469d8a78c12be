//! The report of `meshlens inspect --html`: one file with pictures, counts and findings, which refers to no other file.
//!
//! Every text from a file is escaped twice: control and bidirectional characters as on the terminal, then markup. The
//! page's own policy allows no connections. It can be read without scripts, which only filter and sort.

mod picture;
mod text;
mod totals;

use std::io::Write;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use meshlens::Severity;

use crate::failure::Failure;
use crate::inspect::row::{COLUMNS, Row};
use crate::inspect::totals::Totals;
use crate::sink::Sink;

use picture::SIZE;
pub(crate) use picture::{ModelCard, show};
use text::{escape, grouped};
use totals::Codes;

/// A report that is being written.
pub(crate) struct Report {
    file: Sink,
    path: PathBuf,
    /// The first error; nothing is written after it.
    failed: Option<std::io::Error>,
    codes: Codes,
    /// The sums of all rows.
    sum: Row,
}

impl Report {
    /// Starts the report; `None` if it is not requested.
    pub(crate) fn create(path: Option<&Path>, force: bool) -> Result<Option<Report>, Failure> {
        let Some(path) = path else { return Ok(None) };
        let file = Sink::create(path, force)?;
        let (codes, sum) = (Codes::default(), Row::default());
        let mut report = Report { file, path: path.into(), failed: None, codes, sum };
        report.write(HEAD);
        report.write("<table id=models><thead><tr><th scope=col data-name=picture></th>");
        for column in &COLUMNS {
            let (name, kind) = (column.name, if column.is_number { " class=n" } else { "" });
            report.write(&format!("<th scope=col{kind} data-name={name}><button>{name}</button></th>"));
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
    pub(crate) fn add(&mut self, row: &Row, shown: Option<&ModelCard>) {
        self.sum.add(row);
        if let Some(shown) = shown {
            self.codes.add(&shown.groups);
        }
        let mut text = format!("<tr data-has=\"{}\"><td class=p>", kinds(row));
        match shown.map(|shown| &shown.picture) {
            Some(Ok(png)) => {
                let data = STANDARD.encode(png);
                let name = escape(&row.uri);
                text += &format!(
                    "<img alt=\"picture of {name}\" width={SIZE} height={SIZE} decoding=async \
                     src=\"data:image/png;base64,{data}\">"
                );
            }
            Some(Err(reason)) if !reason.is_empty() => {
                text += &format!("<details><summary>none</summary><p>{}</p></details>", escape(reason));
            }
            _ => text += "<small>none</small>",
        }
        text += "</td>";
        for (column, cell) in COLUMNS.iter().zip(row.cells()) {
            let name = column.name;
            text += &match name {
                "file" => file_cell(&row.uri),
                "findings" => findings_cell(row, &cell, shown),
                _ if column.is_number => number_cell(name, &cell),
                _ => format!("<td data-name={name}>{}</td>", escape(&cell)),
            };
        }
        text += "</tr>\n";
        self.write(&text);
    }

    /// Writes the totals and the end, and puts the file in its place.
    pub(crate) fn finish(mut self, totals: &Totals) -> Result<(), Failure> {
        self.sum.uri = match totals.files {
            1 => "1 file".into(),
            files => format!("{} files", grouped(files)),
        };
        let mut text = String::from("</tbody><tfoot><tr><td class=p></td>");
        for (column, cell) in COLUMNS.iter().zip(self.sum.cells()) {
            let name = column.name;
            text += &match name {
                "file" => format!("<th scope=row class=f data-name=file>{}</th>", escape(&cell)),
                "format" | "version" => format!("<td data-name={name}></td>"),
                _ if column.is_number => number_cell(name, &cell),
                _ => format!("<td data-name={name}>{}</td>", escape(&cell)),
            };
        }
        text += "</tr></tfoot></table>\n<section id=totals>\n<p>";
        text += &self.sum.uri;
        for (count, what) in [(totals.invalid, "invalid"), (totals.unreadable, "not read")] {
            if count > 0 {
                text += &format!(", <strong class=error>{} {what}</strong>", grouped(count));
            }
        }
        text += &format!(", {} triangles, {} bytes</p>\n", grouped(totals.triangles), grouped(totals.bytes));
        text += &self.codes.table();
        text += "</section>\n";
        text += TAIL;
        self.write(&text);
        match self.failed {
            Some(error) => Err(Failure::output(&self.path, &error)),
            None => Sink::commit_all(vec![self.file]),
        }
    }
}

/// The severities of the findings of a model, for the filters of the page. Empty if it has none.
fn kinds(row: &Row) -> String {
    if row.is_locked || row.has_only_headers && row.error.is_none() {
        return "unknown".into();
    }
    let counts = [row.errors, row.warnings, row.infos, row.hints];
    let has = |(severity, count): (Severity, Option<u64>)| {
        let is_broken = severity == Severity::Error && row.error.is_some();
        (is_broken || count.is_some_and(|count| count > 0)).then(|| severity.to_string())
    };
    let kinds: Vec<String> = Severity::ALL.into_iter().zip(counts).filter_map(has).collect();
    kinds.join(" ")
}

/// The folder in small print, then the name.
fn file_cell(path: &str) -> String {
    let at = path.rfind(['/', '\\']).map_or(0, |at| at + 1);
    let (folder, name) = path.split_at_checked(at).unwrap_or(("", path));
    format!("<td class=f data-name=file><small>{}</small><b>{}</b></td>", escape(folder), escape(name))
}

fn number_cell(name: &str, digits: &str) -> String {
    let number = digits.parse().map_or_else(|_| escape(digits), grouped);
    format!("<td class=n data-name={name}>{number}</td>")
}

/// The counts of findings, which expand to the findings by code or to the error. `data-key` sorts by severity, then by
/// count.
fn findings_cell(row: &Row, counts: &str, shown: Option<&ModelCard>) -> String {
    let keys = [row.errors, row.warnings, row.infos, row.hints].map(|count| count.unwrap_or(0).to_string());
    let key = format!("{} {}", u8::from(row.error.is_some()), keys.join(" "));
    let mut lines = String::new();
    if let Some(error) = &row.error {
        lines += &format!("<p class=error>{}</p>", escape(error));
    }
    for group in shown.iter().flat_map(|shown| &shown.groups) {
        lines += &format!("<p class={}>{}</p>", group.code.severity, escape(&group.to_string()));
    }
    let counts = escape(counts);
    let content = match (row.error.is_some() && !row.is_locked, lines.is_empty()) {
        (_, true) => counts,
        (true, _) => format!("<details><summary class=error>{counts}</summary>{lines}</details>"),
        (false, _) => format!("<details><summary>{counts}</summary>{lines}</details>"),
    };
    format!("<td data-name=findings data-key=\"{key}\">{content}</td>")
}

const HEAD: &str = concat!(
    include_str!("head.html"),
    "<style>\n",
    include_str!("page.css"),
    "</style>\n",
    include_str!("body.html")
);
const TAIL: &str = concat!("<script>\n", include_str!("page.js"), "</script>\n</body>\n</html>\n");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_refers_to_no_other_file() {
        for page in [HEAD, TAIL] {
            assert!(!page.contains("://") && !page.contains("src=") && !page.contains("href"));
            assert!(!page.contains("url(") && !page.contains("@import"));
        }
        assert!(HEAD.contains("default-src 'none'"));
    }

    #[test]
    fn a_file_cell_has_folder_and_name() {
        let cell =
            |folder, name| format!("<td class=f data-name=file><small>{folder}</small><b>{name}</b></td>");
        assert_eq!(file_cell("a/b.md3"), cell("a/", "b.md3"));
        assert_eq!(file_cell("p.pk3!a/<i>\u{1b}.md3"), cell("p.pk3!a/", "&lt;i&gt;\\u{1b}.md3"));
        assert_eq!(file_cell("b.md3"), cell("", "b.md3"));
    }
}
