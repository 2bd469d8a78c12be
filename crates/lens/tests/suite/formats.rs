//! Properties of formats, arrays and lenses.

use meshlens_lens::encoding::*;
use meshlens_lens::{
    AnyLens, ArrayFormat, ArrayParts, AttributeSource, ComponentType, Described, Encode, Encoding,
    IndexBufferLayout, IndexFormat, Lens, Level, Numbers, Semantic, ValueLens, VertexAttribute, VertexFormat,
};
use meshlens_wire::Data;

#[test]
fn made_and_predefined_formats_agree() {
    let pairs = ArrayFormat::new::<I8<2>>("directions", ComponentType::I8, 2, Numbers::Snorm);
    assert_eq!((pairs.name(), pairs.component(), pairs.components()), ("directions", ComponentType::I8, 2));
    assert_eq!((pairs.size(), pairs.numbers(), pairs.is_indices()), (2, Numbers::Snorm, false));
    assert_eq!(format!("{pairs:?} {pairs:>12}"), "ArrayFormat(directions)   directions");
    assert!(pairs == *I8::<2>::FORMAT && pairs != *I8::<3>::FORMAT, "equal encodings");
    assert_eq!(pairs.webgpu().map(|gpu| (gpu.format, gpu.components)), Some((VertexFormat::Snorm8x2, 2)));
    let triples = ArrayFormat::new::<I8<3>>("directions", ComponentType::I8, 3, Numbers::Snorm);
    assert_eq!(triples.webgpu().map(|gpu| (gpu.format, gpu.components)), Some((VertexFormat::Snorm8x4, 3)));
    assert_eq!(triples.numpy(), Some(("|i1", 3)));
    let triangles = ArrayFormat::of_indices::<IndexU16<3>>("triangles", ComponentType::U16);
    assert_eq!(
        (triangles.is_indices(), triangles.webgpu().map(|gpu| gpu.format)),
        (true, Some(VertexFormat::Uint16x4))
    );
    assert_eq!((triangles.components(), triangles.size()), (3, 6));

    let records = PositionZenithAzimuth8::<64>::FORMAT;
    assert_eq!(records.numpy(), None);
    let fields = records.fields().iter().map(|field| (field.component, field.components, field.offset));
    assert_eq!(fields.collect::<Vec<_>>(), [(ComponentType::I16, 3, 0), (ComponentType::U8, 2, 6)]);
    assert!(triples.fields().is_empty());
}

#[test]
fn numpy_types_of_vertex_formats() {
    let cases = [
        (VertexFormat::Float32x3, ("f4", 3)),
        (VertexFormat::Float16x4, ("f2", 4)),
        (VertexFormat::Octahedral16x2, ("i2", 2)),
        (VertexFormat::Snorm8x4, ("i1", 4)),
        (VertexFormat::Unorm16x2, ("u2", 2)),
        (VertexFormat::Uint8x4, ("u1", 4)),
        (VertexFormat::Sint32, ("i4", 1)),
        (VertexFormat::Uint32x2, ("u4", 2)),
    ];
    for (format, numbers) in cases {
        assert_eq!(format.numpy(), numbers, "{format:?}");
    }
}

#[test]
fn an_array_is_located_without_its_bytes() {
    let bytes: Vec<u8> = (0..40).collect();
    let data = Data::new("test", &bytes);
    let span = data.span(8, 4, 8, "records").unwrap();
    let parts = ArrayParts::new(Semantic::Normal, span, U8::<2>::FORMAT).skipping(6).in_mesh(1).in_frame(2);
    // The last element ends at 8 + 3 * 8 + 6 + 2.
    assert_eq!((parts.len(), parts.is_empty(), parts.byte_range()), (4, false, 14..40));
    let array = parts.as_part().bind(data).unwrap();
    assert_eq!((array.mesh, array.frame, array.is_part), (1, 2, true));
    assert_eq!(array.lens.get::<[u8; 2]>(3), Some([38, 39]));
    assert_eq!(format!("{:?}", array.lens), "AnyLens { format: \"u8x2\", bytes: 14..40, stride: 8, len: 4 }");
    assert_eq!(array.lens.offset_of(3), 38);
    let empty = parts.empty();
    assert_eq!((empty.mesh, empty.frame, empty.lens.len(), empty.lens.byte_range()), (1, 2, 0, 0..0));

    let none = data.span(8, 0, 8, "records").unwrap();
    let none = ArrayParts::new(Semantic::Normal, none, U8::<2>::FORMAT);
    assert_eq!((none.is_empty(), none.byte_range()), (true, 8..8));
}

