//! `.skin` files: the texture or shader of each surface of a model.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

pub use crate::skin_lines::{MENDED, mend, validate};
use meshlens_wire::{Error, ErrorKind, Limits, Name, Result, Tokens, quote_token};

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
    /// The paths of further skins, as Quake 1 engines write several skins to one file: see [`Skin::column`].
    pub others: Vec<String>,
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
    /// Parses the text of a `.skin` file, LF or CRLF. Blank lines and comments are skipped; white space and quotes around
    /// names are removed. A path ends at white space, unless it is in quotes. Lines of the form `replace SURFACE PATH`
    /// are those of Quake 1 engines.
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
            let (surface, mut others) = match line.iter().position(|byte| *byte == b',') {
                Some(comma) => (clean(line.get(..comma)), paths(line.get(comma + 1..))),
                None => replacement(line).unwrap_or_else(|| (clean(Some(line)), Vec::new())),
            };
            let path = if others.is_empty() { String::new() } else { others.remove(0) };
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
            entries.push(Entry { surface, path, others, offset: start });
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

    /// The paths of all surfaces, for models with many of them: each is found without a look at every line.
    pub fn paths(&self) -> SkinPaths<'_> {
        let mut paths = BTreeMap::new();
        for entry in self.entries.iter().filter(|entry| !entry.is_tag()) {
            paths.entry(entry.surface.to_ascii_lowercase()).or_insert(entry.path.as_str());
        }
        SkinPaths(paths)
    }

    /// The skin of a column, 0 for the first. Lines without this column are left out.
    #[must_use]
    pub fn column(&self, column: usize) -> Skin {
        let path = |entry: &Entry| match column.checked_sub(1) {
            None => Some(entry.path.clone()),
            Some(other) => entry.others.get(other).cloned(),
        };
        let entry = |entry: &Entry| Some(Entry { path: path(entry)?, others: Vec::new(), ..entry.clone() });
        Skin { entries: self.entries.iter().filter_map(entry).collect() }
    }

    /// Writes the skin as text. Parsing the text returns an equal skin, except for offsets.
    pub fn write(&self) -> String {
        let mut text = String::new();
        for entry in &self.entries {
            text.push_str(&entry.surface);
            for path in [&entry.path].into_iter().chain(&entry.others) {
                // Writing to a string does not fail.
                let _ = match path {
                    path if path.contains(',') => write!(text, ",\"{path}\""),
                    path if path.is_empty() => write!(text, ","),
                    path => write!(text, ",{}", quote_token(path)),
                };
            }
            text.push('\n');
        }
        text
    }
}

/// The paths of a [`Skin`], by the names of surfaces.
///
/// ```
/// use meshlens_md3::Skin;
///
/// let skin = Skin::parse(b"l_body,models/players/x/red.tga\n")?;
/// assert_eq!(skin.paths().get("L_Body_1"), skin.path("L_Body_1"));
/// # Ok::<(), meshlens_md3::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SkinPaths<'s>(BTreeMap<String, &'s str>);

impl<'s> SkinPaths<'s> {
    /// Same as [`Skin::path`].
    pub fn get(&self, surface: &str) -> Option<&'s str> {
        let find = |name: &str| self.0.get(&name.to_ascii_lowercase()).copied();
        find(surface).or_else(|| find(without_level(surface)?))
    }
}

/// `name` without a suffix such as `_1`, or `None` if it has none.
fn without_level(name: &str) -> Option<&str> {
    let (stem, level) = name.rsplit_once('_')?;
    (level.chars().count() == 1 && !stem.is_empty()).then_some(stem)
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\u{feff}'
}

/// The paths after the first comma of a line.
fn paths(field: Option<&[u8]>) -> Vec<String> {
    let text = Name::new(field.unwrap_or(&[])).to_text();
    let (mut rest, mut paths) = (&*text, Vec::new());
    loop {
        rest = rest.trim_start_matches(is_blank);
        let (path, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None if rest.starts_with("//") || rest.starts_with("/*") => ("", ""),
            None => rest.split_at(
                rest.find(|c: char| c == ',' || c == '\u{b}' || c.is_ascii_whitespace())
                    .unwrap_or(rest.len()),
            ),
        };
        paths.push(path.trim_matches(is_blank).into());
        match after.trim_start_matches(is_blank).strip_prefix(',') {
            Some(next) => rest = next,
            None => return paths,
        }
    }
}

/// The surface and the path of a line `replace SURFACE PATH`.
fn replacement(line: &[u8]) -> Option<(String, Vec<String>)> {
    let mut words = Tokens::new(line);
    let [word, surface, path] = [(); 3].map(|()| words.next());
    let surface = word.filter(|word| word.is("replace")).and(surface)?;
    let path = path?.to_text().trim_matches(is_blank).into();
    Some((clean(Some(surface.text.as_bytes())), alloc::vec![path]))
}

/// The text of a field, without the white space, byte order marks and pairs of quotes around it.
fn clean(field: Option<&[u8]>) -> String {
    let text = Name::new(field.unwrap_or(&[])).to_text();
    let mut text = text.trim_matches(is_blank);
    while let Some(inner) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        text = inner.trim_matches(is_blank);
    }
    text.into()
}
