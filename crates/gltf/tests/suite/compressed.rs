//! Compressed and quantized files: they decompress to the original values, and errors name what cannot be read.

use super::one_node;
use meshlens::Model;
use meshlens_gltf::{Error, Export, ImportOptions, Meshopt, Options, summarize};

use crate::merged::import;
use meshlens_testkit::real;
use serde_json::{Value, json};

fn read(_: &str, _: usize) -> Option<Vec<u8>> {
    None
}

fn imported(document: &Value) -> Result<Model<'static>, Error> {
    import(document.to_string().as_bytes(), &ImportOptions::default(), &read).map(|(model, _)| model)
}

fn fault(document: &Value) -> String {
    imported(document).err().unwrap().to_string()
}

fn data_uri(bytes: &[u8]) -> String {
    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bytes);
    format!("data:application/octet-stream;base64,{text}")
}

/// At most 16 elements in the layout of version 0. Each difference is a whole byte.
fn packed(stride: usize, elements: &[u8]) -> Vec<u8> {
    let mut out = vec![0xa0];
    for byte in 0..stride {
        out.push(3);
        let mut before = 0;
        let differences = elements.chunks_exact(stride).map(|element| {
            let difference = element[byte].wrapping_sub(before);
            before = element[byte];
            (difference << 1) ^ (((difference as i8) >> 7) as u8)
        });
        out.extend(differences.chain(std::iter::repeat(0)).take(16));
    }
    out.extend(vec![0; stride.max(32)]);
    out
}

fn bytes_of(words: &[i16]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A multiple of a power of two, in the encoding of the filter.
fn multiple(exponent: i32, value: i32) -> [u8; 4] {
    (exponent << 24 | value & 0xff_ffff).to_le_bytes()
}

/// A triangle at (0, 0, 0), (1.5, 0, 0) and (0, -2, 0). Each array is compressed with its own filter. An animation
/// rotates the triangle by 90 degrees around Z.
fn triangle(extension: &str) -> Value {
    let positions: Vec<u8> =
        [0, 0, 0, 3, 0, 0, 0, -4, 0].into_iter().flat_map(|value| multiple(-1, value)).collect();
    let normals = [[0, 0, 127, 0]; 3].concat();
    // Each index as a difference from the previous one: 0, 2, 1.
    let indices = [0xd1, 0, 2 << 2, 2, 0, 0, 0, 0].to_vec();
    // The identity, whose greatest component is the fourth, and a rotation whose third component is also 1/sqrt(2).
    let rotations = bytes_of(&[0, 0, 0, 32767, 0, 0, 32766, 32767]);
    let times: Vec<u8> = [0.0f32, 1.0].into_iter().flat_map(f32::to_le_bytes).collect();
    let arrays = [
        (packed(12, &positions), "ATTRIBUTES", "EXPONENTIAL", 3, 12),
        (packed(4, &normals), "ATTRIBUTES", "OCTAHEDRAL", 3, 4),
        (indices, "INDICES", "NONE", 3, 2),
        (packed(8, &rotations), "ATTRIBUTES", "QUATERNION", 2, 8),
        (packed(4, &times), "ATTRIBUTES", "NONE", 2, 4),
    ];
    let (mut bin, mut views, mut decompressed) = (Vec::new(), Vec::new(), 0);
    for (bytes, mode, filter, count, stride) in arrays {
        let mut stored = json!({
            "buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len(), "byteStride": stride,
            "count": count, "mode": mode,
        });
        if filter != "NONE" {
            stored["filter"] = filter.into();
        }
        views.push(json!({
            "buffer": 1, "byteOffset": decompressed, "byteLength": count * stride,
            "extensions": { extension: stored },
        }));
        decompressed += count * stride;
        bin.extend(bytes);
    }
    views[1]["byteStride"] = 4.into();
    json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": [extension, "KHR_mesh_quantization"],
        "extensionsRequired": [extension, "KHR_mesh_quantization"],
        "buffers": [
            { "byteLength": bin.len(), "uri": data_uri(&bin) },
            { "byteLength": decompressed, "extensions": { extension: { "fallback": true } } },
        ],
        "bufferViews": views,
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": 3, "min": [0, -2, 0], "max": [1.5, 0, 0] },
            { "bufferView": 1, "componentType": 5120, "normalized": true, "type": "VEC3", "count": 3 },
            { "bufferView": 2, "componentType": 5123, "type": "SCALAR", "count": 3 },
            { "bufferView": 3, "componentType": 5122, "normalized": true, "type": "VEC4", "count": 2 },
            { "bufferView": 4, "componentType": 5126, "type": "SCALAR", "count": 2, "min": [0], "max": [1] },
        ],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "NORMAL": 1 }, "indices": 2 }] }],
        "nodes": [{ "mesh": 0 }],
        "animations": [{
            "samplers": [{ "input": 4, "output": 3 }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }],
        }],
    })
}

