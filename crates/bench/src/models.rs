//! The models that the paths name, with their bytes in memory.

use std::collections::HashSet;

use meshlens::Document;
use meshlens::wire::ErrorKind;
use meshlens_assets::{Assets, Error, FindOptions, LoadedFiles, Located, foreign_format};
use meshlens_terminal::status::Status;
use meshlens_terminal::tell;

use crate::args::Arguments;

/// A model whose files are read.
pub(crate) struct Loaded {
    /// The name in messages.
    uri: String,
    pub(crate) located: Located,
    pub(crate) files: LoadedFiles,
}

/// Reads the models that the paths name, each once. What cannot be read is reported on standard error, and so are files of
/// other programs, which are skipped if a folder or an archive contains them.
pub(crate) fn load(arguments: &Arguments, password: Option<&str>) -> (Vec<Loaded>, Status) {
    let mut assets = Assets::new();
    for root in &arguments.root {
        if let Err(error) = assets.mount_folder(root) {
            tell!("{error}");
            return (Vec::new(), Status::Failed);
        }
    }
    let (mut loaded, mut status, mut seen) = (Vec::new(), Status::Fine, HashSet::new());
    let mut fail = |error: Error| {
        tell!("{error}");
        // The folder that a loop leads to is also listed by another path.
        if !matches!(error, Error::Loop(_)) {
            status = Status::Failed;
        }
    };
    let options = FindOptions { content: true, archives: true, ..FindOptions::default() };
    for path in &arguments.paths {
        let given = match assets.user_path(path) {
            Ok(given) => given,
            Err(error) => {
                fail(error);
                continue;
            }
        };
        for located in given.each_model(&options) {
            let read = located.and_then(|located| Ok((located.load(password)?, located)));
            match read {
                Ok((files, located)) => {
                    let uri = located.files().to_string();
                    match foreign_format(files.first()).filter(|_| given.is_folder()) {
                        Some(format) => tell!("{uri}: skipped: this is {format}"),
                        None if seen.insert(uri.clone()) => loaded.push(Loaded { uri, located, files }),
                        None => {}
                    }
                }
                Err(error) => fail(error),
            }
        }
    }
    if loaded.is_empty() && status == Status::Fine {
        tell!("the paths contain no model");
        status = Status::Failed;
    }
    (loaded, status)
}

/// A model that is parsed.
pub(crate) struct Model<'a> {
    pub(crate) uri: &'a str,
    pub(crate) located: &'a Located,
    pub(crate) files: &'a LoadedFiles,
    pub(crate) document: Document<'a>,
}

impl<'a> Model<'a> {
    /// Returns `None` after printing the reason, which changes the status.
    pub(crate) fn parse(loaded: &'a Loaded, status: &mut Status) -> Option<Self> {
        let Loaded { uri, located, files } = loaded;
        match files.document() {
            Ok(document) => Some(Model { uri, located, files, document }),
            // An encrypted model without a password is not an error.
            Err(error) if matches!(error.kind(), ErrorKind::Encrypted { .. }) => {
                tell!("{uri}: {error} (--password TEXT or MESHLENS_PASSWORD)");
                None
            }
            Err(error) => {
                tell!("{uri}: {error}");
                *status = (*status).max(Status::Findings);
                None
            }
        }
    }
}
