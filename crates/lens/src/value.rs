//! Decoded values: plain numbers, single or in small fixed arrays.

use core::fmt::Debug;

use bytemuck::{Pod, Zeroable};

use crate::batch::{Batch1, Batch2, Batch3, Batch4};
use crate::component::{ComponentType, ValueType};

/// The position and the normal of a vertex, side by side, as in an interleaved vertex buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct PositionNormal {
    /// The position.
    pub position: [f32; 3],
    /// The normal, of length 1.
    pub normal: [f32; 3],
}

// SAFETY: it consists of two arrays of three floats, for which zeros are valid.
unsafe impl Zeroable for PositionNormal {}
// SAFETY: it consists of two arrays of three floats, without padding, so every bit pattern is valid.
unsafe impl Pod for PositionNormal {}

/// `N` positions and normals, as a structure of arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionNormalBatch<const N: usize> {
    /// The positions.
    pub position: Batch3<f32, N>,
    /// The normals.
    pub normal: Batch3<f32, N>,
}

impl Value for PositionNormal {
    const TYPE: ValueType = ValueType { component: ComponentType::F32, components: 6 };
    type Batch<const N: usize> = PositionNormalBatch<N>;

    fn batch<const N: usize>(values: &[Self; N], len: usize) -> PositionNormalBatch<N> {
        PositionNormalBatch {
            position: <[f32; 3]>::batch(&values.map(|value| value.position), len),
            normal: <[f32; 3]>::batch(&values.map(|value| value.normal), len),
        }
    }
}

/// A tangent frame: three directions of length 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct TangentFrame {
    /// The direction away from the surface: the Z axis, rotated by the quaternion.
    pub normal: [f32; 3],
    /// The direction of the texture coordinate s: the X axis, rotated by the quaternion.
    pub tangent: [f32; 3],
    /// The direction of the texture coordinate t: the Y axis, rotated by the quaternion, and negated if w is negative.
    pub binormal: [f32; 3],
}

// SAFETY: it consists of three arrays of three floats, for which zeros are valid.
unsafe impl Zeroable for TangentFrame {}
// SAFETY: it consists of three arrays of three floats, without padding, so every bit pattern is valid.
unsafe impl Pod for TangentFrame {}

impl TangentFrame {
    /// The tangent frame of a quaternion x, y, z, w of any length. The binormal has the sign of w.
    pub fn from_quaternion(quaternion: [f32; 4]) -> Self {
        Self::with_sign(quaternion, 1f32.copysign(quaternion[3]))
    }

    /// Like [`from_quaternion`](Self::from_quaternion), with `sign` (1 or -1) instead of the sign of w.
    #[inline]
    pub fn with_sign(quaternion: [f32; 4], sign: f32) -> Self {
        let [[tx, bx, nx], [ty, by, ny], [tz, bz, nz]] = rotation_rows(quaternion);
        TangentFrame {
            normal: [nx, ny, nz],
            tangent: [tx, ty, tz],
            binormal: [bx * sign, by * sign, bz * sign],
        }
    }
}

#[allow(clippy::arithmetic_side_effects, reason = "floats")]
impl TangentFrame {
    /// The sign of the bitangent: 1 if the binormal is `cross(normal, tangent)`, -1 if it is the opposite.
    pub fn handedness(&self) -> f32 {
        let ([nx, ny, nz], [tx, ty, tz], [bx, by, bz]) = (self.normal, self.tangent, self.binormal);
        let along = (ny * tz - nz * ty) * bx + (nz * tx - nx * tz) * by + (nx * ty - ny * tx) * bz;
        if along < 0.0 { -1.0 } else { 1.0 }
    }
}

/// The rows of the rotation matrix of a quaternion x, y, z, w of any length. For a quaternion of zeros, the result is
/// the identity.
#[inline]
pub fn rotation_rows([x, y, z, w]: [f32; 4]) -> [[f32; 3]; 3] {
    let square = x * x + y * y + z * z + w * w;
    let s = if square > 0.0 { 2.0 / square } else { 0.0 };
    [
        [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
        [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
        [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
    ]
}

/// `N` tangent frames, as a structure of arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentFrameBatch<const N: usize> {
    /// The normals.
    pub normal: Batch3<f32, N>,
    /// The tangents.
    pub tangent: Batch3<f32, N>,
    /// The binormals.
    pub binormal: Batch3<f32, N>,
}

impl Value for TangentFrame {
    const TYPE: ValueType = ValueType { component: ComponentType::F32, components: 9 };
    type Batch<const N: usize> = TangentFrameBatch<N>;

    fn batch<const N: usize>(values: &[Self; N], len: usize) -> TangentFrameBatch<N> {
        TangentFrameBatch {
            normal: <[f32; 3]>::batch(&values.map(|value| value.normal), len),
            tangent: <[f32; 3]>::batch(&values.map(|value| value.tangent), len),
            binormal: <[f32; 3]>::batch(&values.map(|value| value.binormal), len),
        }
    }
}

/// The type that an encoding decodes to: a number, two to four numbers, or a struct of those.
pub trait Value: Pod + PartialEq + Debug {
    /// The type, as data.
    const TYPE: ValueType;

    /// `N` values as a structure of arrays, with one array for each component.
    type Batch<const N: usize>: Copy + Debug;

    /// Converts an array of values to a structure of arrays. The first `len` values are elements.
    fn batch<const N: usize>(values: &[Self; N], len: usize) -> Self::Batch<N>;
}

macro_rules! values {
    ($($scalar:ty: $component:ident),*) => {$(
        impl Value for $scalar {
            const TYPE: ValueType = ValueType { component: ComponentType::$component, components: 1 };
            type Batch<const N: usize> = Batch1<$scalar, N>;
            fn batch<const N: usize>(values: &[Self; N], len: usize) -> Self::Batch<N> {
                Batch1 { len, x: *values }
            }
        }
        impl Value for [$scalar; 2] {
            const TYPE: ValueType = ValueType { component: ComponentType::$component, components: 2 };
            type Batch<const N: usize> = Batch2<$scalar, N>;
            fn batch<const N: usize>(values: &[Self; N], len: usize) -> Self::Batch<N> {
                Batch2 { len, x: values.map(|[x, _]| x), y: values.map(|[_, y]| y) }
            }
        }
        impl Value for [$scalar; 3] {
            const TYPE: ValueType = ValueType { component: ComponentType::$component, components: 3 };
            type Batch<const N: usize> = Batch3<$scalar, N>;
            fn batch<const N: usize>(values: &[Self; N], len: usize) -> Self::Batch<N> {
                Batch3 {
                    len,
                    x: values.map(|[x, _, _]| x),
                    y: values.map(|[_, y, _]| y),
                    z: values.map(|[_, _, z]| z),
                }
            }
        }
        impl Value for [$scalar; 4] {
            const TYPE: ValueType = ValueType { component: ComponentType::$component, components: 4 };
            type Batch<const N: usize> = Batch4<$scalar, N>;
            fn batch<const N: usize>(values: &[Self; N], len: usize) -> Self::Batch<N> {
                Batch4 {
                    len,
                    x: values.map(|[x, _, _, _]| x),
                    y: values.map(|[_, y, _, _]| y),
                    z: values.map(|[_, _, z, _]| z),
                    w: values.map(|[_, _, _, w]| w),
                }
            }
        }
    )*};
}

values!(f32: F32, u8: U8, i8: I8, u16: U16, i16: I16, u32: U32, i32: I32);
