//! A faithful view of one file, for `serde`: everything the format holds, under the format's own names, in the
//! file's own space. It is the debugging tool, and what independent readers are compared with.
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

mod array;
#[cfg(feature = "md3")]
mod md3;
#[cfg(feature = "u3d")]
mod u3d;
#[cfg(feature = "unigine")]
mod unigine;
#[cfg(feature = "unreal")]
mod unreal;

use serde::{Serialize, Serializer};

use crate::Document;
pub use array::Arrays;

/// A document as `serde` sees it: one map, written member by member, without an intermediate copy of any array.
#[derive(Clone, Copy, Debug)]
pub struct Dump<'d, 'a> {
    document: &'d Document<'a>,
    arrays: Arrays,
}

impl<'d, 'a> Dump<'d, 'a> {
    /// A view of `document` with as much of each array as `arrays` says.
    pub const fn new(document: &'d Document<'a>, arrays: Arrays) -> Self {
        Dump { document, arrays }
    }
}

impl Serialize for Dump<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.document {
            #[cfg(feature = "md3")]
            Document::Md3(document) => {
                md3::Md3Dump { md3: document, arrays: self.arrays }.serialize(serializer)
            }
            #[cfg(feature = "u3d")]
            Document::U3d(document) => {
                u3d::U3dDump { u3d: document, arrays: self.arrays }.serialize(serializer)
            }
            #[cfg(feature = "unreal")]
            Document::Unreal(document) => {
                unreal::UnrealDump { unreal: document, arrays: self.arrays }.serialize(serializer)
            }
            #[cfg(feature = "unreal")]
            Document::UnrealHalf(document) => {
                unreal::HalfDump { half: document, arrays: self.arrays }.serialize(serializer)
            }
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(mesh) => {
                unigine::MeshDump { mesh, arrays: self.arrays }.serialize(serializer)
            }
            #[cfg(feature = "unigine")]
            Document::UnigineAnim(anim) => {
                unigine::AnimDump { anim, arrays: self.arrays }.serialize(serializer)
            }
        }
    }
}

/// A sequence written from an iterator made afresh, so that nothing is collected.
#[allow(dead_code, reason = "not every format has parts to list")]
struct Sequence<F>(F);

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
