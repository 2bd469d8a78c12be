//! The details of a glTF file, from its JSON. Buffers are not read.

use serde_json::{Value, json as object};

use super::section;

/// The JSON of a glTF file, binary or text.
pub(crate) fn document(bytes: &[u8]) -> Option<Value> {
    let text = if bytes.starts_with(b"glTF") {
        // A header of 12 bytes, then the length and the type of the first chunk, which is the JSON.
        let len = u32::from_le_bytes(*bytes.get(12..)?.first_chunk()?);
        bytes.get(20..)?.get(..usize::try_from(len).ok()?)?
    } else {
        bytes
    };
    serde_json::from_slice(text).ok()
}

fn list<'d>(document: &'d Value, name: &str) -> impl Iterator<Item = (usize, &'d Value)> + use<'d> {
    document[name].as_array().into_iter().flatten().enumerate()
}

fn text_of(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().into()
}

fn len(value: &Value, name: &str) -> usize {
    value[name].as_array().map_or(0, Vec::len)
}

/// The number of elements of the accessor that `accessor` refers to.
fn count(document: &Value, accessor: &Value) -> u64 {
    let accessor = accessor.as_u64().and_then(|index| usize::try_from(index).ok());
    accessor.and_then(|index| document["accessors"].get(index)?["count"].as_u64()).unwrap_or_default()
}

/// The numbers of vertices, triangles and morph targets of a mesh. Counts are not compared with the buffers and may be
/// arbitrarily large, so sums saturate.
fn mesh(document: &Value, mesh: &Value) -> [u64; 3] {
    let mut sums = [0u64; 3];
    for (_, primitive) in list(mesh, "primitives") {
        let vertices = count(document, &primitive["attributes"]["POSITION"]);
        let corners =
            if primitive["indices"].is_null() { vertices } else { count(document, &primitive["indices"]) };
        let is_triangles = primitive["mode"].as_u64().unwrap_or(4) == 4;
        sums[0] = sums[0].saturating_add(vertices);
        sums[1] = sums[1].saturating_add(if is_triangles { corners / 3 } else { 0 });
        sums[2] = sums[2].max(len(primitive, "targets") as u64);
    }
    sums
}

/// The texture of a material: the file of its image, or the type of an embedded image.
fn texture(document: &Value, material: &Value) -> String {
    let index = |value: &Value| value.as_u64().and_then(|index| usize::try_from(index).ok());
    let image = || {
        let texture = index(&material["pbrMetallicRoughness"]["baseColorTexture"]["index"])?;
        let source = index(&document["textures"].get(texture)?["source"])?;
        document["images"].get(source)
    };
    let Some(image) = image() else { return String::new() };
    match image["uri"].as_str() {
        // The URI may contain the image itself.
        Some(uri) if !uri.starts_with("data:") => uri.into(),
        _ => format!("embedded {}", text_of(image, "mimeType")).trim_end().into(),
    }
}

/// The details as text, one section after another.
pub(crate) fn text(document: &Value) -> String {
    let meshes = list(document, "meshes").map(|(index, found)| {
        let [vertices, triangles, targets] = mesh(document, found);
        cells![index, text_of(found, "name"), len(found, "primitives"), vertices, triangles, targets]
    });
    let materials = list(document, "materials").map(|(index, material)| {
        let alpha = material["alphaMode"].as_str().unwrap_or("OPAQUE").to_lowercase();
        let sides = if material["doubleSided"] == true { "two" } else { "one" };
        cells![index, text_of(material, "name"), alpha, sides, texture(document, material)]
    });
    let skins = list(document, "skins")
        .map(|(index, skin)| cells![index, text_of(skin, "name"), len(skin, "joints")]);
    let animations = list(document, "animations").map(|(index, animation)| {
        let keys = list(animation, "samplers").map(|(_, sampler)| count(document, &sampler["input"]));
        let keys = keys.max().unwrap_or_default();
        cells![index, text_of(animation, "name"), len(animation, "channels"), keys]
    });
    let nodes = list(document, "nodes").map(|(index, node)| {
        let number = |name: &str| node[name].as_u64().map_or_else(String::new, |number| number.to_string());
        cells![index, text_of(node, "name"), number("mesh"), number("skin"), len(node, "children")]
    });
    let extensions =
        list(document, "extensionsUsed").map(|(_, name)| [name.as_str().unwrap_or_default().into()]);
    [
        section("meshes", ["mesh", "name", "primitives", "vertices", "triangles", "targets"], meshes),
        section("materials", ["material", "name", "alpha", "sides", "texture"], materials),
        section("skins", ["skin", "name", "joints"], skins),
        section("animations", ["animation", "name", "channels", "keys"], animations),
        section("nodes", ["node", "name", "mesh", "skin", "children"], nodes),
        section("extensions", ["name"], extensions),
    ]
    .concat()
}

/// The details as JSON: the document without the parts that describe its buffers.
pub(crate) fn json(document: &Value) -> Value {
    let meshes = list(document, "meshes").map(|(_, found)| {
        let [vertices, triangles, targets] = mesh(document, found);
        object!({
            "name": found["name"],
            "primitives": len(found, "primitives"),
            "vertices": vertices,
            "triangles": triangles,
            "targets": targets,
        })
    });
    let animations = list(document, "animations").map(|(_, animation)| {
        let keys = list(animation, "samplers").map(|(_, sampler)| count(document, &sampler["input"]));
        object!({
            "name": animation["name"],
            "channels": len(animation, "channels"),
            "keys": keys.max().unwrap_or_default(),
        })
    });
    let skins = list(document, "skins")
        .map(|(_, skin)| object!({ "name": skin["name"], "joints": len(skin, "joints") }));
    object!({
        "format": "gltf",
        "asset": document["asset"],
        "meshes": meshes.collect::<Vec<_>>(),
        "materials": document["materials"],
        "skins": skins.collect::<Vec<_>>(),
        "animations": animations.collect::<Vec<_>>(),
        "nodes": document["nodes"],
        "extensionsUsed": document["extensionsUsed"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_counts_saturate() {
        let primitive = object!({ "attributes": { "POSITION": 0 } });
        let document = object!({
            "accessors": [{ "count": u64::MAX }],
            "meshes": [{ "primitives": [primitive, primitive, primitive, primitive] }],
        });
        assert_eq!(mesh(&document, &document["meshes"][0]), [u64::MAX, u64::MAX, 0]);
    }
}
