//! The list of formats and their numbers. It generates [`Format`], [`Document`] and [`Parts`], and the dispatch between
//! their variants. Each format has its own module, and no other module depends on the formats that are in the build.

mod document;
mod format;
mod info;
pub(crate) mod normals;
mod parts;

#[cfg(feature = "md3")]
mod md3;
#[cfg(feature = "u3d")]
mod u3d;
#[cfg(feature = "unigine")]
mod unigine;
#[cfg(feature = "unreal")]
pub(crate) mod unreal;

use core::ops::Deref;

use meshlens_wire::{Complete, Partial, Presence, Report, Result};

use crate::Model;
use crate::model::Mesh;
pub use document::{CompleteDocument, FormatDocument, IntoModel, decrypt_if_needed};
#[allow(unused_imports, reason = "not every format has losses and names")]
use document::{losses_of, name_if_loaded};
pub(crate) use info::FormatInfo;
#[allow(unused_imports, reason = "not every format has one file")]
use parts::one_file;
pub use parts::{FormatParts, PartList};

/// Implemented for the types of the list below.
pub trait Sealed<P = ()> {}

/// The first token is `$`, for the macro that this one defines.
macro_rules! formats {
    ($d:tt $(
        $(#[$format_doc:meta])*
        $format:ident = $number:literal: $feature:literal, $module:ident, $krate:ident, $parts:ty {
            $($(#[$variant_doc:meta])* $variant:ident($document:ty),)*
        }
    )*) => {
        #[cfg(not(any($(feature = $feature),*)))]
        compile_error!(concat!("meshlens needs the feature of at least one format:", $(" ", $feature,)*));

        /// The crates of the formats, with the names of their features.
        pub(crate) mod crates {
            $(
                #[cfg(feature = $feature)]
                pub use $krate as $module;
            )*
        }

        /// The formats that this build reads.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Format {
            $(
                $(#[$format_doc])*
                #[cfg(feature = $feature)]
                $format = $number,
            )*
        }

        impl Format {
            /// Every format of this build.
            pub const ALL: &'static [Format] = &[$(
                #[cfg(feature = $feature)]
                Format::$format,
            )*];

            pub(crate) const fn info(self) -> &'static FormatInfo {
                match self {
                    $(
                        #[cfg(feature = $feature)]
                        Format::$format => &$module::INFO,
                    )*
                }
            }
        }

        /// A parsed file of any format. The variants contain the format's own document.
        ///
        /// A `Document<'a>` is [`Complete`]. [`bind_pieces`](crate::PartList::bind_pieces) returns a
        /// `Document<'a, Partial>`, whose getters of bytes return a `Result`:
        /// [`Incomplete`](crate::wire::ErrorKind::Incomplete) for bytes that are not loaded.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Document<'a, P: Presence = Complete> {
            $($(
                $(#[$variant_doc])*
                #[cfg(feature = $feature)]
                $variant($document),
            )*)*
        }

        /// An expression of the document in a [`Document`].
        macro_rules! each {
            ($d document:expr, $d name:ident => $d then:expr) => {
                match $d document {
                    $($(
                        #[cfg(feature = $feature)]
                        Document::$variant($d name) => $d then,
                    )*)*
                }
            };
        }

        impl<'a, P: Presence> Document<'a, P> {
            /// Returns one mesh of the [model](Model::new) of this document; `None` if the index is out of range. For a
            /// partial document, only the parts of the mesh are needed. The mesh has no material. Its name is empty if
            /// [`Part::Names`](crate::part::Part::Names) is not loaded, and it only has a skin if its weights and the
            /// skeleton are loaded.
            ///
            /// # Errors
            ///
            /// Same as [`Model::new`].
            pub fn into_mesh(self, mesh: usize) -> Result<Option<Mesh<'a>>> {
                each!(self, document => document.into_partial().into_mesh(mesh))
            }

            /// Like [`Model::new`].
            pub(crate) fn into_model(self) -> Result<Model<'a>> {
                each!(self, document => document.into_partial().into_model())
            }

            /// The same document as a partial one, for code that serves both kinds.
            pub fn into_partial(self) -> Document<'a, Partial> {
                each!(self, document => document.into_partial().into())
            }
        }

        impl<'a, P: Presence> Deref for Document<'a, P> {
            type Target = dyn FormatDocument<'a, P> + 'a;

            fn deref(&self) -> &Self::Target {
                each!(self, document => document)
            }
        }

        impl<'a> Document<'a, Partial> {
            /// The complete document, once all bytes of every file are in one piece. O(surfaces).
            ///
            /// # Errors
            ///
            /// [`Incomplete`](crate::wire::ErrorKind::Incomplete) if they are not.
            pub fn complete(self) -> Result<Document<'a>> {
                Ok(each!(self, document => document.complete()?.into()))
            }
        }

        impl Document<'_> {
            fn whole(&self) -> &dyn CompleteDocument {
                each!(self, document => document)
            }

            /// Adds the findings of the format's validator to `report`, and those about normals that do not fit the triangles.
            /// O(file).
            pub fn validate(&self, report: &mut Report) {
                self.whole().validate(report);
                // A model that cannot be made has errors of its own. Normals of Unreal meshes are computed.
                #[cfg(feature = "unreal")]
                if self.format() == Format::Unreal {
                    return;
                }
                if let Ok(model) = Model::new(self.clone()) {
                    normals::validate(&model, report);
                }
            }

            /// Adds a finding for everything in the document that a [`Model`] does not keep. No conversion keeps it
            /// either. O(file).
            pub fn losses(&self, report: &mut Report) {
                self.whole().losses(report);
            }
        }

        $($(
            #[cfg(feature = $feature)]
            impl<'a, P: Presence> Sealed<P> for $document {}

            #[cfg(feature = $feature)]
            impl<'a, P: Presence> From<$document> for Document<'a, P> {
                fn from(document: $document) -> Self {
                    Document::$variant(document)
                }
            }
        )*)*

        /// The location of every part of a file of any format. The variants contain the format's own parts.
        ///
        /// It is plain data, checked against the length of the file, without its bytes.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Parts {
            $(
                $(#[$format_doc])*
                #[cfg(feature = $feature)]
                $format($parts),
            )*
        }

        impl Parts {
            /// Binds the parts to the bytes of the whole file. O(1), or O(surfaces).
            ///
            /// # Errors
            ///
            /// `bytes` are shorter than the file, or the format needs a second file.
            pub fn bind(self, bytes: &[u8]) -> Result<Document<'_>> {
                match self {
                    $(
                        #[cfg(feature = $feature)]
                        Parts::$format(parts) => FormatParts::bind(parts, bytes),
                    )*
                }
            }
        }

        impl Deref for Parts {
            type Target = dyn FormatParts;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(
                        #[cfg(feature = $feature)]
                        Parts::$format(parts) => parts,
                    )*
                }
            }
        }

        $(
            #[cfg(feature = $feature)]
            impl Sealed for $parts {}

            #[cfg(feature = $feature)]
            impl From<$parts> for Parts {
                fn from(parts: $parts) -> Self {
                    Parts::$format(parts)
                }
            }
        )*

        #[cfg(feature = "dump")]
        impl Document<'_> {
            /// Writes the document as defined by [`Dump`](crate::dump::Dump).
            pub(crate) fn dump<S: serde::Serializer>(
                &self,
                arrays: crate::dump::Arrays,
                serializer: S,
            ) -> core::result::Result<S::Ok, S::Error> {
                each!(self, document => crate::dump::Serializable::serialize(document, arrays, serializer))
            }
        }
    };
}

