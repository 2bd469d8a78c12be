//! Converts errors of search paths to results.

use crate::result::{Failure, ml_result};

impl From<meshlens_assets::Error> for Failure {
    fn from(error: meshlens_assets::Error) -> Failure {
        use meshlens_assets::Error::*;
        use ml_result::*;
        let error = match error {
            Parse { file, error } => return Failure::File(file, error),
            error => error,
        };
        let code = match &error {
            error if error.is_not_found() => ML_ERROR_NOT_FOUND,
            Refused(_) => ML_ERROR_REFUSED,
            Ambiguous { .. } | NotOneModel { .. } => ML_ERROR_AMBIGUOUS,
            MissingHalf { .. } | NoFiles { .. } | NoSkin { .. } => ML_ERROR_NOT_FOUND,
            Memory { .. } => ML_ERROR_MEMORY_LIMIT,
            Source(meshlens_source::Error::Outside { .. }) => ML_ERROR_REFUSED,
            Source(meshlens_source::Error::TooLarge { .. }) => ML_ERROR_MEMORY_LIMIT,
            Source(source) if is_of_archive(source) => ML_ERROR_ARCHIVE,
            Read { error, .. } if error.kind() == std::io::ErrorKind::FileTooLarge => ML_ERROR_MEMORY_LIMIT,
            Read { .. } => ML_ERROR_CALLBACK,
            Image { .. } => ML_ERROR_VALUE,
            TooManyFiles { .. } => ML_ERROR_LIMIT,
            _ => ML_ERROR_IO,
        };
        Failure::owned(code, error)
    }
}

fn is_of_archive(error: &meshlens_source::Error) -> bool {
    use meshlens_source::Error::*;
    !matches!(error, Io { .. } | Folder { .. } | Changed { .. } | Exists { .. } | NotRegular { .. })
}
