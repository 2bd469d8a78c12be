//! Paths inside the mounts, and the function that resolves a name stored in a file to such a path.

use std::fmt;
use std::sync::Arc;

/// The largest length of a path in bytes. Longer paths are refused.
pub const MAX_PATH_BYTES: usize = 4096;

/// A path inside the mounts of an [`Assets`](crate::Assets): components joined by `/`. No component is empty, `.` or `..`.
/// It has no root and no drive, so it cannot lead out of a mount. The empty path is the root of the mounts.
///
/// The path keeps its case. Two paths that differ only in the case of ASCII letters name the same file, but are not
/// equal. Cloning is O(1).
///
/// ```
/// use meshlens_assets::AssetPath;
///
/// let path = AssetPath::new(r"models\players\\sarge/./lower.MD3")?;
/// assert_eq!(path.as_str(), "models/players/sarge/lower.MD3");
/// assert_eq!(path.file_name(), "lower.MD3");
/// assert_eq!((path.stem(), path.extension()), ("lower", "MD3"));
/// assert_eq!(path.folder().as_str(), "models/players/sarge");
/// # Ok::<(), meshlens_assets::Refused>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssetPath(Arc<str>);

/// A name that was refused, because it leads out of the mounts or is not a valid name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{:?}: refused: {reason}", shown(name))]
#[non_exhaustive]
pub struct Refused {
    /// The name, as given.
    pub name: Box<str>,
    /// The reason.
    pub reason: Refusal,
}

/// The reason why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The name is empty, or names its own folder.
    #[error("empty name")]
    Empty,
    /// The name starts at a root (`/`, `\`).
    #[error("absolute name")]
    Absolute,
    /// The name starts with a drive (`C:`).
    #[error("name with a drive")]
    Drive,
    /// `..` leads out of the mounts.
    #[error("`..` leads out of the mounts")]
    Parent,
    /// The name has a NUL character.
    #[error("name with a NUL character")]
    Nul,
    /// The name of one file or folder has `/` or `\`.
    #[error("name with a path separator")]
    Separator,
    /// The path has more than [`MAX_PATH_BYTES`] bytes.
    #[error("path of more than {MAX_PATH_BYTES} bytes")]
    TooLong,
}

/// Shortens a name for a message, because it may have any length.
fn shown(name: &str) -> &str {
    name.char_indices().nth(200).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}

/// Resolves a name that is stored in a file (a texture, a companion, a path in a script, a decoded URI) against a
/// folder. `\` is the same as `/`; `.` and empty components are dropped; `..` goes up, but not past the root of the
/// mounts.
///
/// Every name that is stored in a file passes this function before anything is looked up.
///
/// # Errors
///
/// [`Refused`] if the name is absolute, has a drive, leads past the root with `..`, has a NUL character, is too long,
/// or has no file name.
///
/// ```
/// use meshlens_assets::{AssetPath, Refusal, resolve};
///
/// let folder = AssetPath::new("models/players/sarge")?;
/// assert_eq!(resolve(&folder, "band.tga")?.as_str(), "models/players/sarge/band.tga");
/// assert_eq!(resolve(&folder, r"..\..\weapons2\x.tga")?.as_str(), "models/weapons2/x.tga");
/// let refused = |name| resolve(&folder, name).unwrap_err().reason;
/// assert_eq!(refused("../../../../etc/passwd"), Refusal::Parent);
/// assert_eq!(refused("/etc/passwd"), Refusal::Absolute);
/// assert_eq!(refused(r"C:\autoexec.bat"), Refusal::Drive);
/// # Ok::<(), meshlens_assets::Refused>(())
/// ```
pub fn resolve(base: &AssetPath, name: &str) -> Result<AssetPath, Refused> {
    let refuse = |reason| Err(Refused { name: name.into(), reason });
    if name.contains('\0') {
        return refuse(Refusal::Nul);
    }
    if name.starts_with(['/', '\\']) {
        return refuse(Refusal::Absolute);
    }
    if has_drive(name) {
        return refuse(Refusal::Drive);
    }
    if name.len() > MAX_PATH_BYTES || base.as_str().len() > MAX_PATH_BYTES {
        return refuse(Refusal::TooLong);
    }
    let mut path = String::with_capacity(base.as_str().len() + 1 + name.len());
    path.push_str(base.as_str());
    for component in name.split(['/', '\\']) {
        match component {
            "" | "." => {}
            ".." if path.is_empty() => return refuse(Refusal::Parent),
            ".." => path.truncate(path.rfind('/').unwrap_or(0)),
            // As the first component, it would be a drive.
            _ if has_drive(component) => return refuse(Refusal::Drive),
            _ => {
                if !path.is_empty() {
                    path.push('/');
                }
                path.push_str(component);
            }
        }
    }
    if name.is_empty() || path.is_empty() {
        return refuse(Refusal::Empty);
    }
    if path.len() > MAX_PATH_BYTES {
        return refuse(Refusal::TooLong);
    }
    Ok(AssetPath(path.into()))
}

