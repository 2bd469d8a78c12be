//! glTF files whose buffers are in other files: their length, and non-finite values.

use std::fs::{self, File};
use std::io::Write;

use meshlens_testkit::share::few_or_all;
use serde_json::json;
use zip::write::SimpleFileOptions;

use super::archives::archive;
use super::{assert_code, folder, shell, stderr};

/// A triangle in the first 36 bytes of `big.bin`, which 100 buffers refer to.
fn document() -> String {
    let mut buffers = vec![json!({ "byteLength": 36, "uri": "big.bin" })];
    buffers.resize(100, json!({ "byteLength": 4, "uri": "big.bin" }));
    let position = json!({ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [9, 9, 9] });
    json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [position],
        "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
        "buffers": buffers,
    })
    .to_string()
}

#[test]
fn buffers_are_read_by_their_length() {
    let (_keep, path) = folder();
    fs::write(path.join("a.gltf"), document()).unwrap();
    File::create(path.join("big.bin")).unwrap().set_len(3 << 30).unwrap();
    archive(&path.join("a.pk3"), |zip| {
        zip.start_file("a.gltf", SimpleFileOptions::default()).unwrap();
        zip.write_all(document().as_bytes()).unwrap();
        zip.start_file("big.bin", SimpleFileOptions::default()).unwrap();
        // The file inflates to about 80 times its compressed size, which archives allow.
        for chunk in 0..few_or_all(4u32, 96) << 10 {
            zip.write_all(&chunk.to_le_bytes().repeat(256)).unwrap();
        }
    });
    for name in ["a.gltf", "a.pk3!a.gltf"] {
        let line = format!(
            r#"ulimit -d 65536; "$meshlens" convert --max-memory 2M -j 1 -o "$1/a.md3" --force "$1/{name}""#
        );
        assert_code(&shell(&line, &path), 0);
        fs::remove_file(path.join("a.md3")).unwrap();
    }
}

#[test]
fn values_that_are_not_finite_are_a_warning() {
    let (_keep, path) = folder();
    fs::write(path.join("a.gltf"), document()).unwrap();
    let positions = [f32::NAN, 0.0, 0.0, 1.0, f32::INFINITY, 0.0, 0.0, 1.0, 0.0];
    fs::write(path.join("big.bin"), positions.map(f32::to_le_bytes).as_flattened()).unwrap();
    for target in ["md3", "unreal", "u3d", "unigine", "glb"] {
        let line = format!(r#""$meshlens" convert --strict --out-dir "$1" --to {target} "$1/a.gltf""#);
        let output = shell(&line, &path);
        assert_code(&output, 1);
        let expected = "a.gltf: warning: 2 positions that are not finite; they became 0";
        assert!(stderr(&output).contains(expected), "{target}: {}", stderr(&output));
    }
    // In the MD3 model, positions are finite, but texture coordinates may have any bits.
    let mut md3 = super::model();
    let texcoord = u32::from_le_bytes(*md3[108 + 56 + 96..].first_chunk().unwrap()) as usize;
    assert_eq!(&md3[108 + 56..][..4], b"IDP3", "a surface after one frame");
    md3[108 + 56 + texcoord..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(path.join("b.md3"), md3).unwrap();
    let output = shell(r#""$meshlens" convert --strict --out-dir "$1" --to unreal "$1/b.md3""#, &path);
    assert_code(&output, 1);
    assert!(stderr(&output).contains("1 texture coordinates that are not finite"), "{}", stderr(&output));
}
