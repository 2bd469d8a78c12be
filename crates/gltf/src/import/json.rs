//! Reads JSON. Errors have the JSON pointer of the value, and its line and column.

use std::fmt::{self, Write as _};
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_path_to_error::Segment;

use super::broken;
use crate::Error;

/// Reads a value from a whole text.
pub(super) fn read<'de, T: Deserialize<'de>>(text: &'de [u8]) -> Result<T, Error> {
    serde_json::from_slice(text).map_err(|error| {
        // The document is read a second time only if it has a fault, because tracking the path allocates memory for
        // every key.
        match serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_slice(text)) {
            Err(found) => broken(format_args!("{}: {}", pointer(found.path()), found.inner())),
            Ok(_) => broken(error),
        }
    })
}

/// The JSON pointer (RFC 6901) of a path; a description of the empty path.
fn pointer(path: &serde_path_to_error::Path) -> String {
    let mut pointer = String::new();
    for segment in path.iter() {
        // Writing to a string does not fail.
        let _ = match segment {
            Segment::Seq { index } => write!(pointer, "/{index}"),
            Segment::Map { key } => write!(pointer, "/{}", Escaped(key)),
            Segment::Enum { .. } | Segment::Unknown => Ok(()),
        };
    }
    if pointer.is_empty() { "the document".into() } else { pointer }
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
    Ok(serde_json::from_str(extras.get()).unwrap_or_default())
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
