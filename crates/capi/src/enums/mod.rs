//! The enumerations of the header, and their names.
//!
//! `generate-header` writes them to the header from the lists in the files `values.rs` and `scenes.rs`: it adds to each
//! enumeration a last constant with its prefix, which makes the type 32 bits wide.

use std::ffi::c_char;

use meshlens::Format;
use meshlens::lens::{Semantic, VertexFormat};

/// Makes enumerations, and the integer types in which C passes them, because these may be out of range. `= Type` is the
/// type of the library, and `=> Variant` its value.
macro_rules! enums {
    ($(
        $(#[$doc:meta])*
        $c:ident $noun:literal $prefix:ident $(= $(#[$cfg:meta])? $rust:ident)? {
            $($(#[$about:meta])* $name:ident = $number:literal $(=> $value:ident)?,)*
        }
    )*) => {
        pub(super) mod raw {
            $(#[doc = concat!("A number of [`", stringify!($c), "`](super::", stringify!($c), ").")] pub type $c = i32;)*
        }
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub enum $c {
                $($(#[$about])* $name = $number,)*
            }

            #[allow(dead_code, reason = "some numbers are only converted to values of Rust, and some only written")]
            impl $c {
                /// Every value, and the name of its constant.
                pub(crate) const ALL: &'static [($c, &'static str)] =
                    &[$(($c::$name, concat!(stringify!($name), "\0")),)*];

                /// The value with a number.
                pub(crate) fn of(raw: i32) -> Option<$c> {
                    Self::ALL.iter().map(|(value, _)| *value).find(|value| *value as i32 == raw)
                }
            }

            conversions! { $c [$($(#[$cfg])? $rust)?] $($name $($value)?,)* }
        )*
    };
}

/// Converts a number of an enumeration to a value of the library (`None` for an unknown number), and back (0 for a value
/// without a constant).
macro_rules! conversions {
    ($c:ident [] $($rest:tt)*) => {};
    ($c:ident [$(#[$cfg:meta])? $rust:ident] $($name:ident $($value:ident)?,)*) => {
        $(#[$cfg])?
        impl $c {
            #[allow(dead_code, reason = "some are only read, and some only written")]
            pub(crate) const fn read(raw: i32) -> Option<$rust> {
                $($(if raw == $c::$name as i32 { return Some($rust::$value); })?)*
                None
            }

            #[allow(dead_code, unreachable_patterns, reason = "some are only read, and some have values without a name")]
            pub(crate) const fn number(value: $rust) -> i32 {
                match value {
                    $($($rust::$value => $c::$name as i32,)?)*
                    _ => 0,
                }
            }
        }
    };
}

mod scenes;
mod values;
/// Enumerations as C passes them.
///
/// cbindgen:ignore
pub mod raw {
    pub use super::scenes::raw::*;
    pub use super::values::raw::*;
}

pub use scenes::*;
pub use values::*;

/// Formats have the numbers of the library, so that formats without a constant in the header can be used, too.
impl ml_format {
    pub(crate) fn read(raw: i32) -> Option<Format> {
        Format::from_number(raw.try_into().ok()?)
    }

    pub(crate) fn number(format: Format) -> i32 {
        format.number().into()
    }
}

/// A name for C, followed by NULs.
#[allow(clippy::indexing_slicing, clippy::panic, reason = "a name that is too long does not compile")]
const fn nul_terminated(name: &str) -> [u8; 24] {
    let mut text = [0; 24];
    let (start, rest) = text.split_at_mut(name.len());
    assert!(!rest.is_empty(), "no room for the NUL");
    start.copy_from_slice(name.as_bytes());
    text
}

/// Makes a table of the names of all values of a type.
macro_rules! names {
    ($type:ident) => {{
        let mut names = [[0; 24]; $type::ALL.len()];
        let mut index = 0;
        while index < names.len() {
            names[index] = nul_terminated($type::ALL[index].name());
            index = index.saturating_add(1);
        }
        names
    }};
}

#[allow(clippy::indexing_slicing, reason = "an index out of range does not compile")]
static FORMAT_NAMES: [[u8; 24]; Format::ALL.len()] = names!(Format);
#[allow(clippy::indexing_slicing, reason = "an index out of range does not compile")]
static SEMANTIC_NAMES: [[u8; 24]; Semantic::ALL.len()] = names!(Semantic);

/// The name of a value of a list; "" for `None`.
fn name<T: PartialEq>(value: Option<T>, all: &[T], names: &'static [[u8; 24]]) -> *const c_char {
    let index = value.and_then(|value| all.iter().position(|found| *found == value));
    index.and_then(|index| names.get(index)).map_or(c"".as_ptr(), |name| name.as_ptr().cast())
}

/// The name of a format in lower case, such as "md3"; "" for an unknown number. The text is static.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_format_name(format: raw::ml_format) -> *const c_char {
    name(ml_format::read(format), Format::ALL, &FORMAT_NAMES)
}

/// The name of a semantic in lower case, such as "positions"; "" for an unknown number. The text is static.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_semantic_name(semantic: raw::ml_semantic) -> *const c_char {
    name(ml_semantic::read(semantic), Semantic::ALL, &SEMANTIC_NAMES)
}

/// The size in bytes of an attribute with this format; 0 for an unknown number.
///
/// Cost: O(1). Threads: any. Errors: none.
#[unsafe(no_mangle)]
pub extern "C" fn ml_vertex_format_size(format: raw::ml_vertex_format) -> usize {
    ml_vertex_format::read(format).map_or(0, VertexFormat::size)
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn names_equal_those_of_the_library() {
        // SAFETY: names are static.
        let text = |name| unsafe { CStr::from_ptr(name) }.to_str().unwrap();
        for format in Format::ALL {
            let number = ml_format::number(*format);
            assert_eq!(text(ml_format_name(number)), format.name());
            assert_eq!(ml_format::read(number), Some(*format));
        }
        for number in 1..=24 {
            let semantic = ml_semantic::read(number).unwrap();
            assert_eq!(text(ml_semantic_name(number)), semantic.name());
            assert_eq!(ml_semantic::number(semantic), number);
        }
        for number in [0, 25, -1, i32::MAX] {
            assert_eq!(text(ml_semantic_name(number)), "");
        }
        assert_eq!(text(ml_format_name(77)), "");
        use ml_format::*;
        let constants = [ML_FORMAT_MD3, ML_FORMAT_U3D, ML_FORMAT_UNREAL, ML_FORMAT_UNIGINE];
        let formats = [Format::Md3, Format::U3d, Format::Unreal, Format::Unigine];
        assert_eq!(constants.map(|constant| constant as i32), formats.map(ml_format::number));
        assert_eq!(ml_format::read(ML_FORMAT_DETECT as i32), None);
        let sizes: Vec<usize> = (0..=33).map(|format| ml_vertex_format_size(format)).collect();
        assert_eq!(sizes[..8], [0, 4, 8, 12, 16, 4, 8, 4]);
        assert_eq!((sizes[32], sizes[33]), (16, 0));
    }
}
