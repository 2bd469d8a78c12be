//! Images of glTF files: they are drawn, written next to other formats, or listed as losses.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use meshlens_assets::material::{Image, ImageLimits, TextureAlpha};
use serde_json::{Value, json};

use crate::shared::{meshlens, stderr, stdout, utf8};

fn base64(bytes: &[u8]) -> String {
    format!("data:application/octet-stream;base64,{}", STANDARD.encode(bytes))
}

/// One red pixel.
fn red() -> Vec<u8> {
    Image::new(1, 1, vec![255, 0, 0, 255]).unwrap().to_png()
}

/// The same pixel, as a lossless WebP file.
const WEBP: &[u8] =
    b"RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00/\x00\x00\x00\x10(@\xff\x0b\xd0\xff\x02\x00\x00";

/// A square of two triangles with the image `image`. `bytes` are the content of the fourth view.
fn square(image: &Value, bytes: &[u8]) -> Value {
    let corners = [[-1.0f32, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    let texcoords = [[0.0f32, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]];
    let floats = corners.as_flattened().iter().chain(texcoords.as_flattened());
    let mut buffer: Vec<u8> = floats.flat_map(|value| value.to_le_bytes()).collect();
    buffer.extend([0u16, 1, 2, 0, 2, 3].iter().flat_map(|index| index.to_le_bytes()));
    let views = [(0, 48), (48, 32), (80, 12), (92, bytes.len())];
    buffer.extend(bytes);
    let views = views.map(|(at, len)| json!({ "buffer": 0, "byteOffset": at, "byteLength": len.max(1) }));
    buffer.push(0);
    json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{
            "attributes": { "POSITION": 0, "TEXCOORD_0": 1 }, "indices": 2, "material": 0
        }] }],
        "materials": [{ "name": "wood", "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
        "textures": [{ "source": 0 }],
        "images": [image],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3",
              "min": [-1, -1, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": 4, "type": "VEC2" },
            { "bufferView": 2, "componentType": 5123, "count": 6, "type": "SCALAR" }
        ],
        "bufferViews": views,
        "buffers": [{ "byteLength": buffer.len(), "uri": base64(&buffer) }]
    })
}

fn write(folder: &Path, name: &str, document: &Value) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, document.to_string()).unwrap();
    path
}

/// The color in the middle of the picture of a model.
fn middle(model: &Path) -> [u8; 3] {
    let picture = model.with_extension("picture.png");
    let made =
        meshlens(&["thumb", "--force", "--view", "front", "--size", "9", "-o", utf8(&picture), utf8(model)]);
    assert!(made.status.success() && stderr(&made).is_empty(), "{}", stderr(&made));
    let image = fs::read(&picture).unwrap();
    fs::remove_file(picture).unwrap();
    let image = Image::decode(&image, "png", TextureAlpha::Stored, &ImageLimits::DEFAULT).unwrap();
    let [r, g, b, _] = image.rgba.as_chunks().0[40];
    [r, g, b]
}

fn is_red([r, g, b]: [u8; 3]) -> bool {
    r > 100 && g < 40 && b < 40
}

/// The names of the files in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn images_are_drawn_from_every_location() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("tex")).unwrap();
    fs::write(folder.path().join("tex/red wood.png"), red()).unwrap();
    let webp = |document: &mut Value| {
        document["textures"] = json!([{ "extensions": { "EXT_texture_webp": { "source": 0 } } }]);
    };
    let view = json!({ "bufferView": 3, "mimeType": "image/png" });
    let in_uri = json!({ "name": "wood", "uri": base64(&red()) });
    let beside = json!({ "uri": "tex/red%20wood.png" });
    let mut named = square(&beside, b"");
    // A path inside a game, which does not exist here.
    named["materials"][0]["extras"] = json!({ "texture": "models/x/skin.tga" });
    let mut of_webp = square(&json!({ "bufferView": 3, "mimeType": "image/webp" }), WEBP);
    webp(&mut of_webp);
    let documents = [square(&view, &red()), square(&in_uri, b""), square(&beside, b""), named, of_webp];
    for (number, document) in documents.iter().enumerate() {
        let color = middle(&write(folder.path(), &format!("{number}.gltf"), document));
        assert!(is_red(color), "{number}: {color:?}");
    }
}

