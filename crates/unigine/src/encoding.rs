//! How rotations, tangent frames and weights are stored: the encodings of [`meshlens_lens`], and UNIGINE's names for some
//! of them.
//!
//! Each is a type and, under the same name, its only value, to give to a [`Lens`](meshlens_lens::Lens).
#![allow(
    non_upper_case_globals,
    reason = "values have the names of their types, as of structs without fields"
)]

#[doc(inline)]
pub use meshlens_lens::encoding::QuaternionXyz16 as Ms10Tangent;
#[doc(inline)]
pub use meshlens_lens::encoding::TangentFrame16 as UnigineTangentFrame;
#[doc(inline)]
pub use meshlens_lens::encoding::TangentFrameXyz16 as UnigineTangentFrameMs10;
#[doc(inline)]
pub use meshlens_lens::encoding::TangentQuaternion16 as UnigineTangent;
#[doc(inline)]
pub use meshlens_lens::encoding::TangentQuaternionXyz16 as UnigineTangentMs10;
pub use meshlens_lens::encoding::*;
use rounding::TOWARD_ZERO;

/// A rotation: the quaternion x, y, z, w (UNIGINE: MESH File Format, "Rotation quaternion").
///
/// Encoding cuts off the fraction, as the engine's tools do, so a decoded quaternion is a little shorter than 1. Both q
/// and -q mean the same rotation; neither direction changes which of them it is.
pub type UnigineRotation = Snorm16<4, TOWARD_ZERO>;
/// The value of the encoding of the same name.
pub const UnigineRotation: UnigineRotation = Snorm16;

/// A normal, -1 to 1 over 0 to 65535 (UNIGINE: Compression of Normals). The document describes it, but no field of mesh
/// and animation files is stored so. Encoding cuts off the fraction, as the document says.
pub type UnigineNormal = BiasedUnorm16<3, TOWARD_ZERO>;
/// The value of the encoding of the same name.
pub const UnigineNormal: UnigineNormal = BiasedUnorm16;

/// A bone weight (UNIGINE: MESH File Format, "Bone weight").
///
/// Encoding cuts off the fraction, as the engine's tools do: the weights of a vertex add up to 65532 or more.
pub type UnigineWeight = Unorm16<1, TOWARD_ZERO>;
/// The value of the encoding of the same name.
pub const UnigineWeight: UnigineWeight = Unorm16;
