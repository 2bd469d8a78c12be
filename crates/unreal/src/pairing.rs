//! Pairs of files by their names. Names only suggest a pair; paths from the user or a script are certain.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use meshlens_wire::Result;

use crate::{Frames, Geometry, ParseOptions};

/// One of the two kinds of files that make a mesh.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// The triangles: `x_d.3d` or `DATA01.3d`.
    Geometry,
    /// The vertices of every frame: `x_a.3d` or `ANIV01.3d`.
    Frames,
}

impl FileKind {
    /// `geometry` or `frames`.
    pub const fn as_str(self) -> &'static str {
        match self {
            FileKind::Geometry => "geometry",
            FileKind::Frames => "frames",
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A file of a mesh whose other file is missing.
#[derive(Clone, Copy, Debug)]
pub enum UnpairedFile<'a> {
    /// A geometry file without frames.
    Geometry(Geometry<'a>),
    /// A frames file without geometry.
    Frames(Frames<'a>),
}

impl<'a> UnpairedFile<'a> {
    /// Parses one file without the other. A frames file may be incomplete: it is parsed with [`ParseOptions::LENIENT`].
    ///
    /// # Errors
    ///
    /// Same as [`Geometry::parse`] or [`Frames::parse_with`].
    pub fn parse(kind: FileKind, bytes: &'a [u8]) -> Result<Self> {
        Ok(match kind {
            FileKind::Geometry => UnpairedFile::Geometry(Geometry::parse(bytes)?),
            FileKind::Frames => UnpairedFile::Frames(Frames::parse_with(bytes, &ParseOptions::LENIENT)?),
        })
    }

    /// The file itself, for code that treats all documents in the same way. Both files of a mesh can be partial, but a
    /// single file cannot.
    pub const fn into_partial(self) -> Self {
        self
    }

    /// The file itself, which is complete.
    ///
    /// # Errors
    ///
    /// Never fails: see [`into_partial`](Self::into_partial).
    pub const fn complete(self) -> Result<Self> {
        Ok(self)
    }

    /// The kind of the file.
    pub const fn kind(&self) -> FileKind {
        match self {
            UnpairedFile::Geometry(_) => FileKind::Geometry,
            UnpairedFile::Frames(_) => FileKind::Frames,
        }
    }
}

/// The parts of the name of a file of a mesh: `x_d.3d` or `x_a.3d`, `DATAnn.3d` or `ANIVnn.3d`, in any case.
///
/// ```
/// use meshlens_unreal::pairing::{FileKind, FileName};
///
/// let name = FileName::parse("Gun_D.3d").ok_or("not the name of a mesh file")?;
/// assert_eq!((name.kind, name.stem), (FileKind::Geometry, "Gun"));
/// assert_eq!(FileName::parse("aniv07.3D").map(|name| name.kind), Some(FileKind::Frames));
/// assert_eq!(FileName::parse("gun.3d"), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileName<'n> {
    /// The kind of the file.
    pub kind: FileKind,
    /// The part of the name that is the same for both files of a mesh, except for case.
    pub stem: &'n str,
    /// Whether the name has the form `DATAnn` or `ANIVnn`.
    pub is_numbered: bool,
}

impl<'n> FileName<'n> {
    /// Parses the name of a file, without its folder. `None` if it is not the name of a file of a mesh.
    pub fn parse(name: &'n str) -> Option<Self> {
        let name = strip_suffix(name, ".3d")?;
        let kinds = [("_d", "DATA", FileKind::Geometry), ("_a", "ANIV", FileKind::Frames)];
        kinds.into_iter().find_map(|(suffix, prefix, kind)| {
            if let Some(stem) = strip_suffix(name, suffix).filter(|stem| !stem.is_empty()) {
                return Some(FileName { kind, stem, is_numbered: false });
            }
            let (start, stem) = name.split_at_checked(prefix.len())?;
            let is_number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
            (start.eq_ignore_ascii_case(prefix) && is_number).then_some(FileName {
                kind,
                stem,
                is_numbered: true,
            })
        })
    }

    /// Compares the parts that both names of a pair share.
    fn compare(&self, other: &FileName<'_>) -> Ordering {
        let stems = compare_ignore_case(self.stem.as_bytes(), other.stem.as_bytes());
        self.is_numbered.cmp(&other.is_numbered).then(stems)
    }
}

/// Compares two names. ASCII letters compare in any case.
pub(crate) fn compare_ignore_case(a: &[u8], b: &[u8]) -> Ordering {
    a.iter().map(u8::to_ascii_lowercase).cmp(b.iter().map(u8::to_ascii_lowercase))
}

fn strip_suffix<'n>(name: &'n str, suffix: &str) -> Option<&'n str> {
    let (stem, end) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
    end.eq_ignore_ascii_case(suffix).then_some(stem)
}