#[test]
fn every_mode_and_filter_is_read_under_both_names() {
    for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
        let model = imported(&triangle(extension)).unwrap();
        let mesh = &model.meshes[0];
        assert_eq!(mesh.positions(0).unwrap().to_vec(), [[0.0; 3], [1.5, 0.0, 0.0], [0.0, -2.0, 0.0]]);
        let mut normals = Vec::new();
        assert!(mesh.normals_into(0, &mut normals).unwrap());
        assert_eq!(normals, [[0.0, 0.0, 1.0]; 3]);
        assert_eq!(mesh.topology().unwrap().triangles(), [[0, 2, 1]]);
        // One second later, X points along Y.
        let turned = mesh.positions(model.frame_count() - 1).unwrap().to_vec();
        let wanted = [[0.0; 3], [0.0, 1.5, 0.0], [2.0, 0.0, 0.0]];
        for (found, wanted) in turned.iter().flatten().zip(wanted.iter().flatten()) {
            assert!((found - wanted).abs() < 1e-3, "{turned:?}");
        }
        let summary = summarize(triangle(extension).to_string().as_bytes()).unwrap();
        assert_eq!((summary.vertices, summary.triangles, summary.frames), (3, 1, 2));
    }
}

#[test]
fn compressed_data_that_cannot_be_read_is_named() {
    let whole = triangle("EXT_meshopt_compression");
    let edited = |view: usize, name: &str, value: Value| {
        let mut document = whole.clone();
        document["bufferViews"][view]["extensions"]["EXT_meshopt_compression"][name] = value;
        fault(&document)
    };
    let at = "gltf: /bufferViews/0/extensions/EXT_meshopt_compression";
    let unknown = |name, value: &str, expected| {
        let error = edited(0, name, value.into());
        let fault =
            format!("{at}/{name}: unknown variant `{value}`, expected one of {expected} at line 1 column ");
        assert!(error.starts_with(&fault), "{error}");
    };
    unknown("mode", "TRIANGLE", "`ATTRIBUTES`, `TRIANGLES`, `INDICES`");
    unknown("filter", "SHARP", "`NONE`, `OCTAHEDRAL`, `QUATERNION`, `EXPONENTIAL`, `COLOR`");
    assert_eq!(edited(0, "filter", "OCTAHEDRAL".into()), format!("{at}: expected a byteStride of 4 or 8"));
    assert_eq!(
        edited(0, "count", 4.into()),
        format!("{at}: expected the 36 bytes of the view, found 4 elements x 12 bytes")
    );
    assert_eq!(edited(0, "buffer", 2.into()), format!("{at}/buffer: expected an index below 2, found 2"));
    assert_eq!(
        edited(0, "byteLength", 9999.into()),
        "gltf: /bufferViews/0: 9999 bytes at 0 end past buffer 0 of 616"
    );
    assert_eq!(
        edited(0, "byteOffset", 1.into()),
        "gltf: /bufferViews/0: compressed data: at 1 of buffer 0: expected 0xa0 or 0xa1"
    );
    // An accessor with too many zeros is refused before the zeros are allocated.
    let mut document = whole.clone();
    document["bufferViews"][4]["byteLength"] = (4u64 << 40).into();
    document["bufferViews"][4]["extensions"]["EXT_meshopt_compression"]["count"] = (1u64 << 40).into();
    let error = fault(&document);
    assert!(error.starts_with("gltf: 5 compressed views of 4398046511"), "{error}");
}

