//! Smaller files: arrays that are the same are stored once, normals of targets are optional, and compressed arrays
//! decompress to what was there.

use super::one_node;
use meshlens::Model;
use meshlens::md3::write;
use meshlens_gltf::{Export, Normals, Options};
use meshlens_testkit::real;
use serde_json::{Value, json};

/// A file, taken apart.
struct Glb {
    len: usize,
    document: Value,
    bin: Vec<u8>,
}

fn glb(bytes: &[u8], options: &Options<'_>) -> Glb {
    let model = Model::parse(bytes).unwrap();
    let mut glb = Vec::new();
    let scene = one_node("model", &model);
    let export = Export::plan(&scene, options).unwrap();
    assert_eq!(export.write_glb(&mut glb).unwrap(), export.glb_len());
    let text = u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    let document = serde_json::from_slice(&glb[20..20 + text]).unwrap();
    Glb { len: glb.len(), document, bin: glb[20 + text + 8..].to_vec() }
}

impl Glb {
    fn list(&self, name: &str) -> &[Value] {
        self.document[name].as_array().map_or(&[], Vec::as_slice)
    }

    /// The bytes of a view, decompressed.
    fn view(&self, view: usize) -> Vec<u8> {
        let view = &self.document["bufferViews"][view];
        let number = |value: &Value| value.as_u64().unwrap_or_default() as usize;
        let len = number(&view["byteLength"]);
        let Some(packed) = view.get("extensions") else {
            let start = number(&view["byteOffset"]);
            return self.bin[start..start + len].to_vec();
        };
        let packed = &packed["EXT_meshopt_compression"];
        let (start, stride) = (number(&packed["byteOffset"]), number(&packed["byteStride"]));
        let bytes = &self.bin[start..start + number(&packed["byteLength"])];
        let count = number(&packed["count"]);
        assert_eq!((number(&view["buffer"]), count * stride), (1, len));
        let mut out = match packed["mode"].as_str().unwrap() {
            "ATTRIBUTES" => attributes(bytes, count, stride),
            mode => {
                assert_eq!(mode, "TRIANGLES");
                let indices = triangles(bytes, count);
                indices.iter().flat_map(|index| index.to_le_bytes()[..stride].to_vec()).collect()
            }
        };
        if packed["filter"] == "EXPONENTIAL" {
            for word in out.as_chunks_mut::<4>().0 {
                let bits = i32::from_le_bytes(*word);
                let value = f32::from((bits << 8 >> 16) as i16) * 256.0 + (bits & 0xff) as f32;
                *word = (value * 2f32.powi(bits >> 24)).to_le_bytes();
            }
        }
        assert_eq!(out.len(), len);
        out
    }

    /// The bytes of an accessor's elements, and its properties.
    fn accessor(&self, accessor: usize) -> (Value, Vec<u8>) {
        let accessor = &self.document["accessors"][accessor];
        let number = |value: &Value| value.as_u64().unwrap_or_default() as usize;
        let size = match number(&accessor["componentType"]) {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            _ => 4,
        };
        let components = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC2" => 2,
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 16,
        };
        let told = ["componentType", "type", "count", "normalized", "min", "max", "sparse"];
        let mut told = json!(told.map(|name| accessor[name].clone()));
        let Some(view) = accessor["bufferView"].as_u64() else {
            told[6] = Value::Null;
            return (told, Vec::new());
        };
        let stride = number(&self.document["bufferViews"][view as usize]["byteStride"]);
        let stride = if stride == 0 { size * components } else { stride };
        let (bytes, start) = (self.view(view as usize), number(&accessor["byteOffset"]));
        let elements = (0..number(&accessor["count"]))
            .flat_map(|index| bytes[start + index * stride..][..size * components].to_vec());
        (told, elements.collect())
    }

    /// Every array that meshes and animations name, in order.
    fn arrays(&self) -> Vec<(String, Value, Vec<u8>)> {
        let mut all = Vec::new();
        let mut add = |what: String, accessor: &Value| {
            let (told, bytes) = self.accessor(accessor.as_u64().unwrap() as usize);
            all.push((what, told, bytes));
        };
        for (number, mesh) in self.list("meshes").iter().enumerate() {
            for primitive in mesh["primitives"].as_array().unwrap() {
                add(format!("mesh {number} indices"), &primitive["indices"]);
                let targets = primitive["targets"].as_array().map_or(&[][..], Vec::as_slice);
                for attributes in std::iter::once(&primitive["attributes"]).chain(targets) {
                    for (name, accessor) in attributes.as_object().unwrap() {
                        add(format!("mesh {number} {name}"), accessor);
                    }
                }
            }
        }
        for animation in self.list("animations") {
            for sampler in animation["samplers"].as_array().unwrap() {
                add("input".into(), &sampler["input"]);
                add("output".into(), &sampler["output"]);
            }
        }
        for skin in self.list("skins") {
            add("binds".into(), &skin["inverseBindMatrices"]);
        }
        all
    }
}

