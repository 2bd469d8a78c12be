//! Lenses whose encoding is known at run time. The kernels are the same, and the descriptions in their formats are
//! correct.

use meshlens_lens::encoding::*;
use meshlens_lens::{
    AnyLens, ArrayFormat, AttributeSource, ComponentType, Described, Lens, Lerp, Level, Numbers, Value,
    ValueLens, VertexAttribute, VertexBufferLayout, VertexFormat, decode_interleaved, lerp_directions_into,
    lerp_into,
};
use meshlens_wire::Data;

use crate::noise;

type Position = Scaled<i16, 3, 64>;
type Bits = Packed<11, 11, 10>;
const POSITION: Position = Scaled::new();
const PACKED: Bits = Packed;

/// Calls a function with encodings of every kind.
macro_rules! every_encoding {
    ($check:ident) => {
        every_encoding!($check: F32::<1>, F32::<2>, F32::<3>, F32::<4>, I8::<1>, I8::<2>, I8::<3>, I8::<4>, I16::<1>,
            I16::<2>, I16::<3>, I16::<4>, U8::<1>, U8::<2>, U8::<3>, U8::<4>, U16::<1>, U16::<2>, U16::<3>, U16::<4>,
            U32::<1>, U32::<2>, U32::<3>, U32::<4>, I32::<1>, I32::<2>, I32::<3>, I32::<4>, IndexU8::<1>, IndexU8::<2>,
            IndexU8::<3>, IndexU8::<4>, IndexU16::<1>, IndexU16::<2>, IndexU16::<3>, IndexU16::<4>, Unorm8::<2>,
            Unorm8::<3>, Unorm8::<4>, Unorm16::<1>, Unorm16::<2>, Unorm16::<3>, Unorm16::<4>, Snorm16::<2>, Snorm16::<3>,
            Snorm16::<4>, BiasedUnorm16::<2>, BiasedUnorm16::<3>, BiasedUnorm16::<4>, Scaled::<u8, 2, 4>::new(),
            Scaled::<u8, 3, 1>::new(), Scaled::<u8, 4, 2>::new(), Scaled::<u16, 2, 4>::new(), Scaled::<u16, 3, 1>::new(),
            Scaled::<u16, 4, 2>::new(), Scaled::<i16, 2, 4>::new(), POSITION, Scaled::<i16, 3, 1>::new(),
            Scaled::<i16, 4, 2>::new(), ZenithAzimuth8, TruncatedZenithAzimuth8, PositionZenithAzimuth8::<64>, PACKED,
            Packed::<11, 11, 10, 3, 3, 2>, PackedInteger::<11, 11, 10>, LatitudeLongitude8, LatitudeLongitude8Full,
            LatitudeLongitude16, TangentQuaternion16, TangentFrame16, TangentQuaternionXyz16, TangentFrameXyz16);
    };
    ($check:ident: $($encoding:expr),*) => { $($check($encoding);)* };
}

fn bytes_of<V: bytemuck::Pod>(values: &[V]) -> &[u8] {
    bytemuck::cast_slice(values)
}

const LEN: usize = 67;

fn decodes_as_its_lens<E: Described>(encoding: E) {
    for gap in [0, 3] {
        let stride = E::SIZE + gap;
        let bytes = noise(LEN * stride);
        let lens = Lens::new(encoding, &bytes, 100, stride, LEN).unwrap();
        let any = AnyLens::from(lens);
        assert_eq!(any.byte_range(), lens.byte_range());
        let decode = |level: Level, out: &mut [E::Value]| lens.decode_into_with(level, out).unwrap();
        decodes_as(any, lens.into(), &decode, (0..LEN).map(|index| lens.get(index).unwrap()).collect());
        assert!(any.downcast::<E>().is_some_and(|again| again.byte_range() == lens.byte_range()));
        let data = Data::new("test", &bytes);
        let span = data.span(0, LEN as u64, stride as u32, "records").unwrap();
        let bound = AnyLens::bind(data, span, 0, E::FORMAT).unwrap();
        assert_eq!((bound.as_bytes(), bound.stride()), (lens.as_bytes(), stride));
        assert!(AnyLens::bind(data, span, gap + 1, E::FORMAT).is_err());
    }
}

