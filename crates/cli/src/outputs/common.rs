//! The folder that the paths of a list have in common.

use std::path::{Component, Path, PathBuf};

use meshlens_source::split_entry_path;

/// The deepest folder that contains all paths; `None` if there are none. A path in an archive counts as the archive.
pub(super) fn folder(paths: &[PathBuf]) -> Option<PathBuf> {
    // Paths with `..`, and lists with both relative and absolute paths, are compared as absolute paths.
    let is_plain =
        |path: &PathBuf| path.is_relative() && !path.components().any(|part| part == Component::ParentDir);
    let are_plain = paths.iter().all(is_plain);
    let mut common: Option<PathBuf> = None;
    for path in paths.iter().filter(|path| path.as_os_str() != "-") {
        let file = split_entry_path(path).map_or(path.as_path(), |(file, _)| file);
        let folder = if file.is_dir() { file } else { file.parent().unwrap_or(Path::new("")) };
        let folder = if are_plain { plain(folder) } else { absolute(folder) };
        common = Some(match common {
            None => folder,
            Some(common) => {
                let shared = common.components().zip(folder.components()).take_while(|(a, b)| a == b);
                shared.map(|(part, _)| part).collect()
            }
        });
    }
    common
}

/// A relative path without `.`.
fn plain(folder: &Path) -> PathBuf {
    folder.components().filter(|part| *part != Component::CurDir).collect()
}

fn absolute(folder: &Path) -> PathBuf {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    folder.canonicalize().or_else(|_| std::path::absolute(folder)).unwrap_or_else(|_| folder.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_common_folder() {
        let common = |paths: &[&str]| {
            let paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
            folder(&paths).map(|folder| folder.display().to_string())
        };
        assert_eq!(common(&["a/b/x.md3", "a/b/y.md3"]).as_deref(), Some("a/b"));
        assert_eq!(common(&["a/b/x.md3", "./a/c/d/y.md3"]).as_deref(), Some("a"));
        assert_eq!(common(&["a/bc/x.md3", "a/b/x.md3"]).as_deref(), Some("a"));
        assert_eq!(common(&["x.md3", "a/y.md3"]).as_deref(), Some(""));
        assert_eq!(common(&["/nowhere/a/x.md3", "/nowhere/b/x.md3"]).as_deref(), Some("/nowhere"));
        assert_eq!(common(&[]), None);
    }
}
