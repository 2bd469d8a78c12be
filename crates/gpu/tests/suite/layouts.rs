//! The bindings of arrays: checked by hand for each kind, and for every array of the corpus.

use meshlens::lens::encoding::*;
use meshlens::lens::{Described, Semantic, VertexFormat};
use meshlens_gpu::layout::{Attribute, Binding, Field, Limits, Table, Texels, shader_type, stored_format};
use meshlens_gpu::wgsl::Scalar;

fn field(semantic: Semantic, format: &'static meshlens::lens::ArrayFormat, offset: usize) -> Field {
    Field { semantic, set: 0, format, offset }
}

fn one(stride: usize, format: &'static meshlens::lens::ArrayFormat) -> Binding {
    Table { stride, fields: vec![field(Semantic::Position, format, 0)] }.binding(&Limits::WEBGL2)
}

#[test]
fn a_record_of_md3_is_two_attributes() {
    let fields = vec![
        field(Semantic::Position, Scaled::<i16, 3, 64>::FORMAT, 0),
        field(Semantic::Normal, ZenithAzimuth8::FORMAT, 6),
    ];
    let expected = [
        Attribute { format: VertexFormat::Sint16x4, offset: 0 },
        Attribute { format: VertexFormat::Uint8x2, offset: 6 },
    ];
    let table = Table { stride: 8, fields };
    assert_eq!(table.binding(&Limits::WEBGL2), Binding::Attributes(expected.to_vec()));
}

#[test]
fn arrays_that_do_not_fit_a_vertex_buffer_are_texels() {
    let texels = |word, stride| Binding::Texels(Texels { word, stride });
    let attribute = |format| Binding::Attributes(vec![Attribute { format, offset: 0 }]);
    // A stride that is not a multiple of 4, a format that reads past the record, and a record with two types of
    // integers.
    assert_eq!(one(2, LatitudeLongitude8::FORMAT), texels(2, 1));
    assert_eq!(one(6, Scaled::<i16, 3, 64>::FORMAT), texels(2, 3));
    assert_eq!(one(3, Unorm8::<3>::FORMAT), texels(1, 3));
    assert_eq!(one(7, TangentQuaternionXyz16::FORMAT), texels(1, 7));
    // A single small integer has no vertex format.
    assert_eq!(one(4, Unorm16::<1>::FORMAT), texels(4, 1));
    // A stride of 256 exceeds the limit of WebGL2.
    assert_eq!(one(256, F32::<3>::FORMAT), texels(4, 64));
    assert_eq!(one(252, F32::<3>::FORMAT), attribute(VertexFormat::Float32x3));
    assert_eq!(one(4, Packed::<11, 11, 10>::FORMAT), attribute(VertexFormat::Uint32));
    assert_eq!(one(8, Scaled::<i16, 3, 1>::FORMAT), attribute(VertexFormat::Sint16x4));
    assert_eq!(one(4, LatitudeLongitude16::FORMAT), attribute(VertexFormat::Sint16x2));
    assert_eq!(one(8, TangentFrame16::FORMAT), attribute(VertexFormat::Sint16x4));
    assert_eq!(one(4, Unorm8::<4>::FORMAT), attribute(VertexFormat::Unorm8x4));
    assert_eq!(one(4, Unorm8::<3>::FORMAT), attribute(VertexFormat::Unorm8x4));
}

#[test]
fn an_attribute_is_aligned_and_inside_its_record() {
    let at = |offset| {
        let table = Table { stride: 12, fields: vec![field(Semantic::Texcoord, F32::<2>::FORMAT, offset)] };
        matches!(table.binding(&Limits::WEBGL2), Binding::Attributes(_))
    };
    assert_eq!([0, 2, 4, 6, 8].map(at), [true, false, true, false, false]);
    let bytes = Table { stride: 4, fields: vec![field(Semantic::Normal, ZenithAzimuth8::FORMAT, 1)] };
    assert_eq!(bytes.binding(&Limits::WEBGL2), Binding::Texels(Texels { word: 4, stride: 1 }));
}

#[test]
fn shader_types_match_the_formats() {
    assert_eq!(shader_type(VertexFormat::Sint16x4), (Scalar::I32, 4));
    assert_eq!(shader_type(VertexFormat::Uint8x2), (Scalar::U32, 2));
    assert_eq!(shader_type(VertexFormat::Unorm8x4), (Scalar::F32, 4));
    assert_eq!(shader_type(VertexFormat::Uint32), (Scalar::U32, 1));
    assert_eq!(stored_format(PositionZenithAzimuth8::<64>::FORMAT), None, "its two arrays are bound");
    assert_eq!(stored_format(BiasedUnorm16::<3>::FORMAT), Some(VertexFormat::Uint16x4));
}

#[test]
fn every_array_that_is_drawn_in_the_corpus_has_a_binding_and_a_decoder() {
    let (mut attributes, mut texels) = (0, 0);
    for path in crate::files::corpus() {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(document) = meshlens::Document::parse(&bytes) else { continue };
        for array in document.arrays() {
            let format = array.lens.format();
            let drawn = matches!(
                array.semantic,
                Semantic::Position | Semantic::Normal | Semantic::TangentFrame | Semantic::Texcoord
            );
            if !drawn {
                continue;
            }
            let fields = vec![field(array.semantic, format, 0)];
            match (Table { stride: array.lens.stride(), fields }).binding(&Limits::WEBGL2) {
                Binding::Attributes(_) => attributes += 1,
                Binding::Texels(_) => texels += 1,
            }
            assert!(meshlens_gpu::wgsl::Decoder::of(format).is_some(), "{format} of {}", path.display());
        }
    }
    // Normals of Ultimate 3D 1.0 and quaternions of UNIGINE's ms10 are texels.
    assert!(attributes > 100 && texels > 10, "{attributes} {texels}");
}
