//! The record of an asset: the files that were read, the files that were looked up, and the findings about them.

use meshlens::Report;

use crate::{AssetPath, Assets, Error, FoundFile, Lookup, Rule, codes};

/// A file that an asset was made from.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AssetFile {
    /// The file name in the form that users write, such as `pak0.pk3!models/x.md3`.
    pub name: String,
    /// The path inside its mount.
    pub path: AssetPath,
    /// The rule by which the file was found.
    pub rule: Rule,
    /// The size in bytes.
    pub len: u64,
}

/// The record of an asset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub(crate) findings: Report,
    pub(crate) files: Vec<AssetFile>,
    pub(crate) lookups: Vec<Lookup>,
}

impl Record {
    /// Adds a file that was looked up.
    pub(crate) fn look(&mut self, rule: Rule, path: AssetPath, found: Option<FoundFile>) {
        self.lookups.push(Lookup { rule, path, found });
    }

    /// Adds a file that was read, unless it is already recorded.
    pub(crate) fn use_file(&mut self, file: AssetFile) {
        if !self.files.iter().any(|known| known.name == file.name) {
            self.files.push(file);
        }
    }

    /// Adds a file that was found by a rule and read, unless it is already recorded.
    pub(crate) fn use_found(&mut self, rule: Rule, file: &FoundFile, len: usize) {
        self.use_file(AssetFile { name: file.to_string(), path: file.path().clone(), rule, len: len as u64 });
    }

    /// Adds the record of another asset.
    pub(crate) fn append(&mut self, other: &Record) {
        self.findings.append(other.findings.clone());
        other.files.iter().for_each(|file| self.use_file(file.clone()));
        self.lookups.extend_from_slice(&other.lookups);
    }

    /// Finds the file with this path. If several differ only in case, it is the first, and that is a finding.
    pub(crate) fn find(&mut self, assets: &Assets, rule: Rule, path: AssetPath) -> Option<FoundFile> {
        if let Err(error) = assets.find(&path) {
            let message = format_args!("{error}");
            self.findings.lose(&codes::NAME_AMBIGUOUS, 1, format_args!("{path}"), message);
        }
        let found = assets.find_any(&path);
        self.look(rule, path, found.clone());
        found
    }

    /// Adds a finding for each folder that cannot be listed: the folder of a model, and those above it. A mount that cannot
    /// list a folder may not have the folders in it.
    pub(crate) fn unlisted(&mut self, assets: &Assets, folder: &AssetPath) {
        for above in folder.up_to_root() {
            for (folder, error) in &assets.listing(&above).faults {
                let message = format_args!("{folder}: {error}");
                self.findings.lose(&codes::FOLDER_UNREADABLE, 1, format_args!("{folder}"), message);
            }
        }
    }

    /// Adds a finding about a companion file that cannot be read; the model is opened without it.
    pub(crate) fn unreadable(&mut self, error: &Error) {
        self.findings.lose(&codes::COMPANION_UNREADABLE, 1, format_args!(""), format_args!("{error}"));
    }

    /// The content of a companion file. If it cannot be read, that is a finding.
    pub(crate) fn optional<T>(&mut self, read: Result<T, Error>) -> Option<T> {
        read.map_err(|error| self.unreadable(&error)).ok()
    }

    /// Like [`optional`](Self::optional), but a file that was requested, and too little memory, are errors.
    pub(crate) fn optional_unless<T>(
        &mut self,
        is_asked_for: bool,
        read: Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        match read {
            Err(error) if is_asked_for || matches!(error, Error::Memory { .. }) => Err(error),
            read => Ok(self.optional(read)),
        }
    }
}
