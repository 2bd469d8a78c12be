//! Numbers: enumerations whose values are numbers, floats of 32 bits, and lengths.

use serde::{Deserialize, Deserializer};

/// An enumeration whose values are numbers in JSON.
macro_rules! numbers {
    ($(#[$meta:meta])* $name:ident, $expected:literal: $($(#[$of:meta])* $variant:ident = $number:literal),+) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(into = "u64", try_from = "u64")]
        pub(crate) enum $name { $($(#[$of])* $variant = $number),+ }

        impl From<$name> for u64 {
            fn from(value: $name) -> u64 {
                value as u64
            }
        }

        impl TryFrom<u64> for $name {
            type Error = String;

            fn try_from(number: u64) -> Result<Self, String> {
                match number {
                    $($number => Ok($name::$variant),)+
                    _ => Err(format!(concat!("expected ", $expected, ", found {}"), number)),
                }
            }
        }
    };
}

pub(super) use numbers;

/// An offset or a length. A value that does not fit `usize` becomes the largest one, which is past the end of any
/// buffer.
pub(crate) fn in_memory(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// A number that fits 32 bits. `1e39` is valid in JSON, but infinite as a float.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct Float(pub(crate) f32);

impl TryFrom<f64> for Float {
    type Error = String;

    fn try_from(number: f64) -> Result<Self, String> {
        let value = number as f32;
        let found = || format!("expected a number of 32 bits, found {number:e}");
        value.is_finite().then_some(Float(value)).ok_or_else(found)
    }
}

/// Reads a list of numbers that fit 32 bits.
pub(crate) fn floats<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f32>, D::Error> {
    Ok(Vec::<Float>::deserialize(from)?.into_iter().map(|Float(value)| value).collect())
}
