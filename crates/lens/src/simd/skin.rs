//! Vectors multiplied by a weighted sum of matrices, one after another: the columns of a matrix are in registers.
//!
//! The compiler does not keep columns of which it uses three rows in registers by itself, so there are registers of one column, with
//! AVX2 of two, and with AVX-512 of all four. Every result is rounded alike.

use super::Level;
use super::block::{BLOCK, Planes};
#[cfg(target_arch = "x86_64")]
use super::level::Kind;
use crate::Skin;

/// A matrix of four columns of four rows.
type Matrix = [[f32; 4]; 4];

/// A joint without an effect.
const NONE: Matrix = [[0.0; 4]; 4];

const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// The sums of the matrices of a block, which positions, normals and tangents share.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Sums {
    matrices: [Matrix; BLOCK],
    /// The arrays and the vectors that the sums were made of; `None` if there are no sums.
    pub(crate) of: Option<([usize; 3], usize, usize)>,
}

impl Sums {
    pub(crate) const fn new() -> Self {
        Sums { of: None, matrices: [NONE; BLOCK] }
    }
}

/// The sum of matrices in registers.
trait Columns: Copy {
    /// A matrix times `weight`.
    ///
    /// # Safety
    ///
    /// The processor has the instructions.
    unsafe fn product(matrix: &Matrix, weight: f32) -> Self;
    /// The sum of both.
    ///
    /// # Safety
    ///
    /// The processor has the instructions.
    unsafe fn plus(self, other: Self) -> Self;
    /// # Safety
    ///
    /// The processor has the instructions.
    unsafe fn store(self, matrix: &mut Matrix);
    /// A matrix times x, y and z, and then, unless `DIRECTION`, plus its last column.
    fn apply<const DIRECTION: bool>(matrix: &Matrix, vector: [f32; 3]) -> [f32; 4];
}

/// Columns for every machine.
impl Columns for Matrix {
    #[inline(always)]
    unsafe fn product(matrix: &Matrix, weight: f32) -> Self {
        matrix.map(|column| column.map(|value| value * weight))
    }

    #[inline(always)]
    unsafe fn plus(mut self, other: Self) -> Self {
        for (sum, value) in self.as_flattened_mut().iter_mut().zip(other.as_flattened()) {
            *sum += *value;
        }
        self
    }

    #[inline(always)]
    unsafe fn store(self, matrix: &mut Matrix) {
        *matrix = self;
    }

