//! Compressed bytes of meshoptimizer 1.3, values that follow from the extension's text, and the round trip of the encoders.

use std::io::Write;

use super::{Attributes, Exponents, Fault, Filter, Layout, Mode, Triangles, decode};

const PLAIN: Layout = Layout { mode: Mode::Attributes, filter: Filter::None, count: 0, stride: 4 };

/// 20 elements: `3 i` and `1000 - i` in 16 bits each, and a quarter of `i` as a float.
fn elements() -> Vec<u8> {
    let element = |i: u16| {
        let numbers = [(3 * i).to_le_bytes(), (1000 - i).to_le_bytes()].concat();
        [numbers, (f32::from(i) / 4.0).to_le_bytes().to_vec()].concat()
    };
    (0..20).flat_map(element).collect()
}

const VERSION_0: [u8; 94] = [
    0xa0, 0x0a, 0x06, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x05, 0x15, 0x55, 0x55, 0x55, 0x55, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07, 0x00, 0xff,
    0xff, 0x80, 0x80, 0x40, 0x40, 0x40, 0x40, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0xff, 0x00, 0x00,
    0x00, 0x20, 0x10, 0x10, 0x10, 0x01, 0x38, 0x00, 0x80, 0x00, 0x7c, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0xe8, 0x03, 0x00, 0x00, 0x00, 0x00,
];
const VERSION_1: [u8; 76] = [
    0xa1, 0x99, 0x3a, 0x02, 0x06, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x0f, 0x00, 0x06, 0x06, 0x06,
    0x06, 0x05, 0x15, 0x55, 0x55, 0x55, 0x55, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x80, 0x40, 0x40,
    0x40, 0x40, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x10, 0x10, 0x10, 0x01, 0x06, 0x00, 0x7d,
    0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0xe8, 0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,
];
/// Channel 1 is a rotation by 5 bits.
const VERSION_1_ROTATED: [u8; 75] = [
    0xa1, 0x99, 0x68, 0x02, 0x06, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x0f, 0x00, 0x06, 0x06, 0x06,
    0x06, 0x05, 0x15, 0x55, 0x55, 0x55, 0x55, 0x00, 0x00, 0x00, 0x01, 0x02, 0x01, 0x07, 0x0f, 0x02, 0x0f,
    0xf8, 0xf4, 0xc4, 0xf2, 0x62, 0xe2, 0x62, 0xd0, 0x30, 0x18, 0xfc, 0x0f, 0x00, 0x1e, 0x01, 0x03, 0x01,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xe8,
    0x03, 0x00, 0x00, 0x00, 0x00, 0x00, 0x52,
];

#[test]
fn attributes_of_both_versions() {
    let layout = Layout { count: 20, stride: 8, ..PLAIN };
    for bytes in [&VERSION_0[..], &VERSION_1, &VERSION_1_ROTATED] {
        assert_eq!(decode(bytes, &layout).unwrap(), elements());
        // One byte less, or one byte more before the tail.
        for len in 0..bytes.len() {
            assert!(decode(&bytes[..len], &layout).is_err(), "{len} bytes");
        }
        let mut longer = bytes.to_vec();
        longer.insert(bytes.len() - 32, 0);
        assert!(decode(&longer, &layout).is_err());
        // Another count or stride ends elsewhere, and another mode refuses the bytes.
        assert!(decode(bytes, &Layout { count: 100, ..layout }).is_err());
        assert!(decode(bytes, &Layout { stride: 12, ..layout }).is_err());
        let magic = Fault { offset: 0, expected: "0xe1" };
        assert_eq!(
            decode(bytes, &Layout { mode: Mode::Triangles, count: 3, stride: 4, ..layout }),
            Err(magic)
        );
    }
    assert_eq!(decode(&[], &layout), Err(Fault { offset: 0, expected: "0xa0 or 0xa1" }));
    assert_eq!(
        decode(&VERSION_0[..20], &layout),
        Err(Fault { offset: 20, expected: "more bytes: the tail is cut" })
    );
}

