//! Stores that bypass the cache (in tests, even for short outputs), compared with the decoding of single elements.

use alloc::vec;
use alloc::vec::Vec;

use super::stream::LINE;
use crate::encoding::*;
use crate::{Encoding, Lens, Level};

/// Pseudorandom bytes.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Decodes outputs of more than [`PAST_CACHE`](super::PAST_CACHE) bytes, and of fewer, at every offset in a line of the cache.
fn check<E: Encoding>(encoding: E, stride: usize) {
    let size = size_of::<E::Value>();
    let bytes = noise(stride * 700);
    for len in [20, 300, 301, 317, 699] {
        let window = (len - 1) * stride + E::SIZE;
        let lens = Lens::new(encoding, &bytes[..window], 0, stride, len).unwrap();
        let mut wanted = vec![bytemuck::Zeroable::zeroed(); len];
        lens.decode_into_with(Level::SCALAR, &mut wanted).unwrap();
        assert_eq!(len * size > super::PAST_CACHE, len > 20);
        for level in Level::all() {
            for shift in (0..LINE).step_by(4) {
                #[cfg(target_arch = "x86_64")]
                Level::assume_halved_avx512(shift % 8 == 0);
                let mut buffer = vec![0xeeu8; LINE + shift + len * size + LINE];
                let start = buffer.as_ptr().align_offset(LINE) + shift;
                let out: &mut [E::Value] = bytemuck::cast_slice_mut(&mut buffer[start..start + len * size]);
                lens.decode_into_with(level, out).unwrap();
                let exact = E::TOLERANCE == 0.0 || Level::avx2().is_none_or(|avx2| level < avx2);
                let (found, wanted): (&[f32], &[f32]) =
                    (bytemuck::cast_slice(out), bytemuck::cast_slice(&wanted));
                let agree = |(found, wanted): (&f32, &f32)| {
                    if exact {
                        found.to_bits() == wanted.to_bits()
                    } else {
                        (found - wanted).abs() <= E::TOLERANCE
                    }
                };
                assert!(
                    found.iter().zip(wanted).all(agree),
                    "{level}: {len} elements at {shift}, stride {stride}"
                );
                let (before, after) = (&buffer[..start], &buffer[start + len * size..]);
                assert!(
                    before.iter().chain(after).all(|byte| *byte == 0xee),
                    "{level} wrote past the output"
                );
            }
        }
    }
}

#[test]
fn stores_past_the_cache_have_the_same_result() {
    check(Scaled::<i16, 3, 64>::new(), 8);
    check(Scaled::<u16, 2, 16>::new(), 4);
    check(ZenithAzimuth8, 8);
    check(ZenithAzimuth8, 2);
    check(TruncatedZenithAzimuth8, 8);
    check(TruncatedZenithAzimuth8, 2);
    check(PositionZenithAzimuth8::<64>, 8);
    check(Packed::<11, 11, 10>, 4);
    check(LatitudeLongitude8, 2);
    check(LatitudeLongitude16, 4);
    check(TangentQuaternion16, 8);
    check(TangentFrame16, 8);
    check(BiasedUnorm16::<3>, 6);
    check(Unorm8::<4>, 4);
    check(Unorm16::<1>, 2);
}
