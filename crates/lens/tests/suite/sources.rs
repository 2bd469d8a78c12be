//! Sources of attributes of every kind: the arguments that they refuse, and their values.

use meshlens_lens::encoding::*;
use meshlens_lens::{
    AnyLens, AttributeSource, Described, Error, FrameVectors, Gathered, Lens, Lerp, Level, RandomAccess,
    Swizzled, ValueLens, ValueType, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved,
};

use crate::noise;

/// A single attribute at a level, as bytes.
fn filled(level: Level, source: &dyn AttributeSource, format: VertexFormat) -> Result<Vec<u8>, Error> {
    let mut out = vec![0; source.count() * format.size()];
    let layout = VertexBufferLayout::new(format.size()).with_level(level);
    decode_interleaved(&[VertexAttribute::new(source, 0, format)], layout, &mut out)?;
    Ok(out)
}

fn floats(level: Level, source: &dyn AttributeSource, format: VertexFormat) -> Vec<f32> {
    let bytes = filled(level, source, format).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|float| f32::from_ne_bytes(*float)).collect()
}

fn message<T>(result: Result<T, Error>) -> String {
    result.err().map(|error| error.to_string()).unwrap_or_default()
}

fn le(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A source that only implements the required methods. Element `i` is `i`, `-i`.
struct Numbers {
    integers: Option<ValueType>,
}

impl AttributeSource for Numbers {
    fn count(&self) -> usize {
        200
    }

    fn components(&self) -> usize {
        2
    }

    fn decode_part(&self, _: Level, first: usize, out: &mut [f32]) {
        for (at, pair) in out.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            *pair = [(first + at) as f32, -((first + at) as f32)];
        }
    }

    fn integers(&self) -> Option<ValueType> {
        self.integers
    }
}

#[test]
fn a_source_of_the_caller_is_decoded() {
    let numbers = Numbers { integers: None };
    for level in Level::all() {
        let out = floats(level, &numbers, VertexFormat::Float32x2);
        assert_eq!((out[0], &out[398..]), (0.0, &[199.0, -199.0][..]), "{level}");
        // Two floats from a source of the caller, in two frames.
        let half = Lerp::new(Numbers { integers: None }, Numbers { integers: None }, 0.5).unwrap();
        assert_eq!(floats(level, &half, VertexFormat::Float32x2), out, "{level}");
        let halves = filled(level, &numbers, VertexFormat::Float16x2).unwrap();
        assert_eq!(halves[4..8], [0x3c00u16, 0xbc00].map(u16::to_ne_bytes).concat()[..], "{level}");
    }
    let shorter = Lens::new(F32::<2>, &[], 0, 8, 0).unwrap();
    let sources: [&dyn AttributeSource; 2] = [&numbers, &shorter];
    let text = "vertex attribute: elements of the second array: expected 200, found 0";
    assert_eq!(message(Lerp::new(sources[0], sources[1], 0.5)), text);
    // If a source has no method for integers, they are zeros.
    let bytes = Numbers { integers: Some(U8::<2>::FORMAT.value()) };
    assert_eq!(filled(Level::SCALAR, &bytes, VertexFormat::Uint8x2).unwrap(), [0; 400]);
    let wrong = Numbers { integers: Some(F32::<2>::FORMAT.value()) };
    assert!(
        message(filled(Level::SCALAR, &wrong, VertexFormat::Uint8x2))
            .ends_with("floats as integers is not supported")
    );
}

#[test]
fn integers_are_extended_and_clamped() {
    let bytes = [0xff, 0x7f, 0x00, 0x80, 0xff, 0xff, 0xff, 0xff];
    let filled = |lens: AnyLens<'_>, format| filled(Level::current(), &lens, format).unwrap();
    let ne16 = |values: [i16; 2]| values.map(i16::to_ne_bytes).concat();
    let signed: AnyLens<'_> = Lens::new(I8::<2>, &bytes, 0, 2, 4).unwrap().into();
    assert_eq!(filled(signed, VertexFormat::Sint8x2), bytes);
    assert_eq!(filled(signed, VertexFormat::Sint16x2)[..4], ne16([-1, 127]));
    let shorts: AnyLens<'_> = Lens::new(I16::<2>, &bytes, 0, 4, 2).unwrap().into();
    assert_eq!(filled(shorts, VertexFormat::Sint8x2), [127, 0x80, 0xff, 0xff]);
    assert_eq!(filled(shorts, VertexFormat::Sint32x2)[..4], 32767i32.to_ne_bytes());
    let words: AnyLens<'_> = Lens::new(I32::<2>, &bytes, 0, 8, 1).unwrap().into();
    assert_eq!(filled(words, VertexFormat::Sint16x2), ne16([i16::MIN, -1]));
    let words: AnyLens<'_> = Lens::new(U32::<2>, &bytes, 0, 8, 1).unwrap().into();
    assert_eq!(filled(words, VertexFormat::Uint16x2), [0xff; 4]);
    assert_eq!(filled(words, VertexFormat::Uint32x4)[8..], [0u32, 1].map(u32::to_ne_bytes).concat());
    assert_eq!(filled(words, VertexFormat::Uint8x4), [255, 255, 0, 1]);
}

