//! Copies indices to a different width, optionally exchanges the second and the third index of each triangle, and finds
//! the largest index.
//!
//! Three registers of output are computed at a time, because the positions of exchanged indices repeat after three:
//! each from a register of input and one of its neighbors, or from smaller indices by one shuffle of their bytes.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
use super::Kind;
use super::{Level, Loop, run_loop};
use crate::Index;

/// The largest of packed indices, or 0 if there are none.
pub(crate) struct Largest<'a, S> {
    bytes: &'a [u8],
    stored: core::marker::PhantomData<S>,
}

impl<'a, S> Largest<'a, S> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Largest { bytes, stored: core::marker::PhantomData }
    }
}

impl<S: Index> Loop for Largest<'_, S> {
    type Result = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        let indices = self.bytes.chunks_exact(size_of::<S>()).map(S::read);
        indices.fold(S::from_u32(0), S::max).to_u32()
    }
}

/// Converts indices to a different width.
struct Convert<'a, 'o, S, T> {
    indices: Largest<'a, S>,
    out: &'o mut [u8],
    written: core::marker::PhantomData<T>,
}

impl<S: Index, T: Index> Loop for Convert<'_, '_, S, T> {
    type Result = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        let indices = self.indices.bytes.chunks_exact(size_of::<S>()).map(S::read);
        let mut largest = S::from_u32(0);
        for (out, index) in self.out.chunks_exact_mut(size_of::<T>()).zip(indices) {
            T::from_u32(index.to_u32()).write(out);
            largest = largest.max(index);
        }
        largest.to_u32()
    }
}

/// Like [`Convert`], for triangles whose second and third index are exchanged.
struct Flip<'a, 'o, S, T>(Convert<'a, 'o, S, T>);

impl<S: Index, T: Index> Loop for Flip<'_, '_, S, T> {
    type Result = u32;

    #[inline(always)]
    fn run(self) -> u32 {
        let (from, to) = (size_of::<S>(), size_of::<T>());
        let Flip(Convert { indices, out, .. }) = self;
        let mut largest = S::from_u32(0);
        for (out, stored) in out.chunks_exact_mut(3 * to).zip(indices.bytes.chunks_exact(3 * from)) {
            let triangle: [S; 3] = core::array::from_fn(|corner| S::read(&stored[corner * from..][..from]));
            largest = triangle.into_iter().fold(largest, S::max);
            let [a, b, c] = triangle.map(|index| T::from_u32(index.to_u32()));
            for (out, index) in out.chunks_exact_mut(to).zip([a, c, b]) {
                index.write(out);
            }
        }
        largest.to_u32()
    }
}

/// Copies packed indices of `from` bytes to indices of `to` bytes, as many as both slices have, and returns the largest
/// index, or 0 if there are none. Indices that do not fit in the output have an unspecified result. `flipped` exchanges
/// the second and the third index of each triangle; an incomplete triangle at the end is then not copied.
///
/// Not generic, so that the kernels are compiled once, in this crate.
pub(crate) fn copy(
    level: Level,
    (from, to): (usize, usize),
    stored: &[u8],
    out: &mut [u8],
    flipped: bool,
) -> u32 {
    match (from, to) {
        (1, 1) => copy_as::<u8, u8>(level, stored, out, flipped),
        (1, 2) => copy_as::<u8, u16>(level, stored, out, flipped),
        (1, 4) => copy_as::<u8, u32>(level, stored, out, flipped),
        (2, 1) => copy_as::<u16, u8>(level, stored, out, flipped),
        (2, 2) => copy_as::<u16, u16>(level, stored, out, flipped),
        (2, 4) => copy_as::<u16, u32>(level, stored, out, flipped),
        (4, 1) => copy_as::<u32, u8>(level, stored, out, flipped),
        (4, 2) => copy_as::<u32, u16>(level, stored, out, flipped),
        (4, 4) => copy_as::<u32, u32>(level, stored, out, flipped),
        // Index types do not have other sizes.
        _ => 0,
    }
}