/// Generic over the type of the values, not over the encoding, which would take long to compile. `decode` decodes with
/// the typed lens, and `values` are its elements one by one.
fn decodes_as<V: Value + PartialEq>(
    any: AnyLens<'_>,
    typed: ValueLens<'_, V>,
    decode: &dyn Fn(Level, &mut [V]),
    values: Vec<V>,
) {
    let (name, size) = (any.format().name(), size_of::<V>());
    assert_eq!(any.len(), LEN, "{name}");
    for level in Level::all() {
        let mut wanted = values.clone();
        let mut found = values.clone();
        decode(level, &mut wanted);
        any.decode_into_with(level, &mut found).unwrap();
        assert_eq!(bytes_of(&found), bytes_of(&wanted), "{name} {level}");
        let mut packed = vec![0u32; (LEN * size).div_ceil(4) + 1];
        let packed: &mut [u8] = bytemuck::cast_slice_mut(&mut packed);
        for start in [0, 1] {
            let out = &mut packed[start..start + LEN * size];
            any.decode_bytes_into_with(level, out).unwrap();
            assert_eq!(out, bytes_of(&wanted), "{name} {level}");
        }
        let mut strided = vec![0xee; 1 + LEN * (size + 2)];
        any.decode_strided_with(level, &mut strided, 1, size + 2).unwrap();
        for (value, slot) in wanted.iter().zip(strided[1..].chunks_exact(size + 2)) {
            let (value_bytes, gap) = slot.split_at(size);
            assert_eq!((value_bytes, gap), (bytemuck::bytes_of(value), &[0xee; 2][..]), "{name} {level}");
        }
    }
    let wanted = bytes_of(&values);
    let single: Vec<V> = (0..LEN).map(|index| any.get(index).unwrap()).collect();
    assert_eq!(bytes_of(&single), wanted, "{name}");
    assert_eq!(bytes_of(&typed.iter().collect::<Vec<_>>()), wanted, "{name}");
    let mut backwards: Vec<V> = typed.iter().rev().collect();
    backwards.reverse();
    assert_eq!(bytes_of(&backwards), wanted, "{name}");
    assert_eq!(typed.iter().len(), LEN);
    let part: Vec<V> = typed.slice(20..41).unwrap().iter().collect();
    assert_eq!(bytes_of(&part), bytes_of(&values[20..41]), "{name}");
    assert!(any.get::<V>(LEN).is_none() && any.slice(60..68).is_none());
    assert!(any.decode_into(&mut [values[0]; LEN - 1]).is_err(), "{name}");
    assert!(any.typed::<V>().is_some() && any.typed::<[i32; 2]>().is_none() != name.eq("i32x2"));
}

#[test]
fn every_encoding_decodes_like_its_lens_at_every_level() {
    every_encoding!(decodes_as_its_lens);
}

/// A stored number, read using only its type.
fn stored(component: ComponentType, bytes: &[u8]) -> f64 {
    let word = |size: usize| {
        let mut word = [0; 4];
        word[..size].copy_from_slice(&bytes[..size]);
        u32::from_le_bytes(word)
    };
    match component {
        ComponentType::U8 => word(1).into(),
        ComponentType::I8 => (word(1) as i8).into(),
        ComponentType::U16 => word(2).into(),
        ComponentType::I16 => (word(2) as i16).into(),
        ComponentType::U32 => word(4).into(),
        ComponentType::I32 => (word(4) as i32).into(),
        ComponentType::F32 => f32::from_bits(word(4)).into(),
    }
}

fn largest(component: ComponentType) -> f64 {
    match component {
        ComponentType::U8 => 255.0,
        ComponentType::I8 => 127.0,
        ComponentType::U16 => 65535.0,
        ComponentType::I16 => 32767.0,
        _ => panic!("{component:?} is never normalized"),
    }
}

/// The numbers of a value of any type.
fn numbers<V: Value>(value: V) -> Vec<f64> {
    let (bytes, size) = (bytemuck::bytes_of(&value), V::TYPE.component.size());
    let number = |number: &[u8]| {
        let mut number = number.to_vec();
        // In memory, numbers have the byte order of the machine.
        if cfg!(target_endian = "big") {
            number.reverse();
        }
        stored(V::TYPE.component, &number)
    };
    bytes.chunks_exact(size).map(number).collect()
}

/// The value of an element for a reader that only knows `component`, whether it is normalized, and a scale.
fn read(element: &[u8], component: ComponentType, count: usize, normalized: bool, scale: f32) -> Vec<f64> {
    let parts = element.chunks_exact(component.size()).take(count);
    let number = |number: f64| {
        let number = if normalized { (number / largest(component)).max(-1.0) } else { number };
        number * f64::from(scale)
    };
    parts.map(|part| number(stored(component, part))).collect()
}

fn says_what_the_decoder_does<E: Described>(encoding: E) {
    let bytes = noise(E::SIZE * 500);
    assert_eq!((E::FORMAT.size(), E::FORMAT.value()), (E::SIZE, <E::Value as Value>::TYPE));
    is_true(E::FORMAT, &bytes, &|element| {
        numbers(Lens::new(encoding, element, 0, E::SIZE, 1).unwrap().get(0).unwrap())
    });
}