#[test]
fn values_that_a_format_cannot_store_are_refused() {
    let bytes = noise(48);
    let signed: AnyLens<'_> = Lens::new(I8::<4>, &bytes, 0, 4, 2).unwrap().into();
    let floats: AnyLens<'_> = Lens::new(F32::<3>, &bytes, 0, 12, 2).unwrap().into();
    let cases = [
        (signed, VertexFormat::Uint8x4, "a format of another sign than the integers is not supported"),
        (signed, VertexFormat::Sint8x2, "integer components of the array: expected at most 2, found 4"),
        (signed, VertexFormat::Snorm8x4, "a float format for an array of integers is not supported"),
        (floats, VertexFormat::Uint8x4, "an integer format for an array of floats is not supported"),
        (floats, VertexFormat::Float32x2, "float components of the array: expected at most 2, found 3"),
    ];
    for (lens, format, text) in cases {
        let error = message(filled(Level::SCALAR, &lens, format));
        assert!(error.contains(text), "{format:?}: {error}");
    }
    let pair: AnyLens<'_> = Lens::new(F32::<2>, &bytes, 0, 8, 2).unwrap().into();
    let error = message(filled(Level::SCALAR, &pair, VertexFormat::Octahedral16x2));
    assert!(error.contains("float components of the array: expected 3, found 2"), "{error}");
    let mut values = [[0u16; 3]; 2];
    let error = message(floats.decode_into(&mut values));
    assert!(error.contains("decoding to values of this type"), "{error}");
    let error = message(floats.decode_bytes_into(&mut [0; 23]));
    assert_eq!(error, "array: bytes of the output: expected 24, found 23 at 0x0");
}

#[test]
fn frames_that_differ_in_shape_are_not_blended() {
    let bytes = noise(48);
    let pair: AnyLens<'_> = Lens::new(F32::<2>, &bytes, 0, 8, 2).unwrap().into();
    let triple: AnyLens<'_> = Lens::new(F32::<3>, &bytes, 0, 12, 2).unwrap().into();
    let longer: AnyLens<'_> = Lens::new(F32::<3>, &bytes, 0, 12, 3).unwrap().into();
    let text = "blend: float components of the second array: expected 3, found 2";
    assert_eq!(message(Lerp::new(triple, pair, 0.5)), text);
    assert!(
        message(Lerp::new(triple, longer, 0.5)).contains("elements of the second array: expected 2, found 3")
    );
    let text = "blend: float components of the arrays: expected 3, found 2";
    assert_eq!(message(Lerp::directions(pair, pair, 0.5)), text);
    let text = "blend: float components of the arrays: expected 4, found 3";
    assert_eq!(message(Lerp::tangents(triple, triple, 0.5)), text);
    let frames = |count| {
        let lens = Lens::new(TangentFrame16, &bytes, 0, 8, count).unwrap();
        FrameVectors::normals(ValueLens::from(lens))
    };
    assert!(message(Lerp::new(frames(2), frames(1), 0.5)).contains("expected 2, found 1"));
    let boxed = |count| -> Box<dyn RandomAccess> { Box::new(frames(count)) };
    assert!(message(Lerp::new(boxed(2), boxed(1), 0.5)).contains("expected 2, found 1"));
    let same = Lerp::new(boxed(2), boxed(2), 0.5).unwrap();
    let plain = floats(Level::SCALAR, &frames(2), VertexFormat::Float32x3);
    assert_eq!(floats(Level::SCALAR, &same, VertexFormat::Float32x3), plain);
}

#[test]
fn an_order_with_a_missing_element_is_refused() {
    let bytes = noise(24);
    let lens = Lens::new(F32::<3>, &bytes, 0, 12, 2).unwrap();
    let error = Gathered::new(lens, &[0, 1, 7, 2]).map(drop).unwrap_err();
    assert!(error.to_string().starts_with("order of elements: "), "{error}");
    assert_eq!(error.code(), "INDEX_OUT_OF_RANGE");
    let [one, two] = [&[0][..], &[1, 0]].map(|order| Gathered::new(lens, order).unwrap());
    let text = "order of elements: elements of the second array: expected 1, found 2";
    assert_eq!(message(Lerp::new(one, two, 0.5)), text);
}

