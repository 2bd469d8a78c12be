//! Text from files, in a form that can be shown.

/// The largest number of characters of a name that are shown.
const LONGEST: usize = 160;

/// A text from a file on one line: control characters, line breaks and characters that change the direction of text are
/// replaced by U+FFFD, and long texts are cut.
///
/// ```
/// assert_eq!(meshlens_viewer::text::line("tag\n\u{202e}x"), "tag\u{fffd}\u{fffd}x");
/// ```
pub fn line(text: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let mut shown: String =
        text.chars().take(LONGEST).map(|c| if is_hidden(c) { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// A number of bytes, such as `1.4 MB`.
///
/// ```
/// assert_eq!(meshlens_viewer::text::bytes(999), "999 B");
/// assert_eq!(meshlens_viewer::text::bytes(1_449_000), "1.4 MB");
/// ```
pub fn bytes(count: u64) -> String {
    match count {
        0..1_000 => format!("{count} B"),
        1_000..1_000_000 => format!("{:.1} kB", count as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", count as f64 / 1e6),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}
