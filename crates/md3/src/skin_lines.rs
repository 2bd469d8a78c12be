//! The lines of a `.skin` file: what engines read in another way than it is meant, and the same text without that.

use alloc::vec::Vec;

use meshlens_wire::{Code, Report, Result};

use crate::{Skin, codes};

/// The codes of findings about [skins](validate) that [`mend`] mends.
pub static MENDED: &[&Code] =
    &[&codes::SKIN_LINE_END, &codes::SKIN_LINE_ENDS_MIXED, &codes::SKIN_BYTE_ORDER_MARK];

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The end of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Lf,
    CrLf,
    Cr,
    /// The end of the text.
    None,
}

impl End {
    const fn bytes(self) -> &'static [u8] {
        match self {
            End::CrLf => b"\r\n",
            _ => b"\n",
        }
    }
}

/// The lines of a text, each with its offset and its end.
fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8], End)> {
    let mut offset = 0;
    core::iter::from_fn(move || {
        let rest = text.get(offset..).filter(|rest| !rest.is_empty())?;
        let len = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let (line, after) = rest.split_at(len);
        let (end, end_len) = match after {
            [b'\r', b'\n', ..] => (End::CrLf, 2),
            [b'\r', ..] => (End::Cr, 1),
            [_, ..] => (End::Lf, 1),
            [] => (End::None, 0),
        };
        let start = offset;
        offset += len + end_len;
        Some((start, line, end))
    })
}

/// Adds the findings about the text of a `.skin` file to `report`. O(bytes).
///
/// ```
/// use meshlens_md3::skin;
/// use meshlens_md3::wire::Report;
///
/// let mut report = Report::default();
/// skin::validate(b"// red\rhead,models/red.tga\r", &mut report)?;
/// assert!(report.findings().all(|finding| finding.code == "SKIN_LINE_END"));
/// assert_eq!(skin::mend(b"// red\rhead,models/red.tga\r"), b"// red\nhead,models/red.tga\n");
/// # Ok::<(), meshlens_md3::Error>(())
/// ```
///
/// # Errors
///
/// Same as [`Skin::parse`].
pub fn validate(text: &[u8], report: &mut Report) -> Result<()> {
    let skin = Skin::parse(text)?;
    if text.starts_with(BYTE_ORDER_MARK) {
        let message = format_args!("the file begins with the byte order mark EF BB BF");
        report.add(&codes::SKIN_BYTE_ORDER_MARK, 0, format_args!(""), message);
    }
    let of = |wanted: End| lines(text).filter(move |(_, _, end)| *end == wanted);
    let offset_of = |found: Option<(usize, &[u8], End)>| found.map_or(0, |(start, ..)| start as u64);
    let [lf, crlf, cr, none] = [End::Lf, End::CrLf, End::Cr, End::None].map(|end| of(end).count());
    let message = format_args!("{cr} lines end with a CR alone");
    let offset = offset_of(of(End::Cr).next());
    report.add_several(&codes::SKIN_LINE_END, cr as u64, offset, format_args!(""), message);
    if lf > 0 && crlf > 0 {
        let fewer = if lf < crlf { End::Lf } else { End::CrLf };
        let message = format_args!("{lf} lines end with LF, and {crlf} with CRLF");
        let offset = offset_of(of(fewer).next());
        report.add(&codes::SKIN_LINE_ENDS_MIXED, offset, format_args!(""), message);
    } else if none > 0 {
        let message = format_args!("the last line has no end");
        report.add(&codes::SKIN_LINE_ENDS_MIXED, text.len() as u64, format_args!(""), message);
    }
    // Engines look for this text anywhere in a name, in lower case.
    let is_missing = |entry: &&crate::skin::Entry| entry.path.is_empty() && !entry.surface.contains("tag_");
    for entry in skin.entries.iter().filter(is_missing) {
        let message = format_args!("the surface {} has no path", entry.surface);
        report.add(&codes::SKIN_PATH_MISSING, entry.offset, format_args!(""), message);
    }
    Ok(())
}

/// The text of a `.skin` file with one kind of line end, after the last line as well, and without a byte order mark. Lines end
/// with CRLF if most do, and otherwise with LF. O(bytes).
pub fn mend(mut text: &[u8]) -> Vec<u8> {
    while let Some(rest) = text.strip_prefix(BYTE_ORDER_MARK) {
        text = rest;
    }
    let count = |wanted: End| lines(text).filter(|(_, _, end)| *end == wanted).count();
    let end = if count(End::CrLf) > count(End::Lf) { End::CrLf } else { End::Lf };
    lines(text).flat_map(|(_, line, _)| line.iter().chain(end.bytes())).copied().collect()
}