/// Appendix A of the extension: mode 0.
fn attributes(bytes: &[u8], count: usize, stride: usize) -> Vec<u8> {
    assert_eq!(bytes[0], 0xa0);
    let tail = bytes.len() - stride.max(32);
    let mut last = bytes[bytes.len() - stride..].to_vec();
    let mut out = vec![0; count * stride];
    let block = (8192 / stride / 16 * 16).min(256);
    let (mut at, mut first) = (1, 0);
    while first < count {
        let elements = block.min(count - first);
        let groups = elements.div_ceil(16);
        for byte in 0..stride {
            let header = &bytes[at..at + groups.div_ceil(4)];
            at += header.len();
            let mut value = last[byte];
            for group in 0..groups {
                let bits = [0, 2, 4, 8][usize::from(header[group / 4] >> (group % 4 * 2) & 3)];
                let packed = &bytes[at..at + 2 * bits];
                at += packed.len();
                for index in 0..16 {
                    let mut difference = 0;
                    if bits > 0 {
                        let (place, shift) = (index * bits / 8, 8 - bits - index * bits % 8);
                        let most = ((1u16 << bits) - 1) as u8;
                        difference = packed[place] >> shift & most;
                        if bits < 8 && difference == most {
                            difference = bytes[at];
                            at += 1;
                        }
                    }
                    let signed = difference >> 1 ^ (difference & 1).wrapping_neg();
                    value = value.wrapping_add(signed);
                    let element = group * 16 + index;
                    if element < elements {
                        out[(first + element) * stride + byte] = value;
                    }
                }
            }
        }
        first += elements;
        last.copy_from_slice(&out[(first - 1) * stride..][..stride]);
    }
    assert_eq!(at, tail, "the tail follows the last block");
    out
}

