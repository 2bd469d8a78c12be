//! Steps over records: decodes, blends, converts and stores the vertices of a register.

use super::{
    BLENDED, FLOATS, FRAME, GAP, MOVED, OCTAHEDRAL16, RECORD, RecordMotion, RecordVertices, TEXCOORDS,
    TURNED, Turn,
};
use crate::simd::columns::{self, Columns};
use crate::simd::isa::{Avx2, Avx512};
use crate::simd::lanes::Lanes;
use crate::simd::prefetch;

/// The number of steps of blended frames that are decoded before the first one is stored. The latency of square roots and
/// divisions is too long for a processor to hide, so the roots are computed when steps are decoded, and the quotients when
/// they are stored. Components are exchanged in memory.
const AHEAD: usize = 8;

/// The positions and the normals of vertices.
type Vertices<F> = ([F; 3], [F; 3]);

impl RecordVertices<'_> {
    /// Decodes and blends `N` vertices. Blended normals have any length.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`, and each source contains `N` records.
    #[inline(always)]
    unsafe fn values<L: Columns, const POSITION: usize, const KIND: u8>(
        &self,
        tables: &L::Tables,
        [first, second]: [*const u8; 2],
    ) -> Vertices<L::F> {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let scale = self.tables.scale;
            if KIND != BLENDED {
                return self.decode::<L, POSITION, KIND>(tables, first, scale);
            }
            let [of_position, of_normal] = self.blend.unwrap_or_default();
            // The scale is a power of two, so scaling before the multiplication does not change the products.
            let (mut position, normal) =
                self.decode::<L, POSITION, KIND>(tables, first, scale * (1.0 - of_position));
            let (other, other_normal) = self.decode::<L, POSITION, KIND>(tables, second, scale * of_position);
            for (axis, other) in position.iter_mut().zip(other) {
                *axis = L::add(*axis, other);
            }
            (position, columns::blend::<L>(normal, other_normal, of_normal))
        }
    }

    /// Exchanges, multiplies, converts and stores the components of `N` vertices.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`. `texcoords` contains `N` pairs of floats, and `target` has room for `N`
    /// vertices, `stride` bytes apart.
    #[inline(always)]
    unsafe fn store<
        L: Columns,
        const POSITION: usize,
        const NORMAL: u8,
        const AFTER: u8,
        const KIND: u8,
        const PAST: bool,
    >(
        &self,
        (position, normal): &Vertices<L::F>,
        texcoords: *const u8,
        target: *mut u8,
        stride: usize,
    ) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let (position, normal) = match &self.motion {
                RecordMotion::Turns([of_position, of_normal]) if matches!(KIND, TURNED | BLENDED) => {
                    (turned::<L>(position, of_position), turned::<L>(normal, of_normal))
                }
                _ => (*position, *normal),
            };
            let zero = L::splat_integer(0);
            let none = [zero; 2];
            if NORMAL == FLOATS {
                let [x, y, z] = [L::bits(position[0]), L::bits(position[1]), L::bits(position[2])];
                let normal = [L::bits(normal[0]), L::bits(normal[1]), L::bits(normal[2])];
                let pairs = [L::pair(x, y), L::pair(z, normal[0]), L::pair(normal[1], normal[2])];
                if AFTER == TEXCOORDS {
                    L::store_pairs::<4, PAST>(
                        target,
                        [pairs[0], pairs[1], pairs[2], L::load_pair(texcoords)],
                    );
                } else {
                    L::store_pairs::<3, PAST>(target, [pairs[0], pairs[1], pairs[2], none]);
                }
                return;
            }
            let normal = match NORMAL {
                OCTAHEDRAL16 => columns::octahedral::<L>(normal),
                // Values are only known to be between -1 and 1 if they are sines and cosines that are neither blended
                // nor multiplied.
                _ if KIND != FRAME => columns::snorm8::<L, true>(normal),
                _ => columns::snorm8::<L, false>(normal),
            };
            if POSITION == 2 {
                let [xy, zw] = columns::halves::<L>(position);
                return L::store_three::<PAST>(target, [xy, zw, normal]);
            }
            let [x, y, z] = [L::bits(position[0]), L::bits(position[1]), L::bits(position[2])];
            let pairs = [L::pair(x, y), L::pair(z, normal)];
            if AFTER == TEXCOORDS {
                L::store_pairs::<3, PAST>(target, [pairs[0], pairs[1], L::load_pair(texcoords), none]);
            } else if AFTER == GAP {
                L::store_apart(target, stride, pairs);
            } else {
                L::store_pairs::<2, PAST>(target, [pairs[0], pairs[1], none, none]);
            }
        }
    }

    /// The positions, multiplied by `scale`, and the normals of `N` records. Positions before a matrix are multiplied by
    /// 65536 instead.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`, and `8 * N` bytes may be read.
    #[inline(always)]
    unsafe fn decode<L: Columns, const POSITION: usize, const KIND: u8>(
        &self,
        tables: &L::Tables,
        source: *const u8,
        scale: f32,
    ) -> Vertices<L::F> {
        // SAFETY: guaranteed by the caller.
        unsafe {
            // Words that are stored in pairs do not have to be in the order of the vertices.
            let [xy, z_codes] = match POSITION {
                2 => L::load_pairs(source),
                _ => L::split(L::load_pair(source)),
            };
            // Integers in the upper half of their lanes have 65536 times their value.
            let [x, y, z] = [L::low_half_65536(xy), L::high_half_65536(xy), L::low_half_65536(z_codes)];
            let scale = L::splat(scale / 65536.0);
            let position = match KIND {
                MOVED => [x, y, z],
                _ => [L::mul(x, scale), L::mul(y, scale), L::mul(z, scale)],
            };
            let normal = match POSITION {
                2 => L::normals::<false>(tables, source, z_codes),
                _ => L::normals::<true>(tables, source, z_codes),
            };
            (position, normal)
        }
    }
}

