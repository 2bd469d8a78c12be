//! Smaller files: equal arrays are stored once, normals of targets are optional, and compressed arrays decompress to
//! the original bytes.

use meshlens::Model;
use meshlens::md3::write;
use meshlens_gltf::{Export, Normals, Options};
use serde_json::{Value, json};

use super::one_node;

/// A parsed GLB.
pub(super) struct Glb {
    pub(super) len: usize,
    pub(super) document: Value,
    pub(super) bin: Vec<u8>,
}

pub(super) fn glb(bytes: &[u8], options: &Options<'_>) -> Glb {
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
    pub(super) fn list(&self, name: &str) -> &[Value] {
        self.document[name].as_array().map_or(&[], Vec::as_slice)
    }

    /// The bytes of a view, decompressed.
    pub(super) fn view(&self, view: usize) -> Vec<u8> {
        let view = &self.document["bufferViews"][view];
        let number = |value: &Value| value.as_u64().unwrap_or_default() as usize;
        let len = number(&view["byteLength"]);
        let Some(packed) = view.get("extensions") else {
            let start = number(&view["byteOffset"]);
            return self.bin[start..start + len].to_vec();
        };
        let packed = &packed["KHR_meshopt_compression"];
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
    pub(super) fn accessor(&self, accessor: usize) -> (Value, Vec<u8>) {
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

    /// Every array that meshes and animations refer to, in order.
    pub(super) fn arrays(&self) -> Vec<(String, Value, Vec<u8>)> {
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
pub(super) fn attributes(bytes: &[u8], count: usize, stride: usize) -> Vec<u8> {
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
pub(super) fn triangles(bytes: &[u8], count: usize) -> Vec<u32> {
    assert_eq!(bytes[0], 0xe1);
    let (codes, data) = bytes[1..].split_at(count / 3);
    let (data, table) = data.split_at(data.len() - 16);
    let data = data.iter().copied();
    let mut decoder = Triangles { data, next: 0, last: 0, edges: vec![[0; 2]; 16], vertices: vec![0; 16] };
    let decode = |code: &u8| match *code {
        0xf0.. => decoder.alone(*code, table),
        code => decoder.at_edge(code),
    };
    let out = codes.iter().flat_map(decode).collect();
    assert_eq!(decoder.data.next(), None);
    out
}

/// The state of a decoder of triangles.
struct Triangles<I> {
    data: I,
    /// The next new vertex.
    next: u32,
    /// The last vertex that was encoded as a number.
    last: u32,
    /// The recent edges, newest first.
    edges: Vec<[u32; 2]>,
    vertices: Vec<u32>,
}

impl<I: Iterator<Item = u8>> Triangles<I> {
    fn new_vertex(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// A vertex that is encoded as the difference from the last one.
    fn spelled(&mut self) -> u32 {
        let (mut value, mut shift) = (0u32, 0);
        for byte in self.data.by_ref() {
            value |= u32::from(byte & 127) << shift;
            shift += 7;
            if byte < 128 {
                break;
            }
        }
        self.last = self.last.wrapping_add(value >> 1 ^ (value & 1).wrapping_neg());
        self.last
    }

    /// A triangle that shares an edge with an earlier one.
    fn at_edge(&mut self, code: u8) -> [u32; 3] {
        let [a, b] = self.edges[usize::from(code >> 4)];
        let c = match code & 15 {
            0 => self.new_vertex(),
            13 => {
                self.last -= 1;
                self.last
            }
            14 => {
                self.last += 1;
                self.last
            }
            15 => self.spelled(),
            ago => self.vertices[usize::from(ago)],
        };
        if matches!(code & 15, 0 | 13..) {
            self.vertices.insert(0, c);
        }
        self.edges.splice(0..0, [[a, c], [c, b]]);
        [a, b, c]
    }

    fn alone(&mut self, code: u8, table: &[u8]) -> [u32; 3] {
        let auxiliary = if code < 0xfe { table[usize::from(code & 15)] } else { self.data.next().unwrap() };
        let kinds = [if code == 0xff { 15 } else { 0 }, auxiliary >> 4, auxiliary & 15];
        assert!(code < 0xfe || auxiliary != 0, "that would start anew");
        let mut corners = kinds.map(|kind| match kind {
            0 => self.new_vertex(),
            15 => 0,
            ago => self.vertices[usize::from(ago) - 1],
        });
        for (corner, kind) in corners.iter_mut().zip(kinds) {
            if kind == 15 {
                *corner = self.spelled();
            }
        }
        for (corner, kind) in corners.iter().zip(kinds) {
            if kind == 0 || kind == 15 {
                self.vertices.insert(0, *corner);
            }
        }
        let [a, b, c] = corners;
        self.edges.splice(0..0, [[a, c], [c, b], [b, a]]);
        corners
    }
}

/// A surface of one triangle. `heights` are the heights of its third vertex in each frame.
pub(super) fn surface(name: &str, heights: &[f32]) -> write::Surface {
    let mut surface = write::Surface::new(name).unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for height in heights {
        let positions = [[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, *height]];
        surface.add_frame(&positions, &[[1.0, 0.0, 0.0]; 3]).unwrap();
    }
    surface
}

pub(super) fn file(surfaces: Vec<write::Surface>) -> Vec<u8> {
    let mut file = write::Model::new("file").unwrap();
    for frame in 0..surfaces[0].frame_count {
        file.frames.push(write::Frame::named(&format!("f{frame}")).unwrap());
    }
    file.surfaces = surfaces;
    file.write().unwrap()
}

#[test]
fn equal_targets_share_an_accessor() {
    // Frames 1 and 3 equal frame 0, and frames 2 and 4 are equal. The second surface does not move.
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

/// The corners of each triangle in the same cyclic order, beginning with the least one.
pub(super) fn turned(bytes: &[u8], size: usize) -> Vec<Vec<Vec<u8>>> {
    let triangles = bytes.chunks_exact(3 * size).map(|triangle| {
        let corners: Vec<Vec<u8>> = triangle.chunks_exact(size).map(<[u8]>::to_vec).collect();
        let least = (0..3).min_by_key(|corner| &corners[*corner]).unwrap();
        (0..3).map(|corner| corners[(least + corner) % 3].clone()).collect()
    });
    triangles.collect()
}
