//! Vectors multiplied by a weighted sum of matrices, one after another: the columns of a matrix are in registers.
//!
//! The compiler does not keep columns of which it uses three rows in registers by itself, so there are registers of four and, with
//! AVX2, of two columns. Every result is rounded alike.

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
pub(crate) struct Sums {
    /// The arrays and the vectors that the sums were made of; `None` if there are no sums.
    pub(crate) of: Option<([usize; 3], usize, usize)>,
    matrices: [Matrix; BLOCK],
}

impl Sums {
    pub(crate) const fn new() -> Self {
        Sums { of: None, matrices: [NONE; BLOCK] }
    }
}

/// The columns of a sum of matrices.
trait Columns: Copy {
    fn zero() -> Self;
    fn store(self, matrix: &mut Matrix);
    fn load(matrix: &Matrix) -> Self;
    /// Adds a matrix times `weight`, rounded twice.
    fn plus(self, matrix: &Matrix, weight: f32) -> Self;
    /// The sum times x, y and z, and then, unless `DIRECTION`, plus its last column.
    fn apply<const DIRECTION: bool>(self, vector: [f32; 3]) -> [f32; 4];
}

/// Columns for every machine.
impl Columns for Matrix {
    #[inline(always)]
    fn zero() -> Self {
        NONE
    }

    #[inline(always)]
    fn store(self, matrix: &mut Matrix) {
        *matrix = self;
    }

    #[inline(always)]
    fn load(matrix: &Matrix) -> Self {
        *matrix
    }

    #[inline(always)]
    fn plus(mut self, matrix: &Matrix, weight: f32) -> Self {
        for (sum, value) in self.as_flattened_mut().iter_mut().zip(matrix.as_flattened()) {
            *sum += *value * weight;
        }
        self
    }

