//! Models whose files are located but not read.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use meshlens::import::Importer;
use meshlens::unreal::pairing::companion;
use meshlens::unreal::{FileKind, validate_script, validate_sequences};
use meshlens::wire::Reservation;
use meshlens::{Document, Report};

use crate::held::hold;
use crate::record::Record;
use crate::scripts::ScriptMesh;
use crate::{AssetPath, Assets, Error, FoundFile, Lookup, Refused, codes};

/// The files of a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ModelFiles {
    /// A model in one file.
    Single(FoundFile),
    /// The two files of an Unreal mesh.
    Pair {
        /// The geometry file: triangles.
        geometry: FoundFile,
        /// The frames file: the vertices of every frame.
        frames: FoundFile,
        /// The script that imports the mesh, if one was found.
        script: Option<Arc<ScriptMesh>>,
    },
    /// One file of an Unreal mesh whose other file is missing.
    Unpaired {
        /// The kind of the existing file.
        kind: FileKind,
        /// The existing file.
        file: FoundFile,
        /// The possible names of the missing file, in search order.
        looked_for: Vec<AssetPath>,
        /// Names of the files in a script that were refused.
        refused: Vec<Refused>,
    },
    /// The parts of a Quake 3 player, in the order legs, torso, head. At least one of them exists.
    Player(Vec<FoundFile>),
}

/// A model whose files are known, and the search path for its companion files.
#[derive(Clone, Debug)]
pub struct Located {
    pub(crate) assets: Assets,
    pub(crate) path: AssetPath,
    pub(crate) files: ModelFiles,
    pub(crate) record: Record,
}

impl ModelFiles {
    /// The files, in the order in which they are read.
    pub fn files(&self) -> Vec<&FoundFile> {
        match self {
            ModelFiles::Single(file) | ModelFiles::Unpaired { file, .. } => vec![file],
            ModelFiles::Pair { geometry, frames, .. } => vec![geometry, frames],
            ModelFiles::Player(parts) => parts.iter().collect(),
        }
    }
}

/// The files in the form that users write. For a pair, only the geometry file if its name determines the other.
impl fmt::Display for ModelFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelFiles::Single(file) | ModelFiles::Unpaired { file, .. } => write!(f, "{file}"),
            ModelFiles::Pair { geometry, frames, .. } => {
                let name = frames.path.file_name();
                match companion(geometry.path.file_name(), [name]) {
                    Some(_) => write!(f, "{geometry}"),
                    None => write!(f, "{geometry} + {name}"),
                }
            }
            ModelFiles::Player(parts) => match parts.first() {
                Some(part) => write!(f, "{}", part.folder()),
                None => Ok(()),
            },
        }
    }
}

impl Located {
    /// The files.
    pub fn files(&self) -> &ModelFiles {
        &self.files
    }

    /// The path of the model in the search path: the path of its first file, or of the folder of a player.
    pub fn path(&self) -> &AssetPath {
        &self.path
    }

    /// The search path for companion files.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// Every file that was looked up so far, in order.
    pub fn lookups(&self) -> &[Lookup] {
        &self.record.lookups
    }

    /// Reads the files. An encrypted file is decrypted with `password`, if given.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] or [`Error::Read`] if a file cannot be read; [`Error::Memory`] if the budget of the search
    /// path is too small.
    pub fn load(&self, password: Option<&str>) -> Result<LoadedFiles, Error> {
        let mut reservation = self.assets.budget().map(|budget| budget.empty());
        let mut bytes = Vec::new();
        for file in self.files.files() {
            bytes.push(self.assets.read_within(file, reservation.as_mut(), u64::MAX)?);
        }
        Ok(self.loaded(bytes, password, reservation))
    }

    /// Like [`load`](Self::load), but `read` provides the bytes of each file, such as from a memory map or
    /// another cache. The caller owns their memory, and it is not reserved.
    ///
    /// # Errors
    ///
    /// The errors of `read`.
    pub fn load_with<E>(
        &self,
        password: Option<&str>,
        mut read: impl FnMut(&FoundFile) -> Result<Bytes, E>,
    ) -> Result<LoadedFiles, E> {
        let files = self.files.files().into_iter();
        let bytes = files.map(&mut read).collect::<Result<Vec<_>, E>>()?;
        Ok(self.loaded(bytes, password, None))
    }

    fn loaded(
        &self,
        bytes: Vec<Bytes>,
        password: Option<&str>,
        reservation: Option<Reservation>,
    ) -> LoadedFiles {
        let (plain, importer) = match (&self.files, bytes.as_slice()) {
            (ModelFiles::Single(file), [whole]) => {
                (decrypted(whole, password), self.assets.importer(&file.path, whole).cloned())
            }
            _ => (Ok(None), None),
        };
        LoadedFiles { files: self.files.clone(), bytes, plain, importer, reservation }
    }
}

