//! The meaning of codes.

use std::ffi::c_char;

use crate::call::{call, check_place, needed_text};
use crate::enums::{ml_severity, raw};
use crate::error::{ml_error, write_text};
use crate::result::{Failure, ml_result};
use crate::sized::{self, Growing, text_member};

/// The meaning of a code of a finding or an error, and what to do about it. Each text is NUL-terminated.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ml_explanation {
    /// sizeof(ml_explanation), or 0 for the first version of the struct.
    pub size: usize,
    /// The severity of each finding with the code.
    pub severity: raw::ml_severity,
    /// A description of several findings with the code, to follow a number.
    pub plural: [c_char; 124],
    /// The meaning of the code.
    pub meaning: [c_char; 384],
    /// The suggested remedy.
    pub remedy: [c_char; 256],
}

// SAFETY: `size` comes first, and every bit pattern is valid.
unsafe impl Growing for ml_explanation {
    const TEXTS: &'static [(usize, usize)] = &[
        text_member!(ml_explanation, plural),
        text_member!(ml_explanation, meaning),
        text_member!(ml_explanation, remedy),
    ];
}

/// Every code of a report or an error.
fn codes() -> impl Iterator<Item = &'static meshlens::Code> {
    let codes = meshlens::codes::all();
    #[cfg(feature = "gltf")]
    let codes = codes.chain(meshlens_gltf::codes::ALL.iter().copied());
    #[cfg(feature = "assets")]
    let codes =
        codes.chain(meshlens_assets::codes::ALL.iter().chain(meshlens_assets::material::codes::ALL).copied());
    codes
}

/// Explains a code, such as "TAG_AXIS_NOT_UNIT".
///
/// Cost: O(codes).
/// Threads: any.
/// Errors: ML_ERROR_MISSING if the code is unknown.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_explain(
    code: *const c_char,
    explanation: *mut ml_explanation,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        check_place(explanation)?;
        let name = needed_text(code)?;
        let found = codes().find(|code| code.name == name);
        let found =
            found.ok_or(Failure::new(ml_result::ML_ERROR_MISSING, "there is no code of this name"))?;
        let mut written = ml_explanation {
            size: 0,
            severity: ml_severity::number(found.severity),
            plural: [0; 124],
            meaning: [0; 384],
            remedy: [0; 256],
        };
        write_text(&mut written.plural, found.plural);
        write_text(&mut written.meaning, found.meaning);
        write_text(&mut written.remedy, found.remedy);
        sized::write(explanation, written)
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_explanation_fits() {
        let mut count = 0;
        for code in super::codes() {
            assert!(code.plural.len() < 124, "{}: {}", code.name, code.plural.len());
            assert!(code.meaning.len() < 384, "{}: {}", code.name, code.meaning.len());
            assert!(code.remedy.len() < 256, "{}: {}", code.name, code.remedy.len());
            count += 1;
        }
        assert!(count > 100);
    }
}