/// Checks the description in `format` for the elements in `bytes`, whose numbers `decode` returns.
fn is_true(format: &ArrayFormat, bytes: &[u8], decode: &dyn Fn(&[u8]) -> Vec<f64>) {
    assert!(format.components() * format.component().size() <= format.size(), "{format}");
    let component = format.component();
    let close = |found: &[f64], wanted: &[f64], who: &str| {
        assert_eq!(found.len(), wanted.len(), "{format} {who}");
        for (found, wanted) in found.iter().zip(wanted) {
            let near = (found - wanted).abs() <= 1.2e-7 * wanted.abs().max(1.0);
            assert!(
                near || found.is_nan() && wanted.is_nan() || found == wanted,
                "{format} {who}: {found} {wanted}"
            );
        }
    };
    for element in bytes.chunks_exact(format.size()) {
        // Other readers decode the smallest signed integer to -1.
        let clamped = |value: Vec<f64>| match format.numbers() {
            Numbers::Snorm => value.into_iter().map(|number| number.max(-1.0)).collect(),
            _ => value,
        };
        let value = clamped(decode(element));
        if let Some(accessor) = format.gltf() {
            assert_eq!(Some(accessor.component_type), component.gltf());
            let found = read(element, component, accessor.components, accessor.normalized, accessor.scale);
            close(&found, &value, "glTF");
        }
        if let Some(gpu) = format.webgpu() {
            let name = format!("{:?}", gpu.format);
            let normalized = name.contains("norm");
            assert!(
                gpu.format.components() >= gpu.components && gpu.format.components() - gpu.components <= 1
            );
            assert_eq!(gpu.format.size() / gpu.format.components(), component.size(), "{name}");
            close(&read(element, component, gpu.components, normalized, gpu.scale), &value, "WebGPU");
        }
        if let (Some((dtype, count)), false) = (format.numpy(), format.gltf().is_none()) {
            assert_eq!((dtype, count), (component.numpy(), format.components()));
            assert_eq!(dtype[2..].parse(), Ok(component.size()));
        }
        match format.numbers() {
            Numbers::Plain => {
                close(&read(element, component, format.components(), false, 1.0), &value, "plain")
            }
            Numbers::Ranged { min, size } => {
                let shares = read(element, component, format.components(), true, 1.0);
                let ranged: Vec<f64> =
                    shares.into_iter().map(|v| f64::from(min) + f64::from(size) * v).collect();
                close(&ranged, &value, "ranged");
            }
            Numbers::BitFields { bits, scale } => {
                let word = u32::from_le_bytes(element.try_into().unwrap());
                let mut first = 0;
                let fields: Vec<f64> = (bits.iter().zip(scale))
                    .map(|(bits, scale)| {
                        let field = (word << (32 - first - bits)) as i32 >> (32 - bits);
                        first += bits;
                        f64::from(field) * f64::from(scale)
                    })
                    .collect();
                close(&fields, &value, "bit fields");
            }
            _ => {}
        }
    }
}

#[test]
fn formats_describe_the_decoder() {
    every_encoding!(says_what_the_decoder_does);
}

#[test]
fn gltf_webgpu_and_numpy_formats_of_encodings() {
    let position = Position::FORMAT;
    let accessor = position.gltf().unwrap();
    assert_eq!((accessor.component_type, accessor.components), (5122, 3));
    assert_eq!((accessor.normalized, accessor.scale), (false, 1.0 / 64.0));
    let gpu = position.webgpu().unwrap();
    assert_eq!((gpu.format, gpu.components, gpu.scale), (VertexFormat::Sint16x4, 3, 1.0 / 64.0));
    assert_eq!(position.numpy(), Some(("<i2", 3)));
    let texcoord = Unorm8::<2>::FORMAT;
    assert!(texcoord.gltf().is_some_and(|accessor| accessor.normalized && accessor.component_type == 5121));
    assert_eq!(texcoord.webgpu().map(|gpu| gpu.format), Some(VertexFormat::Unorm8x2));
    assert_eq!(F32::<3>::FORMAT.webgpu().map(|gpu| gpu.format), Some(VertexFormat::Float32x3));
    assert_eq!(TangentQuaternion16::FORMAT.webgpu().map(|gpu| gpu.format), Some(VertexFormat::Snorm16x4));
    for decoded in [
        ZenithAzimuth8::FORMAT,
        Bits::FORMAT,
        LatitudeLongitude16::FORMAT,
        PositionZenithAzimuth8::<64>::FORMAT,
    ] {
        assert!(decoded.gltf().is_none() && decoded.webgpu().is_none(), "{decoded}");
    }
    assert_eq!(Bits::FORMAT.numpy(), Some(("<u4", 1)));
    assert_eq!(TangentQuaternionXyz16::FORMAT.numpy(), None);
    assert_eq!((LatitudeLongitude16::FORMAT.tolerance(), Bits::FORMAT.tolerance()), (4e-7, 0.0));
    assert!(U16::<3>::FORMAT.is_indices() && !F32::<3>::FORMAT.is_indices());
    assert!(U16::<3>::FORMAT == U16::<3>::FORMAT && U16::<3>::FORMAT != U16::<2>::FORMAT);
}