    #[inline(always)]
    fn apply<const DIRECTION: bool>(self, [x, y, z]: [f32; 3]) -> [f32; 4] {
        let [a, b, c, d] = self;
        core::array::from_fn(|row| {
            let turned = x * a[row] + y * b[row] + z * c[row];
            if DIRECTION { turned } else { turned + d[row] }
        })
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use core::arch::x86_64::*;

    use super::{Columns, Matrix};

    /// Four columns.
    #[derive(Clone, Copy)]
    pub(super) struct Single([__m128; 4]);
    /// Two pairs of columns, for processors with AVX2.
    #[derive(Clone, Copy)]
    pub(super) struct Pairs([__m256; 2]);

    #[inline(always)]
    fn apply<const DIRECTION: bool>([a, b, c, d]: [__m128; 4], [x, y, z]: [f32; 3]) -> [f32; 4] {
        // SAFETY: SSE2 is part of x86-64.
        let moved = unsafe {
            let (x, y, z) = (_mm_set1_ps(x), _mm_set1_ps(y), _mm_set1_ps(z));
            let turned = _mm_add_ps(_mm_add_ps(_mm_mul_ps(x, a), _mm_mul_ps(y, b)), _mm_mul_ps(z, c));
            if DIRECTION { turned } else { _mm_add_ps(turned, d) }
        };
        bytemuck::cast(moved)
    }

    impl Columns for Single {
        #[inline(always)]
        fn zero() -> Self {
            // SAFETY: SSE2 is part of x86-64.
            Single([unsafe { _mm_setzero_ps() }; 4])
        }

        #[inline(always)]
        fn store(self, matrix: &mut Matrix) {
            *matrix = bytemuck::cast(self.0);
        }

        #[inline(always)]
        fn load(matrix: &Matrix) -> Self {
            Single(bytemuck::cast(*matrix))
        }

        #[inline(always)]
        fn plus(mut self, matrix: &Matrix, weight: f32) -> Self {
            for (sum, column) in self.0.iter_mut().zip(matrix) {
                // SAFETY: SSE2 is part of x86-64, and a column is as long as the register.
                *sum = unsafe {
                    _mm_add_ps(*sum, _mm_mul_ps(_mm_loadu_ps(column.as_ptr()), _mm_set1_ps(weight)))
                };
            }
            self
        }

        #[inline(always)]
        fn apply<const DIRECTION: bool>(self, vector: [f32; 3]) -> [f32; 4] {
            apply::<DIRECTION>(self.0, vector)
        }
    }

    impl Columns for Pairs {
        #[inline(always)]
        fn zero() -> Self {
            // SAFETY: the level of the loop has AVX2.
            Pairs([unsafe { _mm256_setzero_ps() }; 2])
        }

        #[inline(always)]
        fn store(self, matrix: &mut Matrix) {
            *matrix = bytemuck::cast(self.0);
        }

        #[inline(always)]
        fn load(matrix: &Matrix) -> Self {
            Pairs(bytemuck::cast(*matrix))
        }

        #[inline(always)]
        fn plus(mut self, matrix: &Matrix, weight: f32) -> Self {
            let pairs = matrix.as_flattened().as_chunks::<8>().0;
            for (sum, pair) in self.0.iter_mut().zip(pairs) {
                // SAFETY: the level of the loop has AVX2, and two columns are as long as the register.
                *sum = unsafe {
                    _mm256_add_ps(*sum, _mm256_mul_ps(_mm256_loadu_ps(pair.as_ptr()), _mm256_set1_ps(weight)))
                };
            }
            self
        }

        #[inline(always)]
        fn apply<const DIRECTION: bool>(self, vector: [f32; 3]) -> [f32; 4] {
            let [ab, cd] = self.0;
            // SAFETY: the level of the loop has AVX2.
            let columns = unsafe {
                [
                    _mm256_castps256_ps128(ab),
                    _mm256_extractf128_ps::<1>(ab),
                    _mm256_castps256_ps128(cd),
                    _mm256_extractf128_ps::<1>(cd),
                ]
            };
            apply::<DIRECTION>(columns, vector)
        }
    }
}

/// The sum of the matrices of a point; `None` if no joint moves it.
#[inline(always)]
fn sum<C: Columns, const PLAIN: bool>(
    matrices: &[Matrix],
    joints: &[u16; 4],
    weights: &[f32; 4],
) -> Option<C> {
    let mut sum = C::zero();
    let mut all = 0.0;
    for (joint, weight) in joints.iter().zip(weights) {
        let joint = usize::from(*joint);
        let (matrix, weight) = match matrices.get(joint) {
            _ if PLAIN => (&matrices[joint], *weight),
            // The result of a comparison with NaN is `false`.
            Some(matrix) if *weight > 0.0 => (matrix, *weight),
            _ => (&NONE, 0.0),
        };
        sum = sum.plus(matrix, weight);
        all += weight;
    }
    (PLAIN || all > 0.0).then_some(sum)
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

    /// Moves vectors whose joints may have no matrix, and whose weights may be negative.
    #[inline(always)]
    fn run_any<C: Columns, const DIRECTION: bool>(self) {
        let Skin { influences, matrices } = self.skin;
        self.sums.of = None;
        for at in 0..self.count.min(BLOCK) {
            let found = influences.of(self.point(at));
            let sum = found.and_then(|(joints, weights)| sum::<C, false>(matrices, joints, weights));
            let Planes([xs, ys, zs, _]) = &mut *self.planes;
            if let Some(sum) = sum {
                [xs[at], ys[at], zs[at], _] = sum.apply::<DIRECTION>([xs[at], ys[at], zs[at]]);
            }
        }
    }

    /// Moves vectors whose joints all have a matrix, and whose weights are not negative. The sums are made first, in a loop of
    /// their own, which is faster than one loop and keeps them for other vectors of the same points.
    #[inline(always)]
    fn run_plain<C: Columns, const DIRECTION: bool>(self) {
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
                let found = influences.of(self.point(at));
                let sum = found.and_then(|(joints, weights)| sum::<C, true>(matrices, joints, weights));
                // A point that is out of range keeps its value.
                sum.unwrap_or_else(|| C::load(&IDENTITY)).store(&mut self.sums.matrices[at]);
            }
            self.sums.of = of;
        }
        let Planes([xs, ys, zs, _]) = self.planes;
        let (xs, ys, zs) = (&mut xs[..count], &mut ys[..count], &mut zs[..count]);
        for (at, sum) in self.sums.matrices[..count].iter().enumerate() {
            [xs[at], ys[at], zs[at], _] = C::load(sum).apply::<DIRECTION>([xs[at], ys[at], zs[at]]);
        }
    }

    #[inline(always)]
    fn run_kind<C: Columns>(self, are_directions: bool) {
        let is_plain = self.skin.influences.are_plain(self.skin.matrices.len());
        match (are_directions, is_plain) {
            (false, false) => self.run_any::<C, false>(),
            (false, true) => self.run_plain::<C, false>(),
            (true, false) => self.run_any::<C, true>(),
            (true, true) => self.run_plain::<C, true>(),
        }
    }

    /// # Safety
    ///
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn run_avx2(self, are_directions: bool) {
        self.run_kind::<x86::Pairs>(are_directions);
    }

    /// Moves the vectors. Directions are not moved by the last column of a matrix.
    pub(crate) fn skin(self, level: Level, are_directions: bool) {
        match level.kind() {
            #[cfg(all(target_arch = "x86_64", any(feature = "std", target_feature = "avx2")))]
            // SAFETY: a `Level` exists only if the processor has its instructions.
            Kind::Avx2 | Kind::Avx512 => unsafe { self.run_avx2(are_directions) },
            #[cfg(target_arch = "x86_64")]
            Kind::Sse41 => self.run_kind::<x86::Single>(are_directions),
            _ => self.run_kind::<Matrix>(are_directions),
        }
    }
}
