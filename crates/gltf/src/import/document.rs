//! From bytes to a document that the `gltf` crate can be asked about without a panic.

use gltf::json;
use gltf::json::validation::Checked;

use super::broken;
use crate::Error;

/// Extensions that a document may require: positions of integers are read as such, and what a material looks like is not
/// kept in any case.
const KNOWN: [&str; 3] = ["KHR_mesh_quantization", "KHR_materials_unlit", "KHR_texture_transform"];

/// The most findings of the crate that an error repeats.
const MAX_FINDINGS: usize = 3;

/// The document, and the binary chunk of a GLB.
pub(super) fn parse(bytes: &[u8]) -> Result<(gltf::Document, Option<Vec<u8>>), Error> {
    let (text, blob) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    let mut root: json::Root = json::deserialize::from_slice(text).map_err(broken)?;
    root.extensions_required.retain(|name| !KNOWN.contains(&name.as_str()));
    check(&root)?;
    let document = gltf::Document::from_json(root).map_err(|error| match error {
        gltf::Error::Validation(found) => {
            let lines: Vec<String> =
                found.iter().take(MAX_FINDINGS).map(|(path, error)| format!("{path}: {error}")).collect();
            broken(lines.join("; "))
        }
        error => broken(error),
    })?;
    Ok((document, blob.map(<[u8]>::to_vec)))
}

/// The chunks of a GLB: its JSON, and its buffer if it has one.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), Error> {
    let field = |at: usize| -> Result<usize, Error> {
        let field = bytes.get(at..).and_then(|rest| rest.first_chunk::<4>());
        let field = field.ok_or_else(|| broken(format_args!("the file ends at {at}, inside a header")))?;
        Ok(u32::from_le_bytes(*field) as usize)
    };
    if field(4)? != 2 {
        return Err(broken(format_args!("at 4: expected version 2, found {}", field(4)?)));
    }
    let chunk = |at: usize| -> Result<(&[u8], &[u8], usize), Error> {
        let (len, kind) = (field(at)?, bytes.get(at + 4..at + 8));
        let body = at + 8;
        let content = bytes.get(body..body.saturating_add(len));
        match (kind, content) {
            (Some(kind), Some(content)) => Ok((kind, content, body + len)),
            _ => Err(broken(format_args!("at {at}: a chunk of {len} bytes ends past the file"))),
        }
    };
    let (kind, text, mut next) = chunk(12)?;
    if kind != b"JSON" {
        return Err(broken("at 16: expected a chunk of JSON first"));
    }
    // Chunks of kinds that are not known are to be passed over.
    while next < bytes.len() {
        let (kind, content, end) = chunk(next)?;
        if kind == b"BIN\0" {
            return Ok((text, Some(content)));
        }
        next = end;
    }
    Ok((text, None))
}

/// What the crate's own validation takes for granted, or leaves out.
fn check(root: &json::Root) -> Result<(), Error> {
    for (number, mesh) in root.meshes.iter().enumerate() {
        for primitive in &mesh.primitives {
            let positions = primitive.attributes.get(&Checked::Valid(json::mesh::Semantic::Positions));
            if let Some(index) = positions.filter(|index| index.value() >= root.accessors.len()) {
                return Err(broken(format_args!("mesh {number}: no accessor {}", index.value())));
            }
        }
    }
    for (number, animation) in root.animations.iter().enumerate() {
        for channel in &animation.channels {
            if channel.target.node.value() >= root.nodes.len() {
                let node = channel.target.node.value();
                return Err(broken(format_args!("animation {number}: no node {node}")));
            }
            if matches!(channel.target.path, Checked::Invalid) {
                return Err(broken(format_args!("animation {number}: a target of no known path")));
            }
        }
    }
    Ok(())
}