/// Appendix A of the extension: mode 1.
fn triangles(bytes: &[u8], count: usize) -> Vec<u32> {
    assert_eq!(bytes[0], 0xe1);
    let (codes, data) = bytes[1..].split_at(count / 3);
    let (data, table) = data.split_at(data.len() - 16);
    let mut data = data.iter().copied();
    let (mut next, mut last) = (0u32, 0u32);
    // The newest first.
    let (mut edges, mut vertices) = (vec![[0u32; 2]; 16], vec![0u32; 16]);
    let spelled = |data: &mut dyn Iterator<Item = u8>, last: &mut u32| {
        let (mut value, mut shift) = (0u32, 0);
        for byte in data {
            value |= u32::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                break;
            }
        }
        *last = last.wrapping_add(value >> 1 ^ (value & 1).wrapping_neg());
        *last
    };
    let mut out = Vec::new();
    for code in codes {
        if *code < 0xf0 {
            let [a, b] = edges[usize::from(code >> 4)];
            let c = match code & 15 {
                0 => {
                    next += 1;
                    next - 1
                }
                13 => {
                    last -= 1;
                    last
                }
                14 => {
                    last += 1;
                    last
                }
                15 => spelled(&mut data, &mut last),
                ago => vertices[usize::from(ago)],
            };
            if matches!(code & 15, 0 | 13..) {
                vertices.insert(0, c);
            }
            edges.splice(0..0, [[a, c], [c, b]]);
            out.extend([a, b, c]);
            continue;
        }
        let auxiliary = if *code < 0xfe { table[usize::from(code & 15)] } else { data.next().unwrap() };
        let kinds = [if *code == 0xff { 15 } else { 0 }, auxiliary >> 4, auxiliary & 15];
        assert!(*code < 0xfe || auxiliary != 0, "that would start anew");
        let mut corners = kinds.map(|kind| match kind {
            0 => {
                next += 1;
                next - 1
            }
            15 => 0,
            ago => vertices[usize::from(ago) - 1],
        });
        for (corner, kind) in corners.iter_mut().zip(kinds) {
            if kind == 15 {
                *corner = spelled(&mut data, &mut last);
            }
        }
        for (corner, kind) in corners.iter().zip(kinds) {
            if kind == 0 || kind == 15 {
                vertices.insert(0, *corner);
            }
        }
        let [a, b, c] = corners;
        edges.splice(0..0, [[a, c], [c, b], [b, a]]);
        out.extend(corners);
    }
    assert_eq!(data.next(), None);
    out
}

/// A surface of one triangle whose third vertex is at these heights, frame by frame.
fn surface(name: &str, heights: &[f32]) -> write::Surface {
    let mut surface = write::Surface::new(name).unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for height in heights {
        let positions = [[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, *height]];
        surface.add_frame(&positions, &[[1.0, 0.0, 0.0]; 3]).unwrap();
    }
    surface
}

fn file(surfaces: Vec<write::Surface>) -> Vec<u8> {
    let mut file = write::Model::new("file").unwrap();
    for frame in 0..surfaces[0].frame_count {
        file.frames.push(write::Frame::named(&format!("f{frame}")).unwrap());
    }
    file.surfaces = surfaces;
    file.write().unwrap()
}

#[test]
fn targets_that_are_the_same_share_an_accessor() {
    // Frames 1 and 3 move nothing, 2 and 4 are the same; the second surface never moves.
    let bytes = file(vec![surface("a", &[8.0, 8.0, 9.0, 8.0, 9.0]), surface("b", &[4.0; 5])]);
    let glb = glb(&bytes, &Options::default());
    let targets = |mesh: usize, name: &str| -> Vec<u64> {
        let targets = glb.document["meshes"][mesh]["primitives"][0]["targets"].as_array().unwrap();
        targets.iter().map(|target| target[name].as_u64().unwrap()).collect()
    };
    let moves = targets(0, "POSITION");
    assert_eq!((moves[0], moves[1]), (moves[2], moves[3]));
    assert_ne!(moves[0], moves[1]);
    assert_eq!(targets(1, "POSITION"), [moves[0]; 4]);
    assert_eq!(targets(0, "NORMAL"), targets(1, "NORMAL"));
    assert_eq!(targets(1, "NORMAL"), [targets(1, "NORMAL")[0]; 4]);
    let (told, still) = glb.accessor(moves[0] as usize);
    assert_eq!((still, &told[4]), (vec![0; 36], &json!([0.0, 0.0, 0.0])));
    let (_, moved) = glb.accessor(moves[1] as usize);
    assert_eq!(moved[24..].as_chunks::<4>().0.iter().map(|v| f32::from_le_bytes(*v)).sum::<f32>(), 1.0);
    // Both surfaces have the same normals at rest, texture coordinates and triangles.
    let primitive = |mesh: usize| &glb.document["meshes"][mesh]["primitives"][0];
    for name in ["NORMAL", "TEXCOORD_0"] {
        assert_eq!(primitive(0)["attributes"][name], primitive(1)["attributes"][name], "{name}");
    }
    assert_eq!(primitive(0)["indices"], primitive(1)["indices"]);
    assert_ne!(primitive(0)["attributes"]["POSITION"], primitive(1)["attributes"]["POSITION"]);
}

