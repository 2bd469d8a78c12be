//! Compressed arrays.

use meshlens::Model;
use meshlens::md3::write;
use meshlens_gltf::{Export, Meshopt, Options};
use meshlens_testkit::real;
use meshlens_testkit::share::is_all;
use serde_json::json;

use super::one_node;
use super::size::{file, glb, turned};

/// Asserts that a file has the same content with and without compression. Returns both lengths.
fn compares(name: &str, bytes: &[u8], options: Options<'_>) -> (usize, usize) {
    let plain = glb(bytes, &options);
    let packed = glb(bytes, &Options { meshopt: Some(Meshopt::default()), ..options });
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
    let extension = json!("KHR_meshopt_compression");
    let is_listed = |list: &str| packed.list(list).contains(&extension);
    let compressed = views.count() > 0;
    assert_eq!((is_listed("extensionsUsed"), is_listed("extensionsRequired")), (compressed, compressed));
    if compressed {
        let buffers = packed.list("buffers");
        assert_eq!(buffers.len(), 2);
        assert_eq!(buffers[0]["byteLength"].as_u64().unwrap() as usize, packed.bin.len());
        assert_eq!(buffers[1]["extensions"], json!({ "KHR_meshopt_compression": { "fallback": true } }));
        assert!(buffers[1].get("uri").is_none());
    }
    (plain.len, packed.len)
}

#[test]
fn compressed_arrays_decompress_to_the_original_bytes() {
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
                // If a model has invalid triangles, no file is written.
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

/// A grid of `side` squared vertices with a few frames, whose normals rotate.
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
fn compression_keeps_blocks_of_every_length_and_rotating_normals() {
    for side in [2, 3, 4, 5, 15, 16, 17, 23] {
        for quantize in [false, true] {
            compares(&format!("{side}"), &sheet(side), Options { quantize, ..Options::default() });
        }
    }
    let bytes = sheet(40);
    let options = Options { quantize: true, ..Options::default() };
    let (plain, packed) = compares("40", &bytes, options);
    assert!(packed * 3 < plain, "{packed} of {plain}");
    let packed = glb(&bytes, &Options { meshopt: Some(Meshopt::default()), ..options });
    let has = |name: &str, value: &str| {
        let views = packed.list("bufferViews").iter();
        views.filter(|view| view["extensions"]["KHR_meshopt_compression"][name] == value).count()
    };
    assert!(
        has("mode", "TRIANGLES") == 1 && has("mode", "ATTRIBUTES") > 3 && has("filter", "EXPONENTIAL") == 1
    );
    // Rotated normals are restored to within half a quantization step.
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
fn the_largest_real_player_is_compressed_to_a_quarter() {
    // It has 4.5 MB.
    let Some(folder) = real::folder().filter(|_| is_all()) else { return };
    let path = folder.join("md3/pak2-players-mature/models/players/angelyss/lower.md3");
    let Ok(bytes) = std::fs::read(path) else { return };
    assert_eq!(bytes.len(), 4_530_924);
    let options = Options { quantize: true, ..Options::default() };
    let (_, packed) = compares("angelyss", &bytes, options);
    assert!(packed < 4_000_000, "{packed}");
}
