//! The result codes.

use std::ffi::c_char;

pub(crate) use crate::enums::ml_result;
use crate::enums::raw;
pub(crate) use crate::failure::{Failure, Result};

/// The name of a result, with its NUL: that of its constant after `ML_ERROR_`.
pub(crate) fn name_of((result, constant): &(ml_result, &'static str)) -> &'static str {
    match result {
        ml_result::ML_ERROR_INDEX => "INDEX_OUT_OF_RANGE\0",
        _ => constant.trim_start_matches("ML_").trim_start_matches("ERROR_"),
    }
}

/// The name of a result: the name of its code, such as "OUT_OF_BOUNDS", or "UNKNOWN" for an unknown number. The text is
/// static.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_result_name(result: raw::ml_result) -> *const c_char {
    let found = ml_result::ALL.iter().find(|(known, _)| *known as raw::ml_result == result);
    found.map_or("UNKNOWN\0", name_of).as_ptr().cast()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshlens::wire;

    #[test]
    fn every_code_of_an_error_is_a_result() {
        let names: Vec<&str> =
            ml_result::ALL.iter().map(|result| name_of(result).trim_end_matches('\0')).collect();
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
        assert_eq!(name(i32::MAX), c"UNKNOWN");
    }
}