/// Decrypts an encrypted file; `None` for all others.
fn decrypted(bytes: &Bytes, password: Option<&str>) -> meshlens::Result<Option<Bytes>> {
    match meshlens::decrypt_if_needed(bytes, password)? {
        std::borrow::Cow::Owned(plain) => Ok(Some(plain.into())),
        std::borrow::Cow::Borrowed(_) => Ok(None),
    }
}

/// The bytes of the files of a model.
#[derive(Debug)]
pub struct LoadedFiles {
    files: ModelFiles,
    bytes: Vec<Bytes>,
    /// The decrypted first file if it was encrypted, or the reason why it cannot be decrypted.
    plain: meshlens::Result<Option<Bytes>>,
    importer: Option<Arc<dyn Importer>>,
    reservation: Option<Reservation>,
}

impl LoadedFiles {
    /// The files that were read.
    pub fn files(&self) -> &ModelFiles {
        &self.files
    }

    /// The bytes of each file, unchanged, in the order of [`ModelFiles::files`].
    pub fn bytes(&self) -> &[Bytes] {
        &self.bytes
    }

    /// The bytes of the file by which the format is detected.
    pub fn first(&self) -> &[u8] {
        self.bytes.first().map(|bytes| &bytes[..]).unwrap_or_default()
    }

    /// The [importer](Assets::add_importer) of the file; `None` for a file of our formats, which has a
    /// [`document`](Self::document).
    pub fn importer(&self) -> Option<&Arc<dyn Importer>> {
        self.importer.as_ref()
    }

    /// The total size of all files in bytes.
    pub fn len(&self) -> u64 {
        self.bytes.iter().map(|bytes| bytes.len() as u64).sum()
    }

    /// Whether all files are empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Parses the files; for a player, the first. For a single file of an Unreal mesh, the result is a document, but
    /// not a model.
    ///
    /// # Errors
    ///
    /// Same as [`Document::parse`], and an error for a wrong password.
    pub fn document(&self) -> meshlens::Result<Document<'_>> {
        let plain = self.plain.as_ref().map_err(|error| *error)?;
        match (&self.files, self.bytes.as_slice()) {
            (ModelFiles::Pair { .. }, [geometry, frames]) => Document::parse_pair(geometry, frames),
            (ModelFiles::Unpaired { kind, .. }, [file]) => Document::parse_unpaired(*kind, file),
            _ => Document::parse(plain.as_deref().unwrap_or(self.first())),
        }
    }

    /// Parses every file: for a player, each of its parts, and otherwise the one [`document`](Self::document).
    ///
    /// # Errors
    ///
    /// Same as [`document`](Self::document).
    pub fn documents(&self) -> meshlens::Result<Vec<Document<'_>>> {
        match &self.files {
            ModelFiles::Player(_) => self.bytes.iter().map(|bytes| Document::parse(bytes)).collect(),
            _ => Ok(vec![self.document()?]),
        }
    }

    /// Adds the findings about every document of these files. A document that does not parse is a finding.
    pub fn validate_all(&self, report: &mut Report) {
        match self.documents() {
            Ok(documents) => documents.iter().for_each(|document| self.validate(document, report)),
            Err(error) => report.add_error(&error),
        }
    }

    /// Adds the findings about the document of these files, and about the script that imports them.
    pub fn validate(&self, document: &Document<'_>, report: &mut Report) {
        document.validate(report);
        self.validate_script(document, report);
    }

    /// Adds the findings about the script that imports the mesh of a document of these files. No effect without a script.
    pub fn validate_script(&self, document: &Document<'_>, report: &mut Report) {
        let (ModelFiles::Pair { script: Some(script), .. }, Document::Unreal(unreal)) =
            (&self.files, document)
        else {
            return;
        };
        let parsed = script.script();
        if script.is_first() {
            validate_script(parsed, report);
        }
        if let Some(mesh) = parsed.mesh(script.name()) {
            validate_sequences(mesh.sequences(), unreal.frame_count(), report);
        }
        report_refused(script, report);
    }

    /// The [`bytes`](Self::bytes). Their memory stays reserved from the budget of the search path until the last clone of the last
    /// file is dropped.
    pub fn into_bytes(self) -> Vec<Bytes> {
        let Some(memory) = self.reservation.map(Arc::new) else { return self.bytes };
        self.bytes.into_iter().map(|bytes| hold(bytes, memory.clone())).collect()
    }

    pub(crate) fn into_parts(self) -> (Vec<Bytes>, meshlens::Result<Option<Bytes>>, Option<Reservation>) {
        (self.bytes, self.plain, self.reservation)
    }
}

/// Adds the names in a script that were refused.
pub(crate) fn report_refused(script: &ScriptMesh, report: &mut Report) {
    let file = script.file();
    for refused in script.refused() {
        report.lose(&codes::NAME_REFUSED, 1, format_args!("{file}"), format_args!("{file}: {refused}"));
    }
}
