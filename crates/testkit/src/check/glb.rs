//! Values of a GLB that the specification of glTF demands: those that the Khronos validator reports as errors.

use serde_json::Value;

/// A GLB of one buffer without compression.
struct Glb<'b> {
    root: Value,
    bin: &'b [u8],
}

/// The size of a component, the number that is 1 if it is normalized, and its reader.
type Component = (usize, f32, fn(&[u8]) -> f32);

/// Checks the values of a GLB that an export wrote.
pub(super) fn glb(bytes: &[u8]) {
    let len = u32::from_le_bytes(bytes[12..16].try_into().expect("four bytes")) as usize;
    let root = serde_json::from_slice(&bytes[20..20 + len]).expect("JSON");
    let glb = Glb { root, bin: bytes.get(28 + len..).unwrap_or_default() };
    no_null(&glb.root);
    for accessor in 0..list(&glb.root, "accessors").len() {
        glb.bounds(accessor);
    }
    for primitive in list(&glb.root, "meshes").iter().flat_map(|mesh| list(mesh, "primitives")) {
        glb.primitive(primitive);
    }
    for animation in list(&glb.root, "animations") {
        glb.animation(animation);
    }
    for skin in list(&glb.root, "skins") {
        let matrices = number(&skin["inverseBindMatrices"]).map_or_else(Vec::new, |index| glb.values(index));
        for matrix in matrices.chunks_exact(16) {
            assert_eq!([matrix[3], matrix[7], matrix[11], matrix[15]], [0.0, 0.0, 0.0, 1.0], "{matrix:?}");
        }
    }
    for rotation in list(&glb.root, "nodes").iter().map(|node| list(node, "rotation")) {
        let rotation: Vec<f32> =
            rotation.iter().filter_map(Value::as_f64).map(|value| value as f32).collect();
        units(&rotation, 4, 4);
    }
}

fn list<'v>(of: &'v Value, name: &str) -> &'v [Value] {
    of[name].as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| number.try_into().ok())
}

/// JSON has no NaN and no infinities: they are written as null.
fn no_null(value: &Value) {
    match value {
        Value::Null => panic!("a number that is not finite"),
        Value::Array(values) => values.iter().for_each(no_null),
        Value::Object(members) => members.values().for_each(no_null),
        _ => {}
    }
}

/// Vectors of `stride` numbers, the first `len` of which have length 1.
fn units(values: &[f32], stride: usize, len: usize) {
    for value in values.chunks_exact(stride).map(|value| &value[..len]) {
        let length = value.iter().map(|axis| axis * axis).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < 0.0067, "{value:?} is not of length 1");
    }
}

impl Glb<'_> {
    /// The numbers of an accessor. Normalized integers are divided.
    fn values(&self, accessor: usize) -> Vec<f32> {
        let accessor = &list(&self.root, "accessors")[accessor];
        let Some(view) = number(&accessor["bufferView"]) else { return Vec::new() };
        let view = &list(&self.root, "bufferViews")[view];
        let at = |of: &Value| number(&of["byteOffset"]).unwrap_or(0);
        let components = match accessor["type"].as_str() {
            Some("SCALAR") => 1,
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            _ => 16,
        };
        let (size, most, read): Component = match number(&accessor["componentType"]) {
            Some(5120) => (1, 127.0, |bytes| f32::from(bytes[0] as i8)),
            Some(5121) => (1, 255.0, |bytes| f32::from(bytes[0])),
            Some(5122) => (2, 32767.0, |bytes| f32::from(i16::from_le_bytes([bytes[0], bytes[1]]))),
            Some(5123) => (2, 65535.0, |bytes| f32::from(u16::from_le_bytes([bytes[0], bytes[1]]))),
            Some(5125) => (4, 1.0, |bytes| bytemuck::pod_read_unaligned::<u32>(bytes) as f32),
            _ => (4, 1.0, bytemuck::pod_read_unaligned),
        };
        let scale = if accessor["normalized"] == true { most } else { 1.0 };
        let stride = number(&view["byteStride"]).unwrap_or(size * components);
        let bytes = &self.bin[at(view)..][at(accessor)..];
        let elements =
            (0..number(&accessor["count"]).expect("a count")).map(|index| &bytes[index * stride..]);
        let values = elements.flat_map(|element| element.chunks_exact(size).take(components));
        values.map(|component| read(&component[..size]) / scale).collect()
    }

    /// Values are finite, and equal the bounds of their accessor at the ends.
    fn bounds(&self, index: usize) {
        let accessor = &list(&self.root, "accessors")[index];
        let (values, min, max) = (self.values(index), list(accessor, "min"), list(accessor, "max"));
        assert!(values.iter().all(|value| value.is_finite()), "{accessor}");
        for (axis, (min, max)) in min.iter().zip(max).enumerate() {
            let axis = || values.iter().skip(axis).step_by(list(accessor, "min").len()).copied();
            let ends = (axis().reduce(f32::min), axis().reduce(f32::max));
            let told = [min, max].map(|end| end.as_f64().map(|end| end as f32));
            assert_eq!((ends.0, ends.1), (told[0], told[1]), "{accessor}");
        }
    }

    fn primitive(&self, primitive: &Value) {
        let attribute = |name: &str| number(&primitive["attributes"][name]);
        let values = |name: &str| attribute(name).map_or_else(Vec::new, |index| self.values(index));
        let vertices = values("POSITION").len() / 3;
        let indices = number(&primitive["indices"]).map_or_else(Vec::new, |index| self.values(index));
        assert!(indices.iter().all(|index| (*index as usize) < vertices));
        units(&values("NORMAL"), 3, 3);
        units(&values("TANGENT"), 4, 3);
        assert!(values("TANGENT").chunks_exact(4).all(|tangent| tangent[3].abs() == 1.0));
        assert!(values("COLOR_0").iter().all(|value| (0.0..=1.0).contains(value)), "{primitive}");
        for weights in values("WEIGHTS_0").chunks_exact(4) {
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 2e-3, "{weights:?}");
        }
    }

    fn animation(&self, animation: &Value) {
        for channel in list(animation, "channels") {
            let sampler = &list(animation, "samplers")[number(&channel["sampler"]).expect("an index")];
            let of = |name: &str| self.values(number(&sampler[name]).expect("an index"));
            let times = of("input");
            let rises = times.windows(2).all(|pair| pair[0] < pair[1]);
            assert!(rises && times.first().is_some_and(|first| *first >= 0.0), "{times:?}");
            if channel["target"]["path"] == "rotation" {
                units(&of("output"), 4, 4);
            }
        }
    }
}