#[test]
fn normals_of_targets_are_left_out_on_demand() {
    let bytes = file(vec![surface("a", &[8.0, 9.0, 10.0])]);
    let model = Model::parse(&bytes).unwrap();
    let options = Options { normals: Normals::Base, ..Options::default() };
    let scene = one_node("model", &model);
    let export = Export::plan(&scene, &options).unwrap();
    let losses = export.losses();
    let lost = losses.findings().any(|loss| loss.message == "mesh a: the normals of 2 morph targets");
    assert!(lost, "{losses:?}");
    let base = glb(&bytes, &options);
    let primitive = &base.document["meshes"][0]["primitives"][0];
    assert!(primitive["attributes"]["NORMAL"].is_u64());
    for target in primitive["targets"].as_array().unwrap() {
        assert_eq!(target.as_object().unwrap().keys().collect::<Vec<_>>(), ["POSITION"]);
    }
    assert!(base.len < glb(&bytes, &Options::default()).len);
}

/// Corners from the same vertices in the same order, whichever comes first.
fn turned(bytes: &[u8], size: usize) -> Vec<Vec<Vec<u8>>> {
    let triangles = bytes.chunks_exact(3 * size).map(|triangle| {
        let corners: Vec<Vec<u8>> = triangle.chunks_exact(size).map(<[u8]>::to_vec).collect();
        let least = (0..3).min_by_key(|corner| &corners[*corner]).unwrap();
        (0..3).map(|corner| corners[(least + corner) % 3].clone()).collect()
    });
    triangles.collect()
}

/// A file is the same with and without compression; gives both lengths.
fn compares(name: &str, bytes: &[u8], options: Options<'_>) -> (usize, usize) {
    let plain = glb(bytes, &options);
    let packed = glb(bytes, &Options { meshopt: true, ..options });
    let (wanted, found) = (plain.arrays(), packed.arrays());
    assert_eq!(wanted.len(), found.len());
    for ((what, told, bytes), (other, other_told, other_bytes)) in wanted.iter().zip(&found) {
        assert_eq!((what, told), (other, other_told), "{name}");
        if what.ends_with("indices") {
            let size = if told[0] == 5125 { 4 } else { 2 };
            assert!(turned(bytes, size) == turned(other_bytes, size), "{name}: {what}");
        } else {
            assert!(bytes == other_bytes, "{name}: {what}");
        }
    }
    let views = packed.list("bufferViews").iter().filter(|view| view.get("extensions").is_some());
    let extension = json!("EXT_meshopt_compression");
    let is_listed = |list: &str| packed.list(list).contains(&extension);
    let compressed = views.count() > 0;
    assert_eq!((is_listed("extensionsUsed"), is_listed("extensionsRequired")), (compressed, compressed));
    if compressed {
        let buffers = packed.list("buffers");
        assert_eq!(buffers.len(), 2);
        assert_eq!(buffers[0]["byteLength"].as_u64().unwrap() as usize, packed.bin.len());
        assert_eq!(buffers[1]["extensions"], json!({ "EXT_meshopt_compression": { "fallback": true } }));
        assert!(buffers[1].get("uri").is_none());
    }
    (plain.len, packed.len)
}

#[test]
fn compressed_arrays_decompress_to_what_was_there() {
    let corpus = real::workspace_root().join("corpus");
    let mut smaller = 0;
    for folder in ["md3", "u3d", "unigine"] {
        for entry in std::fs::read_dir(corpus.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let Ok(model) = Model::parse(&bytes) else { continue };
            if model.meshes.iter().all(|mesh| mesh.triangle_count() == 0) {
                continue;
            }
            for quantize in [false, true] {
                let options = Options { quantize, ..Options::default() };
                // For a model whose triangles are broken, no file is written.
                if Export::plan(&one_node("model", &model), &options).is_err() {
                    continue;
                }
                let (plain, packed) = compares(&path.display().to_string(), &bytes, options);
                smaller += usize::from(packed < plain);
            }
        }
    }
    assert!(smaller > 0);
}

