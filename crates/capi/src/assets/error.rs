//! Converts errors of search paths to results.

use std::borrow::Cow;
use std::io;
use std::iter;
use std::path::Path;

use meshlens::import::ImportError;

use super::file_system::CallbackFailed;
use crate::failure::source_result;
use crate::result::{Failure, ml_result};

impl From<meshlens_assets::Error> for Failure {
    fn from(error: meshlens_assets::Error) -> Failure {
        Failure::from(&error)
    }
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Failure {
        match error {
            ImportError::Memory(over) => over.into(),
            ImportError::File(error) => Failure::owned(ml_result::ML_ERROR_VALUE, error),
        }
    }
}

impl From<&meshlens_assets::Error> for Failure {
    fn from(error: &meshlens_assets::Error) -> Failure {
        use meshlens_assets::Error::*;
        use ml_result::*;
        let code = match error {
            Parse { file, error } => return Failure::Error(Some(path_first(file).into()), error.clone()),
            error if error.is_not_found() => ML_ERROR_NOT_FOUND,
            Refused(_) => ML_ERROR_REFUSED,
            Ambiguous { .. } | NotOneModel { .. } => ML_ERROR_AMBIGUOUS,
            Import { missing, .. } if missing.is_empty() => ML_ERROR_VALUE,
            Import { .. } => ML_ERROR_NOT_FOUND,
            Imported { .. } => ML_ERROR_UNSUPPORTED,
            MissingHalf { .. } | NoFiles { .. } | NoSkin { .. } => ML_ERROR_NOT_FOUND,
            Memory { .. } => ML_ERROR_MEMORY_LIMIT,
            Source(source) => source_result(source),
            Read { error, .. } if error.kind() == std::io::ErrorKind::FileTooLarge => ML_ERROR_MEMORY_LIMIT,
            Read { error, .. } if error.kind() == io::ErrorKind::OutOfMemory => ML_ERROR_MEMORY,
            Read { .. } => ML_ERROR_CALLBACK,
            List { error, .. } if is_of_callback(error) => ML_ERROR_CALLBACK,
            Image { .. } => ML_ERROR_VALUE,
            TooManyFiles { .. } | TooDeep { .. } => ML_ERROR_LIMIT,
            _ => ML_ERROR_IO,
        };
        let text = match error {
            NotFound { mounts, .. } => short_mounts(&error.to_string(), mounts),
            Read { file, error } => format!("{}: cannot read: {error}", path_first(&file.to_string())),
            Image { file, error } => format!("{}: {error}", path_first(&file.to_string())),
            Memory { file, over } => format!("{}: {over}", path_first(file)),
            error => error.to_string(),
        };
        Failure::owned(code, text)
    }
}

/// Whether an error of listing is one that a function of the caller returned.
fn is_of_callback(error: &io::Error) -> bool {
    let first: &(dyn std::error::Error + 'static) = error;
    let causes = iter::successors(Some(first), |error| error.source());
    causes
        .filter_map(|cause| cause.downcast_ref::<io::Error>()?.get_ref())
        .any(|inner| inner.is::<CallbackFailed>())
}

/// A message with the last component of each mount instead of its path.
fn short_mounts(text: &str, mounts: &[Box<str>]) -> String {
    let (name, looked) = text.split_once("; looked").unwrap_or((text, ""));
    let short = mounts.iter().fold(looked.to_owned(), |looked, mount| {
        let last = Path::new(&**mount).file_name().and_then(|name| name.to_str());
        last.map_or(looked.clone(), |last| looked.replace(&**mount, last))
    });
    format!("{name}; looked{short}")
}

/// The name of a file with its path first: `models/x.md3 in pak0.pk3` for `/games/baseq3/pak0.pk3!models/x.md3`.
pub(super) fn path_first(name: &str) -> Cow<'_, str> {
    let Some((archives, path)) = name.rsplit_once('!') else { return name.into() };
    let archive = Path::new(archives).file_name().map_or(archives.into(), |name| name.to_string_lossy());
    format!("{path} in {archive}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_have_the_last_component_of_mounts() {
        let mounts = ["/games/q3/baseq3/pak0.pk3".into(), "/games/q3/baseq3".into(), "/".into(), "".into()];
        let text = "x.md3: not found; looked for x.md3 in /games/q3/baseq3/pak0.pk3, /games/q3/baseq3, /, ";
        assert_eq!(
            short_mounts(text, &mounts),
            "x.md3: not found; looked for x.md3 in pak0.pk3, baseq3, /, "
        );
    }

    #[test]
    fn the_path_comes_before_the_archive() {
        assert_eq!(path_first("/games/q3/pak0.pk3!models/x.md3"), "models/x.md3 in pak0.pk3");
        assert_eq!(path_first("maps/a.pk3!b.pk3!x.md3"), "x.md3 in a.pk3!b.pk3");
        assert_eq!(path_first("/games/q3/models/x.md3"), "/games/q3/models/x.md3");
    }
}
