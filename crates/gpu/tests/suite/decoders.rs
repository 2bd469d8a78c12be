//! The functions that decode formats, as text.

use meshlens::lens::Described;
use meshlens::lens::encoding::*;
use meshlens_gpu::layout::Texels;
use meshlens_gpu::wgsl::{Decoder, Module, Scalar, load_function};

fn function(format: &meshlens::lens::ArrayFormat) -> String {
    let mut module = Module::new();
    Decoder::of(format).unwrap().write_function("decoded", &mut module);
    module.as_text()[module.as_text().find("fn decoded").unwrap()..].trim().to_string()
}

#[test]
fn each_function_has_the_parameters_of_its_format() {
    let packed = function(Packed::<11, 11, 10, 3, 3, 2>::FORMAT);
    assert_eq!(
        packed,
        "fn decoded(raw: u32) -> vec3<f32> {\n    return bit_fields(raw, vec3<u32>(11u, 11u, 10u), \
         vec3<f32>(0.125, 0.125, 0.25));\n}"
    );
    assert!(function(Scaled::<i16, 3, 64>::FORMAT).contains("vec3<f32>(raw), 0.0), 0.015625)).xyz"));
    assert!(function(Unorm8::<2>::FORMAT).contains("255.0)).xy"));
    assert!(function(BiasedUnorm16::<3>::FORMAT).contains("65535.0, -1.0, 2.0)).xyz"));
    assert!(function(F32::<2>::FORMAT).contains("return raw;"));
    assert!(function(TangentFrame16::FORMAT).contains("(raw: vec4<i32>) -> TangentFrame"));
}

#[test]
fn encodings_of_integers_have_no_function() {
    assert!(Decoder::of(U16::<3>::FORMAT).is_none());
    assert!(Decoder::of(PackedInteger::<11, 11, 10>::FORMAT).is_none());
    assert!(Decoder::of(PositionZenithAzimuth8::<64>::FORMAT).is_none());
    assert!(Decoder::of_tangent_frame(Snorm16::<4>::FORMAT).is_none());
    let frame = Decoder::of_tangent_frame(TangentQuaternionXyz16::FORMAT).unwrap();
    assert_eq!((frame.scalar, frame.components, frame.output().as_str()), (Scalar::I32, 4, "TangentFrame"));
}

#[test]
fn numbers_are_assembled_from_integers_of_any_size() {
    let load = |word, stride, format, offset| {
        load_function("loaded", "texel", Texels { word, stride }, format, offset)
    };
    // Two signed bytes in one 16-bit integer.
    let bytes = load(2, 1, LatitudeLongitude8::FORMAT, 0);
    assert!(bytes.contains("let w0 = texel(record * 1u + 0u);"));
    assert!(
        bytes.contains("(bitcast<i32>(w0 << 24u) >> 24u), (bitcast<i32>((w0 >> 8u) << 24u) >> 24u)"),
        "{bytes}"
    );
    // The second word of a record of 8 bytes.
    let normal = load(4, 2, ZenithAzimuth8::FORMAT, 6);
    assert!(normal.contains("let w1 = texel(record * 2u + 1u);") && !normal.contains("w0"), "{normal}");
    assert!(normal.contains("((w1 >> 16u) & 255u), ((w1 >> 24u) & 255u)"), "{normal}");
    // 16-bit integers and a byte, assembled from single bytes.
    let quaternion = load(1, 7, TangentQuaternionXyz16::FORMAT, 0);
    assert!(quaternion.contains("-> vec4<i32>") && quaternion.contains("w6"), "{quaternion}");
}
