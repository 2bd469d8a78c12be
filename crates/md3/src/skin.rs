//! `.skin` files: the texture or shader of each surface of a model.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use meshlens_wire::{Error, ErrorKind, Limits, Name, Result};

/// The name of the format in errors.
const FORMAT: &str = "skin";

/// The content of a `.skin` file: one line for each surface or tag.
///
/// ```
/// use meshlens_md3::Skin;
///
/// let skin = Skin::parse(b"l_body,models/players/x/red.tga\r\ntag_torso,\ntag_head\n")?;
/// assert_eq!(skin.path("L_Body_1"), Some("models/players/x/red.tga"));
/// assert_eq!(skin.path("tag_torso"), None);
/// # Ok::<(), meshlens_md3::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skin {
    /// The lines, in order.
    pub entries: Vec<Entry>,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name of the surface or tag, as written.
    pub surface: String,
    /// The path of the texture or the name of the shader. Empty for tags and for lines without one.
    pub path: String,
    /// The absolute offset of the line.
    pub offset: u64,
}

impl Entry {
    /// Whether the line names a tag, which has no texture.
    pub fn is_tag(&self) -> bool {
        self.surface.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("tag_"))
    }
}

impl Skin {
    /// Parses the text of a `.skin` file, LF or CRLF. Blank lines and `//` comments are skipped; white space and quotes
    /// around names are removed.
    ///
    /// # Errors
    ///
    /// A path has no surface, or there are more lines or bytes than [`Limits::DEFAULT`] allows.
    pub fn parse(text: &[u8]) -> Result<Self> {
        Limits::DEFAULT.check_text(FORMAT, text.len())?;
        let mut entries: Vec<Entry> = Vec::new();
        let mut offset = 0u64;
        for line in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
            let start = offset;
            offset += line.len() as u64 + 1;
            let (surface, path) = match line.iter().position(|byte| *byte == b',') {
                Some(comma) => (line.get(..comma), line.get(comma + 1..)),
                None => (Some(line), None),
            };
            let (surface, path) = (clean(surface), clean(path));
            if surface.is_empty() && path.is_empty() || surface.starts_with("//") {
                continue;
            }
            if surface.is_empty() {
                let kind = ErrorKind::Syntax { expected: "a surface before the comma" };
                return Err(Error::new(FORMAT, start, kind));
            }
            let limit = Limits::DEFAULT.count;
            if entries.len() as u64 >= limit {
                let kind = ErrorKind::Limit { what: "lines", limit, found: limit + 1 };
                return Err(Error::new(FORMAT, start, kind));
            }
            entries.push(Entry { surface, path, offset: start });
        }
        Ok(Skin { entries })
    }

    /// The path for a surface, from the first line with its name, or `None` if no line has it. ASCII letters match in
    /// any case. If no line has the whole name, a `_` and one character are removed from its end, because they are the
    /// number of a level of detail.
    pub fn path(&self, surface: &str) -> Option<&str> {
        let find = |name: &str| {
            let same = |entry: &&Entry| !entry.is_tag() && entry.surface.eq_ignore_ascii_case(name);
            self.entries.iter().find(same).map(|entry| entry.path.as_str())
        };
        find(surface).or_else(|| find(without_level(surface)?))
    }

    /// Writes the skin as text. Parsing the text returns an equal skin, except for offsets.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{},{}", entry.surface, entry.path);
        }
        text
    }
}

/// `name` without a suffix such as `_1`, or `None` if it has none.
fn without_level(name: &str) -> Option<&str> {
    let (stem, level) = name.rsplit_once('_')?;
    (level.chars().count() == 1 && !stem.is_empty()).then_some(stem)
}

/// The text of a field, without the white space, byte order marks and pairs of quotes around it.
fn clean(field: Option<&[u8]>) -> String {
    let text = Name::new(field.unwrap_or(&[])).to_text();
    let is_blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    let mut text = text.trim_matches(is_blank);
    while let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        text = inner.trim_matches(is_blank);
    }
    text.into()
}