#[test]
fn typed_lenses_are_iterated_from_any_element() {
    let lens = Lens::new(U8::<2>, &[0, 1, 2, 3, 4, 5, 6, 7], 0, 2, 4).unwrap();
    assert_eq!(lens.into_iter().map(|[a, _]| a).collect::<Vec<_>>(), [0, 2, 4, 6]);
    let typed = ValueLens::from(lens);
    assert_eq!(typed.into_iter().nth(2), Some([4, 5]));
    let mut iter = typed.iter();
    assert_eq!(
        (iter.nth(1), iter.next(), iter.nth(1), iter.next()),
        (Some([2, 3]), Some([4, 5]), None, None)
    );
    assert_eq!(typed.iter().nth(usize::MAX), None);
    let any = AnyLens::from(lens);
    assert_eq!((any.get_floats(0), any.to_floats()), (None, vec![]), "integers");
    let halves = AnyLens::from(Lens::new(Scaled::<u8, 2, 4>::new(), &[2, 6], 0, 2, 1).unwrap());
    assert_eq!((halves.get_floats(0), halves.get_floats(1)), (Some([0.5, 1.5, 0.0, 0.0]), None));
}

#[test]
fn records_are_encoded_and_iterated_in_batches() {
    let records = PositionZenithAzimuth8::<64>;
    let bytes = [64, 0, 0x80, 0xff, 0, 0x80, 64, 0];
    let value = records.decode(bytes);
    assert_eq!(value.position, [1.0, -2.0, -512.0]);
    assert_eq!(records.encode(value), bytes);
    let two = [bytes, [0, 0, 0, 0, 0, 0, 0, 0]].concat();
    let lens = Lens::new(records, &two, 0, 8, 2).unwrap();
    let batch = lens.batches::<4>().next().unwrap();
    assert_eq!(batch.position.x[..2], [1.0, 0.0]);
    assert_eq!(batch.normal.z[..2], [value.normal[2], 1.0]);
}

/// `Clone` of a type that is also `Copy`.
fn cloned<T: Clone>(value: &T) -> T {
    value.clone()
}

#[test]
fn scaled_integers_are_named_and_equal() {
    let scaled = Scaled::<i16, 3, 64>::new();
    assert!(cloned(&scaled) == scaled);
    assert_eq!(format!("{scaled:?}"), "Scaled { components: 3, divisor: 64 }");
}

#[test]
fn layouts_and_attributes_are_shown() {
    assert_eq!(IndexBufferLayout::new(IndexFormat::Uint16).format(), IndexFormat::Uint16);
    let lens = Lens::new(U8::<2>, &[], 0, 2, 0).unwrap();
    let any = AnyLens::from(lens);
    let attribute = VertexAttribute::new(&any, 12, VertexFormat::Uint8x2);
    assert_eq!(format!("{attribute:?}"), "VertexAttribute { offset: 12, format: Uint8x2, .. }");
    assert_eq!(any.integers().map(|integers| integers.size()), Some(2));
}

#[test]
fn an_unknown_level_is_named() {
    let error = "avx".parse::<Level>().unwrap_err().to_string();
    let text = "no instructions are called avx: expected scalar, neon, simd128, sse, avx2 or avx512";
    assert_eq!(error, text);
}
