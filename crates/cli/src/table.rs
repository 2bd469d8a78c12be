//! Text tables, as wide as their cells or as the terminal.

use std::io;
use std::path::Path;

use unicode_width::UnicodeWidthStr;

/// One column. The first column is the file and is always shown.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) is_number: bool,
    /// Columns with the lowest ranks are left out first if a line does not fit. A column without a rank is always
    /// shown.
    pub(crate) rank: Option<u8>,
}

/// The error of the output that a CSV writer writes to.
pub(crate) fn csv_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        kind => io::Error::other(format!("{kind:?}")),
    }
}

/// The gap between two columns.
const GAP: usize = 2;

/// The minimum width of long file names. Columns are left out before names get shorter than this.
const NAME_WIDTH: usize = 30;

/// The lines of a table. With a `width`, columns are left out and file names are shortened until a line fits.
pub(crate) fn lines(columns: &[Column], rows: &[Vec<String>], width: Option<usize>) -> Vec<String> {
    let widest = |index: usize| rows.iter().map(|row| row[index].width()).max().unwrap_or(0);
    let mut widths: Vec<usize> =
        columns.iter().enumerate().map(|(index, column)| widest(index).max(column.name.len())).collect();
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    if let Some(width) = width {
        let others = |shown: &[usize]| shown.iter().skip(1).map(|index| widths[*index] + GAP).sum::<usize>();
        let name = widths[0].min(NAME_WIDTH);
        while name + others(&shown) > width {
            let rarest = shown.iter().filter_map(|index| Some((columns[*index].rank?, *index))).min();
            let Some((_, rarest)) = rarest else { break };
            shown.retain(|index| *index != rarest);
        }
        widths[0] = widths[0].min(width.saturating_sub(others(&shown))).max(columns[0].name.len());
    }
    let line = |cells: &dyn Fn(usize) -> String| {
        let cells = shown.iter().map(|&index| {
            let cell = if index == 0 { shorten(&cells(0), widths[0]) } else { cells(index) };
            let padding = " ".repeat(widths[index].saturating_sub(cell.width()));
            if columns[index].is_number { format!("{padding}{cell}") } else { format!("{cell}{padding}") }
        });
        cells.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    let header = line(&|index| columns[index].name.to_owned());
    std::iter::once(header).chain(rows.iter().map(|row| line(&|index| row[index].clone()))).collect()
}

/// Shortens `text` to at most `width` columns by removing its middle.
fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    // The end contains the file name.
    let start = take(text.chars(), room / 3);
    let end: String = take(text.chars().rev(), room - start.width()).chars().rev().collect();
    format!("{start}…{end}")
}

fn take(chars: impl Iterator<Item = char>, width: usize) -> String {
    let mut taken = String::new();
    for c in chars {
        taken.push(c);
        if taken.width() > width {
            taken.pop();
            break;
        }
    }
    taken
}

/// The relative path of a file below the current folder; other paths are unchanged.
pub(crate) fn relative(path: &str) -> &str {
    let Ok(current) = std::env::current_dir() else { return path };
    Path::new(path)
        .strip_prefix(current)
        .ok()
        .and_then(Path::to_str)
        .filter(|below| !below.is_empty())
        .unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::{Column, lines, shorten};

    const fn column(name: &'static str, is_number: bool, rank: Option<u8>) -> Column {
        Column { name, is_number, rank }
    }

    #[test]
    fn long_names_are_shortened_in_the_middle() {
        assert_eq!(shorten("models/players/sarge/upper.md3", 30), "models/players/sarge/upper.md3");
        assert_eq!(shorten("models/players/sarge/upper.md3", 20), "models…rge/upper.md3");
        // Each of these characters is two columns wide.
        assert_eq!(shorten("模型模型模型模型.md3", 11), "模…模型.md3");
    }

    #[test]
    fn columns_are_left_out_by_rank_until_a_line_fits() {
        let columns = [
            column("file", false, None),
            column("version", false, Some(1)),
            column("bytes", true, Some(2)),
            column("findings", false, None),
        ];
        let rows = [vec!["a/long/folder/x.md3".into(), "15".into(), "1924".into(), "-".into()]];
        let all = ["file                 version  bytes  findings", "a/long/folder/x.md3  15        1924  -"];
        assert_eq!(lines(&columns, &rows, None), all);
        assert_eq!(lines(&columns, &rows, Some(45)), all);
        let some = ["file                 bytes  findings", "a/long/folder/x.md3   1924  -"];
        assert_eq!(lines(&columns, &rows, Some(44)), some);
        let few = ["file                 findings", "a/long/folder/x.md3  -"];
        assert_eq!(lines(&columns, &rows, Some(30)), few);
        let short = ["file        findings", "a/l…/x.md3  -"];
        assert_eq!(lines(&columns, &rows, Some(20)), short);
    }
}
