//! Index buffers of every width, at every level, for every length and alignment, in buffers of the exact size.

use meshlens_lens::encoding::*;
use meshlens_lens::{AnyLens, Index, IndexBufferLayout, IndexFormat, Indices, Lens, Level};

use crate::noise;

/// The indices of a lens onto `bytes`, read one by one.
fn read<E: Indices>(bytes: &[u8], stride: usize, len: usize) -> Vec<u32> {
    let size = E::SIZE / E::COUNT;
    let index = |at: usize| {
        let mut word = [0; 4];
        let start = at / E::COUNT * stride + at % E::COUNT * size;
        word[..size].copy_from_slice(&bytes[start..start + size]);
        u32::from_le_bytes(word)
    };
    (0..len * E::COUNT).map(index).collect()
}

/// The same indices with the second and the third of each triangle exchanged.
fn flipped(indices: &[u32]) -> Vec<u32> {
    indices.as_chunks::<3>().0.iter().flat_map(|[a, b, c]| [*a, *c, *b]).collect()
}

fn to_bytes(indices: &[u32], format: IndexFormat) -> Vec<u8> {
    let bytes = |index: &u32| match format {
        IndexFormat::Uint16 => (*index as u16).to_ne_bytes().to_vec(),
        IndexFormat::Uint32 => index.to_ne_bytes().to_vec(),
    };
    indices.iter().flat_map(bytes).collect()
}

/// Checks every layout of one lens. `out` returns memory of the requested size.
fn check_layouts<E: Indices>(lens: Lens<'_, E>, wanted: &[u32], out: &mut dyn FnMut(usize) -> *mut [u8]) {
    let largest = wanted.iter().copied().max();
    for level in Level::all() {
        for format in [IndexFormat::Uint16, IndexFormat::Uint32] {
            let layout = IndexBufferLayout::new(format).with_level(level);
            for (layout, wanted) in [(layout, wanted.to_vec()), (layout.flipped(), flipped(wanted))] {
                let what = format!("{level} {layout:?}, {} indices", wanted.len());
                // SAFETY: the caller returns memory of this length, which nothing else borrows until the next call.
                let out = unsafe { &mut *out(wanted.len() * format.size()) };
                out.fill(0xee);
                if wanted.len() < lens.len() * E::COUNT {
                    let error = lens.indices_into(layout, out).unwrap_err();
                    assert_eq!(error.code(), "LENGTH", "{what}");
                    continue;
                }
                let fits = largest.is_none_or(|largest| format == IndexFormat::Uint32 || largest < 65536);
                if fits {
                    assert_eq!(lens.indices_into(layout, out), Ok(largest), "{what}");
                    assert!(out == to_bytes(&wanted, format), "{what}");
                } else {
                    assert_eq!(
                        lens.indices_into(layout, out).unwrap_err().code(),
                        "INDEX_OUT_OF_RANGE",
                        "{what}"
                    );
                }
                if let Some(largest) = largest {
                    let below = layout.below(largest as usize, "vertex");
                    let error = lens.indices_into(below, out).unwrap_err();
                    assert_eq!(
                        error.code(),
                        "INDEX_OUT_OF_RANGE",
                        "{what}: the largest index is not below itself"
                    );
                    let below = layout.below(largest as usize + 1, "vertex");
                    assert_eq!(lens.indices_into(below, out).is_ok(), fits, "{what}");
                }
            }
        }
    }
}

/// Checks every length, in memory of the exact size at several alignments.
fn check<E: Indices + Copy>(encoding: E, strides: [usize; 2]) {
    for stride in strides {
        for len in (0..=67usize).chain([95, 96, 97, 300]) {
            let window = len.checked_sub(1).map_or(0, |last| last * stride + E::SIZE);
            // 32-bit indices that fit in 16 bits, and some that do not.
            let mut bytes = noise(window + 3);
            if E::SIZE / E::COUNT == 4 && !len.is_multiple_of(5) {
                for index in bytes[3..].chunks_mut(4) {
                    index.iter_mut().skip(2).for_each(|byte| *byte = 0);
                }
            }
            let stored: Box<[u8]> = bytes[3..].into();
            let wanted = read::<E>(&stored, stride, len);
            let lens = Lens::new(encoding, &stored, 0, stride, len).expect("they lie inside");
            assert_eq!(lens.max_index(), wanted.iter().copied().max());
            let mut buffer = vec![0u8; 64 + 4 * wanted.len()];
            let shift = len % 64;
            check_layouts(lens, &wanted, &mut |size| {
                buffer.fill(0xaa);
                &raw mut buffer[shift..shift + size]
            });
        }
    }
}

/// Checks memory between inaccessible pages.
#[cfg(unix)]
fn check_guarded<E: Indices + Copy>(encoding: E, strides: [usize; 2]) {
    let longest = 100 * strides[0].max(strides[1]).max(4 * E::COUNT);
    let (mut input, mut output) = (crate::guard::Guarded::new(longest), crate::guard::Guarded::new(longest));
    for stride in strides {
        for len in 0..=100usize {
            let window = len.checked_sub(1).map_or(0, |last| last * stride + E::SIZE);
            let bytes = noise(window);
            let wanted = read::<E>(&bytes, stride, len);
            for at_end in [true, false] {
                let place = input.bytes(window, at_end);
                place.copy_from_slice(&bytes);
                let lens = Lens::new(encoding, place, 0, stride, len).expect("they lie inside");
                check_layouts(lens, &wanted, &mut |size| output.bytes(size, at_end));
            }
        }
    }
}