#[test]
fn the_example_of_the_extension() {
    // Appendix A: 16 differences of 4 bits each. Two of them are escaped and stored as whole bytes.
    let group = [0x17, 0x5f, 0xf0, 0xbc, 0x77, 0xa9, 0x21, 0x00, 0x34, 0xb5];
    let differences = [-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0];
    // The first of the four bytes has a group of 4 bits. The others are zeros.
    let mut bytes = vec![0xa0, 2];
    bytes.extend(group);
    bytes.extend([0; 3]);
    bytes.extend([0; 28]);
    bytes.extend([100, 1, 2, 3]);
    let decoded = decode(&bytes, &Layout { count: 16, ..PLAIN }).unwrap();
    let mut value = 100u8;
    for (element, difference) in decoded.chunks_exact(4).zip(differences) {
        value = value.wrapping_add_signed(difference);
        assert_eq!(element, [value, 1, 2, 3]);
    }
}

#[test]
fn blocks_of_every_control_and_channel_mode() {
    // 16 elements of 4 bytes. Control modes 3, 0, 1 and 2: literal, 1 bit, 2 bits, zero. Channel 0 has differences of bytes.
    let mut bytes = vec![0xa1, 0b10_01_00_11];
    bytes.extend([2; 16]);
    // One bit each, the lowest first. A bit of 1 means that a whole byte follows.
    bytes.extend([1, 0b0000_0101, 0, 4, 6]);
    // Mode 1 selects a width from {1, 2, 4, 8}.
    bytes.extend([1, 0b01_10_00_00, 0, 0, 0]);
    bytes.extend([0; 19]);
    bytes.extend([10, 20, 30, 40, 0]);
    let decoded = decode(&bytes, &Layout { count: 16, ..PLAIN }).unwrap();
    assert_eq!(decoded[..4], [11, 22, 29, 40]);
    assert_eq!(decoded[4..8], [12, 22, 30, 40]);
    assert_eq!(decoded[8..12], [13, 25, 30, 40]);
    assert_eq!(decoded[60..], [26, 25, 30, 40]);
    // The same differences, read as two-byte integers: 2 is 1 more, and 0x0402 is 0x0201 more.
    let tail = bytes.len() - 1;
    bytes[tail] = 1;
    let decoded = decode(&bytes, &Layout { count: 16, ..PLAIN }).unwrap();
    assert_eq!(decoded[..4], [11, 22, 29, 40]);
    // Invalid channel modes.
    for code in [3, 0x10, 0x11, 15] {
        bytes[tail] = code;
        let fault = Fault { offset: tail, expected: "a channel mode of 0, 1 or 2" };
        assert_eq!(decode(&bytes, &Layout { count: 16, ..PLAIN }), Err(fault));
    }
}

const TRIANGLES_16: [u8; 26] = [
    0xe1, 0xf0, 0x10, 0x00, 0xff, 0x10, 0xff, 0x12, 0x03, 0x02, 0x00, 0x76, 0x87, 0x56, 0x67, 0x78, 0xa9,
    0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
];
const TRIANGLES_32: [u8; 32] = [
    0xe1, 0xf0, 0x10, 0x1f, 0xff, 0xf0, 0xe0, 0xc5, 0x08, 0xf1, 0xdf, 0xc5, 0x08, 0xe2, 0xc5, 0x08, 0x00,
    0x76, 0x87, 0x56, 0x67, 0x78, 0xa9, 0x86, 0x65, 0x89, 0x68, 0x98, 0x01, 0x69, 0x00, 0x00,
];
const INDICES: [u8; 15] =
    [0xd1, 0x00, 0x04, 0x91, 0x03, 0x04, 0x05, 0x04, 0xad, 0x88, 0x11, 0x00, 0x00, 0x00, 0x00];

/// Triangles with the least corner first.
fn turned(indices: &[u32]) -> Vec<[u32; 3]> {
    let turn = |[a, b, c]: &[u32; 3]| [[*a, *b, *c], [*b, *c, *a], [*c, *a, *b]].into_iter().min().unwrap();
    indices.as_chunks().0.iter().map(turn).collect()
}

