//! Compares every level with the decoding of single elements, for every length and alignment, in buffers of the exact
//! size.

use meshlens_fixtures::share::few_or_all;
use meshlens_lens::encoding::*;
use meshlens_lens::{Encoding, Lens, Level};

mod angles;
#[cfg(unix)]
mod guard;
mod indices;
mod record_vertices;
mod vertex_buffers;

/// Numbers of elements up to 67, so that every kernel has no step, one, several, and every rest.
fn lengths() -> impl Iterator<Item = usize> {
    (0..=67).filter(|len| few_or_all(matches!(len, 0..=17 | 31..=33 | 47 | 63..=65 | 67), true))
}

/// Arbitrary bytes.
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

/// Whether the values have the same bits, even if they are NaN.
fn agree<V: bytemuck::Pod>(found: &[V], wanted: &[V]) -> bool {
    bytemuck::cast_slice::<V, u8>(found) == bytemuck::cast_slice::<V, u8>(wanted)
}

const POSITION: Scaled<i16, 3, 64> = Scaled::new();
const WHOLE: Scaled<i16, 3, 1, { rounding::TOWARD_ZERO }> = Scaled::new();
const VERTEX: PositionZenithAzimuth8<64> = PositionZenithAzimuth8;
const PACKED: Packed<11, 11, 10> = Packed;
const PACKED_UNITS: Packed<11, 11, 10, 3, 3, 2> = Packed;

/// Decodes the elements in the bytes, with a stride and a level, into values.
type Decode<'a> = dyn Fn(&[u8], usize, Level, &mut [u8]) + 'a;

/// An encoding that is known at run time, so that the code of the checks is shared by all encodings.
struct Decoder<'a> {
    element_size: usize,
    value_size: usize,
    alignment: usize,
    tolerance: f32,
    stride: usize,
    decode: &'a Decode<'a>,
    /// The values of the same elements, decoded one by one.
    values: &'a dyn Fn(&[u8], usize) -> Vec<u8>,
}

impl Decoder<'_> {
    /// The number of bytes that contain `len` elements.
    fn window(&self, len: usize) -> usize {
        len.checked_sub(1).map_or(0, |last| last * self.stride + self.element_size)
    }

    /// Whether the values have the same bits, or are within the tolerance at the levels that need it.
    fn agree(&self, level: Level, found: &[u8], wanted: &[u8]) -> bool {
        if self.tolerance == 0.0 || Level::avx2().is_none_or(|avx2| level < avx2) {
            return found == wanted;
        }
        fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
            bytes.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes))
        }
        floats(found).zip(floats(wanted)).all(|(found, wanted)| (found - wanted).abs() <= self.tolerance)
    }

    /// Decodes [`lengths`] of elements at every alignment of input and output, at every level.
    fn check(&self) {
        for len in lengths() {
            let window = self.window(len);
            let bytes = noise(window + 64);
            for alignment in 0..64 {
                // Boxed, so that memory checkers know where the input ends.
                let input: Box<[u8]> = bytes[..alignment + window].into();
                let input = &input[alignment..];
                let wanted = (self.values)(input, len);
                for level in Level::all() {
                    let shift = alignment / self.alignment * self.alignment;
                    let mut buffer = vec![0xeeu8; 64 + shift + len * self.value_size + 64];
                    let start = buffer.as_ptr().align_offset(64) + shift;
                    let out = &mut buffer[start..start + len * self.value_size];
                    (self.decode)(input, len, level, out);
                    assert!(
                        self.agree(level, out, &wanted),
                        "{level} {len} elements at {alignment}, stride {}",
                        self.stride
                    );
                    let before = &buffer[..start];
                    let after = &buffer[start + len * self.value_size..];
                    assert!(
                        before.iter().chain(after).all(|byte| *byte == 0xee),
                        "{level} wrote past the output"
                    );
                }
            }
        }
    }

    /// Decodes from and into memory between two inaccessible pages, at every level. An access outside the memory ends
    /// the test program.
    #[cfg(unix)]
    fn check_guarded(&self) {
        let longest = 67 * self.stride.max(self.value_size);
        let (mut input, mut output) = (guard::Guarded::new(longest), guard::Guarded::new(longest));
        for len in lengths() {
            let window = self.window(len);
            let bytes = noise(window);
            for at_end in [true, false] {
                let place = input.bytes(window, at_end);
                place.copy_from_slice(&bytes);
                let wanted = (self.values)(place, len);
                for level in Level::all() {
                    let out = output.bytes(len * self.value_size, at_end);
                    out.fill(0xee);
                    (self.decode)(place, len, level, out);
                    assert!(
                        self.agree(level, out, &wanted),
                        "{level} {len} elements, stride {}",
                        self.stride
                    );
                }
            }
        }
    }

    #[cfg(not(unix))]
    fn check_guarded(&self) {}
}