formats! { $
    /// Quake 3 MD3.
    Md3 = 1: "md3", md3, meshlens_md3, meshlens_md3::Parts {
        /// Quake 3 MD3.
        Md3(meshlens_md3::Md3<'a, P>),
    }
    /// Ultimate 3D, version 1.0 or 2.0.
    U3d = 2: "u3d", u3d, meshlens_u3d, meshlens_u3d::Parts {
        /// Ultimate 3D.
        U3d(meshlens_u3d::U3d<'a, P>),
    }
    /// Unreal vertex meshes, two files each: see [`Document::parse_pair`](crate::Document::parse_pair).
    Unreal = 3: "unreal", unreal, meshlens_unreal, meshlens_unreal::Parts {
        /// An Unreal vertex mesh.
        Unreal(meshlens_unreal::Unreal<'a, P>),
        /// A single file of an Unreal vertex mesh.
        UnrealUnpaired(meshlens_unreal::UnpairedFile<'a>),
    }
    /// UNIGINE meshes and animations.
    Unigine = 4: "unigine", unigine, meshlens_unigine, meshlens_unigine::Parts {
        /// A UNIGINE mesh.
        UnigineMesh(meshlens_unigine::Mesh<'a, P>),
        /// A UNIGINE animation.
        UnigineAnim(meshlens_unigine::Anim<'a, P>),
    }
}
