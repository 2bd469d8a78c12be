//! Scripts (`.uc`), which name both files of Unreal meshes.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use meshlens::Limits;
use meshlens::unreal::{ParseOptions, Script};
use self_cell::self_cell;

use crate::index::Extension;
use crate::{AssetPath, Assets, Error, FoundFile, Refusal, Refused};

/// A mesh that a script imports.
pub struct ScriptMesh {
    file: FoundFile,
    parsed: Arc<ParsedScript>,
    name: String,
    is_first: bool,
    refused: Vec<Refused>,
}

impl ScriptMesh {
    /// The script.
    pub fn file(&self) -> &FoundFile {
        &self.file
    }

    /// The text of the script.
    pub fn text(&self) -> &Bytes {
        self.parsed.borrow_owner()
    }

    /// The content of the script. It is parsed once for all its meshes, with [`ParseOptions::LENIENT`].
    pub fn script(&self) -> &Script<'_> {
        self.parsed.borrow_dependent()
    }

    /// The name of the mesh.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is the first mesh of its script. Findings about the whole script are reported for this mesh.
    pub fn is_first(&self) -> bool {
        self.is_first
    }

    /// The paths of the mesh's files in the script that were refused, such as `C:\gun_d.3d`. Their last parts were
    /// looked up from the folder of the package.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }
}

impl fmt::Debug for ScriptMesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}!{}\"", self.file, self.name)
    }
}

self_cell! {
    /// The text of a script, and its content.
    pub(crate) struct ParsedScript {
        owner: Bytes,
        #[covariant]
        dependent: Script,
    }
}

/// An import of a script, and those of its files that exist.
#[derive(Debug)]
pub(crate) struct Import {
    pub(crate) script: Arc<ScriptMesh>,
    pub(crate) geometry: Named,
    pub(crate) frames: Named,
}

/// A file that a script names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    pub(crate) found: Option<FoundFile>,
    pub(crate) looked_for: Vec<AssetPath>,
    /// The reason why the path in the script was refused; `None` if it was not.
    pub(crate) refused: Option<Refused>,
}

/// The number of folders above a script at which its paths may start.
const FOLDERS_ABOVE: usize = 3;

/// The largest number of parts of a path that starts at a drive that are looked up.
const MAX_PARTS: usize = 16;

pub(crate) fn is_script(name: &str) -> bool {
    crate::archive_files::has_extension(name, "uc")
}

impl Assets {
    /// A script. It is read and parsed once, and cached. Fails if it is longer than `limit`.
    pub(crate) fn script(&self, file: &FoundFile, limit: u64) -> Result<Arc<ParsedScript>, Error> {
        self.cache().named(file.to_string().into(), || {
            let text = self.read_limited(file, limit)?;
            let parsed = ParsedScript::try_new(text, |text| Script::parse_with(text, &ParseOptions::LENIENT));
            parsed.map(Arc::new).map_err(|error| Error::parse(file, error))
        })
    }

    /// The meshes that a script imports, each once, and their files. The script is read and its files are looked up once.
    pub(crate) fn imports(&self, path: &AssetPath, file: &FoundFile) -> Result<Arc<Vec<Import>>, Error> {
        self.cache().named(file.to_string().into(), || {
            let parsed = self.script(file, Limits::DEFAULT.text)?;
            Ok(Arc::new(self.imports_of(path, file, &parsed)))
        })
    }

    fn imports_of(&self, path: &AssetPath, file: &FoundFile, parsed: &Arc<ParsedScript>) -> Vec<Import> {
        let script = parsed.borrow_dependent();
        let names: Vec<String> = script.meshes().map(|mesh| mesh.name().to_string()).collect();
        // If two imports have the same name, engines use the last.
        let last: HashMap<String, usize> =
            names.iter().enumerate().map(|(number, name)| (name.to_ascii_lowercase(), number)).collect();
        let mut imports = Vec::new();
        for (number, (mesh, name)) in script.meshes().zip(names).enumerate() {
            if last.get(&name.to_ascii_lowercase()) != Some(&number) {
                continue;
            }
            let named = |name: &str| self.file_of_script(path, name);
            let geometry = named(&mesh.import().geometry_file.to_text());
            let frames = named(&mesh.import().frames_file.to_text());
            let refused = [&geometry, &frames].into_iter().filter_map(|named| named.refused.clone());
            imports.push(Import {
                script: Arc::new(ScriptMesh {
                    file: file.clone(),
                    parsed: parsed.clone(),
                    name,
                    is_first: imports.is_empty(),
                    refused: refused.collect(),
                }),
                geometry,
                frames,
            });
        }
        imports
    }

    /// Finds a file that a script names. Its paths start at the folder of the package, which contains the folder
    /// `Classes` of scripts. If that fails, they are looked up from the script's own folder upwards, and in the folder
    /// of the script. Of a path that starts at a drive or a root, the last parts are looked up in the same way.
    fn file_of_script(&self, script: &AssetPath, name: &str) -> Named {
        let mut named = Named::default();
        let own = script.folder();
        let package = own.file_name().eq_ignore_ascii_case("classes").then(|| own.folder());
        let folders = package.into_iter().chain(own.up_to_root().take(FOLDERS_ABOVE + 1));
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let folders: Vec<AssetPath> = folders.collect();
        let mut whole: Vec<_> = folders.iter().map(|folder| self.resolve(folder, name)).collect();
        // A path that stays inside the mounts from one of the folders is not refused.
        if whole.iter().all(Result::is_err) {
            named.refused = whole.iter().find_map(|path| path.as_ref().err().cloned());
        }
        let starts_elsewhere =
            |refused: &Refused| matches!(refused.reason, Refusal::Drive | Refusal::Absolute);
        if named.refused.as_ref().is_some_and(starts_elsewhere) {
            let parts = name.match_indices(['/', '\\']).filter_map(|(at, _)| name.get(at + 1..));
            let parts =
                parts.take(MAX_PARTS).flat_map(|part| folders.iter().map(move |folder| (folder, part)));
            whole.extend(parts.map(|(folder, part)| self.resolve(folder, part)));
        }
        for path in whole.into_iter().chain([self.resolve(&own, last)]).flatten() {
            if !named.looked_for.contains(&path) {
                named.found = self.find_any(&path);
                named.looked_for.push(path);
                if named.found.is_some() {
                    break;
                }
            }
        }
        named
    }

    /// The scripts in a folder: `first`, if it exists, and then all others, sorted by name.
    pub(crate) fn scripts_in(&self, folder: &AssetPath, first: &str) -> Vec<AssetPath> {
        let listing = self.listing(folder);
        let mut names: Vec<&str> = listing.with_extension(Extension::Uc).collect();
        names.sort_unstable();
        let mut scripts: Vec<AssetPath> = names.into_iter().map(|name| folder.child(name)).collect();
        scripts.sort_by_key(|path| !path.file_name().eq_ignore_ascii_case(first));
        scripts
    }
}