impl AssetPath {
    /// Makes a path from the root of the mounts: [`resolve`] against the root.
    ///
    /// # Errors
    ///
    /// Same as [`resolve`].
    pub fn new(name: &str) -> Result<AssetPath, Refused> {
        resolve(&AssetPath::root(), name)
    }

    /// The root of the mounts.
    pub fn root() -> AssetPath {
        AssetPath(Arc::from(""))
    }

    /// The text, components joined by `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the root of the mounts.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The folder that contains the path. For a path of one component and for the root, this is the root.
    pub fn folder(&self) -> AssetPath {
        match self.0.rfind('/') {
            Some(at) => AssetPath(self.0[..at].into()),
            None => AssetPath::root(),
        }
    }

    /// The last component. Empty for the root.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The file name before its last `.`. The whole file name if it has no `.`, or starts with its only one.
    pub fn stem(&self) -> &str {
        split_extension(self.file_name()).0
    }

    /// The file name after its last `.`. Empty if it has none.
    pub fn extension(&self) -> &str {
        split_extension(self.file_name()).1
    }

    /// Whether the extension is `extension`, in any case.
    pub fn has_extension(&self, extension: &str) -> bool {
        self.extension().eq_ignore_ascii_case(extension)
    }

    /// The path with another file name in the same folder: [`resolve`] against the folder.
    ///
    /// # Errors
    ///
    /// Same as [`resolve`].
    pub fn with_file_name(&self, name: &str) -> Result<AssetPath, Refused> {
        resolve(&self.folder(), name)
    }

    /// The path with its extension replaced by `extension`, or with `extension` added if it has none.
    ///
    /// # Errors
    ///
    /// Same as [`resolve`].
    pub fn with_extension(&self, extension: &str) -> Result<AssetPath, Refused> {
        self.with_file_name(&format!("{}.{extension}", self.stem()))
    }

    /// A path below this folder: [`resolve`] against it.
    ///
    /// # Errors
    ///
    /// Same as [`resolve`].
    pub fn join(&self, name: &str) -> Result<AssetPath, Refused> {
        resolve(self, name)
    }

    /// Whether this path and `other` name the same file: they are equal except for the case of ASCII letters.
    pub fn names_same(&self, other: &AssetPath) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }

    /// The part of the path after `folder` and its slash, or an empty text for `folder` itself. `None` if the path is
    /// not in it.
    pub fn below(&self, folder: &AssetPath) -> Option<&str> {
        if folder.is_root() {
            return Some(&self.0);
        }
        let rest = self.0.strip_prefix(&*folder.0)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
    }

    /// This folder, then the folder that contains it, and so on up to the root.
    pub(crate) fn up_to_root(&self) -> impl Iterator<Item = AssetPath> + use<> {
        let parent = |path: &AssetPath| (!path.is_root()).then(|| path.folder());
        std::iter::successors(Some(self.clone()), parent)
    }

    /// The path of a component in this folder. The component is already checked.
    pub(crate) fn child(&self, component: &str) -> AssetPath {
        if self.is_root() {
            AssetPath(component.into())
        } else {
            AssetPath(format!("{}/{component}", self.0).into())
        }
    }

    /// Whether the path is in a folder, in any case.
    pub(crate) fn is_in(&self, folder: &AssetPath) -> bool {
        let (path, folder) = (self.0.as_bytes(), folder.0.as_bytes());
        let is_start = path.get(..folder.len()).is_some_and(|start| start.eq_ignore_ascii_case(folder));
        folder.is_empty() || is_start && path.get(folder.len()) == Some(&b'/')
    }

    /// The reason, if a name is not one component of a path, in the spelling of paths.
    pub(crate) fn component_refusal(name: &str) -> Option<Refusal> {
        match name {
            "" | "." => Some(Refusal::Empty),
            ".." => Some(Refusal::Parent),
            _ if has_drive(name) => Some(Refusal::Drive),
            _ if name.contains('\0') => Some(Refusal::Nul),
            _ if name.contains(['/', '\\']) => Some(Refusal::Separator),
            _ if name.len() > MAX_PATH_BYTES => Some(Refusal::TooLong),
            _ => None,
        }
    }

    /// The spelling by which paths are compared: ASCII letters in lower case.
    pub(crate) fn folded(&self) -> Box<str> {
        self.0.to_ascii_lowercase().into()
    }
}

