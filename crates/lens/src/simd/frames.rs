//! Quaternions to tangent frames: four integers in, three directions out.

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use super::lanes::Lanes;
use super::{Kernel, Shape};

/// The kernel for quaternions of four `i16` in 1/32767.
pub(crate) struct Frames;

impl Shape for Frames {
    const SIZE: usize = 8;
    const STRIDE: usize = 8;
    const OUT: usize = 36;
}

/// A share is the integer times the first of these, which is exact, and times the second: rounded once.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const SHARE: [f32; 2] = [1.0 / 32768.0, (1.0 / 32767.0f64 - 1.0 / 32768.0) as f32];

/// Turns `N` quaternions into frames.
///
/// # Safety
///
/// The processor has the instructions `L`, `8 * N` bytes may be read, and `36 * N` written.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
#[inline(always)]
unsafe fn frames<L: Lanes>(source: *const u8, target: *mut u8) {
    // SAFETY: as the caller says. Quadruples of the first four, the next four and the last four of nine floats.
    unsafe {
        let [xy, zw] = L::load_pairs(source);
        let share = |value| L::add(L::mul(value, L::splat(SHARE[0])), L::mul(value, L::splat(SHARE[1])));
        let (x, y) = (share(L::low_half(xy)), share(L::high_half(xy)));
        let (z, w) = (share(L::low_half(zw)), share(L::high_half(zw)));
        let (xx, yy, zz) = (L::mul(x, x), L::mul(y, y), L::mul(z, z));
        let (xy, xz, yz) = (L::mul(x, y), L::mul(x, z), L::mul(y, z));
        let (xw, yw, zw) = (L::mul(x, w), L::mul(y, w), L::mul(z, w));
        let square = L::add(L::add(L::add(xx, yy), zz), L::mul(w, w));
        let s = L::if_positive(square, L::div(L::splat(2.0), square), L::splat(0.0));
        let along = |value| L::sub(L::splat(1.0), L::mul(s, value));
        let across = |value| L::mul(s, value);
        let signed = |value| L::negate_by_sign(w, value);
        let normal = [across(L::add(xz, yw)), across(L::sub(yz, xw)), along(L::add(xx, yy))];
        let tangent = [along(L::add(yy, zz)), across(L::add(xy, zw)), across(L::sub(xz, yw))];
        let binormal = [across(L::sub(xy, zw)), along(L::add(xx, zz)), across(L::add(yz, xw))].map(signed);
        let ([nx, ny, nz], [tx, ty, tz], [bx, by, bz]) = (normal, tangent, binormal);
        L::store_quadruples(target, 36, [nx, ny, nz, tx]);
        L::store_quadruples(target.add(16), 36, [ty, tz, bx, by]);
        L::store_quadruples(target.add(20), 36, [tz, bx, by, bz]);
    }
}
macro_rules! kernels {
    ($($arch:literal $isa:ident in $lanes:ident;)*) => {$(
        // SAFETY: as many quaternions are read as there are lanes, and as many frames written.
        #[cfg(target_arch = $arch)]
        unsafe impl Kernel<super::isa::$isa> for Frames {
            const ELEMENTS: usize = <super::isa::$lanes as Lanes>::N;
            const READ: usize = 8 * <super::isa::$lanes as Lanes>::N;
            const WRITE: usize = 36 * <super::isa::$lanes as Lanes>::N;

            #[inline(always)]
            unsafe fn step(&self, source: *const u8, target: *mut u8) {
                // SAFETY: the processor has the instructions, and the caller vouches for the accesses.
                unsafe { frames::<super::isa::$lanes>(source, target) }
            }
        }
    )*};
}

kernels! {
    "x86_64" Sse41 in Sse41;
    "x86_64" Avx2 in Avx2;
    // Wider registers take longer to be taken apart into sixteens of bytes than they save.
    "x86_64" Avx512 in Avx2;
    "aarch64" Neon in Neon;
}