#[test]
fn frames_of_different_encodings_blend() {
    let (packed, floats) = (noise(4 * 300), noise(12 * 300));
    let a = Lens::new(PACKED, &packed, 0, 4, 300).unwrap();
    let floats: Vec<u8> = floats.chunks_exact(4).flat_map(|b| f32::from(b[0]).to_le_bytes()).collect();
    let b = Lens::new(F32::<3>, &floats, 0, 12, 300).unwrap();
    let wanted: Vec<[f32; 3]> =
        a.iter().zip(b).map(|(a, b)| [0, 1, 2].map(|axis| a[axis] * 0.75 + b[axis] * 0.25)).collect();
    let (a, b) = (ValueLens::from(a), ValueLens::from(b));
    let mut out = vec![[0.0; 3]; 300];
    lerp_into(a, b, 0.25, &mut out).unwrap();
    assert_eq!(out, wanted);
    let blend = Lerp::new(a, b, 0.25).unwrap();
    for level in Level::all() {
        let mut buffer = vec![0; 12 * 300];
        let attribute = VertexAttribute::new(&blend, 0, VertexFormat::Float32x3);
        decode_interleaved(&[attribute], VertexBufferLayout::new(12).with_level(level), &mut buffer).unwrap();
        assert_eq!(buffer, bytes_of(&wanted), "{level}");
    }
    lerp_directions_into(a, b, 0.25, &mut out).unwrap();
    assert!(out.iter().all(|[x, y, z]| ((x * x + y * y + z * z).sqrt() - 1.0).abs() < 1e-6));
    assert!(lerp_into(a, b.slice(0..299).unwrap(), 0.5, &mut out).is_err());
}

#[test]
fn only_arrays_of_floats_fill_vertex_buffers() {
    let bytes = [1, 0, 2, 0, 3, 0, 4, 0];
    let array = AnyLens::from(Lens::new(Scaled::<i16, 3, 1>::new(), &bytes, 0, 8, 1).unwrap());
    let mut out = [0; 12];
    let attribute = VertexAttribute::new(&array, 0, VertexFormat::Float32x3);
    decode_interleaved(&[attribute], VertexBufferLayout::new(12), &mut out).unwrap();
    assert_eq!(out, bytemuck::cast::<_, [u8; 12]>([1f32, 2.0, 3.0]));
    let indices = AnyLens::from(Lens::new(U16::<3>, &bytes, 0, 6, 1).unwrap());
    assert_eq!(indices.components(), 0);
    let attribute = VertexAttribute::new(&indices, 0, VertexFormat::Float32x3);
    assert!(decode_interleaved(&[attribute], VertexBufferLayout::new(12), &mut out).is_err());
}

#[test]
fn errors_of_indices_of_every_width_have_their_offset() {
    let bytes = [0, 0, 1, 0, 2, 0, 2, 0, 9, 0, 1, 0];
    let short = AnyLens::from(Lens::new(IndexU16::<3>, &bytes, 50, 6, 2).unwrap());
    assert_eq!(short.max_index(), Ok(Some(9)));
    let mut out = [7; 6];
    assert_eq!(short.widen_into(&mut out), Ok(Some(9)));
    assert_eq!(out, [0, 1, 2, 2, 9, 1]);
    let mut corners = [[0u32; 3]; 2];
    short.decode_into(&mut corners).unwrap();
    assert_eq!(corners, [[0, 1, 2], [2, 9, 1]]);
    assert!(short.check_below(10, "vertex").is_ok());
    let error = short.check_below(9, "vertex").unwrap_err();
    assert_eq!(error.to_string(), "array: vertex 9; there are 9 (0 to 8) at 0x3a");
    let signed = Lens::new(I32::<1>, &[0xff; 4], 0, 4, 1).unwrap();
    let error = signed.check_below(5, "vertex").unwrap_err();
    assert_eq!(error.to_string(), "array: vertex -1; there are 5 (0 to 4) at 0x0");
    let strided = Lens::new(U8::<1>, &bytes, 0, 4, 3).unwrap();
    assert_eq!((strided.max_index(), strided.check_below(10, "bone").is_ok()), (Some(9), true));
    let floats = AnyLens::from(Lens::new(F32::<3>, &bytes, 0, 12, 1).unwrap());
    assert_eq!(floats.max_index().unwrap_err().code(), "UNSUPPORTED");
    assert!(Lens::empty(U32::<3>).check_below(0, "vertex").is_ok());
}