/// The largest of packed indices of `size` bytes, or 0 if there are none.
pub(crate) fn largest(level: Level, size: usize, stored: &[u8]) -> u32 {
    match size {
        1 => run_loop(level, Largest::<u8>::new(stored)),
        2 => run_loop(level, Largest::<u16>::new(stored)),
        4 => run_loop(level, Largest::<u32>::new(stored)),
        // Index types do not have other sizes.
        _ => 0,
    }
}

fn copy_as<S: Index, T: Index>(level: Level, stored: &[u8], out: &mut [u8], flipped: bool) -> u32 {
    let (from, to) = (size_of::<S>(), size_of::<T>());
    let count = (stored.len() / from).min(out.len() / to);
    let (stored, out) = (&stored[..count * from], &mut out[..count * to]);
    let convert = |stored, out| Convert::<S, T> {
        indices: Largest::new(stored),
        out,
        written: core::marker::PhantomData,
    };
    // For widening, the loops of the compiler are as fast as a copy.
    let (done, largest) =
        if flipped || from >= to { copy_registers(level, from, to, stored, out, flipped) } else { (0, 0) };
    let (stored, out) = (&stored[done * from..], &mut out[done * to..]);
    let rest = convert(stored, out);
    largest.max(if flipped { run_loop(level, Flip(rest)) } else { run_loop(level, rest) })
}

/// Copies as many indices as fill whole registers. Returns their number and the largest.
fn copy_registers(
    level: Level,
    from: usize,
    to: usize,
    stored: &[u8],
    out: &mut [u8],
    flipped: bool,
) -> (usize, u32) {
    #[cfg(target_arch = "x86_64")]
    {
        use avx512::copy_avx512;
        use x86::{copy_avx2, copy_sse41};
        /// The number of bytes of a register, and the function.
        macro_rules! copy {
            ($width:literal $copy:ident) => {{
                let period = 3 * $width / to;
                let periods = out.len() / to / period;
                let (source, target) = (stored.as_ptr(), out.as_mut_ptr());
                assert!(periods * period * from <= stored.len() && periods * period * to <= out.len());
                // SAFETY: a `Level` exists only if the processor has its instructions, and both slices have this number
                // of indices.
                let largest = unsafe {
                    match (from, to, flipped) {
                        (1, 2, true) => $copy::<1, 2, true>(source, target, periods),
                        (1, 4, true) => $copy::<1, 4, true>(source, target, periods),
                        (2, 2, true) => $copy::<2, 2, true>(source, target, periods),
                        (2, 2, false) => $copy::<2, 2, false>(source, target, periods),
                        (2, 4, true) => $copy::<2, 4, true>(source, target, periods),
                        (4, 2, true) => $copy::<4, 2, true>(source, target, periods),
                        (4, 2, false) => $copy::<4, 2, false>(source, target, periods),
                        (4, 4, true) => $copy::<4, 4, true>(source, target, periods),
                        (4, 4, false) => $copy::<4, 4, false>(source, target, periods),
                        _ => return (0, 0),
                    }
                };
                return (periods * period, largest);
            }};
        }
        match level.kind() {
            #[cfg(any(feature = "std", target_feature = "sse4.1"))]
            Kind::Sse41 => copy!(16 copy_sse41),
            #[cfg(any(feature = "std", target_feature = "avx2"))]
            Kind::Avx2 => copy!(32 copy_avx2),
            // Copying with registers of 64 bytes is not faster from the second-level cache, and slower if they cross
            // lines.
            #[cfg(any(feature = "std", target_feature = "avx512f"))]
            Kind::Avx512 if from == to && !flipped => copy!(32 copy_avx2),
            #[cfg(any(feature = "std", target_feature = "avx512f"))]
            Kind::Avx512 => copy!(64 copy_avx512),
            _ => {}
        }
    }
    let _ = (level, from, to, stored, out, flipped);
    (0, 0)
}
