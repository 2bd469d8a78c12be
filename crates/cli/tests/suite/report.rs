//! `meshlens inspect --html` as a user runs it. `.ci/report` looks at the page in a browser.

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use meshlens_testkit::real;

use crate::shared::{meshlens, stderr, stdout, utf8};

/// The report about a folder, and the status of the command.
fn report(models: &Path) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    let output = meshlens(&["inspect", "--html", utf8(&path), utf8(models)]);
    (fs::read_to_string(&path).unwrap(), output.status.code())
}

/// A folder with files of the corpus.
fn models(files: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in files {
        let path = real::workspace_root().join("corpus").join(file);
        fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
    }
    folder
}

/// The text between `start` and `end`.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no {start}"));
    rest.split_once(end).unwrap_or_else(|| panic!("no {end}")).0
}

/// The cells of a row, without markup.
fn cells(row: &str) -> Vec<String> {
    let row = row.replace("</th>", "</td>");
    let text = |cell: &str| {
        let parts = cell.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        parts.collect::<String>().trim().to_owned()
    };
    row.split_terminator("</td>").map(|cell| text(&format!("<{cell}"))).collect()
}

#[test]
fn standard_output_has_only_the_page() {
    let output = meshlens(&["inspect", "--html", "-", "corpus/md3/static.md3"]);
    let page = stdout(&output);
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{page}");
    assert!(stderr(&output).contains("1 file, "), "{}", stderr(&output));
}

#[test]
fn names_in_the_report_are_text() {
    let models = models(&["md3/multi_surface.md3", "md3/static.md3"]);
    #[cfg(unix)]
    let hostile = "<img src=x onerror=alert(1)>\u{1b}[2J\u{202e}'\".md3";
    #[cfg(not(unix))]
    let hostile = "&amp;'.md3";
    fs::rename(models.path().join("static.md3"), models.path().join(hostile)).unwrap();
    fs::write(models.path().join("broken.md3"), b"IDP3").unwrap();
    let (page, status) = report(models.path());
    assert_eq!(status, Some(1));
    assert_eq!(page.matches("src=\"data:image/png;base64,iVBORw0KGgo").count(), 2);
    assert_eq!((page.matches("<tr data-has=").count(), page.matches("<script>").count()), (3, 1));
    assert_eq!(page.matches("<img ").count(), 2, "the names of files are no markup");
    #[cfg(unix)]
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;\\u{1b}[2J\\u{202e}&#39;&quot;.md3"));
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
    // The page works from a disk, without a network.
    assert!(!page.contains("://") && !page.contains("<link") && !page.contains("href"));
}

#[test]
fn an_existing_report_is_kept() {
    let models = models(&["md3/static.md3"]);
    let path = models.path().join("report.html");
    fs::write(&path, "mine").unwrap();
    let kept = meshlens(&["inspect", "--html", utf8(&path), utf8(models.path())]);
    // The error is found before any model is inspected.
    assert_eq!((kept.status.code(), stdout(&kept)), (Some(2), ""));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    let forced = meshlens(&["-q", "inspect", "--html", utf8(&path), "--force", utf8(models.path())]);
    assert_eq!(forced.status.code(), Some(0), "{}", stderr(&forced));
}

#[test]
fn findings_are_folded_by_code() {
    let models = models(&["md3/multi_surface.md3"]);
    let (page, _) = report(models.path());
    let row = between(&page, "<tr data-has=\"warning hint\">", "</tr>");
    let folded = between(row, "<details><summary>", "</details>");
    let (counts, lines) = folded.split_once("</summary>").unwrap();
    // The table has the rows that the command prints, then one row for each code, grouped like the output of
    // `validate`.
    let output = meshlens(&["inspect", utf8(models.path())]);
    assert!(stdout(&output).contains(counts), "{counts}: {}", stdout(&output));
    let lines: Vec<&str> = lines.split_terminator("</p>").collect();
    let validated = meshlens(&["validate", utf8(models.path())]);
    let grouped: Vec<&str> = stdout(&validated).lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert!(!grouped.is_empty());
    assert_eq!(lines.len(), grouped.len(), "{lines:?} {grouped:?}");
    assert!(lines[0].starts_with("<p class=warning>"), "the worst first: {lines:?}");
    // Every line of a finding is inside the collapsed part.
    assert_eq!(page.matches("<p class=").count(), lines.len());
}

#[test]
fn totals_are_sums_of_the_rows() {
    let models = models(&["md3/static.md3", "md3/tagged.md3"]);
    fs::write(models.path().join("broken.md3"), b"IDP3").unwrap();
    let (page, _) = report(models.path());
    let rows: Vec<Vec<String>> = page.split("<tr data-has=").skip(1).map(cells).collect();
    let count = |row: &[String], column: usize| row[column].replace(',', "").parse::<u64>().unwrap_or(0);
    let sums = cells(between(&page, "<tfoot><tr>", "</tr>"));
    assert_eq!(sums[1], "3 files");
    for column in 4..10 {
        let expected: u64 = rows.iter().map(|row| count(row, column)).sum();
        assert_eq!(count(&sums, column), expected, "column {column}: {rows:?}");
    }
    // 72 vertices and 36 triangles in each of two models. The broken file has 4 bytes.
    assert_eq!((&*sums[6], &*sums[7]), ("144", "72"));
    let totals = between(&page, "<section id=totals>", "</section>");
    assert!(totals.contains("3 files, <strong class=error>1 invalid</strong>, 72 triangles, "), "{totals}");
}

#[test]
fn totals_list_findings_by_code() {
    let models = models(&["md3/multi_surface.md3", "md3/static.md3"]);
    fs::copy(models.path().join("multi_surface.md3"), models.path().join("again.md3")).unwrap();
    let (page, _) = report(models.path());
    let table = between(&page, "<table id=codes>", "</table>");
    let rows: Vec<Vec<String>> = table.split("<tr>").skip(2).map(cells).collect();
    let severities: Vec<&str> = rows.iter().map(|row| &*row[0]).collect();
    assert_eq!(severities.first(), Some(&"warning"));
    assert!(severities.is_sorted_by_key(|severity| *severity == "hint"), "the worst first: {severities:?}");
    for row in &rows {
        assert_eq!(row[2], "2", "files of {row:?}");
        assert!(page.contains(&row[4]) && row[3].parse::<u64>().unwrap() >= 2, "{row:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_a_row() {
    let models = models(&["md3/static.md3"]);
    std::os::unix::fs::symlink("/no/such/folder/x.md3", models.path().join("away.md3")).unwrap();
    let (page, status) = report(models.path());
    assert_eq!(status, Some(2));
    let row = between(&page, "<tr data-has=\"error\">", "</tr>");
    assert!(row.contains("<details><summary class=error>not read</summary><p class=error>"), "{row}");
    assert!(page.contains("2 files, <strong class=error>1 not read</strong>, 36 triangles, 1,924 bytes"));
}

#[test]
fn pictures_are_as_large_as_cards() {
    let models = models(&["md3/static.md3"]);
    let (page, _) = report(models.path());
    let png = STANDARD.decode(between(&page, "data:image/png;base64,", "\"")).unwrap();
    // PNG: 11.2.1 IHDR.
    assert_eq!(png[16..24], [0, 0, 1, 0, 0, 0, 1, 0], "256 by 256 pixels");
    assert!(page.contains("width=256 height=256"));
}
