//! The result codes.

use std::ffi::c_char;

use crate::enums::raw;
pub(crate) use crate::failure::{Failure, Result};

/// The outcome of a call. ML_OK is 0; every other code is an error.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_result {
    /// The call succeeded.
    ML_OK = 0,
    /// An argument is invalid: NULL where a pointer is required, a pointer that is not aligned, an unknown number, a
    /// struct with an invalid size.
    ML_ERROR_ARGUMENT = 1,
    /// A handle was already closed, or has another type. Only builds with debug assertions detect this.
    ML_ERROR_HANDLE = 2,
    /// A bug of this library. Please report it.
    ML_ERROR_INTERNAL = 3,
    /// A progress callback stopped the call.
    ML_ERROR_CANCELLED = 4,
    /// A callback of the caller reported an error, or violated its contract.
    ML_ERROR_CALLBACK = 5,
    /// The system, or the caller's allocator, does not have enough memory.
    ML_ERROR_MEMORY = 6,
    /// The memory limit of the options would be exceeded.
    ML_ERROR_MEMORY_LIMIT = 7,
    /// The operating system could not open, read or write a file.
    ML_ERROR_IO = 8,
    /// The file does not exist.
    ML_ERROR_NOT_FOUND = 9,
    /// A name leads out of its folder, or is not a valid name.
    ML_ERROR_REFUSED = 10,
    /// Several files differ from a name only in case.
    ML_ERROR_AMBIGUOUS = 11,
    /// An archive, or an entry of it, cannot be read.
    ML_ERROR_ARCHIVE = 12,
    /// The request has not ended yet, or the requested data are not known yet.
    ML_ERROR_NOT_READY = 13,
    /// A table or record would end after the last byte of the file.
    ML_ERROR_OUT_OF_BOUNDS = 100,
    /// A table or record would end after the last byte of the chunk that holds it.
    ML_ERROR_OUT_OF_CHUNK = 101,
    /// Only a part of the file was given, and the requested data is outside it.
    ML_ERROR_INCOMPLETE = 102,
    /// The bytes that identify the format were not found.
    ML_ERROR_MAGIC = 103,
    /// The file has an unknown version of the format.
    ML_ERROR_VERSION = 104,
    /// A number is outside the range that the format or the call allows.
    ML_ERROR_VALUE = 105,
    /// An index or a frame is not below its count.
    ML_ERROR_INDEX = 106,
    /// An output or a list has the wrong length.
    ML_ERROR_LENGTH = 107,
    /// The model does not have the requested item.
    ML_ERROR_MISSING = 108,
    /// Two numbers that depend on each other do not fit.
    ML_ERROR_MISMATCH = 109,
    /// A number is NaN or infinite. No function of this version returns it: ml_validate reports such numbers as findings.
    ML_ERROR_NOT_FINITE = 110,
    /// A string has no NUL before the end of the bytes.
    ML_ERROR_UNTERMINATED = 111,
    /// The file exceeds a limit of the reader.
    ML_ERROR_LIMIT = 112,
    /// A text does not follow its grammar.
    ML_ERROR_SYNTAX = 113,
    /// The file uses something that is not supported, or an array cannot be read this way.
    ML_ERROR_UNSUPPORTED = 114,
    /// The file is encrypted, and no password was given.
    ML_ERROR_ENCRYPTED = 115,
    /// The password is wrong, or the encrypted content is damaged.
    ML_ERROR_PASSWORD_WRONG = 116,
    /// The password is longer than the key.
    ML_ERROR_PASSWORD_TOO_LONG = 117,
    /// The file is encrypted in a way that is not documented.
    ML_ERROR_ENCRYPTION_UNKNOWN = 118,
    /// The file is a pointer of Git LFS.
    ML_ERROR_GIT_LFS_POINTER = 119,
    /// No result: makes the type 32 bits wide.
    ML_RESULT_FORCE_32_BITS = 0x7fff_ffff,
}

use ml_result::*;