#[test]
fn components_are_exchanged_in_any_order_of_elements() {
    let bytes = le(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    for level in Level::all() {
        let triple = ValueLens::from(Lens::new(F32::<3>, &bytes, 0, 12, 2).unwrap());
        // z, -x, and a component that does not exist.
        let turned = Swizzled::new(triple, [2, 0, 7, 3], [1.0, -1.0, 1.0, 1.0]);
        assert_eq!(floats(level, &turned, VertexFormat::Float32x3), [3.0, -1.0, 0.0, 6.0, -4.0, 0.0]);
        let gathered = Gathered::new(turned, &[1, 0, 1]).unwrap();
        let wanted = [6.0, -4.0, 0.0, 3.0, -1.0, 0.0, 6.0, -4.0, 0.0];
        assert_eq!(floats(level, &gathered, VertexFormat::Float32x3), wanted, "{level}");
        let gathered = Gathered::new(triple, &[1, 0]).unwrap();
        assert_eq!(floats(level, &gathered, VertexFormat::Float32x3), [4.0, 5.0, 6.0, 1.0, 2.0, 3.0]);
        let pair = Lens::new(F32::<2>, &bytes, 0, 8, 3).unwrap();
        let turned = Swizzled::new(pair, [1, 0, 2, 3], [2.0, 1.0, 1.0, 1.0]);
        assert_eq!(floats(level, &turned, VertexFormat::Float32x2), [4.0, 1.0, 8.0, 3.0, 12.0, 5.0]);
        let single = Lens::new(F32::<1>, &bytes, 0, 4, 6).unwrap();
        let turned = Swizzled::new(single, [0, 1, 2, 3], [-1.0; 4]);
        assert_eq!(floats(level, &turned, VertexFormat::Float32), [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0]);
    }
}

#[test]
fn missing_components_are_zero_and_the_fourth_is_one() {
    let bytes = le(&[0.5, 0.25, 1.0, 2.0]);
    for level in Level::all() {
        let single = Lens::new(F32::<1>, &bytes, 0, 4, 4).unwrap();
        let pair = Lens::new(F32::<2>, &bytes, 0, 8, 2).unwrap();
        assert_eq!(floats(level, &single, VertexFormat::Float32x2)[..4], [0.5, 0.0, 0.25, 0.0], "{level}");
        assert_eq!(floats(level, &single, VertexFormat::Float32x3)[..4], [0.5, 0.0, 0.0, 0.25], "{level}");
        assert_eq!(
            floats(level, &single, VertexFormat::Float32x4)[..5],
            [0.5, 0.0, 0.0, 1.0, 0.25],
            "{level}"
        );
        assert_eq!(floats(level, &pair, VertexFormat::Float32x4)[..4], [0.5, 0.25, 0.0, 1.0], "{level}");
        assert_eq!(filled(level, &single, VertexFormat::Unorm8x4).unwrap()[..4], [128, 0, 0, 255], "{level}");
    }
}

/// More than 64 MiB, which are written past the cache.
#[test]
fn a_buffer_larger_than_the_cache_has_the_same_content() {
    const COUNT: usize = (64 << 20) / 16 + 5;
    let bytes = noise(8 * 1000);
    let bytes: Vec<u8> = bytes.iter().copied().cycle().take(8 * COUNT).collect();
    let normals = Lens::new(Unorm16::<3>, &bytes, 0, 8, COUNT).unwrap();
    let colors = Lens::new(U8::<4>, &bytes, 0, 8, COUNT).unwrap();
    let colors = AnyLens::from(colors);
    let attributes = [
        VertexAttribute::new(&normals, 0, VertexFormat::Float32x3),
        VertexAttribute::new(&colors, 12, VertexFormat::Uint8x4),
    ];
    let mut out = vec![0; 16 * COUNT];
    decode_interleaved(&attributes, VertexBufferLayout::new(16), &mut out).unwrap();
    for index in [0, 1, 999, 123_456, COUNT - 2, COUNT - 1] {
        let vertex = &out[16 * index..16 * index + 16];
        let wanted = normals.get(index).unwrap();
        assert_eq!(vertex[..12], *bytemuck::bytes_of(&wanted), "{index}");
        assert_eq!(vertex[12..], bytes[8 * index..8 * index + 4], "{index}");
    }
}