#[test]
fn images_are_carried_to_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let image = json!({ "name": "wood", "bufferView": 3, "mimeType": "image/png" });
    let source = write(folder.path(), "chair.gltf", &square(&image, &red()));
    for (format, files) in [
        ("md3", &["chair.md3", "chair_wood.png"][..]),
        ("u3d", &["chair.u3d", "chair_wood.png"]),
        ("unreal", &["chair.uc", "chair_a.3d", "chair_d.3d", "chair_wood.png"]),
        ("unigine", &["chair.mesh", "chair_wood.png"]),
        ("glb", &["chair.glb"]),
        ("gltf", &["chair.bin", "chair.gltf", "chair_wood.png"]),
    ] {
        let out = folder.path().join(format);
        let made = meshlens(&["convert", "--to", format, "--out-dir", utf8(&out), utf8(&source)]);
        assert!(made.status.success() && stderr(&made).is_empty(), "{format}: {}", stderr(&made));
        assert_eq!(names(&out), files);
        if files.contains(&"chair_wood.png") {
            assert_eq!(fs::read(out.join("chair_wood.png")).unwrap(), red());
        }
        // Surfaces of UNIGINE have no textures.
        if format != "unigine" {
            let model = if format == "unreal" {
                "chair_d.3d"
            } else {
                files.iter().find(|name| name.starts_with("chair.") && !name.ends_with("bin")).unwrap()
            };
            assert!(is_red(middle(&out.join(model))), "{format}");
        }
    }
}

#[test]
fn images_with_equal_names_are_numbered() {
    let folder = tempfile::tempdir().unwrap();
    let green = Image::new(1, 1, vec![0, 255, 0, 255]).unwrap().to_png();
    let image = json!({ "name": "wood", "uri": base64(&red()) });
    let mut document = square(&image, b"");
    document["images"].as_array_mut().unwrap().push(json!({ "name": "wood", "uri": base64(&green) }));
    document["textures"] = json!([{ "source": 0 }, { "source": 1 }]);
    document["materials"] = [0, 1].map(|texture| {
        json!({ "name": "same", "pbrMetallicRoughness": { "baseColorTexture": { "index": texture } } })
    }).into();
    let mut second = document["meshes"][0]["primitives"][0].clone();
    second["material"] = 1.into();
    document["meshes"][0]["primitives"].as_array_mut().unwrap().push(second);
    let source = write(folder.path(), "chair.gltf", &document);
    let out = folder.path().join("out");
    let made = meshlens(&["convert", "--to", "md3", "--out-dir", utf8(&out), utf8(&source)]);
    assert!(made.status.success(), "{}", stderr(&made));
    assert_eq!(names(&out), ["chair.md3", "chair_wood.png", "chair_wood_2.png"]);
    assert_eq!(fs::read(out.join("chair_wood_2.png")).unwrap(), green);
    let model = fs::read(out.join("chair.md3")).unwrap();
    for name in ["chair_wood.png\0", "chair_wood_2.png\0"] {
        assert!(model.windows(name.len()).any(|bytes| bytes == name.as_bytes()), "{name}");
    }
    // Both are embedded, although their names and sizes are equal.
    let glb = folder.path().join("chair.glb");
    assert!(meshlens(&["convert", "-o", utf8(&glb), utf8(&source)]).status.success());
    let glb = fs::read(glb).unwrap();
    for image in [red(), green] {
        assert!(glb.windows(image.len()).any(|bytes| bytes == image));
    }
}

#[test]
fn images_are_not_written_if_not_requested() {
    let folder = tempfile::tempdir().unwrap();
    let source = write(folder.path(), "chair.gltf", &square(&json!({ "uri": base64(&red()) }), b""));
    let out = folder.path().join("out");
    let made =
        meshlens(&["convert", "--to", "md3", "--textures", "none", "--out-dir", utf8(&out), utf8(&source)]);
    assert!(made.status.success() && stderr(&made).is_empty(), "{}", stderr(&made));
    assert_eq!(names(&out), ["chair.md3"]);
    let made = meshlens(&["convert", "--to", "md3", "-o", "-", utf8(&source)]);
    let warning = "warning: the images of 1 materials are not written to standard output";
    assert!(stderr(&made).contains(warning), "{}", stderr(&made));
}