/// Every result and its name.
pub(crate) const RESULTS: &[(ml_result, &std::ffi::CStr)] = &[
    (ML_OK, c"OK"),
    (ML_ERROR_ARGUMENT, c"ARGUMENT"),
    (ML_ERROR_HANDLE, c"HANDLE"),
    (ML_ERROR_INTERNAL, c"INTERNAL"),
    (ML_ERROR_CANCELLED, c"CANCELLED"),
    (ML_ERROR_CALLBACK, c"CALLBACK"),
    (ML_ERROR_MEMORY, c"MEMORY"),
    (ML_ERROR_MEMORY_LIMIT, c"MEMORY_LIMIT"),
    (ML_ERROR_IO, c"IO"),
    (ML_ERROR_NOT_FOUND, c"NOT_FOUND"),
    (ML_ERROR_REFUSED, c"REFUSED"),
    (ML_ERROR_AMBIGUOUS, c"AMBIGUOUS"),
    (ML_ERROR_ARCHIVE, c"ARCHIVE"),
    (ML_ERROR_NOT_READY, c"NOT_READY"),
    (ML_ERROR_OUT_OF_BOUNDS, c"OUT_OF_BOUNDS"),
    (ML_ERROR_OUT_OF_CHUNK, c"OUT_OF_CHUNK"),
    (ML_ERROR_INCOMPLETE, c"INCOMPLETE"),
    (ML_ERROR_MAGIC, c"MAGIC"),
    (ML_ERROR_VERSION, c"VERSION"),
    (ML_ERROR_VALUE, c"VALUE"),
    (ML_ERROR_INDEX, c"INDEX_OUT_OF_RANGE"),
    (ML_ERROR_LENGTH, c"LENGTH"),
    (ML_ERROR_MISSING, c"MISSING"),
    (ML_ERROR_MISMATCH, c"MISMATCH"),
    (ML_ERROR_NOT_FINITE, c"NOT_FINITE"),
    (ML_ERROR_UNTERMINATED, c"UNTERMINATED"),
    (ML_ERROR_LIMIT, c"LIMIT"),
    (ML_ERROR_SYNTAX, c"SYNTAX"),
    (ML_ERROR_UNSUPPORTED, c"UNSUPPORTED"),
    (ML_ERROR_ENCRYPTED, c"ENCRYPTED"),
    (ML_ERROR_PASSWORD_WRONG, c"PASSWORD_WRONG"),
    (ML_ERROR_PASSWORD_TOO_LONG, c"PASSWORD_TOO_LONG"),
    (ML_ERROR_ENCRYPTION_UNKNOWN, c"ENCRYPTION_UNKNOWN"),
    (ML_ERROR_GIT_LFS_POINTER, c"GIT_LFS_POINTER"),
];

/// The name of a result: the name of its code, such as "OUT_OF_BOUNDS", or "UNKNOWN" for an unknown number. The text is
/// static.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_result_name(result: raw::ml_result) -> *const c_char {
    let found = RESULTS.iter().find(|(known, _)| *known as raw::ml_result == result);
    found.map_or(c"UNKNOWN", |(_, name)| name).as_ptr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshlens::wire;

    #[test]
    fn every_code_of_an_error_is_a_result() {
        let names: Vec<&str> = RESULTS.iter().filter_map(|(_, name)| name.to_str().ok()).collect();
        let wanted = [
            "OUT_OF_BOUNDS",
            "OUT_OF_CHUNK",
            "INCOMPLETE",
            "MAGIC",
            "GIT_LFS_POINTER",
            "VERSION",
            "VALUE",
            "INDEX_OUT_OF_RANGE",
            "LENGTH",
            "MISSING",
            "MISMATCH",
            "NOT_FINITE",
            "UNTERMINATED",
            "LIMIT",
            "SYNTAX",
            "UNSUPPORTED",
            "ENCRYPTED",
            "PASSWORD_WRONG",
            "PASSWORD_TOO_LONG",
            "ENCRYPTION_UNKNOWN",
        ];
        for code in wanted {
            assert!(names.contains(&code), "{code}");
        }
        // The codes of wire are the codes of errors, followed by the codes of findings.
        let errors = wire::codes::ALL.iter().take_while(|code| code.name != "NO_FRAMES");
        assert_eq!(errors.map(|code| code.name).collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn unknown_results_have_a_name() {
        // SAFETY: names are static.
        let name = |result| unsafe { std::ffi::CStr::from_ptr(ml_result_name(result)) };
        assert_eq!(name(0), c"OK");
        assert_eq!(name(106), c"INDEX_OUT_OF_RANGE");
        assert_eq!(name(-1), c"UNKNOWN");
        assert_eq!(name(ML_RESULT_FORCE_32_BITS as i32), c"UNKNOWN");
    }
}