fn lens_of<E: Encoding>(encoding: E, bytes: &[u8], stride: usize, len: usize) -> Lens<'_, E> {
    Lens::new(encoding, bytes, 0, stride, len).expect("they lie inside")
}

/// Checks the stride of the kernel, packed elements, and a stride without a kernel.
fn check_strides<E: Encoding>(encoding: E, strides: &[usize]) {
    for stride in strides {
        let decoder = Decoder {
            element_size: E::SIZE,
            value_size: size_of::<E::Value>(),
            alignment: align_of::<E::Value>(),
            tolerance: E::TOLERANCE,
            stride: *stride,
            decode: &|bytes, len, level, out| {
                let out = bytemuck::cast_slice_mut(out);
                let lens = lens_of(encoding, bytes, *stride, len);
                lens.decode_into_with(level, out).expect("the output has the right length");
            },
            values: &|bytes, len| {
                let lens = lens_of(encoding, bytes, *stride, len);
                let mut values = Vec::with_capacity(len * size_of::<E::Value>());
                lens.iter().for_each(|value| values.extend_from_slice(bytemuck::bytes_of(&value)));
                values
            },
        };
        decoder.check();
        decoder.check_guarded();
    }
}

#[test]
fn scaled() {
    check_strides(POSITION, &[8, 6, 13]);
    check_strides(WHOLE, &[8, 9]);
    check_strides(Scaled::<i16, 2, 4>::new(), &[4, 7]);
    check_strides(Scaled::<i16, 4, 256>::new(), &[8, 9]);
    check_strides(Scaled::<u16, 2, 16>::new(), &[4, 5]);
    check_strides(Scaled::<u16, 3, 2>::new(), &[6, 8]);
    check_strides(Scaled::<u16, 4, 1>::new(), &[8]);
    check_strides(Scaled::<u8, 2, 128>::new(), &[2, 3]);
    check_strides(Scaled::<u8, 3, 2>::new(), &[3, 4]);
    check_strides(Scaled::<u8, 4, 1>::new(), &[4, 9]);
}

#[test]
fn packed() {
    check_strides(PACKED, &[4, 7]);
    check_strides(PACKED_UNITS, &[4, 7]);
    check_strides(Packed::<10, 10, 10, 9, 9, 9>, &[4]);
    check_strides(Packed::<16, 1, 15, 0, 0, 15>, &[4]);
    check_strides(Packed::<8, 16, 8, 1, 2, 3>, &[4]);
    check_strides(Packed::<1, 1, 16>, &[4]);
}

#[test]
fn angles() {
    check_strides(ZenithAzimuth8, &[8, 2, 13]);
    check_strides(TruncatedZenithAzimuth8, &[8, 2, 13]);
    check_strides(VERTEX, &[8, 13]);
    check_strides(LatitudeLongitude8, &[2, 7]);
    check_strides(LatitudeLongitude8Full, &[2, 7]);
    check_strides(LatitudeLongitude16, &[4, 7]);
}

#[test]
fn tangent_frames() {
    check_strides(TangentQuaternion16, &[8]);
    check_strides(TangentFrame16, &[8, 12]);
}

#[test]
fn normalized() {
    check_strides(Unorm8::<2>, &[2, 5]);
    check_strides(Unorm8::<3>, &[3, 5]);
    check_strides(Unorm8::<4>, &[4, 5]);
    check_strides(Unorm16::<1>, &[2, 4]);
    check_strides(Unorm16::<2>, &[4]);
    check_strides(Unorm16::<3>, &[6, 16]);
    check_strides(Unorm16::<4>, &[8]);
    check_strides(Snorm16::<2>, &[4, 5]);
    check_strides(Snorm16::<3>, &[6, 8]);
    check_strides(Snorm16::<4>, &[8, 11]);
    check_strides(BiasedUnorm16::<2>, &[4]);
    check_strides(BiasedUnorm16::<3>, &[6, 10]);
    check_strides(BiasedUnorm16::<4>, &[8]);
    check_strides(Ranged16 { min: [-3.25, 1e9, 0.1], size: [7.5, -2e9, 1e-3] }, &[6, 9]);
    check_strides(Ranged16 { min: [0.3; 2], size: [0.7; 2] }, &[4, 5]);
    check_strides(Ranged16 { min: [0.3; 4], size: [0.7, 0.8, 0.9, 1.1] }, &[8]);
}