#[cfg(not(unix))]
fn check_guarded<E: Indices + Copy>(_encoding: E, _strides: [usize; 2]) {}

#[test]
fn index_buffers_of_every_width() {
    check(U8::<3>, [3, 7]);
    check(U8::<1>, [1, 2]);
    check(IndexU8::<3>, [3, 4]);
    check(U16::<3>, [6, 16]);
    check(U16::<2>, [4, 5]);
    check(IndexU16::<1>, [2, 5]);
    check(I32::<3>, [12, 15]);
    check(U32::<3>, [12, 15]);
    check(U32::<4>, [16, 17]);
    check_guarded(U8::<3>, [3, 7]);
    check_guarded(U16::<3>, [6, 16]);
    check_guarded(U32::<3>, [12, 15]);
}

/// Checks integers of every width.
fn check_integers<E: Indices + Copy, T: Index>(encoding: E, stride: usize) {
    for len in 0..=67usize {
        let window = len.checked_sub(1).map_or(0, |last| last * stride + E::SIZE);
        let bytes = noise(window);
        let wanted = read::<E>(&bytes, stride, len);
        let largest = wanted.iter().copied().max();
        let lens = Lens::new(encoding, &bytes, 0, stride, len).expect("they lie inside");
        for level in Level::all() {
            let found = crate::with_level(level, || {
                let mut out = vec![T::from_u32(0); wanted.len()];
                let found = lens.widen_into(&mut out);
                (found, lens.max_index(), out)
            });
            assert_eq!(found.1, largest, "{level}");
            let narrowed: Vec<u32> = wanted.iter().map(|index| T::from_u32(*index).to_u32()).collect();
            if narrowed == wanted {
                assert_eq!(found.0, Ok(largest), "{level}");
                assert!(found.2.iter().map(|index| index.to_u32()).eq(wanted.iter().copied()), "{level}");
            } else {
                assert_eq!(found.0.unwrap_err().code(), "INDEX_OUT_OF_RANGE", "{level}");
            }
        }
        let mut long = vec![T::from_u32(7); wanted.len() + 1];
        assert!(lens.widen_into(&mut long).is_err());
        assert!(long.iter().all(|index| index.to_u32() == 7));
    }
}

#[test]
fn integers_of_every_width() {
    check_integers::<_, u8>(U8::<3>, 3);
    check_integers::<_, u16>(U8::<3>, 7);
    check_integers::<_, u32>(U8::<1>, 1);
    check_integers::<_, u8>(U16::<3>, 6);
    check_integers::<_, u16>(U16::<3>, 6);
    check_integers::<_, u32>(U16::<3>, 16);
    check_integers::<_, u8>(U32::<3>, 12);
    check_integers::<_, u16>(I32::<3>, 12);
    check_integers::<_, u32>(I32::<3>, 15);
    check_integers::<_, u32>(U32::<3>, 12);
}

#[test]
fn the_first_index_that_does_not_fit_is_the_error() {
    let bytes = [0, 1, 2, 70_000, 80_000, 5].map(u32::to_le_bytes);
    let lens = Lens::new(U32::<3>, bytes.as_flattened(), 0x100, 12, 2).expect("they lie inside");
    let layout = IndexBufferLayout::new(IndexFormat::Uint16);
    let error = lens.indices_into(layout, &mut [0; 12]).unwrap_err();
    assert_eq!(error.to_string(), "array: index 70000; there are 65536 (0 to 65535) at 0x10c");
    let layout = IndexBufferLayout::new(IndexFormat::Uint32).flipped().below(5, "vertex");
    let error = AnyLens::from(lens).indices_into(layout, &mut [0; 24]).unwrap_err();
    assert_eq!(error.to_string(), "array: vertex 70000; there are 5 (0 to 4) at 0x10c");
    let pairs = Lens::new(U32::<2>, bytes.as_flattened(), 0, 8, 2).expect("they lie inside");
    let error = pairs.indices_into(layout, &mut [0; 16]).unwrap_err();
    assert_eq!(error.to_string(), "array: indices of triangles: expected a multiple of 3, found 4 at 0x0");
    let mut out = [0; 12];
    let small = IndexBufferLayout::new(IndexFormat::Uint16).flipped();
    assert_eq!(small.write(&[1, 2, 3, 4, 5, 65535], &mut out), Ok(Some(65535)));
    assert_eq!(out.as_chunks().0, [1u16, 3, 2, 4, 65535, 5].map(u16::to_ne_bytes));
    assert_eq!(IndexFormat::for_vertices(65535), IndexFormat::Uint16);
    assert_eq!(IndexFormat::for_vertices(65536), IndexFormat::Uint32);
}
