//! Models that were located: which files they are, before any of them is read.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use meshlens::unreal::pairing::companion;
use meshlens::unreal::script::MeshSequence;
use meshlens::unreal::{FileKind, ParseOptions, Script, validate_script, validate_sequences};
use meshlens::wire::Reservation;
use meshlens::{Document, Report};

use crate::record::Record;
use crate::scripts::ScriptMesh;
use crate::{AssetPath, Assets, Error, FoundFile, Lookup};

/// The files of a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ModelFiles {
    /// All of it is in one file.
    Single(FoundFile),
    /// The two files of an Unreal mesh.
    Pair {
        /// The triangles.
        geometry: FoundFile,
        /// The vertices of every frame.
        frames: FoundFile,
        /// The script that imports the mesh, if one was found.
        script: Option<Arc<ScriptMesh>>,
    },
    /// One file of an Unreal mesh whose other file is missing.
    Unpaired {
        /// Which of the two it is.
        kind: FileKind,
        /// The file that is there.
        file: FoundFile,
        /// The names of the other file, in the order in which they were looked for.
        looked_for: Vec<AssetPath>,
    },
    /// The parts of a Quake 3 player, in the order legs, torso, head. At least one of them is there.
    Player(Vec<FoundFile>),
}

/// A model whose files are known, and where the other files that belong to it are looked for.
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

/// The files as a user would write them: the geometry of a pair alone, if the name of its other file follows from that.
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

    /// The path of the model in the search path: that of its first file, or the folder of a player.
    pub fn path(&self) -> &AssetPath {
        &self.path
    }

    /// Where the other files that belong to it are looked for.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// Every file that was looked for until now, in order.
    pub fn lookups(&self) -> &[Lookup] {
        &self.record.lookups
    }

    /// Reads the files. An encrypted file is decrypted with `password`, if there is one.
    ///
    /// # Errors
    ///
    /// [`Error::Source`] or [`Error::Read`] for a file that cannot be read, [`Error::Memory`] if the budget of the search
    /// path is too small for them.
    pub fn load(&self, password: Option<&str>) -> Result<LoadedFiles, Error> {
        let mut reservation = self.assets.budget().map(|budget| budget.empty());
        let mut bytes = Vec::new();
        for file in self.files.files() {
            bytes.push(self.assets.read_within(file, reservation.as_mut())?);
        }
        let plain = match (&self.files, bytes.as_slice()) {
            (ModelFiles::Single(_), [whole]) => decrypted(whole, password),
            _ => Ok(None),
        };
        Ok(LoadedFiles { files: self.files.clone(), bytes, plain, reservation })
    }
}

/// The bytes of a file that is encrypted, decrypted; `None` for all others.
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
    /// The first file decrypted, if it was encrypted; or why it cannot be.
    plain: meshlens::Result<Option<Bytes>>,
    reservation: Option<Reservation>,
}

impl LoadedFiles {
    /// Which files they are.
    pub fn files(&self) -> &ModelFiles {
        &self.files
    }

    /// The bytes of each file as it is, in the order of [`ModelFiles::files`].
    pub fn bytes(&self) -> &[Bytes] {
        &self.bytes
    }

    /// The file whose first bytes say what the format is, in formats that say so.
    pub fn first(&self) -> &[u8] {
        self.bytes.first().map(|bytes| &bytes[..]).unwrap_or_default()
    }

    /// The number of bytes of all files.
    pub fn len(&self) -> u64 {
        self.bytes.iter().map(|bytes| bytes.len() as u64).sum()
    }

    /// Whether the files have no bytes at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Parses the files; of a player, the first. One file of an Unreal mesh by itself is a document, although no model.
    ///
    /// # Errors
    ///
    /// As [`Document::parse`], and a password that is wrong.
    pub fn document(&self) -> meshlens::Result<Document<'_>> {
        let plain = self.plain.as_ref().map_err(|error| *error)?;
        match (&self.files, self.bytes.as_slice()) {
            (ModelFiles::Pair { .. }, [geometry, frames]) => Document::parse_pair(geometry, frames),
            (ModelFiles::Unpaired { kind, .. }, [file]) => Document::parse_unpaired(*kind, file),
            _ => Document::parse(plain.as_deref().unwrap_or(self.first())),
        }
    }

    /// Adds the findings of the document of these files, and those about the script that imports them.
    pub fn validate(&self, document: &Document<'_>, report: &mut Report) {
        document.validate(report);
        let ModelFiles::Pair { script: Some(script), .. } = &self.files else { return };
        let (Ok(parsed), Document::Unreal(unreal)) =
            (Script::parse_with(script.text(), &ParseOptions::LENIENT), document)
        else {
            return;
        };
        if script.is_first() {
            validate_script(&parsed, report);
        }
        if let Some(mesh) = parsed.mesh(script.name()) {
            let sequences: &[MeshSequence<'_>] = mesh.sequences();
            validate_sequences(sequences, unreal.frame_count(), report);
        }
    }

    pub(crate) fn into_parts(self) -> (Vec<Bytes>, meshlens::Result<Option<Bytes>>, Option<Reservation>) {
        (self.bytes, self.plain, self.reservation)
    }
}
