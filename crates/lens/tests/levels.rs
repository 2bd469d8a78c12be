//! Every level against the decoding of one element: at every length, at every alignment, in buffers of the exact size.

use meshlens_lens::encoding::*;
use meshlens_lens::{Encoding, Index, Indices, Lens, Level};

/// Bytes that look like anything.
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

/// Whether the values have the same bits, of which a NaN has some too.
fn agree<V: bytemuck::Pod>(found: &[V], wanted: &[V]) -> bool {
    bytemuck::cast_slice::<V, u8>(found) == bytemuck::cast_slice::<V, u8>(wanted)
}

/// Whether normals agree, or both are within 2e-7 of the exact ones where the level does not promise the same bits.
fn agree_at<E: Encoding>(level: Level, found: &[E::Value], wanted: &[E::Value]) -> bool {
    let is_u3d_16 = std::any::type_name::<E>() == std::any::type_name::<U3dNormal16>();
    if !is_u3d_16 || Some(level) != Level::avx512() {
        return agree(found, wanted);
    }
    let (found, wanted): (&[f32], &[f32]) = (bytemuck::cast_slice(found), bytemuck::cast_slice(wanted));
    found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= 4e-7)
}

/// Decodes every number of elements up to 67 at every alignment of input and output, at every level.
fn check<E: Encoding>(encoding: E, stride: usize) {
    let size = size_of::<E::Value>();
    let align = align_of::<E::Value>();
    for len in 0..=67usize {
        let window = len.checked_sub(1).map_or(0, |last| last * stride + E::SIZE);
        let bytes = noise(window + 64);
        for alignment in 0..64 {
            // Boxed, so that a tool that watches memory knows where the input ends.
            let input: Box<[u8]> = bytes[..alignment + window].into();
            let lens = Lens::new(encoding, &input[alignment..], 0, stride, len).expect("they lie inside");
            let wanted: Vec<E::Value> = lens.iter().collect();
            for level in Level::all() {
                let shift = alignment / align * align;
                let mut buffer = vec![0xeeu8; 64 + shift + len * size + 64];
                let start = buffer.as_ptr().align_offset(64) + shift;
                let out = bytemuck::cast_slice_mut(&mut buffer[start..start + len * size]);
                lens.decode_into_with(level, out).expect("the output has the right length");
                assert!(
                    agree_at::<E>(level, out, &wanted),
                    "{level} {len} elements at {alignment}, stride {stride}"
                );
                let before = &buffer[..start];
                let after = &buffer[start + len * size..];
                assert!(
                    before.iter().chain(after).all(|byte| *byte == 0xee),
                    "{level} wrote past the output"
                );
            }
        }
    }
}

/// At its own stride, packed, and at one that no kernel knows.
fn check_strides<E: Encoding>(encoding: E, strides: &[usize]) {
    for stride in strides {
        check(encoding, *stride);
    }
}

#[test]
fn md3() {
    check_strides(Md3Position, &[8, 6, 13]);
    check_strides(Md3Normal, &[8, 2, 13]);
    check_strides(Md3NormalInverse, &[8, 2, 13]);
    check_strides(Md3Vertex, &[8, 13]);
}

#[test]
fn unreal() {
    check_strides(UnrealPacked, &[4, 7]);
    check_strides(UnrealPackedUnits, &[4, 7]);
    check_strides(UnrealWide, &[8, 9]);
    check_strides(UnrealTexcoord, &[2, 16]);
}

#[test]
fn unigine() {
    check_strides(UnigineRotation, &[8, 11]);
    check_strides(UnigineTangent, &[8]);
    check_strides(UnigineTangentFrame, &[8, 12]);
    check_strides(UnigineNormal, &[6, 10]);
    check_strides(UnigineWeight, &[2, 4]);
}

#[test]
fn ultimate_3d() {
    check_strides(U3dNormal8, &[2, 7]);
    check_strides(U3dNormal8Full, &[2, 7]);
    check_strides(U3dNormal16, &[4, 7]);
}

