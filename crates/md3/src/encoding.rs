//! The encodings of vertices: the encodings of [`meshlens_lens`], with MD3's names for some of them.
//!
//! Each name is a type and also the only value of that type, which is passed to a [`Lens`](meshlens_lens::Lens).

#[doc(inline)]
pub use meshlens_lens::encoding::TruncatedZenithAzimuth8 as Md3NormalInverse;
#[doc(inline)]
pub use meshlens_lens::encoding::ZenithAzimuth8 as Md3Normal;
pub use meshlens_lens::encoding::*;

/// `i16` x, y, z in 1/64 of a model unit (MD3: Vertex.COORD): -512 to 511.984375, exact.
pub type Md3Position = Scaled<i16, 3, 64>;
/// The encoding as a value.
#[allow(non_upper_case_globals, reason = "the name of the type, as of a struct without fields")]
pub const Md3Position: Md3Position = Scaled::new();

/// A whole vertex (MD3: Vertex), decoded in one pass: a position like [`type@Md3Position`] and a normal like
/// [`Md3Normal`].
pub type Md3Vertex = PositionZenithAzimuth8<64>;
/// The encoding as a value.
#[allow(non_upper_case_globals, reason = "the name of the type, as of a struct without fields")]
pub const Md3Vertex: Md3Vertex = PositionZenithAzimuth8;