/// A grid of `side` squared vertices over a few frames, whose normals turn around.
fn sheet(side: usize) -> Vec<u8> {
    let mut surface = write::Surface::new("sheet").unwrap();
    for y in 0..side {
        for x in 0..side {
            surface.texcoords.push([x as f32 / side as f32, y as f32 / side as f32]);
            if x > 0 && y > 0 {
                let corner = (y * side + x) as u32;
                let (left, above) = (corner - 1, corner - side as u32);
                surface.triangles.extend([[corner, above, left], [above - 1, left, above]]);
            }
        }
    }
    for frame in 0..5 {
        let at = |index: usize| [(index % side) as f32 / 8.0, (index / side) as f32 / 8.0, frame as f32];
        let positions: Vec<_> = (0..side * side).map(at).collect();
        let turned = |index: usize| {
            let (sin, cos) = (frame as f32 * 0.8 + index as f32 * 0.01).sin_cos();
            [sin, 0.0, cos]
        };
        let normals: Vec<_> = (0..side * side).map(turned).collect();
        surface.add_frame(&positions, &normals).unwrap();
    }
    file(vec![surface])
}

#[test]
fn compression_holds_for_blocks_of_every_length_and_for_normals_that_turn_around() {
    for side in [2, 3, 4, 5, 15, 16, 17, 23] {
        for quantize in [false, true] {
            compares(&format!("{side}"), &sheet(side), Options { quantize, ..Options::default() });
        }
    }
    let bytes = sheet(40);
    let options = Options { quantize: true, ..Options::default() };
    let (plain, packed) = compares("40", &bytes, options);
    assert!(packed * 3 < plain, "{packed} of {plain}");
    let packed = glb(&bytes, &Options { meshopt: true, ..options });
    let has = |name: &str, value: &str| {
        let views = packed.list("bufferViews").iter();
        views.filter(|view| view["extensions"]["EXT_meshopt_compression"][name] == value).count()
    };
    assert!(
        has("mode", "TRIANGLES") == 1 && has("mode", "ATTRIBUTES") > 3 && has("filter", "EXPONENTIAL") == 1
    );
    // Normals that turned around come back within half a step of what was quantized.
    let model = Model::parse(&bytes).unwrap();
    let to_gltf = model.meshes[0].normals(4).unwrap().unwrap().to_vec();
    let primitive = &packed.document["meshes"][0]["primitives"][0];
    let base = packed.accessor(primitive["attributes"]["NORMAL"].as_u64().unwrap() as usize).1;
    let moved = packed.accessor(primitive["targets"][3]["NORMAL"].as_u64().unwrap() as usize).1;
    let moved: Vec<f32> = moved.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let found = base.iter().zip(&moved).map(|(base, moved)| f32::from(*base as i8) / 127.0 + moved);
    for (found, wanted) in found.zip(to_gltf.as_flattened()) {
        assert!((found - wanted).abs() <= 1.0 / 256.0 + 1e-6, "{found} {wanted}");
    }
}

#[test]
fn the_largest_real_player_is_a_quarter_of_what_it_was() {
    let Some(folder) = std::env::var_os("MESHLENS_REAL") else { return };
    let path =
        std::path::Path::new(&folder).join("md3/pak2-players-mature/models/players/angelyss/lower.md3");
    let Ok(bytes) = std::fs::read(path) else { return };
    assert_eq!(bytes.len(), 4_530_924);
    let options = Options { quantize: true, ..Options::default() };
    let (_, packed) = compares("angelyss", &bytes, options);
    assert!(packed < 4_000_000, "{packed}");
}