/// Whether a name starts with a drive (`C:`).
fn has_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn split_extension(name: &str) -> (&str, &str) {
    match name.rfind('.') {
        Some(at) if at > 0 => (&name[..at], &name[at + 1..]),
        _ => (name, ""),
    }
}

impl fmt::Display for AssetPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for AssetPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl AsRef<str> for AssetPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_resolve_inside_the_mounts_or_are_refused() {
        let cases = [
            ("", "a.tga", Ok("a.tga")),
            ("a/b", "c.tga", Ok("a/b/c.tga")),
            ("a/b", "../c.tga", Ok("a/c.tga")),
            ("a/b", "../../c.tga", Ok("c.tga")),
            ("a/b", "../../../c.tga", Err(Refusal::Parent)),
            ("a/b", "x/../../../../c", Err(Refusal::Parent)),
            ("a", ".//./b//c", Ok("a/b/c")),
            ("a", "..\\b", Ok("b")),
            ("a", "..", Err(Refusal::Empty)),
            ("", ".", Err(Refusal::Empty)),
            ("", "", Err(Refusal::Empty)),
            ("a", "", Err(Refusal::Empty)),
            ("a", "b/", Ok("a/b")),
            ("a", "/b", Err(Refusal::Absolute)),
            ("a", "\\\\server\\b", Err(Refusal::Absolute)),
            ("a", "c:b", Err(Refusal::Drive)),
            ("a", "b\0", Err(Refusal::Nul)),
            ("a", "...", Ok("a/...")),
            ("a", "..b", Ok("a/..b")),
        ];
        for (base, name, expected) in cases {
            let base = if base.is_empty() { AssetPath::root() } else { AssetPath::new(base).unwrap() };
            let found = resolve(&base, name);
            let found = found.as_ref().map(AssetPath::as_str).map_err(|refused| refused.reason);
            assert_eq!(found, expected, "{base:?} {name:?}");
        }
    }

    #[test]
    fn lengths_are_bounded() {
        assert!(AssetPath::new(&"a".repeat(MAX_PATH_BYTES)).is_ok());
        let refused = AssetPath::new(&"a".repeat(MAX_PATH_BYTES + 1)).unwrap_err();
        assert_eq!(refused.reason, Refusal::TooLong);
        assert!(refused.to_string().len() < 300);
        let long = AssetPath::new(&"a".repeat(MAX_PATH_BYTES)).unwrap();
        assert_eq!(resolve(&long, "b").unwrap_err().reason, Refusal::TooLong);
    }

    #[test]
    fn parts_of_a_path() {
        let path = AssetPath::new("a.b/c.animation.cfg").unwrap();
        assert_eq!((path.stem(), path.extension()), ("c.animation", "cfg"));
        assert_eq!(path.with_extension("md3").unwrap().as_str(), "a.b/c.animation.md3");
        assert_eq!(path.folder().extension(), "b");
        let hidden = AssetPath::new(".hidden").unwrap();
        assert_eq!((hidden.stem(), hidden.extension()), (".hidden", ""));
        assert!(hidden.folder().is_root());
        assert!(hidden.names_same(&AssetPath::new(".HIDDEN").unwrap()));
    }
}
