//! The models that the command works on, and their names in messages.

use std::path::{Path, PathBuf};

use meshlens::Format;
use meshlens::unreal::FileKind;
use meshlens::wire::is_git_lfs_pointer;
use meshlens_assets::{LoadedFiles, Located, ModelFiles, foreign_format};

use crate::args::Password;
use crate::errors;
use crate::failure::Failure;

/// One model.
#[derive(Clone)]
pub(crate) struct Item {
    /// The name in messages: the path as given, or built from it; entries of archives are `archive!entry`.
    pub(crate) uri: String,
    pub(crate) located: Located,
    /// Whether the bytes came from standard input and are in memory.
    pub(crate) is_stdin: bool,
    /// Whether the model is at a URL, where its headers can be read alone.
    pub(crate) is_remote: bool,
    /// Whether the user named the model, not a folder or an archive that contains it.
    pub(crate) is_named: bool,
}

impl Item {
    pub(crate) fn new(located: Located, is_named: bool) -> Item {
        Item { uri: located.files().to_string(), located, is_stdin: false, is_remote: false, is_named }
    }

    /// The same model, which is at a URL. An entry of an archive is read as a whole.
    pub(crate) fn remote(self) -> Item {
        let is_remote = self.located.files().files().iter().all(|file| file.archive().is_none());
        Item { is_remote, ..self }
    }

    /// Whether the item is one file of a two-file mesh whose other file is missing.
    pub(crate) fn is_half(&self) -> bool {
        matches!(self.located.files(), ModelFiles::Unpaired { .. })
    }

    /// Whether the item is a skin of an MD3, which is a text.
    pub(crate) fn is_skin(&self) -> bool {
        self.located.path().extension().eq_ignore_ascii_case("skin")
    }

    /// Reads the files of the model. Those of another program are [skipped](Item::skipped), unless they were named.
    pub(crate) fn load(&self, password: &Password) -> Result<LoadedFiles, Failure> {
        let uri = &self.uri;
        let loaded = self.located.load(password.get()).map_err(|error| Failure::asset(&error))?;
        if let Some(format) = self.skipped(&loaded) {
            return Err(Failure::skipped(uri, format));
        }
        match loaded.document() {
            Err(error) if loaded.importer().is_none() => {
                Err(Failure::input(format!("{uri}: {}", errors::model(uri, &loaded, &error))))
            }
            _ if self.is_half() => Err(Failure::system(format!("{uri}: {}", self.missing_half()))),
            _ => Ok(loaded),
        }
    }

    /// Describes the missing file of a mesh of two files. The name of the existing file determines its name.
    pub(crate) fn missing_half(&self) -> String {
        let role = match self.located.files() {
            ModelFiles::Unpaired { kind: FileKind::Geometry, .. } => "_a.3d",
            _ => "_d.3d",
        };
        format!("its {role} was not found beside it")
    }

    /// The format of another program if the file was found in a folder; such a file is skipped. `None` if the file was
    /// named.
    pub(crate) fn skipped(&self, files: &LoadedFiles) -> Option<&'static str> {
        if self.is_named {
            return None;
        }
        let bytes = files.first();
        foreign_format(bytes).or_else(|| {
            // Many programs use these extensions.
            let extension = self.located.path().extension();
            let is_shared = ["mesh", "anim"].iter().any(|shared| extension.eq_ignore_ascii_case(shared));
            let is_other = is_shared && !bytes.is_empty() && !is_git_lfs_pointer(bytes);
            (is_other && Format::detect(bytes).is_none()).then_some("not a UNIGINE file")
        })
    }

    /// The path of the file if it is a file of the operating system. For two files, the path of the geometry file.
    pub(crate) fn os_path(&self) -> Option<PathBuf> {
        if self.is_stdin {
            return None;
        }
        self.located.files().files().first().and_then(|file| file.os_path())
    }
}

/// Whether the path is an archive or a script, which can have several models.
pub(crate) fn has_models(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    ["pk3", "zip", "uc"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Splits the name of an archive: the file of the operating system, and the path of a nested archive in it.
pub(crate) fn outer_archive(archive: &str) -> (&str, &str) {
    let outer = archive.match_indices('!').find_map(|(end, _)| {
        let (outer, rest) = archive.split_at_checked(end)?;
        Path::new(outer).is_file().then_some((outer, rest.trim_start_matches('!')))
    });
    outer.unwrap_or((archive, ""))
}
