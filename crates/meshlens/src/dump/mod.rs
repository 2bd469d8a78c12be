//! The whole content of a file as `serde` data, with the names of the format and in the space of the file. It is meant
//! for debugging, and for comparison with independent readers.
//!
//! ```
//! use meshlens::{Document, dump::{Arrays, Dump}};
//!
//! # let bytes = meshlens::md3::write::Model::new("empty")?.write()?;
//! let document = Document::parse(&bytes)?;
//! let json = serde_json::to_value(Dump::new(&document, Arrays::Stats))?;
//! assert_eq!(json["format"], "md3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod array;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::{Document, FormatDocument, lens};
pub use array::Arrays;

/// Serializes an object: members by name, and after `..` those of an iterator.
macro_rules! object {
    ($serializer:expr; $($members:tt)*) => {{
        let mut map = $serializer.serialize_map(None)?;
        object!(@ map $($members)*);
        map.end()
    }};
    (@ $map:ident) => {};
    (@ $map:ident $name:literal: $value:expr, $($rest:tt)*) => {
        $map.serialize_entry($name, &$value)?;
        object!(@ $map $($rest)*);
    };
    (@ $map:ident ..$members:expr, $($rest:tt)*) => {
        for (name, value) in $members.into_iter() {
            $map.serialize_entry(name, &value)?;
        }
        object!(@ $map $($rest)*);
    };
}

/// Implements `Serialize` for types that are written as objects.
macro_rules! objects {
    ($(impl[$($generics:tt)*] $type:ty, $this:pat => { $($members:tt)* })*) => {$(
        impl<$($generics)*> Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $this = self;
                object! { serializer; $($members)* }
            }
        }
    )*};
}
#[allow(unused_imports, reason = "not every format has objects")]
pub(crate) use {object, objects};

/// A document of one format, written as `serde` data.
pub(crate) trait Serializable<'a>: FormatDocument<'a> {
    /// Writes the document as one map, with the part of each array that `arrays` selects. Arrays are listed with
    /// semantic, mesh, set, frame and level of detail, unless the format has its own names for them.
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let listed = || self.arrays().map(|array| With(array, arrays));
        object! { serializer;
            "format": self.format().name(),
            "version": self.version(),
            "arrays": Sequence(listed),
        }
    }
}

/// A part of a document, and the part of each of its arrays that is written.
pub(crate) struct With<T>(pub(crate) T, pub(crate) Arrays);

// An array as `FormatDocument::arrays` lists it.
objects! {
    impl[] With<lens::Array<'_>>, &With(array, arrays) => {
        "semantic": array.semantic.name(),
        "mesh": array.mesh,
        "set": array.set,
        "frame": array.frame,
        "lod": array.lod,
        "values": With(array.lens, arrays),
    }
}

/// A document as `serde` data: one map, written member by member, without copies of arrays.
#[derive(Clone, Copy, Debug)]
pub struct Dump<'d, 'a> {
    document: &'d Document<'a>,
    arrays: Arrays,
}

impl<'d, 'a> Dump<'d, 'a> {
    /// A view of `document` with the part of each array that `arrays` selects.
    pub const fn new(document: &'d Document<'a>, arrays: Arrays) -> Self {
        Dump { document, arrays }
    }
}

impl Serialize for Dump<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.document.dump(self.arrays, serializer)
    }
}

/// A sequence that is written from an iterator, without collecting it.
#[allow(dead_code, reason = "not every format has parts to list")]
pub(crate) struct Sequence<F>(pub(crate) F);

impl<F, I> Serialize for Sequence<F>
where
    F: Fn() -> I,
    I: Iterator,
    I::Item: Serialize,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}