#[test]
fn shares() {
    check_strides(Unorm8::<2>, &[2, 5]);
    check_strides(Unorm8::<3>, &[3, 5]);
    check_strides(Unorm8::<4>, &[4, 5]);
    check_strides(Unorm16::<2>, &[4]);
    check_strides(Unorm16::<3>, &[6, 16]);
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

/// Widened at every level, with the largest anywhere.
fn check_indices<E: Indices, T: Index>(encoding: E, strides: [usize; 2]) {
    for stride in strides {
        for len in 0..=67usize {
            let window = len.checked_sub(1).map_or(0, |last| last * stride + E::SIZE);
            let bytes = noise(window + 1);
            let lens = Lens::new(encoding, &bytes[1..], 0, stride, len).expect("they lie inside");
            let size = E::SIZE / E::COUNT;
            let index = |at: usize| {
                let mut word = [0; 4];
                let start = 1 + at / E::COUNT * stride + at % E::COUNT * size;
                word[..size].copy_from_slice(&bytes[start..start + size]);
                u32::from_le_bytes(word)
            };
            let wanted: Vec<u32> = (0..len * E::COUNT).map(index).collect();
            let largest = wanted.iter().copied().max();
            for level in Level::all() {
                Level::force(Some(level));
                let mut out = vec![T::from_u32(0); len * E::COUNT];
                assert_eq!(lens.widen_into(&mut out), Ok(largest), "{level}");
                assert_eq!(lens.largest(), largest, "{level}");
                let narrow = |index: &u32| T::from_u32(*index).to_u32();
                assert!(out.iter().map(|index| index.to_u32()).eq(wanted.iter().map(narrow)), "{level}");
            }
            Level::force(None);
            let mut long = vec![T::from_u32(7); len * E::COUNT + 1];
            assert!(lens.widen_into(&mut long).is_err());
            assert!(long.iter().all(|index| index.to_u32() == 7));
        }
    }
}

#[test]
fn indices_of_every_width() {
    check_indices::<_, u16>(U8::<3>, [3, 7]);
    check_indices::<_, u32>(U8::<1>, [1, 2]);
    check_indices::<_, u16>(U16::<3>, [6, 16]);
    check_indices::<_, u32>(U16::<3>, [6, 16]);
    check_indices::<_, u32>(I32::<3>, [12, 15]);
    check_indices::<_, u16>(I32::<3>, [12, 15]);
    check_indices::<_, u32>(U32::<3>, [12, 15]);
}

/// Every integer of 16 bits in every component, at every level, bit for bit.
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
    check_integers(Md3Position);
    check_integers(UnrealWide);
    check_integers(UnigineRotation);
    check_integers(UnigineNormal);
    check_integers(UnigineWeight);
    let bytes: Vec<u8> = (0..=255).collect();
    let lens = Lens::new(UnrealTexcoord, &bytes, 0, 2, 128).expect("they lie inside");
    for level in Level::all() {
        let mut out = vec![[0.0; 2]; 128];
        lens.decode_into_with(level, &mut out).expect("the output has the right length");
        assert!(out.as_flattened().iter().enumerate().all(|(byte, share)| *share == byte as f32 / 255.0));
    }
}

#[test]
fn the_environment_chooses_the_level() {
    // In a process of its own: other tests force levels.
    if std::env::var_os("MESHLENS_TEST_LEVEL").is_none() {
        let this = std::env::current_exe().expect("a test has a program");
        let mut command = std::process::Command::new(this);
        command.args(["--exact", "the_environment_chooses_the_level", "--nocapture"]);
        assert!(command.env("MESHLENS_TEST_LEVEL", "1").status().expect("it runs").success());
        return;
    }
    let level = Level::current();
    match std::env::var("MESHLENS_SIMD") {
        Ok(wish) => assert_eq!(level, Level::at_most(&wish)),
        Err(_) => assert_eq!(level, Level::best()),
    }
    println!("level {level} of {:?}", Level::all().collect::<Vec<_>>());
}

/// Outputs of 64 MiB are written past the cache, which must not show.
#[test]
fn large_outputs_equal_small_ones() {
    const LEN: usize = (64 << 20) / 12 + 1000;
    let bytes = noise(4 * LEN);
    let lens = Lens::new(UnrealPacked, &bytes, 0, 4, LEN).expect("they lie inside");
    let mut buffer = vec![[7.5f32; 3]; LEN + 12];
    for level in Level::all() {
        for start in [0, 1, 11] {
            let out = &mut buffer[start..start + LEN];
            out.fill([7.5; 3]);
            lens.decode_into_with(level, out).expect("the output has the right length");
            let mut part = vec![[0f32; 3]; 4099];
            for (number, found) in out.chunks(part.len()).enumerate() {
                let first = number * part.len();
                let wanted = &mut part[..found.len()];
                let lens = lens.slice(first..first + found.len()).expect("a part");
                lens.decode_into_with(Level::SCALAR, wanted).expect("the output has the right length");
                assert!(agree(found, wanted), "{level}, from {first} on");
            }
            assert!(buffer[..start].iter().chain(&buffer[start + LEN..]).all(|value| *value == [7.5; 3]));
            buffer.fill([7.5; 3]);
        }
    }
}

#[test]
fn bytes_that_end_early_leave_the_rest_as_it_is() {
    let bytes = noise(8 * 40);
    for level in Level::all() {
        for len in [0, 1, 5, 6, 7, 100, 8 * 33 + 6, 8 * 40] {
            let mut out = vec![[7.5f32; 3]; 50];
            Md3Position.decode_run_at(level, &bytes[..len], 8, &mut out);
            let there = if len < 6 { 0 } else { (len - 6) / 8 + 1 };
            assert!(out[there..].iter().all(|value| *value == [7.5; 3]), "{level} {len}");
            assert!(
                there == 0
                    || out[there - 1]
                        == Md3Position.decode(
                            zerocopy::FromBytes::read_from_bytes(&bytes[8 * (there - 1)..][..6]).unwrap()
                        )
            );
        }
    }
}