#[test]
fn triangles_of_both_sizes() {
    let layout = Layout { mode: Mode::Triangles, count: 15, stride: 2, ..PLAIN };
    let decoded = decode(&TRIANGLES_16, &layout).unwrap();
    let indices: Vec<u32> = decoded.as_chunks().0.iter().map(|b| u16::from_le_bytes(*b).into()).collect();
    assert_eq!(turned(&indices), [[0, 1, 2], [1, 3, 2], [2, 3, 4], [7, 8, 9], [5, 8, 7]]);
    let layout = Layout { stride: 4, ..layout };
    let decoded = decode(&TRIANGLES_32, &layout).unwrap();
    let indices: Vec<u32> = decoded.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    assert_eq!(turned(&indices), [[0, 1, 2], [1, 3, 2], [1, 70000, 3], [0, 70001, 70000], [4, 5, 6]]);
    for len in 0..TRIANGLES_32.len() {
        assert!(decode(&TRIANGLES_32[..len], &layout).is_err());
    }
}

#[test]
fn triangles_that_refer_to_missing_edges_or_vertices_are_faults() {
    let layout = Layout { mode: Mode::Triangles, count: 3, stride: 4, ..PLAIN };
    let with = |code: u8, data: &[u8], first: u8| {
        let mut bytes = [&[0xe1, code], data].concat();
        bytes.push(first);
        bytes.extend([0; 15]);
        decode(&bytes, &layout)
    };
    let fault = |offset, expected| Err(Fault { offset, expected });
    assert_eq!(with(0xf0, &[], 0).map(|out| out.len()), Ok(12));
    assert_eq!(with(0x00, &[], 0), fault(2, "a recent vertex or edge"));
    assert_eq!(with(0xf0, &[], 0x10), fault(2, "a recent vertex or edge"));
    assert_eq!(with(0xf0, &[], 0xf0), fault(2, "codes below 15"));
    assert_eq!(with(0xf0, &[0], 0), fault(2, "the tail"));
    assert_eq!(with(0xff, &[], 0), fault(2, "more bytes before the tail"));
    assert_eq!(
        with(0xff, &[0x00, 0x80, 0x80, 0x80, 0x80, 0x80], 0),
        fault(3, "a number of at most five bytes")
    );
    // 0xff followed by 0xff encodes all three corners as numbers: 2, 3 and 1, each as a difference from the previous
    // one.
    assert_eq!(with(0xff, &[0xff, 4, 2, 3], 0).map(|out| [out[0], out[4], out[8]]), Ok([2, 3, 1]));
}

#[test]
fn indices_are_differences_from_one_of_two_bases() {
    let layout = Layout { mode: Mode::Indices, count: 7, stride: 4, ..PLAIN };
    let decoded = decode(&INDICES, &layout).unwrap();
    let indices: Vec<u32> = decoded.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
    assert_eq!(indices, [0, 1, 100, 2, 101, 3, 70000]);
    // With indices of 16 bits, the last one wraps around.
    let decoded = decode(&INDICES, &Layout { stride: 2, ..layout }).unwrap();
    assert_eq!(decoded[12..], 4464u16.to_le_bytes());
    for len in 0..INDICES.len() {
        assert!(decode(&INDICES[..len], &layout).is_err());
    }
}

/// The elements after a filter.
fn filtered(filter: Filter, stride: usize, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    super::filters::apply(filter, stride, &mut bytes);
    bytes
}

fn words(bytes: &[u8]) -> Vec<i16> {
    bytes.as_chunks().0.iter().map(|word| i16::from_le_bytes(*word)).collect()
}