#[test]
fn compressed_files_are_imported_like_uncompressed_files() {
    let corpus = real::workspace_root().join("corpus");
    let mut compressed = 0;
    for folder in ["md3", "u3d", "unigine"] {
        for entry in std::fs::read_dir(corpus.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let Ok(model) = Model::parse(&bytes) else { continue };
            for quantize in [false, true] {
                let glb = |meshopt: bool| {
                    let options =
                        Options { quantize, meshopt: meshopt.then_some(Meshopt::Ext), ..Options::default() };
                    let mut glb = Vec::new();
                    Export::plan(&one_node("model", &model), &options).ok()?.write_glb(&mut glb).ok()?;
                    Some(glb)
                };
                let (Some(plain), Some(packed)) = (glb(false), glb(true)) else { continue };
                compressed += usize::from(packed.windows(7).any(|text| text == b"meshopt"));
                let read = |glb: &[u8]| import(glb, &ImportOptions::default(), &read).unwrap().0;
                let (plain, packed) = (read(&plain), read(&packed));
                assert_eq!(
                    (plain.frame_count(), plain.meshes.len()),
                    (packed.frame_count(), packed.meshes.len())
                );
                assert_eq!(plain.joints, packed.joints);
                for (mesh, other) in plain.meshes.iter().zip(&packed.meshes) {
                    // Compression may rotate the corners of a triangle, which changes the order in which vertices are
                    // first used.
                    let corners = |mesh: &meshlens::model::Mesh<'_>, frame: usize| -> Vec<[[u32; 3]; 3]> {
                        let positions = mesh.positions(frame).unwrap().to_vec();
                        let corner = |index: u32| positions[index as usize].map(f32::to_bits);
                        let topology = mesh.topology().unwrap();
                        let turn = |[a, b, c]: &[u32; 3]| {
                            let [a, b, c] = [*a, *b, *c].map(corner);
                            [[a, b, c], [b, c, a], [c, a, b]].into_iter().min().unwrap()
                        };
                        let mut all: Vec<_> = topology.triangles().iter().map(turn).collect();
                        all.sort_unstable();
                        all
                    };
                    for frame in 0..mesh.frame_count() {
                        assert!(corners(mesh, frame) == corners(other, frame), "{} {frame}", path.display());
                    }
                }
            }
        }
    }
    assert!(compressed > 20, "{compressed}");
}

/// A triangle with these arrays: the attribute, the component type, the type, whether it is normalized, and the bytes.
fn quantized(arrays: &[(&str, u32, &str, bool, Vec<u8>)]) -> Value {
    let (mut bin, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    let mut attributes = serde_json::Map::new();
    for (name, component, kind, normalized, bytes) in arrays {
        attributes.insert((*name).into(), accessors.len().into());
        views.push(json!({
            "buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len(), "byteStride": bytes.len() / 3,
        }));
        accessors.push(json!({
            "bufferView": accessors.len(), "componentType": component, "type": kind, "count": 3,
            "normalized": normalized, "min": [0, 0, 0], "max": [0, 0, 0],
        }));
        bin.extend(bytes);
    }
    json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["KHR_mesh_quantization"], "extensionsRequired": ["KHR_mesh_quantization"],
        "buffers": [{ "byteLength": bin.len(), "uri": data_uri(&bin) }],
        "bufferViews": views, "accessors": accessors,
        "meshes": [{ "primitives": [{ "attributes": attributes }] }],
        "nodes": [{ "mesh": 0, "scale": [2, 2, 2], "translation": [1, 0, 0] }],
    })
}

