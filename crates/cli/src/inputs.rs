//! Expands the paths of the command line to models, in an order that does not depend on the machine.

use std::collections::HashSet;
use std::io::stdin;
use std::path::{Path, PathBuf};

use meshlens::wire::Budget;
use meshlens_assets::{Assets, Error, FindOptions, ModelFiles};
use meshlens_source::{Source, UNSIZED_LIMIT};

use crate::args::Inputs;
use crate::errors;
use crate::item::Item;
use crate::remote;
use crate::status::Status;
use crate::terminal::tell;

/// Which files in folders and archives are models. A file that is named itself is always taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Takes {
    GameFormats,
    /// Game formats, and also .glb and .gltf.
    Gltf,
}

impl Takes {
    const fn options(self) -> FindOptions<'static> {
        let extensions: &[&str] = match self {
            Takes::GameFormats => &[],
            Takes::Gltf => &["glb", "gltf"],
        };
        FindOptions { extensions, content: true, archives: true }
    }
}

/// The search paths of the folders that the user names as roots, later ones first. Memory for files is reserved from
/// `budget`.
pub(crate) fn assets(roots: &[PathBuf], budget: Option<Budget>) -> Result<Assets, String> {
    let mut assets = Assets::new();
    if let Some(budget) = budget {
        assets.set_budget(budget);
    }
    for root in roots {
        assets.mount_folder(root).map_err(|error| errors::asset(&error))?;
    }
    Ok(assets)
}

/// The models that the paths of the arguments name. The status says whether some path could not be followed; such a
/// path is reported on standard error.
pub(crate) fn expand(arguments: &Inputs, takes: Takes) -> (Vec<Item>, Status) {
    match assets(&arguments.root, None) {
        Ok(assets) => expand_paths(&assets, &arguments.paths, takes),
        Err(message) => {
            tell!("{message}");
            (Vec::new(), Status::Failed)
        }
    }
}

/// The models that `paths` name, like [`expand`].
pub(crate) fn expand_paths(assets: &Assets, paths: &[PathBuf], takes: Takes) -> (Vec<Item>, Status) {
    let mut expansion = Expansion { assets, items: Vec::new(), status: Status::Fine, listed: HashSet::new() };
    for path in paths {
        expansion.path(path, takes);
    }
    (expansion.items, expansion.status)
}

/// Whether the paths name exactly one model, not a folder, an archive or several models.
pub(crate) fn is_single(paths: &[PathBuf]) -> bool {
    let has_several = |path: &Path| {
        let extension = path.extension().unwrap_or_default();
        path.is_dir() || ["pk3", "zip", "uc"].iter().any(|known| extension.eq_ignore_ascii_case(known))
    };
    matches!(paths, [path] if !has_several(path))
}

/// Whether the path is a script, which can import several meshes.
pub(crate) fn is_script_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("uc"))
}

struct Expansion<'a> {
    assets: &'a Assets,
    items: Vec<Item>,
    status: Status,
    /// The pairs of files that are already listed: naming both files lists a mesh once.
    listed: HashSet<[String; 2]>,
}

impl Expansion<'_> {
    fn fail(&mut self, message: impl std::fmt::Display) {
        tell!("{message}");
        self.status = Status::Failed;
    }

    fn path(&mut self, path: &Path, takes: Takes) {
        if path.as_os_str() == "-" {
            return self.stdin();
        }
        if let Some(url) = remote::url(path) {
            return self.fail(format_args!("{url}: only inspect and plan take URLs"));
        }
        let given = match self.assets.given(path) {
            Ok(given) => given,
            Err(error) => return self.fail(errors::asset(&error)),
        };
        let found = given.models(&takes.options());
        let is_file = given.file().is_some() && !is_script_name(path);
        for located in found.models {
            if let (true, ModelFiles::Pair { geometry, frames, .. }) = (is_file, located.files())
                && !self.listed.insert([geometry, frames].map(ToString::to_string))
            {
                continue;
            }
            self.items.push(Item::new(located));
        }
        for fault in found.faults {
            match fault {
                // The folder of the loop is listed on another path.
                Error::Loop(_) => tell!("{fault}"),
                fault => self.fail(errors::asset(&fault)),
            }
        }
    }

    fn stdin(&mut self) {
        let read = Source::from_reader(stdin().lock(), UNSIZED_LIMIT);
        let located =
            read.map_err(Error::from).and_then(|source| self.assets.locate_bytes("stdin", source.into_vec()));
        match located {
            Ok(located) => self.items.push(Item { uri: "-".into(), located, is_stdin: true }),
            Err(error) => self.fail(errors::asset(&error)),
        }
    }
}
