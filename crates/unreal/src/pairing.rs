//! Which files belong together, by their names. Only a helper: paths that are given, or a script, say it for certain.

use alloc::vec::Vec;
use core::cmp::Ordering;

use meshlens_wire::{Limits, Result};

use crate::{Frames, Geometry, Mode};

/// Which of the two files one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// `x_d.3d` or `DATA01.3d`: triangles.
    Geometry,
    /// `x_a.3d` or `ANIV01.3d`: the vertices of every frame.
    Frames,
}

/// One file of a pair, by itself.
#[derive(Clone, Copy, Debug)]
pub enum Half<'a> {
    /// A geometry file without frames.
    Geometry(Geometry<'a>),
    /// A frames file without geometry.
    Frames(Frames<'a>),
}

impl<'a> Half<'a> {
    /// Parses a file by itself, a frames file in lenient mode.
    ///
    /// # Errors
    ///
    /// What [`Geometry::parse`] and [`Frames::parse_with`] say.
    pub fn parse(role: Role, bytes: &'a [u8]) -> Result<Self> {
        Ok(match role {
            Role::Geometry => Half::Geometry(Geometry::parse(bytes)?),
            Role::Frames => Half::Frames(Frames::parse_with(bytes, Mode::Lenient, &Limits::DEFAULT)?),
        })
    }

    /// Which of the two it is.
    pub const fn role(&self) -> Role {
        match self {
            Half::Geometry(_) => Role::Geometry,
            Half::Frames(_) => Role::Frames,
        }
    }
}

/// What a file's name says: `x_d.3d` or `x_a.3d`, `DATAnn.3d` or `ANIVnn.3d`, in any case.
///
/// ```
/// use meshlens_unreal::pairing::{HalfName, Role};
///
/// let name = HalfName::parse("Gun_D.3d").unwrap();
/// assert_eq!((name.role, name.stem), (Role::Geometry, "Gun"));
/// assert_eq!(HalfName::parse("aniv07.3D").unwrap().role, Role::Frames);
/// assert_eq!(HalfName::parse("gun.3d"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfName<'n> {
    /// Which of the two files it is.
    pub role: Role,
    /// What is left of the name; the same in both files but for case.
    pub stem: &'n str,
    /// Whether it is of the numbered kind, `DATAnn` or `ANIVnn`.
    pub is_numbered: bool,
}

impl<'n> HalfName<'n> {
    /// Reads a file's name, without its folder.
    pub fn parse(name: &'n str) -> Option<Self> {
        let name = strip_suffix(name, ".3d")?;
        let roles = [("_d", "DATA", Role::Geometry), ("_a", "ANIV", Role::Frames)];
        roles.into_iter().find_map(|(suffix, prefix, role)| {
            if let Some(stem) = strip_suffix(name, suffix).filter(|stem| !stem.is_empty()) {
                return Some(HalfName { role, stem, is_numbered: false });
            }
            let (start, stem) = name.split_at_checked(prefix.len())?;
            let is_number = !stem.is_empty() && stem.bytes().all(|byte| byte.is_ascii_digit());
            (start.eq_ignore_ascii_case(prefix) && is_number).then_some(HalfName {
                role,
                stem,
                is_numbered: true,
            })
        })
    }

    /// By what is the same in both names.
    fn compare(&self, other: &HalfName<'_>) -> Ordering {
        let stems = compare_ignore_case(self.stem.as_bytes(), other.stem.as_bytes());
        self.is_numbered.cmp(&other.is_numbered).then(stems)
    }
}

/// The order of two names without regard to the case of ASCII letters.
pub(crate) fn compare_ignore_case(a: &[u8], b: &[u8]) -> Ordering {
    a.iter().map(u8::to_ascii_lowercase).cmp(b.iter().map(u8::to_ascii_lowercase))
}

fn strip_suffix<'n>(name: &'n str, suffix: &str) -> Option<&'n str> {
    let (stem, end) = name.split_at_checked(name.len().checked_sub(suffix.len())?)?;
    end.eq_ignore_ascii_case(suffix).then_some(stem)
}

