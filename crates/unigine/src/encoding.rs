//! How rotations, tangent frames and weights are stored: the encodings of [`meshlens_lens`], and UNIGINE's names for some
//! of them.
//!
//! Each name is a type and also the only value of that type, which is passed to a [`Lens`](meshlens_lens::Lens).
#![allow(
    non_upper_case_globals,
    reason = "values have the names of their types, as of structs without fields"
)]

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
/// Encoding truncates, as the engine's tools do, so the length of a decoded quaternion is slightly below 1. Both q and
/// -q are the same rotation; encoding and decoding keep the sign.
pub type UnigineRotation = Snorm16<4, TOWARD_ZERO>;
/// The encoding as a value.
pub const UnigineRotation: UnigineRotation = Snorm16;

/// A normal, -1 to 1 over 0 to 65535 (UNIGINE: Compression of Normals). The format document describes it, but no field
/// of mesh and animation files is stored this way. Encoding truncates, according to the document.
pub type UnigineNormal = BiasedUnorm16<3, TOWARD_ZERO>;
/// The encoding as a value.
pub const UnigineNormal: UnigineNormal = BiasedUnorm16;

/// The weight of a bone, as unorm16 (UNIGINE: MESH File Format, "Bone weight").
///
/// Encoding truncates, as the engine's tools do: the integers of a vertex add up to 65532 or more.
pub type UnigineWeight = Unorm16<1, TOWARD_ZERO>;
/// The encoding as a value.
pub const UnigineWeight: UnigineWeight = Unorm16;
