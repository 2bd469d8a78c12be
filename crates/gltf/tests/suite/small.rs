//! Small glTF files that tests write: a JSON document and the floats of its accessors.

use meshlens::scene::Scene;
use meshlens::{Model, Report};
use meshlens_gltf::{ImportOptions, Skins};

use crate::merged::import;
use serde_json::{Value, json};

/// A document to which accessors are added.
pub(crate) struct Small {
    pub(crate) json: Value,
    bin: Vec<u8>,
}

impl Small {
    /// A document with the given members, without accessors.
    pub(crate) fn new(mut json: Value) -> Small {
        json["asset"] = json!({ "version": "2.0" });
        json["accessors"] = json!([]);
        json["bufferViews"] = json!([]);
        Small { json, bin: Vec::new() }
    }

    fn list(&mut self, name: &str) -> &mut Vec<Value> {
        self.json[name].as_array_mut().unwrap()
    }

    /// Adds an accessor and returns its index.
    fn add(&mut self, kind: &str, component: u32, count: usize, bytes: &[u8]) -> usize {
        let view = self.list("bufferViews").len();
        let offset = self.bin.len();
        self.bin.extend_from_slice(bytes);
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        self.list("bufferViews")
            .push(json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }));
        let accessor =
            json!({ "bufferView": view, "componentType": component, "type": kind, "count": count });
        self.list("accessors").push(accessor);
        self.list("accessors").len() - 1
    }

    /// Adds an accessor of vectors of floats.
    pub(crate) fn vectors<const N: usize>(&mut self, values: &[[f32; N]]) -> usize {
        let kind = ["", "SCALAR", "VEC2", "VEC3", "VEC4"][N];
        let bytes: Vec<u8> = values.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
        let index = self.add(kind, 5126, values.len(), &bytes);
        // Positions need bounds. Their values do not matter here.
        (self.json["accessors"][index]["min"], self.json["accessors"][index]["max"]) =
            (json!(vec![0; N]), json!(vec![0; N]));
        index
    }

    /// Adds an accessor of floats.
    pub(crate) fn scalars(&mut self, values: &[f32]) -> usize {
        self.vectors(values.as_chunks::<1>().0)
    }

    /// Adds an accessor of indices.
    pub(crate) fn indices(&mut self, values: &[u16]) -> usize {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.add("SCALAR", 5123, values.len(), &bytes)
    }

    /// Adds an accessor of four joints for each vertex.
    pub(crate) fn joints(&mut self, values: &[[u8; 4]]) -> usize {
        self.add("VEC4", 5121, values.len(), values.as_flattened())
    }

    /// Adds an accessor of 4 by 4 matrices.
    pub(crate) fn matrices(&mut self, values: &[[f32; 16]]) -> usize {
        let bytes: Vec<u8> = values.as_flattened().iter().flat_map(|value| value.to_le_bytes()).collect();
        self.add("MAT4", 5126, values.len(), &bytes)
    }

    /// The file, as a GLB.
    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{ "byteLength": self.bin.len() }]);
        let mut text = json.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let chunk = |kind: &[u8; 4], content: &[u8]| -> Vec<u8> {
            [&(content.len() as u32).to_le_bytes()[..], kind, content].concat()
        };
        let chunks = [chunk(b"JSON", &text), chunk(b"BIN\0", &self.bin)].concat();
        let len = 12 + chunks.len() as u32;
        [&b"glTF\x02\0\0\0"[..], &len.to_le_bytes(), &chunks].concat()
    }

    /// The scene of the import, with skins as joints.
    pub(crate) fn scene(&self) -> Scene<'static> {
        meshlens_gltf::import(&self.glb(), &ImportOptions::default(), &|_, _| None).unwrap().0
    }

    /// The model and the losses of the import, or the text of the error.
    pub(crate) fn import(&self, skins: Skins) -> Result<(Model<'static>, Report), String> {
        let options = ImportOptions { skins, ..ImportOptions::default() };
        import(&self.glb(), &options, &|_, _| None).map_err(|error| error.to_string())
    }
}

/// The code and message of each loss.
pub(crate) fn messages(losses: &Report) -> Vec<(&str, &str)> {
    losses.findings().map(|finding| (finding.code, finding.message.as_str())).collect()
}