/// The other half of `name` among the names of the files beside it: the one of exactly this stem, or else the first of
/// this stem in any case.
///
/// ```
/// use meshlens_unreal::pairing::companion;
///
/// assert_eq!(companion("gun_d.3d", ["GUN_A.3D", "gun_a.3d", "gun_d.3d"]), Some("gun_a.3d"));
/// assert_eq!(companion("Gun_a.3d", ["gun_D.3d"]), Some("gun_D.3d"));
/// assert_eq!(companion("gun_d.3d", ["gun2_a.3d"]), None);
/// ```
pub fn companion<'n>(name: &str, beside: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let this = HalfName::parse(name)?;
    let is_other = |other: &HalfName<'_>| other.role != this.role && other.compare(&this).is_eq();
    let mut others =
        beside.into_iter().filter(|other| HalfName::parse(other).is_some_and(|other| is_other(&other)));
    let first = others.next()?;
    let is_exact = |other: &&str| HalfName::parse(other).is_some_and(|other| other.stem == this.stem);
    if is_exact(&first) { Some(first) } else { others.find(is_exact).or(Some(first)) }
}

/// What [`pairs`] finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Paired<'n> {
    /// The geometry file, `None` where there is only the other one.
    pub geometry: Option<&'n str>,
    /// The frames file, `None` where there is only the other one.
    pub frames: Option<&'n str>,
}

/// The pairs among the names of the files of one folder, each once, and the halves that have no other; other names are
/// passed over. Sorted by stem. Where names differ in case alone, each file is with the one [`companion`] finds.
///
/// ```
/// use meshlens_unreal::pairing::{Paired, pairs};
///
/// let found = pairs(["gun_a.3d", "readme.txt", "Gun_d.3d", "lamp_d.3d"]);
/// assert_eq!(found, [
///     Paired { geometry: Some("Gun_d.3d"), frames: Some("gun_a.3d") },
///     Paired { geometry: Some("lamp_d.3d"), frames: None },
/// ]);
/// ```
pub fn pairs<'n>(names: impl IntoIterator<Item = &'n str>) -> Vec<Paired<'n>> {
    let mut halves: Vec<(HalfName<'n>, &'n str)> =
        names.into_iter().filter_map(|name| Some((HalfName::parse(name)?, name))).collect();
    halves.sort_by(|(a, a_name), (b, b_name)| {
        a.compare(b).then(a.role.cmp(&b.role)).then(a.stem.cmp(b.stem)).then(a_name.cmp(b_name))
    });
    let mut found = Vec::with_capacity(halves.len());
    for group in halves.chunk_by(|(a, _), (b, _)| a.compare(b).is_eq()) {
        let (geometry, frames) =
            group.split_at(group.partition_point(|(half, _)| half.role == Role::Geometry));
        for (half, name) in geometry {
            let other = of_stem(frames, half.stem).map(|(_, name)| name);
            found.push(Paired { geometry: Some(name), frames: other });
        }
        for (half, name) in frames {
            let other = of_stem(geometry, half.stem);
            let others_own = other.and_then(|(other, _)| of_stem(frames, other.stem)).map(|(_, name)| name);
            if others_own != Some(*name) {
                found.push(Paired { geometry: other.map(|(_, name)| name), frames: Some(name) });
            }
        }
    }
    found
}

/// The half of exactly this stem, or else the first, of halves sorted by stem: so that many names that differ in case
/// alone cost no more than others.
fn of_stem<'n>(halves: &[(HalfName<'n>, &'n str)], stem: &str) -> Option<(HalfName<'n>, &'n str)> {
    let exact = halves.binary_search_by(|(half, _)| half.stem.cmp(stem)).ok();
    exact.and_then(|index| halves.get(index)).or(halves.first()).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_kinds_and_neither() {
        let parse = |name| HalfName::parse(name).map(|half| (half.role, half.stem, half.is_numbered));
        assert_eq!(parse("a_b_A.3D"), Some((Role::Frames, "a_b", false)));
        assert_eq!(parse("Data12.3d"), Some((Role::Geometry, "12", true)));
        assert_eq!(parse("data_d.3d"), Some((Role::Geometry, "data", false)));
        for name in
            ["_d.3d", "DATA.3d", "DATAx1.3d", "gun_d.md3", "gun_d", "d.3d", "", ".3d", "\u{e9}\u{e9}.3d"]
        {
            assert_eq!(parse(name), None, "{name}");
        }
    }

    #[test]
    fn each_pair_once_and_each_lone_half() {
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
    fn names_that_differ_in_case_alone() {
        let pair = |geometry, frames| Paired { geometry: Some(geometry), frames: Some(frames) };
        let names = ["x_d.3d", "X_d.3d", "x_a.3d", "X_a.3d"];
        assert_eq!(pairs(names), [pair("X_d.3d", "X_a.3d"), pair("x_d.3d", "x_a.3d")]);
        assert_eq!(
            pairs(["X_d.3d", "x_d.3d", "x_a.3d"]),
            [pair("X_d.3d", "x_a.3d"), pair("x_d.3d", "x_a.3d")]
        );
    }
}