#[test]
fn quantized_attributes_of_every_type_are_read() {
    // Each case: component type, normalized, three elements with padding to four bytes, and the second position.
    let bytes = |second: [i8; 3]| {
        let [x, y, z] = second.map(|value| value as u8);
        vec![0, 0, 0, 0, x, y, z, 0, 0, 0, 0, 0]
    };
    let words = |[x, y, z]: [i16; 3]| bytes_of(&[0, 0, 0, 0, x, y, z, 0, 0, 0, 0, 0]);
    let cases = [
        (5120, false, bytes([-128, 1, 2]), [-128.0, 1.0, 2.0]),
        (5120, true, bytes([-128, 127, 0]), [-1.0, 1.0, 0.0]),
        (5121, false, bytes([-1, 1, 2]), [255.0, 1.0, 2.0]),
        (5121, true, bytes([-1, 51, 0]), [1.0, 0.2, 0.0]),
        (5122, false, words([-32768, 1, 2]), [-32768.0, 1.0, 2.0]),
        (5122, true, words([-32768, 32767, 0]), [-1.0, 1.0, 0.0]),
        (5123, false, words([-1, 1, 2]), [65535.0, 1.0, 2.0]),
        (5123, true, words([-1, 13107, 0]), [1.0, 0.2, 0.0]),
    ];
    for (component, normalized, data, [x, y, z]) in cases {
        let normals = [[0, 0, 127, 0]; 3].concat();
        let document = quantized(&[
            ("POSITION", component, "VEC3", normalized, data),
            ("NORMAL", 5120, "VEC3", true, normals),
            ("TEXCOORD_0", 5121, "VEC2", true, vec![0, 0, 0, 0, 255, 51, 0, 0, 0, 0, 0, 0]),
            ("COLOR_0", 5121, "VEC3", true, vec![0, 0, 0, 0, 255, 51, 0, 0, 0, 0, 0, 0]),
        ]);
        let model = imported(&document).unwrap();
        let mesh = &model.meshes[0];
        let found = mesh.positions(0).unwrap().get(1).unwrap();
        // Scaled by 2 and moved by 1 along X.
        assert_eq!(found, [2.0 * x + 1.0, 2.0 * y, 2.0 * z], "{component} {normalized}");
        let mut texcoords = Vec::new();
        assert!(mesh.texcoords_into(0, &mut texcoords).unwrap());
        assert_eq!(texcoords[1], [1.0, 0.2]);
        let mut normals = Vec::new();
        assert!(mesh.normals_into(0, &mut normals).unwrap());
        assert_eq!(normals[0], [0.0, 0.0, 1.0]);
    }
}

#[test]
fn draco_is_named_if_it_replaces_arrays() {
    let positions: Vec<u8> =
        [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    let mut document = quantized(&[("POSITION", 5126, "VEC3", false, positions)]);
    document.as_object_mut().unwrap().remove("extensionsRequired");
    document["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
    document["meshes"][0]["primitives"][0]["extensions"] =
        json!({ "KHR_draco_mesh_compression": { "bufferView": 0, "attributes": { "POSITION": 0 } } });
    // The uncompressed arrays next to the extension are read.
    assert_eq!(imported(&document).unwrap().meshes[0].positions(0).unwrap().get(2), Some([1.0, 4.0, 0.0]));
    let named = "gltf: the extension KHR_draco_mesh_compression is required and not supported; \
                 export the file again with Draco compression off";
    let mut without = document.clone();
    without["accessors"][0].as_object_mut().unwrap().remove("bufferView");
    assert_eq!(fault(&without), named);
    assert_eq!(summarize(without.to_string().as_bytes()).unwrap_err().to_string(), named);
    document["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
    assert_eq!(fault(&document), named);
    assert_eq!(summarize(document.to_string().as_bytes()).unwrap_err().to_string(), named);
}
