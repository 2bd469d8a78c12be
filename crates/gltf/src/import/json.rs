//! Reads JSON. Errors have the JSON pointer of the value, and its line and column.

use std::fmt::{self, Write as _};
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::broken;
use crate::Error;
use crate::json::Float;

/// Reads a value from a whole text.
pub(super) fn read<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T, Error> {
    serde_json::from_slice(text).map_err(|error| {
        let pointer = pointer(before(text, &error));
        let place = if pointer.is_empty() { "the document" } else { &pointer };
        broken(format_args!("{place}: {error}"))
    })
}

/// The bytes that were read before an error.
fn before<'t>(text: &'t [u8], error: &serde_json::Error) -> &'t [u8] {
    let lines = text.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
    let read = lines.map(<[u8]>::len).sum::<usize>() + error.column();
    let read = text.get(..read).unwrap_or(text);
    // The byte after a number was read as well. Faults of an object or an array are found at its first or after its last byte.
    let faults = ["missing field", "invalid length", "invalid type: map", "invalid type: sequence"];
    let is_whole = faults.iter().any(|fault| error.to_string().starts_with(fault));
    match read.split_last() {
        Some((b',' | b']' | b'}', number)) if !is_whole => number,
        _ => read,
    }
}

/// The JSON pointer (RFC 6901) of the value that is being read at the end of a text. It is found from the text, because
/// deserialization that tracks its path is compiled for every type a second time.
fn pointer(text: &[u8]) -> String {
    enum Step<'t> {
        Member(Option<&'t [u8]>),
        Element(usize),
    }
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'{' => steps.push(Step::Member(None)),
            b'[' => steps.push(Step::Element(0)),
            b'}' | b']' => drop(steps.pop()),
            b',' => match steps.last_mut() {
                Some(Step::Element(index)) => *index += 1,
                Some(Step::Member(key)) => *key = None,
                None => {}
            },
            b'"' => {
                let mut is_escaped = false;
                let end = rest.iter().position(|byte| {
                    let is_end = *byte == b'"' && !is_escaped;
                    is_escaped = *byte == b'\\' && !is_escaped;
                    is_end
                });
                let (string, after) = rest.split_at(end.unwrap_or(rest.len()));
                rest = after.get(1..).unwrap_or_default();
                if let Some(Step::Member(key @ None)) = steps.last_mut() {
                    *key = Some(string);
                }
            }
            _ => {}
        }
    }
    let mut pointer = String::new();
    for step in steps {
        // Writing to a string does not fail.
        let _ = match step {
            Step::Element(index) => write!(pointer, "/{index}"),
            Step::Member(Some(key)) => write!(pointer, "/{}", Escaped(&String::from_utf8_lossy(key))),
            Step::Member(None) => Ok(()),
        };
    }
    pointer
}

/// A name as a part of a JSON pointer.
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace('~', "~0").replace('/', "~1"))
    }
}

/// Reads extras, which may be anything: the default if they have another form.
pub(super) fn lenient<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    from: D,
) -> Result<T, D::Error> {
    let extras = <&RawValue>::deserialize(from)?;
    Ok(serde_json::from_slice(extras.get().as_bytes()).unwrap_or_default())
}

/// Reads the members of an object whose names are not known.
pub(super) fn members<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Vec<(String, T)>, D::Error> {
    struct Members<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
        type Value = Vec<(String, T)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut members = Vec::new();
            while let Some(member) = map.next_entry()? {
                members.push(member);
            }
            Ok(members)
        }
    }

    from.deserialize_map(Members(PhantomData))
}

/// The values of an array of numbers.
pub(super) fn values<const N: usize>(numbers: [Float; N]) -> [f32; N] {
    numbers.map(|Float(value)| value)
}