/// Exchanges and multiplies components, which are in memory.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
unsafe fn turned<L: Columns>(axes: &[L::F; 3], turn: &Turn) -> [L::F; 3] {
    // SAFETY: guaranteed by the caller.
    let turned = |axis: usize| unsafe { L::mul(axes[turn.from[axis].min(2)], L::splat(turn.factor[axis])) };
    [turned(0), turned(1), turned(2)]
}

/// `N` vectors multiplied by the first three columns of a matrix, as in `planes`.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
unsafe fn multiplied<L: Columns>([x, y, z]: &[L::F; 3], [a, b, c, _]: &[[f32; 3]; 4]) -> [L::F; 3] {
    // SAFETY: guaranteed by the caller.
    let product = |axis: usize| unsafe {
        let xy = L::add(L::mul(*x, L::splat(a[axis])), L::mul(*y, L::splat(b[axis])));
        L::add(xy, L::mul(*z, L::splat(c[axis])))
    };
    [product(0), product(1), product(2)]
}

/// Multiplies vertices by matrices. Returns the squares of the lengths of their normals.
///
/// # Safety
///
/// The processor has the instructions `L`.
#[inline(always)]
unsafe fn moved<L: Columns>(motion: &RecordMotion, (position, normal): &mut Vertices<L::F>) -> L::F {
    // SAFETY: guaranteed by the caller.
    unsafe {
        if let RecordMotion::Matrices { positions, normals } = motion {
            let [x, y, z] = multiplied::<L>(position, positions);
            let [_, _, _, [dx, dy, dz]] = positions;
            *position = [L::add(x, L::splat(*dx)), L::add(y, L::splat(*dy)), L::add(z, L::splat(*dz))];
            *normal = multiplied::<L>(normal, normals);
        }
        columns::squared_length::<L>(*normal)
    }
}