#[test]
fn plain_numbers() {
    check_strides(F32::<1>, &[4, 5]);
    check_strides(F32::<3>, &[12, 13]);
    check_strides(U16::<3>, &[6, 16]);
    check_strides(U8::<2>, &[2, 16]);
    check_strides(I32::<3>, &[12]);
}

/// Runs `work` with `level` as the current level.
fn with_level<R>(level: Level, work: impl FnOnce() -> R) -> R {
    Level::force(Some(level));
    let result = work();
    Level::force(None);
    result
}

/// Checks every 16-bit integer in every component, at every level, bit for bit.
fn check_integers<E: Encoding>(encoding: E) {
    let components = E::SIZE / 2;
    let bytes: Vec<u8> =
        (0..65536 * components).flat_map(|at| ((at / components) as u16).to_le_bytes()).collect();
    let lens = Lens::new(encoding, &bytes, 0, E::SIZE, 65536).expect("they lie inside");
    let wanted: Vec<E::Value> = lens.iter().collect();
    let mut out = wanted.clone();
    for level in Level::all() {
        out.fill(bytemuck::Zeroable::zeroed());
        lens.decode_into_with(level, &mut out).expect("the output has the right length");
        assert!(agree(&out, &wanted), "{level}");
    }
}

#[test]
fn quotients_are_rounded_once_at_every_level() {
    check_integers(POSITION);
    check_integers(WHOLE);
    check_integers(Snorm16::<4>);
    check_integers(BiasedUnorm16::<3>);
    check_integers(Unorm16::<1>);
    let bytes: Vec<u8> = (0..=255).collect();
    let lens = Lens::new(Unorm8::<2>, &bytes, 0, 2, 128).expect("they lie inside");
    for level in Level::all() {
        let mut out = vec![[0.0; 2]; 128];
        lens.decode_into_with(level, &mut out).expect("the output has the right length");
        assert!(out.as_flattened().iter().enumerate().all(|(byte, unorm)| *unorm == byte as f32 / 255.0));
    }
}

#[test]
fn the_environment_chooses_the_level() {
    // Runs in a separate process, because other tests force levels.
    if std::env::var_os("MESHLENS_TEST_LEVEL").is_none() {
        let this = std::env::current_exe().expect("a test has a program");
        let mut command = std::process::Command::new(this);
        command.args(["--exact", "the_environment_chooses_the_level", "--nocapture"]);
        assert!(command.env("MESHLENS_TEST_LEVEL", "1").status().expect("it runs").success());
        return;
    }
    let level = Level::current();
    match std::env::var("MESHLENS_SIMD") {
        Ok(wish) => assert_eq!(level, Level::best_up_to(&wish)),
        Err(_) => assert_eq!(level, Level::best()),
    }
    println!("level {level} of {:?}", Level::all().collect::<Vec<_>>());
}

/// Outputs of 64 MiB are written past the cache, with the result of small ones.
#[test]
fn large_outputs_equal_small_ones() {
    const LEN: usize = (64 << 20) / 12 + 1000;
    let bytes = noise(4 * LEN);
    let lens = Lens::new(PACKED, &bytes, 0, 4, LEN).expect("they lie inside");
    let mut buffer = vec![[7.5f32; 3]; LEN + 12];
    for level in Level::all() {
        for start in few_or_all(&[1][..], &[0, 1, 11]).iter().copied() {
            buffer.fill([7.5; 3]);
            let out = &mut buffer[start..start + LEN];
            lens.decode_into_with(level, out).expect("the output has the right length");
            let mut part = vec![[0f32; 3]; 4099];
            // One part in 16 is compared by default.
            for (number, found) in out.chunks(part.len()).enumerate().step_by(few_or_all(16, 1)) {
                let first = number * part.len();
                let wanted = &mut part[..found.len()];
                let lens = lens.slice(first..first + found.len()).expect("a part");
                lens.decode_into_with(level, wanted).expect("the output has the right length");
                assert!(agree(found, wanted), "{level}, from {first} on");
            }
            assert!(buffer[..start].iter().chain(&buffer[start + LEN..]).all(|value| *value == [7.5; 3]));
        }
    }
}

/// Results for overlapping elements would differ between levels, so a lens cannot have such a stride.
#[test]
fn a_stride_below_the_size_of_an_element_is_refused() {
    let bytes = noise(64);
    for stride in [0, 1, 5] {
        assert!(Lens::new(POSITION, &bytes, 0, stride, 4).is_err(), "{stride} of 6 bytes");
    }
    assert!(Lens::new(F32::<3>, &bytes, 0, 11, 2).is_err());
    assert!(Lens::new(U8::<1>, &bytes, 0, 0, 1).is_err());
}
