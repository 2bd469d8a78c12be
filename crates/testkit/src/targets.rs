//! The fuzz targets by name: what each checks, and which files of the corpus are its seeds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use meshlens::Document;

use crate::{check, corpus, real};

/// One fuzz target. `fuzz/fuzz_targets/<name>.rs` runs its checker under libFuzzer; the tests of this crate run it on
/// stable, on its seeds, on what is near them, and on everything that ever broke it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name, that of its checker.
    pub name: &'static str,
    /// Calls everything there is to call on some bytes, and panics when something does not hold.
    pub check: fn(&[u8]),
    /// How the names of its seeds end.
    pub seeds: &'static [&'static str],
    /// What changes when a count or an offset does, for finding these; `None` for text and for bytes of no format.
    pub shape: Option<fn(&[u8]) -> String>,
    /// Whether the tests run it on every small damage to each seed, or only on the seeds: targets that look at the
    /// same bytes as another one from another side need not.
    pub damaged: bool,
}

/// Every target, by name.
pub const TARGETS: &[Target] = &[
    Target {
        name: "animation_config",
        check: check::animation_config,
        seeds: &["animation.cfg"],
        shape: None,
        damaged: true,
    },
    Target { name: "archive", check: check::archive, seeds: &[".pk3"], shape: None, damaged: true },
    Target { name: "md3", check: check::md3, seeds: &[".md3"], shape: Some(document), damaged: true },
    Target { name: "skin", check: check::skin, seeds: &[".skin"], shape: None, damaged: true },
];

/// The outcome of a parse: what is wrong and where, or the counts.
fn document(bytes: &[u8]) -> String {
    match Document::parse(bytes) {
        Ok(document) => format!("{:?}", document.summary()),
        Err(error) => format!("{} {}", error.code(), error.offset()),
    }
}

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

impl Target {
    /// Its seeds in the corpus, by path.
    pub fn seeds(&self) -> Vec<(String, Vec<u8>)> {
        corpus::with_extension(self.seeds)
    }

    /// What ever broke it, by path: the files of `fuzz/regressions/<name>/`.
    pub fn regressions(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = regressions_folder().join(self.name);
        let files = if folder.is_dir() { real::files_below(&folder) } else { Vec::new() };
        let read = |path: PathBuf| {
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path, bytes)
        };
        files.into_iter().map(read).collect()
    }

    /// Copies its seeds and regressions to `folder`, each under a name made from its place; says how many there are.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn write_seeds(&self, folder: &Path) -> io::Result<usize> {
        fs::create_dir_all(folder)?;
        let seeds = self.seeds();
        let regressions = self.regressions();
        for (path, bytes) in &seeds {
            fs::write(folder.join(path.replace('/', "-")), bytes)?;
        }
        for (path, bytes) in &regressions {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            fs::write(folder.join(format!("regression-{name}")), bytes)?;
        }
        Ok(seeds.len() + regressions.len())
    }
}

/// Where the inputs are kept that ever broke a target.
pub fn regressions_folder() -> PathBuf {
    real::workspace_root().join("fuzz/regressions")
}