    #[inline(always)]
    fn apply<const DIRECTION: bool>([a, b, c, d]: &Matrix, [x, y, z]: [f32; 3]) -> [f32; 4] {
        core::array::from_fn(|row| {
            let turned = a[row] * x + b[row] * y + c[row] * z;
            if DIRECTION { turned } else { turned + d[row] }
        })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    use super::{Columns, Matrix};

    #[inline(always)]
    fn apply<const DIRECTION: bool>([a, b, c, d]: &Matrix, [x, y, z]: [f32; 3]) -> [f32; 4] {
        // SAFETY: SSE2 is part of x86-64, and a column is as long as the register.
        unsafe {
            let x = _mm_mul_ps(_mm_loadu_ps(a.as_ptr()), _mm_set1_ps(x));
            let y = _mm_mul_ps(_mm_loadu_ps(b.as_ptr()), _mm_set1_ps(y));
            let z = _mm_mul_ps(_mm_loadu_ps(c.as_ptr()), _mm_set1_ps(z));
            let turned = _mm_add_ps(_mm_add_ps(x, y), z);
            bytemuck::cast(if DIRECTION { turned } else { _mm_add_ps(turned, _mm_loadu_ps(d.as_ptr())) })
        }
    }

    macro_rules! columns {
        ($($(#[$documentation:meta])* $name:ident $register:ty, $count:literal of $floats:literal, $load:ident $splat:ident $mul:ident $add:ident $store:ident;)*) => {$(
            $(#[$documentation])*
            #[derive(Clone, Copy)]
            pub(super) struct $name([$register; $count]);

            impl Columns for $name {
                #[inline(always)]
                unsafe fn product(matrix: &Matrix, weight: f32) -> Self {
                    let columns = matrix.as_flattened().as_ptr();
                    // SAFETY: the caller guarantees the instructions; the registers are as long as the matrix.
                    unsafe {
                        let weight = $splat(weight);
                        let mut product = $name([weight; $count]);
                        for (at, product) in product.0.iter_mut().enumerate() {
                            *product = $mul($load(columns.add($floats * at)), weight);
                        }
                        product
                    }
                }

                #[inline(always)]
                unsafe fn plus(mut self, other: Self) -> Self {
                    for (sum, value) in self.0.iter_mut().zip(other.0) {
                        // SAFETY: guaranteed by the caller.
                        *sum = unsafe { $add(*sum, value) };
                    }
                    self
                }

                #[inline(always)]
                unsafe fn store(self, matrix: &mut Matrix) {
                    let columns = matrix.as_flattened_mut().as_mut_ptr();
                    for (at, register) in self.0.into_iter().enumerate() {
                        // SAFETY: the caller guarantees the instructions; the registers are as long as the matrix.
                        unsafe { $store(columns.add($floats * at), register) }
                    }
                }

                #[inline(always)]
                fn apply<const DIRECTION: bool>(matrix: &Matrix, vector: [f32; 3]) -> [f32; 4] {
                    apply::<DIRECTION>(matrix, vector)
                }
            }
        )*};
    }

    columns! {
        /// Four columns.
        Single __m128, 4 of 4, _mm_loadu_ps _mm_set1_ps _mm_mul_ps _mm_add_ps _mm_storeu_ps;
        /// Two pairs of columns.
        Pairs __m256, 2 of 8, _mm256_loadu_ps _mm256_set1_ps _mm256_mul_ps _mm256_add_ps _mm256_storeu_ps;
        /// All columns.
        Whole __m512, 1 of 16, _mm512_loadu_ps _mm512_set1_ps _mm512_mul_ps _mm512_add_ps _mm512_storeu_ps;
    }
}

/// The sum of the matrices of a point; `None` if no joint moves it. If `PLAIN`, every joint has a matrix and every weight is a
/// number.
///
/// # Safety
///
/// The processor has the instructions of `C`; if `PLAIN`, there is a matrix for each joint.
#[inline(always)]
unsafe fn sum<C: Columns, const PLAIN: bool>(
    matrices: &[Matrix],
    joints: &[u16; 4],
    weights: &[f32; 4],
) -> Option<C> {
    let (mut all, mut sum) = (0.0, None::<C>);
    for (joint, weight) in joints.iter().zip(weights) {
        let (joint, weight) = (usize::from(*joint), *weight);
        let (matrix, weight) = match matrices.get(joint) {
            // SAFETY: guaranteed by the caller.
            _ if PLAIN => (unsafe { matrices.get_unchecked(joint) }, weight),
            // The result of a comparison with NaN is `false`.
            Some(matrix) if weight > 0.0 => (matrix, weight),
            _ => (&NONE, 0.0),
        };
        all += weight;
        // SAFETY: guaranteed by the caller.
        sum = Some(unsafe {
            let product = C::product(matrix, weight);
            match sum {
                Some(sum) => sum.plus(product),
                None => product,
            }
        });
    }
    if PLAIN || all > 0.0 { sum } else { None }
}

/// The vectors to move: the first one has the index `first`, and `points` begin with its point.
pub(crate) struct Vectors<'a> {
    pub(crate) planes: &'a mut Planes,
    pub(crate) sums: &'a mut Sums,
    pub(crate) skin: &'a Skin<'a>,
    pub(crate) points: Option<&'a [u32]>,
    pub(crate) first: usize,
    pub(crate) count: usize,
}

impl Vectors<'_> {
    /// The point of the vector `at`; `usize::MAX` if there is none.
    #[inline(always)]
    fn point(&self, at: usize) -> usize {
        match self.points {
            Some(points) => points.get(at).map_or(usize::MAX, |point| *point as usize),
            None => self.first + at,
        }
    }

    /// Moves the vectors. The sums are made first, in a loop of their own, which is faster than one loop and keeps them for other
    /// vectors of the same points.
    ///
    /// # Safety
    ///
    /// The processor has the instructions of `C`; if `PLAIN`, all joints have a matrix, and no weight is negative.
    #[inline(always)]
    unsafe fn run<C: Columns, const PLAIN: bool, const DIRECTION: bool>(self) {
        let Skin { influences, matrices } = self.skin;
        let count = self.count.min(BLOCK);
        let addresses = [
            core::ptr::from_ref(*influences).addr(),
            matrices.as_ptr().addr(),
            self.points.map_or(0, |points| points.as_ptr().addr()),
        ];
        let of = Some((addresses, self.first, count));
        if self.sums.of != of {
            for at in 0..count {
                // A point without joints keeps its value.
                let Some((joints, weights)) = influences.of(self.point(at)) else {
                    self.sums.matrices[at] = IDENTITY;
                    continue;
                };
                // SAFETY: guaranteed by the caller.
                match unsafe { sum::<C, PLAIN>(matrices, joints, weights) } {
                    // SAFETY: guaranteed by the caller.
                    Some(sum) => unsafe { sum.store(&mut self.sums.matrices[at]) },
                    None => self.sums.matrices[at] = IDENTITY,
                }
            }
            self.sums.of = of;
        }
        let Planes([xs, ys, zs, _]) = self.planes;
        let (xs, ys, zs) = (&mut xs[..count], &mut ys[..count], &mut zs[..count]);
        for (at, sum) in self.sums.matrices[..count].iter().enumerate() {
            [xs[at], ys[at], zs[at], _] = C::apply::<DIRECTION>(sum, [xs[at], ys[at], zs[at]]);
        }
    }

    /// # Safety
    ///
    /// The processor has the instructions of `C`.
    #[inline(always)]
    unsafe fn run_kind<C: Columns>(self, are_directions: bool) {
        let is_plain = self.skin.influences.are_plain(self.skin.matrices.len());
        // SAFETY: guaranteed by the caller, and by the check.
        unsafe {
            match (are_directions, is_plain) {
                (false, false) => self.run::<C, false, false>(),
                (false, true) => self.run::<C, true, false>(),
                (true, false) => self.run::<C, false, true>(),
                (true, true) => self.run::<C, true, true>(),
            }
        }
    }

    /// # Safety
    ///
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn run_avx2(self, are_directions: bool) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.run_kind::<x86::Pairs>(are_directions) }
    }

    /// # Safety
    ///
    /// The processor has AVX-512.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,avx512f,avx512vl")]
    unsafe fn run_avx512(self, are_directions: bool) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.run_kind::<x86::Whole>(are_directions) }
    }

    /// Moves the vectors. Directions are not moved by the last column of a matrix.
    pub(crate) fn skin(self, level: Level, are_directions: bool) {
        // SAFETY: a `Level` exists only if the processor has its instructions.
        unsafe {
            match level.kind() {
                #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx512f")))]
                Kind::Avx512 => self.run_avx512(are_directions),
                #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx2")))]
                Kind::Avx2 => self.run_avx2(are_directions),
                #[cfg(target_arch = "x86_64")]
                Kind::Sse41 => self.run_kind::<x86::Single>(are_directions),
                _ => self.run_kind::<Matrix>(are_directions),
            }
        }
    }
}