macro_rules! levels {
    ($($name:ident $isa:ident $lanes:literal $features:literal;)*) => {$(
        /// # Safety
        ///
        /// The same as for [`RecordVertices::steps`], with these instructions.
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name<const POSITION: usize, const NORMAL: u8, const AFTER: u8, const KIND: u8, const PAST: bool>(
            vertices: &RecordVertices<'_>,
            sources: [*const u8; 2],
            texcoords: *const u8,
            target: *mut u8,
            stride: usize,
            steps: usize,
        ) {
            let stride = match AFTER {
                GAP => stride,
                _ => 4 * (POSITION + if NORMAL == FLOATS { 3 } else { 1 }) + if AFTER == TEXCOORDS { 8 } else { 0 },
            };
            // SAFETY: guaranteed by the caller.
            let tables = unsafe { $isa::tables(&vertices.tables) };
            let values = |step: usize| {
                let first = $lanes * step;
                if PAST {
                    prefetch::lines(sources[0], first * RECORD, $lanes * RECORD);
                    if KIND == BLENDED {
                        prefetch::lines(sources[1], first * RECORD, $lanes * RECORD);
                    }
                    if AFTER == TEXCOORDS {
                        prefetch::lines(texcoords, 8 * first, 8 * $lanes);
                    }
                }
                // SAFETY: guaranteed by the caller. `map` would be compiled once more for each loop, which takes long.
                unsafe {
                    let sources = [sources[0].add(first * RECORD), sources[1].add(first * RECORD)];
                    vertices.values::<$isa, POSITION, KIND>(&tables, sources)
                }
            };
            let store = |step: usize, values: &Vertices<<$isa as Lanes>::F>| {
                let first = $lanes * step;
                // SAFETY: guaranteed by the caller.
                unsafe {
                    let texcoords = if AFTER == TEXCOORDS { texcoords.add(8 * first) } else { texcoords };
                    let target = target.add(stride * first);
                    vertices.store::<$isa, POSITION, NORMAL, AFTER, KIND, PAST>(values, texcoords, target, stride);
                }
            };
            if matches!(KIND, FRAME | TURNED) {
                for step in 0..steps {
                    store(step, &values(step));
                }
                return;
            }
            // SAFETY: guaranteed by the caller.
            let zero = unsafe { $isa::splat(0.0) };
            let motion = &vertices.motion;
            if KIND == MOVED {
                let mut rigid_steps = 0;
                // Rotations keep the lengths of normals. Other matrices leave this loop in the first step.
                while rigid_steps < steps {
                    let mut vertices = values(rigid_steps);
                    // SAFETY: guaranteed by the caller.
                    if !unsafe { columns::are_unit::<$isa>(moved::<$isa>(motion, &mut vertices)) } {
                        break;
                    }
                    store(rigid_steps, &vertices);
                    rigid_steps += 1;
                }
                let mut next = (([zero; 3], [zero; 3]), zero);
                for step in rigid_steps..=steps {
                    let ((position, normal), length) = next;
                    if step < steps {
                        next.0 = values(step);
                        // SAFETY: guaranteed by the caller.
                        next.1 = unsafe { columns::length::<$isa>(moved::<$isa>(motion, &mut next.0)) };
                    }
                    // The step before, whose root the processor has computed by now.
                    if step > rigid_steps {
                        // SAFETY: guaranteed by the caller.
                        let normal = unsafe { columns::scale::<$isa>(normal, $isa::div($isa::splat(1.0), length)) };
                        store(step - 1, &(position, normal));
                    }
                }
                return;
            }
            let is_moved = matches!(motion, RecordMotion::Matrices { .. });
            // The length of each normal, and the normal before the matrix.
            let mut ahead = [(([zero; 3], [zero; 3]), zero, [zero; 3]); AHEAD];
            for first in (0..steps).step_by(AHEAD) {
                let ahead = &mut ahead[..AHEAD.min(steps - first)];
                for (at, (ahead, length, before)) in ahead.iter_mut().enumerate() {
                    *ahead = values(first + at);
                    if is_moved {
                        *before = ahead.1;
                    }
                    // SAFETY: guaranteed by the caller.
                    *length = unsafe {
                        let squared = moved::<$isa>(motion, ahead);
                        if is_moved { columns::length::<$isa>(squared) } else { $isa::sqrt(squared) }
                    };
                }
                for (at, (ahead, length, before)) in ahead.iter_mut().enumerate() {
                    // SAFETY: guaranteed by the caller.
                    ahead.1 = unsafe {
                        if is_moved {
                            columns::normalize_or::<$isa>(ahead.1, *length, *before)
                        } else {
                            columns::normalize::<$isa>(ahead.1, *length)
                        }
                    };
                    store(first + at, ahead);
                }
            }
        }
    )*};
}

levels! {
    steps_avx2 Avx2 8 "avx2,fma,f16c";
    steps_avx512 Avx512 16 "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi";
}