/// The worst distance from the exact components, and of the length from 1.
fn worst(found: [f32; 3], exact: [f64; 3]) -> (f64, f64) {
    let distance = found.iter().zip(exact).map(|(found, exact)| (f64::from(*found) - exact).abs());
    let square: f64 = found.iter().map(|component| f64::from(*component) * f64::from(*component)).sum();
    (distance.fold(0.0, f64::max), (square.sqrt() - 1.0).abs())
}

/// Every code of two bytes at every level against what `exact` computes.
fn check_angles<E: Encoding<Value = [f32; 3]>>(name: &str, encoding: E, exact: impl Fn(u8, u8) -> [f64; 3]) {
    let bytes: Vec<u8> = (0..=u16::MAX).flat_map(u16::to_le_bytes).collect();
    let lens = Lens::new(encoding, &bytes, 0, 2, 65536).expect("they lie inside");
    let wanted: Vec<[f32; 3]> = lens.iter().collect();
    for level in Level::all() {
        let mut out = vec![[0f32; 3]; 65536];
        lens.decode_into_with(level, &mut out).expect("the output has the right length");
        assert!(agree(&out, &wanted), "{name} {level}");
        let mut worsts = (0.0f64, 0.0f64);
        for (codes, found) in bytes.as_chunks::<2>().0.iter().zip(out) {
            let (distance, length) = worst(found, exact(codes[0], codes[1]));
            worsts = (worsts.0.max(distance), worsts.1.max(length));
        }
        println!("{name} {level}: {:.3e} from exact, length {:.3e}", worsts.0, worsts.1);
        assert!(worsts.0 <= 2e-7 && worsts.1 <= 3e-7, "{name} {level}: {worsts:?}");
    }
}

#[test]
fn every_code_of_md3_normals_is_near_the_exact_one_at_every_level() {
    let direction = |zenith: f64, azimuth: f64| {
        [azimuth.cos() * zenith.sin(), azimuth.sin() * zenith.sin(), zenith.cos()]
    };
    let turn = std::f64::consts::TAU;
    check_angles("engine", Md3Normal, |zenith, azimuth| {
        direction(f64::from(zenith) * turn / 256.0, f64::from(azimuth) * turn / 256.0)
    });
    check_angles("inverse", Md3NormalInverse, |zenith, azimuth| {
        let azimuth = f64::from(azimuth as i8);
        if azimuth == 0.0 && zenith.is_multiple_of(128) {
            return [0.0, 0.0, if zenith == 0 { 1.0 } else { -1.0 }];
        }
        let middle = azimuth + if azimuth == 0.0 { 0.0 } else { 0.5 * azimuth.signum() };
        direction((f64::from(zenith) + 0.5) * turn / 255.0, middle * turn / 255.0)
    });
}

#[test]
fn every_code_of_ultimate_3d_normals_is_near_the_exact_one_at_every_level() {
    let direction = |latitude: f64, longitude: f64| {
        [latitude.cos() * longitude.sin(), -latitude.sin(), latitude.cos() * longitude.cos()]
    };
    let signed = |code: u8| f64::from(code as i8);
    check_angles("u3d 1.0", U3dNormal8, |latitude, longitude| {
        direction(signed(latitude) * 0.0494739, signed(longitude) * 0.02473695)
    });
    check_angles("u3d, full latitude", U3dNormal8Full, |latitude, longitude| {
        direction(signed(latitude) * std::f64::consts::FRAC_PI_2 / 127.0, signed(longitude) * 0.02473695)
    });

    // Every latitude and every longitude, each with a hundred of the other.
    let pairs = (0..=u16::MAX).flat_map(|code| {
        (0..100u16).flat_map(move |at| {
            let other = code.wrapping_mul(40_503).wrapping_add(at * 655);
            [[code as i16, other as i16], [other as i16, code as i16]]
        })
    });
    let pairs: Vec<[i16; 2]> = pairs.collect();
    let bytes: Vec<u8> = pairs.iter().flatten().flat_map(|code| code.to_le_bytes()).collect();
    let lens = Lens::new(U3dNormal16, &bytes, 0, 4, pairs.len()).expect("they lie inside");
    let mut out = vec![[0f32; 3]; pairs.len()];
    for level in Level::all() {
        lens.decode_into_with(level, &mut out).expect("the output has the right length");
        let mut worsts = (0.0f64, 0.0f64);
        for ([latitude, longitude], found) in pairs.iter().zip(&out) {
            let exact =
                direction(f64::from(*latitude) * 0.0000479383625, f64::from(*longitude) * 0.000095876725);
            let (distance, length) = worst(*found, exact);
            worsts = (worsts.0.max(distance), worsts.1.max(length));
        }
        println!("u3d 2.0 {level}: {:.3e} from exact, length {:.3e}", worsts.0, worsts.1);
        assert!(worsts.0 <= 2e-7 && worsts.1 <= 3e-7, "{level}: {worsts:?}");
    }
}