#[test]
fn octahedral_directions() {
    // (1, 0, 0), (0, -1, 0), (0.6, 0, -0.8) and the diagonal, times 127; the fourth component is unchanged.
    let bytes =
        [0x7f, 0x00, 0x7f, 0x7f, 0x00, 0x81, 0x7f, 0x81, 0x7f, 0x49, 0x7f, 0x00, 0x2a, 0x2a, 0x7f, 0x7f];
    let found = filtered(Filter::Octahedral, 4, &bytes);
    let found: Vec<i8> = found.iter().map(|byte| *byte as i8).collect();
    assert_eq!(found, [127, 0, 0, 127, 0, -127, 0, -127, 76, 0, -102, 0, 73, 73, 74, 127]);
    // 12-bit components in 16-bit integers.
    let bytes = [
        0xff, 0x07, 0x00, 0x00, 0xff, 0x07, 0xff, 0x7f, 0x00, 0x00, 0x01, 0xf8, 0xff, 0x07, 0x01, 0x80, 0xff,
        0x07, 0x92, 0x04, 0xff, 0x07, 0x00, 0x00,
    ];
    let found = words(&filtered(Filter::Octahedral, 8, &bytes));
    assert_eq!(found[..8], [32767, 0, 0, 32767, 0, -32767, 0, -32767]);
    let ([x, y, z, w], exact) = ([found[8], found[9], found[10], found[11]], 32767.0 * 0.6);
    // 0.6 and -0.8, with the precision of 12 bits.
    assert!((f32::from(x) - exact).abs() < 16.0 && (f32::from(z) + 32767.0 * 0.8).abs() < 16.0, "{x} {z}");
    assert_eq!((y, w), (0, 0));
}

#[test]
fn quaternions_without_their_largest_component() {
    // The identity, (0.6, 0, 0, 0.8), (0.8, 0, 0.6, 0) and (0, 0.8, 0, -0.6), which is the same as (0, -0.8, 0, 0.6).
    let bytes = [
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x7f, 0x9c, 0x6c, 0x00, 0x00, 0x00, 0x00, 0xff, 0x7f, 0x00,
        0x00, 0x9c, 0x6c, 0x00, 0x00, 0xfc, 0x7f, 0x00, 0x00, 0x64, 0x93, 0x00, 0x00, 0xfd, 0x7f,
    ];
    let found = words(&filtered(Filter::Quaternion, 8, &bytes));
    let wanted = [0, 0, 0, 32767, 19660, 0, 0, 26214, 26214, 0, 19660, 0, 0, 26214, 0, -19660];
    for (found, wanted) in found.iter().zip(wanted) {
        assert!((i32::from(*found) - wanted).abs() <= 1, "{found} {wanted}");
    }
}

#[test]
fn floats_of_an_exponent_and_a_multiple() {
    // 8192 x 2^-13, -10240 x 2^-12, 0, 8389 x 2^-23 and 12500 x 2^3.
    let bytes = [
        0x00, 0x20, 0x00, 0xf3, 0x00, 0xd8, 0xff, 0xf4, 0x00, 0x00, 0x00, 0x8e, 0xc5, 0x20, 0x00, 0xe9, 0xd4,
        0x30, 0x00, 0x03,
    ];
    let found = filtered(Filter::Exponential, 4, &bytes);
    let found: Vec<f32> = found.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
    assert_eq!(found, [1.0, -2.5, 0.0, 8389.0 / 8_388_608.0, 100_000.0]);
    // The least and the greatest exponent.
    let found = filtered(Filter::Exponential, 4, &[1, 0, 0, 0x80, 0xff, 0xff, 0xff, 0x7f]);
    let found: Vec<f32> = found.as_chunks().0.iter().map(|word| f32::from_le_bytes(*word)).collect();
    assert_eq!(found, [f32::from_bits(1 << 21), -(2f32.powi(127))]);
}