/// Finds the other file of a pair. `name` is one of its files, and `beside` are the names of the files in the same
/// folder. Returns the name with exactly the same stem, or otherwise the first one with this stem, ignoring case.
///
/// ```
/// use meshlens_unreal::pairing::companion;
///
/// assert_eq!(companion("gun_d.3d", ["GUN_A.3D", "gun_a.3d", "gun_d.3d"]), Some("gun_a.3d"));
/// assert_eq!(companion("Gun_a.3d", ["gun_D.3d"]), Some("gun_D.3d"));
/// assert_eq!(companion("gun_d.3d", ["gun2_a.3d"]), None);
/// ```
pub fn companion<'n>(name: &str, beside: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let this = FileName::parse(name)?;
    let is_other = |other: &FileName<'_>| other.kind != this.kind && other.compare(&this).is_eq();
    let mut others =
        beside.into_iter().filter(|other| FileName::parse(other).is_some_and(|other| is_other(&other)));
    let first = others.next()?;
    let is_exact = |other: &&str| FileName::parse(other).is_some_and(|other| other.stem == this.stem);
    if is_exact(&first) { Some(first) } else { others.find(is_exact).or(Some(first)) }
}

/// The names that the other file of a pair can have, for a server or a device that does not list its files. The one in the
/// case of `name` comes first. Empty if `name` is not the name of a file of a mesh. [`companion`] finds the other file in a list.
///
/// ```
/// use meshlens_unreal::pairing::other_names;
///
/// assert_eq!(other_names("Gun_d.3d"), ["Gun_a.3d", "Gun_A.3d"]);
/// assert_eq!(other_names("aniv07.3D"), ["data07.3D", "DATA07.3D", "Data07.3D"]);
/// assert!(other_names("gun.3d").is_empty());
/// ```
pub fn other_names(name: &str) -> Vec<String> {
    let Some(FileName { kind, stem, is_numbered }) = FileName::parse(name) else { return Vec::new() };
    let other = match (kind, is_numbered) {
        (FileKind::Geometry, false) => "_A",
        (FileKind::Frames, false) => "_D",
        (FileKind::Geometry, true) => "ANIV",
        (FileKind::Frames, true) => "DATA",
    };
    let start = name.len().saturating_sub(".3d".len());
    let (start, extension) = name.split_at_checked(start).unwrap_or((name, ""));
    // The letters that say which file it is.
    let own = start.replacen(stem, "", 1);
    let lower = other.to_ascii_lowercase();
    let capital = other.chars().take(1).chain(lower.chars().skip(1)).collect();
    let mut spellings: Vec<String> = Vec::from([other.into(), lower, capital]);
    let is_other_case = |(a, b): (u8, u8)| a.is_ascii_lowercase() != b.is_ascii_lowercase();
    spellings.sort_by_key(|spelling| own.bytes().zip(spelling.bytes()).any(is_other_case));
    spellings.dedup();
    let whole = |other: String| match is_numbered {
        true => format!("{other}{stem}{extension}"),
        false => format!("{stem}{other}{extension}"),
    };
    spellings.into_iter().map(whole).collect()
}

/// A pair of files that [`pairs`] finds, or one file without the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Paired<'n> {
    /// The name of the geometry file, or `None` if it is missing.
    pub geometry: Option<&'n str>,
    /// The name of the frames file, or `None` if it is missing.
    pub frames: Option<&'n str>,
}

