//! Converts quaternions to tangent frames: four integers are read, and three directions are written.
//!
//! A frame consists of quotients of products of two integers each. The length of the quaternion cancels out, so the
//! integers are not normalized first.

#[cfg(target_arch = "x86_64")]
use super::isa::{Avx2, Avx512};
use super::lanes::{Lanes, store_nines, store_triples};
use super::level::Kind;
use super::{Kernel, Level, Shape};

/// The kernel for quaternions of four `i16`.
pub(crate) struct TangentFrames;

impl Shape for TangentFrames {
    const SIZE: usize = 8;
    const STRIDE: usize = 8;
    const OUT: usize = 36;

    fn method(level: Level) -> Kind {
        match level.kind() {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 if Level::has_halved_avx512() => Kind::Avx2,
            kind => kind,
        }
    }
}

/// The kernel for the normals alone.
pub(crate) struct TangentNormals;

impl Shape for TangentNormals {
    const SIZE: usize = 8;
    const STRIDE: usize = 8;
    const OUT: usize = 12;
}

/// `N` quaternions of 65536 times the integers.
#[derive(Clone, Copy)]
struct Quaternions<F> {
    x: F,
    y: F,
    z: F,
    w: F,
    /// The squared lengths of the quaternions.
    square: F,
}

impl<F: Copy> Quaternions<F> {
    /// Loads `N` quaternions.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`, and `8 * N` bytes may be read.
    #[inline(always)]
    unsafe fn load<L: Lanes<F = F>>(source: *const u8) -> Self {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let [xy, zw] = L::load_pairs(source);
            let (x, y) = (L::low_half_65536(xy), L::high_half_65536(xy));
            let (z, w) = (L::low_half_65536(zw), L::high_half_65536(zw));
            let square = L::add(L::add(L::mul(x, x), L::mul(y, y)), L::mul(z, z));
            Quaternions { x, y, z, w, square: L::add(square, L::mul(w, w)) }
        }
    }

    /// The factor for products of two components.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`.
    #[inline(always)]
    unsafe fn scale<L: Lanes<F = F>>(self) -> F {
        // SAFETY: guaranteed by the caller.
        unsafe {
            // The smallest squared length of integers that are not all 0. If all are 0, the products are 0, too, and
            // any factor is correct.
            L::div(L::splat(2.0), L::max(self.square, L::splat(65536.0 * 65536.0)))
        }
    }

    /// The normals of the quaternions.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`.
    #[inline(always)]
    unsafe fn normals<L: Lanes<F = F>>(self, scale: F) -> [F; 3] {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let Quaternions { x, y, z, w, .. } = self;
            [
                L::mul(scale, L::add(L::mul(x, z), L::mul(y, w))),
                L::mul(scale, L::sub(L::mul(y, z), L::mul(x, w))),
                L::sub(L::splat(1.0), L::mul(scale, L::add(L::mul(x, x), L::mul(y, y)))),
            ]
        }
    }

    /// Converts the quaternions to frames and stores these.
    ///
    /// # Safety
    ///
    /// The processor has the instructions `L`, and `36 * N` bytes may be written, which are aligned if `PAST`.
    #[inline(always)]
    unsafe fn store_frames<L: Lanes<F = F>, const PAST: bool>(self, scale: F, target: *mut u8) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let Quaternions { x, y, z, w, .. } = self;
            let [normal_x, normal_y, normal_z] = self.normals::<L>(scale);
            let (xx, yy, zz) = (L::mul(x, x), L::mul(y, y), L::mul(z, z));
            let (xy, xz, yz) = (L::mul(x, y), L::mul(x, z), L::mul(y, z));
            let (xw, yw, zw) = (L::mul(x, w), L::mul(y, w), L::mul(z, w));
            let one = L::splat(1.0);
            // The bitangent has the sign of w.
            let signed = L::negate_by_sign(w, scale);
            let binormal_y = L::sub(one, L::mul(scale, L::add(xx, zz)));
            let frames = [
                normal_x,
                normal_y,
                normal_z,
                L::sub(one, L::mul(scale, L::add(yy, zz))),
                L::mul(scale, L::add(xy, zw)),
                L::mul(scale, L::sub(xz, yw)),
                L::mul(signed, L::sub(xy, zw)),
                L::negate_by_sign(w, binormal_y),
                L::mul(signed, L::add(yz, xw)),
            ];
            store_nines::<L, PAST>(target, frames);
        }
    }
}

/// The number of registers of quaternions that are loaded before the first one is converted. Otherwise the latency of a
/// division is too long for a processor to hide.
const AHEAD: usize = 8;

