//! Levels of detail: `base.md3` is the finest, and `base_1.md3` and `base_2.md3` in the same folder are coarser.
//!
//! Their frame counts may differ. Engines show the last frame of a level that has fewer frames.

/// The level of detail in a file name, and the name without the level and the extension.
///
/// ```
/// use meshlens_md3::lod;
///
/// assert_eq!(lod::level("head_2.md3"), (2, "head"));
/// assert_eq!(lod::level("head.md3"), (0, "head"));
/// assert_eq!(lod::level("gun_12.md3"), (0, "gun_12"));
/// ```
pub fn level(name: &str) -> (u32, &str) {
    let stem = without_extension(name).unwrap_or(name);
    match stem.rsplit_once('_') {
        Some((base, level)) if !base.is_empty() && level.len() == 1 => match level.parse() {
            Ok(level) if level > 0 => (level, base),
            _ => (0, stem),
        },
        _ => (0, stem),
    }
}

/// The file names in a folder that are levels of detail of `name`, the finest first. They include `name` itself if the
/// folder has it. ASCII letters match in any case.
///
/// ```
/// use meshlens_md3::lod;
///
/// let beside = ["gun.md3", "Head_2.md3", "head.md3", "head_1.md3", "head.skin", "headless_1.md3"];
/// assert_eq!(lod::siblings("head_1.md3", beside), ["head.md3", "head_1.md3", "Head_2.md3"]);
/// ```
pub fn siblings<'n>(name: &str, beside: impl IntoIterator<Item = &'n str>) -> alloc::vec::Vec<&'n str> {
    let (_, base) = level(name);
    let level_of = |other: &'n str| {
        without_extension(other)?;
        let (level, other_base) = level(other);
        other_base.eq_ignore_ascii_case(base).then_some((level, other))
    };
    let mut found: alloc::vec::Vec<(u32, &str)> = beside.into_iter().filter_map(level_of).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, other)| other).collect()
}

/// The name of a model without its extension; `None` for other files.
fn without_extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.split_at_checked(name.len().checked_sub(4)?)?;
    extension.eq_ignore_ascii_case(".md3").then_some(stem)
}