#[test]
fn colors_of_luma_and_chroma() {
    // Red as (64, 127, -63), which is (254, 1, 0) again; (0.2, 0.4, 0.6) at half; and transparent black.
    let bytes = [0x40, 0x7f, 0xc1, 0xff, 0x66, 0xcd, 0x00, 0xc0, 0x00, 0x00, 0x00, 0x80];
    assert_eq!(filtered(Filter::Color, 4, &bytes), [254, 1, 0, 255, 51, 102, 153, 128, 0, 0, 0, 0]);
    // Orange in 12 bits of 16: 2047 + 2047 and 2047 of 4095.
    let bytes = [0xff, 0x07, 0xff, 0x07, 0x00, 0x00, 0xff, 0x0f];
    let found = words(&filtered(Filter::Color, 8, &bytes));
    let found: Vec<u16> = found.iter().map(|value| *value as u16).collect();
    assert_eq!(found, [65519, 32759, 0, 65535]);
    // No stored bytes cause a panic.
    for byte in 0..=255 {
        for filter in [Filter::Color, Filter::Octahedral, Filter::Quaternion, Filter::Exponential] {
            filtered(filter, 8, &[byte, !byte, byte ^ 0x55, 0, 0, byte, 255, byte]);
        }
    }
}

/// Pseudo-random numbers with a fixed seed.
fn noise(count: usize) -> impl Iterator<Item = u32> {
    let mut state = 0x2545_f491_u32;
    (0..count).map(move |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    })
}

#[test]
fn encoded_bytes_decode_to_the_same_values() {
    for stride in [4, 8, 12, 16, 64, 252, 256] {
        for count in [1, 2, 15, 16, 17, 31, 255, 256, 257, 600] {
            // Slow ramps, noise, and constant bytes.
            let elements: Vec<u8> = noise(count * stride)
                .enumerate()
                .map(|(at, noise)| match at % stride % 3 {
                    0 => (at / stride / 7) as u8,
                    1 => noise as u8,
                    _ => 9,
                })
                .collect();
            let mut encoder = Attributes::new(stride);
            encoder.write_all(&elements).unwrap();
            let layout = Layout { count, stride, ..PLAIN };
            assert_eq!(layout.fault(), None);
            assert!(decode(&encoder.finish(), &layout).unwrap() == elements, "{count} x {stride}");
        }
    }
    let floats: Vec<u8> = (-300..300).flat_map(|step| (step as f32 / 128.0).to_le_bytes()).collect();
    let mut encoder = Exponents::new(12, 1.0 / 128.0);
    encoder.write_all(&floats).unwrap();
    let layout = Layout { filter: Filter::Exponential, count: 200, stride: 12, ..PLAIN };
    assert_eq!(decode(&encoder.finish(), &layout).unwrap(), floats);
    for stride in [2, 4] {
        // Neighbors, repeated numbers, and large jumps.
        let numbers = noise(3000).enumerate().map(|(at, noise)| match noise % 4 {
            0 => noise % 60_000,
            _ => (at / 4) as u32 + noise % 3,
        });
        let indices: Vec<u32> = numbers.collect();
        let bytes: Vec<u8> =
            indices.iter().flat_map(|index| index.to_le_bytes().into_iter().take(stride)).collect();
        let mut encoder = Triangles::new(stride);
        encoder.write_all(&bytes).unwrap();
        let layout = Layout { mode: Mode::Triangles, count: 3000, stride, ..PLAIN };
        let decoded = decode(&encoder.finish(), &layout).unwrap();
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
        let decoded: Vec<u32> = decoded.chunks_exact(stride).map(number).collect();
        assert_eq!(turned(&decoded), turned(&indices));
    }
}

#[test]
fn damaged_bytes_are_faults_or_elements() {
    let kinds = [
        (VERSION_0.to_vec(), Layout { count: 20, stride: 8, ..PLAIN }),
        (VERSION_1_ROTATED.to_vec(), Layout { count: 20, stride: 8, ..PLAIN }),
        (TRIANGLES_32.to_vec(), Layout { mode: Mode::Triangles, count: 15, ..PLAIN }),
        (INDICES.to_vec(), Layout { mode: Mode::Indices, count: 7, ..PLAIN }),
    ];
    for (mut bytes, layout) in kinds {
        for at in 0..bytes.len() {
            let kept = bytes[at];
            for other in 0..=255 {
                bytes[at] = other;
                if let Ok(out) = decode(&bytes, &layout) {
                    assert_eq!(out.len(), layout.count * layout.stride);
                }
            }
            bytes[at] = kept;
        }
    }
}
