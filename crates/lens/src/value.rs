//! Decoded values: plain numbers, alone or in small fixed arrays.

use core::fmt::Debug;

use bytemuck::{Pod, Zeroable};

use crate::batch::{Batch1, Batch2, Batch3, Batch4};

/// A vertex's position and normal, side by side as an interleaved vertex buffer has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PositionNormal {
    /// The position.
    pub position: [f32; 3],
    /// The normal, of length 1.
    pub normal: [f32; 3],
}

/// `N` positions and normals as a structure of arrays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PositionNormalBatch<const N: usize> {
    /// The positions.
    pub position: Batch3<f32, N>,
    /// The normals.
    pub normal: Batch3<f32, N>,
}

impl Value for PositionNormal {
    type Batch<const N: usize> = PositionNormalBatch<N>;

    fn batch<const N: usize>(values: &[Self; N], len: usize) -> PositionNormalBatch<N> {
        PositionNormalBatch {
            position: <[f32; 3]>::batch(&values.map(|value| value.position), len),
            normal: <[f32; 3]>::batch(&values.map(|value| value.normal), len),
        }
    }
}

/// What an encoding decodes to: a number, two to four of them, or a few of those with names.
pub trait Value: Pod + PartialEq + Debug {
    /// `N` values as a structure of arrays: one array per component.
    type Batch<const N: usize>: Copy + Debug;

    /// Turns an array of values into a structure of arrays; `len` of them count.
    fn batch<const N: usize>(values: &[Self; N], len: usize) -> Self::Batch<N>;
}

macro_rules! values {
    ($($scalar:ty),*) => {$(
        impl Value for $scalar {
            type Batch<const N: usize> = Batch1<$scalar, N>;
            fn batch<const N: usize>(values: &[Self; N], len: usize) -> Self::Batch<N> {
                Batch1 { len, x: *values }
            }
        }
        impl Value for [$scalar; 2] {
            type Batch<const N: usize> = Batch2<$scalar, N>;
            fn batch<const N: usize>(values: &[Self; N], len: usize) -> Self::Batch<N> {
                Batch2 { len, x: values.map(|[x, _]| x), y: values.map(|[_, y]| y) }
            }
        }
        impl Value for [$scalar; 3] {
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

values!(f32, u8, i8, u16, i16, u32, i32);
