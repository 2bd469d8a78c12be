//! The UNIGINE animation files that arguments name.

use std::path::PathBuf;

use meshlens_assets::{Error, FoundFile, Located};

use crate::errors;
use crate::failure::Failure;

/// The named files.
pub(crate) fn of(located: &Located, paths: &[PathBuf]) -> Result<Vec<FoundFile>, Failure> {
    let named = paths.iter().map(|path| {
        let given = located.assets().user_path(path).map_err(|error| Failure::asset(&error))?;
        let file = given.file().cloned();
        file.ok_or_else(|| Failure::system(format!("{}: is not a file", path.display())))
    });
    named.collect()
}

/// The reason why a model cannot be opened. If an animation file has another format, the reason names that format.
pub(crate) fn failure(located: &Located, animations: &[FoundFile], error: &Error) -> Failure {
    if let Error::Parse { file, error } = error
        && let Some(found) = animations.iter().find(|found| found.to_string() == **file)
        && let Ok(bytes) = located.assets().read(found)
    {
        return Failure::input(format!("{file}: {}", errors::of_kind("UNIGINE animation", &bytes, error)));
    }
    Failure::asset(error)
}