/// Decodes `count` registers of quaternions, [`AHEAD`] at a time, which are kept in memory.
///
/// # Safety
///
/// The processor has the instructions `L`, `8 * N` bytes may be read and `36 * N` bytes may be written for each
/// register, which are aligned if `PAST`.
#[inline(always)]
unsafe fn decode_ahead<L: Lanes, const PAST: bool>(source: *const u8, target: *mut u8, count: usize) {
    let mut done = 0;
    // SAFETY: guaranteed by the caller.
    unsafe {
        while count - done >= AHEAD {
            let (source, target) = (source.add(8 * L::N * done), target.add(36 * L::N * done));
            let first = Quaternions::load::<L>(source);
            let mut loaded = [(first, first.scale::<L>()); AHEAD];
            for (register, loaded) in loaded.iter_mut().enumerate().skip(1) {
                let quaternions = Quaternions::load::<L>(source.add(8 * L::N * register));
                *loaded = (quaternions, quaternions.scale::<L>());
            }
            for (register, (loaded, scale)) in loaded.into_iter().enumerate() {
                loaded.store_frames::<L, PAST>(scale, target.add(36 * L::N * register));
            }
            done += AHEAD;
        }
        for register in done..count {
            let quaternions = Quaternions::load::<L>(source.add(8 * L::N * register));
            quaternions.store_frames::<L, PAST>(quaternions.scale::<L>(), target.add(36 * L::N * register));
        }
    }
}

/// Decodes `count` registers of quaternions. Each register is loaded before the previous one is converted, which is
/// faster if there are enough registers for both. Past the cache, measurements are faster with half registers.
///
/// # Safety
///
/// Same as [`decode_ahead`], with AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn decode_overlapped<const PAST: bool>(source: *const u8, target: *mut u8, count: usize) {
    if count == 0 {
        return;
    }
    if PAST {
        // SAFETY: guaranteed by the caller: AVX-512 includes AVX2, and two half registers are one register.
        return unsafe { decode_ahead::<Avx2, PAST>(source, target, 2 * count) };
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        let mut next = Quaternions::load::<Avx512>(source);
        let mut next_scale = next.scale::<Avx512>();
        for register in 1..count {
            let (this, scale) = (next, next_scale);
            next = Quaternions::load::<Avx512>(source.add(128 * register));
            next_scale = next.scale::<Avx512>();
            this.store_frames::<Avx512, PAST>(scale, target.add(576 * (register - 1)));
        }
        next.store_frames::<Avx512, PAST>(next_scale, target.add(576 * (count - 1)));
    }
}

macro_rules! kernels {
    ($($cfg:meta => $isa:ident in $lanes:ident by $decode:ident $(::<$parameter:ident>)?, normals in $half:ident;)*) => {$(
        // SAFETY: the number of quaternions that are read and of frames that are written is the number of lanes.
        #[cfg($cfg)]
        unsafe impl Kernel<super::isa::$isa> for TangentFrames {
            const ELEMENTS: usize = <super::isa::$lanes as Lanes>::N;
            const READ: usize = 8 * <super::isa::$lanes as Lanes>::N;
            const WRITE: usize = 36 * <super::isa::$lanes as Lanes>::N;

            #[inline(always)]
            unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
                // SAFETY: the processor has the instructions, and the caller guarantees the accesses.
                unsafe {
                    let quaternions = Quaternions::load::<super::isa::$lanes>(source);
                    let scale = quaternions.scale::<super::isa::$lanes>();
                    quaternions.store_frames::<super::isa::$lanes, PAST>(scale, target);
                }
            }

            #[inline(always)]
            unsafe fn steps<const PAST: bool>(&self, source: *const u8, target: *mut u8, count: usize) {
                // SAFETY: the processor has the instructions, and the caller guarantees the accesses.
                unsafe { $decode::<$(super::isa::$parameter,)? PAST>(source, target, count) }
            }
        }

        // SAFETY: the number of quaternions that are read and of normals that are written is the number of lanes.
        #[cfg($cfg)]
        unsafe impl Kernel<super::isa::$isa> for TangentNormals {
            const ELEMENTS: usize = <super::isa::$half as Lanes>::N;
            const READ: usize = 8 * <super::isa::$half as Lanes>::N;
            const WRITE: usize = 12 * <super::isa::$half as Lanes>::N;

            #[inline(always)]
            unsafe fn step<const PAST: bool>(&self, source: *const u8, target: *mut u8) {
                // SAFETY: the processor has the instructions, and the caller guarantees the accesses.
                unsafe {
                    let quaternions = Quaternions::load::<super::isa::$half>(source);
                    let scale = quaternions.scale::<super::isa::$half>();
                    let normals = quaternions.normals::<super::isa::$half>(scale);
                    store_triples::<super::isa::$half, PAST>(target, normals);
                }
            }
        }
    )*};
}

kernels! {
    target_arch = "x86_64" => Sse41 in Sse41 by decode_ahead::<Sse41>, normals in Sse41;
    target_arch = "x86_64" => Avx2 in Avx2 by decode_ahead::<Avx2>, normals in Avx2;
    // There are enough registers for the quaternions of the next step.
    target_arch = "x86_64" => Avx512 in Avx512 by decode_overlapped, normals in Avx2;
    target_arch = "aarch64" => Neon in Neon by decode_ahead::<Neon>, normals in Neon;
    all(target_arch = "wasm32", target_feature = "simd128") => Simd128 in Simd128 by decode_ahead::<Simd128>, normals in Simd128;
}
