//! Errors of streaming as results.

use meshlens_stream::Error;

use crate::result::{Failure, ml_result};

/// Converts the error of a request. Files that are read by the callbacks of the streamer have different codes than files of the
/// operating system. Errors of a search path know the kind of their mount.
pub(super) fn failure(error: Error, is_callback: bool) -> Failure {
    use ml_result::*;
    let code = match &error {
        Error::Format { file, error } => return Failure::Error(Some(file.to_string().into()), error.clone()),
        error if error.is_not_found() => ML_ERROR_NOT_FOUND,
        Error::Read { .. } | Error::Length { .. } | Error::NoAnswer { .. } if is_callback => {
            ML_ERROR_CALLBACK
        }
        Error::Scene(error) => return Failure::from(&**error),
        Error::NoPart { .. } | Error::NotAMesh { .. } => ML_ERROR_MISSING,
        Error::OverBudget { .. } => ML_ERROR_MEMORY_LIMIT,
        Error::NoMemory { .. } => ML_ERROR_MEMORY,
        Error::Cancelled | Error::Closed => ML_ERROR_CANCELLED,
        Error::Panicked { .. } => ML_ERROR_INTERNAL,
        _ => ML_ERROR_IO,
    };
    Failure::owned(code, error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ml_result::*;

    #[test]
    fn codes_name_the_side_that_failed() {
        let file: meshlens_stream::FileName = "a.md3".into();
        let read = || Error::read(&file, &std::io::Error::from(std::io::ErrorKind::TimedOut));
        let missing = || Error::read(&file, &std::io::Error::from(std::io::ErrorKind::NotFound));
        assert_eq!(failure(read(), false).code(), ML_ERROR_IO);
        assert_eq!(failure(read(), true).code(), ML_ERROR_CALLBACK);
        assert_eq!(failure(missing(), true).code(), ML_ERROR_NOT_FOUND);
        assert_eq!(failure(Error::Changed { file: file.clone() }, true).code(), ML_ERROR_IO);
        assert_eq!(failure(Error::Closed, true).code(), ML_ERROR_CANCELLED);
        let format = meshlens::Document::parse(b"IDP3\x10").err().map(Box::new).expect("an error");
        let damaged = failure(Error::Format { file, error: format }, true);
        assert!(damaged.to_string().starts_with("a.md3: md3: "), "{damaged}");
        assert_eq!((damaged.code(), damaged.format()), (ML_ERROR_OUT_OF_BOUNDS, "md3"));
    }
}