/// Finds the pairs among the names of the files in one folder, and the files whose other file is missing. Names of
/// other files are skipped. The result is sorted by stem and has each pair once. If names differ only in case, each
/// file is paired with the one that [`companion`] finds.
///
/// ```
/// use meshlens_unreal::pairing::pairs;
///
/// let found = pairs(["gun_a.3d", "readme.txt", "Gun_d.3d", "lamp_d.3d"]);
/// let names: Vec<_> = found.iter().map(|pair| (pair.geometry, pair.frames)).collect();
/// assert_eq!(names, [(Some("Gun_d.3d"), Some("gun_a.3d")), (Some("lamp_d.3d"), None)]);
/// ```
pub fn pairs<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<Paired<'n>> {
    let mut files: Vec<(FileName<'n>, &'n str)> =
        names.into_iter().filter_map(|name| Some((FileName::parse(name)?, name))).collect();
    files.sort_by(|(a, a_name), (b, b_name)| {
        a.compare(b).then(a.kind.cmp(&b.kind)).then(a.stem.cmp(b.stem)).then(a_name.cmp(b_name))
    });
    let mut found = Vec::with_capacity(files.len());
    for group in files.chunk_by(|(a, _), (b, _)| a.compare(b).is_eq()) {
        let (geometry, frames) =
            group.split_at(group.partition_point(|(file, _)| file.kind == FileKind::Geometry));
        for (file, name) in geometry {
            let other = of_stem(frames, file.stem).map(|(_, name)| name);
            found.push(Paired { geometry: Some(name), frames: other });
        }
        for (file, name) in frames {
            let other = of_stem(geometry, file.stem);
            let others_own = other.and_then(|(other, _)| of_stem(frames, other.stem)).map(|(_, name)| name);
            if others_own != Some(*name) {
                found.push(Paired { geometry: other.map(|(_, name)| name), frames: Some(name) });
            }
        }
    }
    found
}

/// The file with exactly this stem, or otherwise the first one, in files sorted by stem. This is a binary search, so
/// that many names that differ only in case do not increase the cost.
fn of_stem<'n>(files: &[(FileName<'n>, &'n str)], stem: &str) -> Option<(FileName<'n>, &'n str)> {
    let exact = files.binary_search_by(|(file, _)| file.stem.cmp(stem)).ok();
    exact.and_then(|index| files.get(index)).or(files.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_kinds_and_other_names() {
        let parse = |name| FileName::parse(name).map(|name| (name.kind, name.stem, name.is_numbered));
        assert_eq!(parse("a_b_A.3D"), Some((FileKind::Frames, "a_b", false)));
        assert_eq!(parse("Data12.3d"), Some((FileKind::Geometry, "12", true)));
        assert_eq!(parse("data_d.3d"), Some((FileKind::Geometry, "data", false)));
        for name in
            ["_d.3d", "DATA.3d", "DATAx1.3d", "gun_d.md3", "gun_d", "d.3d", "", ".3d", "\u{e9}\u{e9}.3d"]
        {
            assert_eq!(parse(name), None, "{name}");
        }
    }

    #[test]
    fn the_other_name_has_the_case_of_the_name() {
        assert_eq!(other_names("GUN_D.3D"), ["GUN_A.3D", "GUN_a.3D"]);
        assert_eq!(other_names("gun_a.3d"), ["gun_d.3d", "gun_D.3d"]);
        assert_eq!(other_names("DATA07.3d"), ["ANIV07.3d", "aniv07.3d", "Aniv07.3d"]);
        assert_eq!(other_names("Data07.3d"), ["Aniv07.3d", "ANIV07.3d", "aniv07.3d"]);
        assert_eq!(other_names("data_d.3d"), ["data_a.3d", "data_A.3d"]);
        assert!(other_names("_d.3d").is_empty() && other_names("").is_empty());
        for name in ["Gun_D.3d", "DATA07.3d", "aniv1.3D"] {
            for other in other_names(name) {
                assert_eq!(companion(name, [&*other]), Some(&*other));
            }
        }
    }

    #[test]
    fn pairs_and_unpaired_files_are_listed_once() {
        let pair = |geometry, frames| Paired { geometry, frames };
        let names = ["b_a.3d", "a_a.3d", "ANIV01.3d", "01_d.3d", "data01.3d", "a_d.3d", "c_D.3d"];
        assert_eq!(
            pairs(names),
            [
                pair(Some("01_d.3d"), None),
                pair(Some("a_d.3d"), Some("a_a.3d")),
                pair(None, Some("b_a.3d")),
                pair(Some("c_D.3d"), None),
                pair(Some("data01.3d"), Some("ANIV01.3d")),
            ]
        );
    }

    #[test]
    fn names_that_differ_only_in_case() {
        let pair = |geometry, frames| Paired { geometry: Some(geometry), frames: Some(frames) };
        let names = ["x_d.3d", "X_d.3d", "x_a.3d", "X_a.3d"];
        assert_eq!(pairs(names), [pair("X_d.3d", "X_a.3d"), pair("x_d.3d", "x_a.3d")]);
        assert_eq!(
            pairs(["X_d.3d", "x_d.3d", "x_a.3d"]),
            [pair("X_d.3d", "x_a.3d"), pair("x_d.3d", "x_a.3d")]
        );
    }
}
