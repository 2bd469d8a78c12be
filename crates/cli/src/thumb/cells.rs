//! Pictures on the terminal: two pixels in each character cell, the upper half block in two colors.

use std::fmt::Write as _;
use std::io;

use meshlens_thumb::Picture;

/// The number of columns if the size of the terminal is unknown.
const COLUMNS: u16 = 60;

/// The size of a picture that fits the terminal, in pixels.
pub(super) fn size() -> u32 {
    let (columns, rows) = terminal_size::terminal_size_of(io::stdout()).map_or(
        (COLUMNS, COLUMNS / 2 + 2),
        |(terminal_size::Width(width), terminal_size::Height(height))| (width, height),
    );
    // A cell has two rows of pixels. Two lines are left for the prompt.
    let size = u32::from(columns).min(u32::from(rows.saturating_sub(2)) * 2);
    size.clamp(8, 200) & !1
}

/// The rows of cells of a picture. Cells without a picture keep the background of the terminal.
pub(super) fn text(picture: &Picture) -> String {
    let mut text = String::new();
    for row in (0..picture.height).step_by(2) {
        for column in 0..picture.width {
            let color = |row: u32| picture.pixel(column, row).filter(|[.., alpha]| *alpha >= 128);
            // Writing to a string does not fail.
            let _ = match (color(row), color(row + 1)) {
                (Some([r, g, b, _]), Some([s, t, u, _])) => {
                    write!(text, "\x1b[38;2;{r};{g};{b};48;2;{s};{t};{u}m\u{2580}\x1b[0m")
                }
                (Some([r, g, b, _]), None) => write!(text, "\x1b[38;2;{r};{g};{b}m\u{2580}\x1b[0m"),
                (None, Some([r, g, b, _])) => write!(text, "\x1b[38;2;{r};{g};{b}m\u{2584}\x1b[0m"),
                (None, None) => write!(text, " "),
            };
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_shows_two_pixels() {
        let rgba = [[255, 0, 0, 255], [0, 0, 255, 255], [0, 0, 0, 0], [1, 2, 3, 255]].concat();
        // One column with four rows.
        let picture = Picture { width: 1, height: 4, rgba };
        let both = "\x1b[38;2;255;0;0;48;2;0;0;255m\u{2580}\x1b[0m\n";
        assert_eq!(text(&picture), format!("{both}\x1b[38;2;1;2;3m\u{2584}\x1b[0m\n"));
    }
}