#[test]
fn normal_maps_lie_beside_the_images_of_an_md3() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("mod/models/chair");
    fs::create_dir_all(&out).unwrap();
    // The normal leans up.
    let up = Image::new(1, 1, vec![128, 230, 204, 255]).unwrap().to_png();
    let mut document = square(&json!({ "uri": base64(&red()) }), b"");
    document["images"].as_array_mut().unwrap().push(json!({ "uri": base64(&up) }));
    document["textures"].as_array_mut().unwrap().push(json!({ "source": 1 }));
    document["materials"][0]["normalTexture"] = json!({ "index": 1 });
    let source = write(folder.path(), "chair.gltf", &document);
    let md3 = out.join("chair.md3");
    let made = meshlens(&["convert", "-o", utf8(&md3), utf8(&source)]);
    assert!(made.status.success(), "{}", stderr(&made));
    assert!(!stdout(&made).contains("LOST"), "{}", stdout(&made));
    // There is no shader, because one renderer knows no normal maps. Their y is that of the renderer that does.
    assert_eq!(names(&out), ["chair.md3", "chair.png", "chair_n.png"]);
    assert!(!folder.path().join("mod/scripts").exists());
    let pixels = |bytes: &[u8]| {
        Image::decode(bytes, "png", TextureAlpha::Stored, &ImageLimits::DEFAULT).unwrap().rgba.clone()
    };
    assert_eq!(pixels(&fs::read(out.join("chair_n.png")).unwrap()), [128, 25, 204, 255]);
    // On the way back, y is that of glTF again.
    let glb = folder.path().join("back.glb");
    let made = meshlens(&["convert", "--textures", "beside", "-o", utf8(&glb), utf8(&md3)]);
    assert!(made.status.success(), "{}", stderr(&made));
    let back = crate::convert::document(&glb);
    let image = |texture: &Value| {
        let index = back["textures"][texture["index"].as_u64().unwrap() as usize]["source"].as_u64().unwrap();
        let uri = back["images"][index as usize]["uri"].as_str().unwrap();
        pixels(&fs::read(folder.path().join(uri)).unwrap())
    };
    assert_eq!(image(&back["materials"][0]["normalTexture"]), [128, 230, 204, 255]);
    assert_eq!(image(&back["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"]), [255, 0, 0, 255]);
    // Normals in another place than the color cannot be kept.
    document["materials"][0]["normalTexture"]["extensions"]["KHR_texture_transform"]["scale"] = json!([2, 2]);
    let source = write(folder.path(), "other.gltf", &document);
    let made = meshlens(&["convert", "-o", utf8(&folder.path().join("other.md3")), utf8(&source)]);
    assert!(stdout(&made).contains("[IMAGE_LOST]"), "{}", stdout(&made));
}

#[test]
fn unsupported_images_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.md3");
    let losses = |document: &Value| {
        let source = write(folder.path(), "chair.gltf", document);
        let made = meshlens(&["convert", "--force", "-o", utf8(&out), utf8(&source)]);
        assert!(made.status.success(), "{}", stderr(&made));
        stdout(&made).to_owned()
    };
    let ktx =
        square(&json!({ "name": "wood", "bufferView": 3, "mimeType": "image/ktx2" }), b"\xabKTX 20\xbb");
    let text = losses(&ktx);
    assert!(
        text.contains("image 0 wood: images of the format ktx2 are not read [IMAGE_FORMAT_LOST]"),
        "{text}"
    );
    let mut outside = square(&json!({ "bufferView": 3 }), b"");
    outside["bufferViews"][3]["byteLength"] = 1000.into();
    let text = losses(&outside);
    assert!(text.contains("[IMAGE_UNREADABLE]"), "{text}");
    let mut normals = square(&json!({ "uri": base64(&red()) }), b"");
    normals["images"].as_array_mut().unwrap().push(json!({ "uri": "normals.png" }));
    let text = losses(&normals);
    assert!(
        text.contains("1 images that are not the color or the normals of a material [IMAGE_LOST]"),
        "{text}"
    );
}
