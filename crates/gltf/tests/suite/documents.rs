//! Documents that are broken, or have content that is not read.

use meshlens::model::Model;
use meshlens_gltf::{ImportOptions, Skins};

use crate::merged::import;

use super::back::{corpus, glb, messages, read};

/// A document of one triangle with an animation that moves its node.
pub(super) fn small_document() -> String {
    small_document_at([0.0, 0.5, 1.0])
}

/// The same document with other times of the three keys.
pub(super) fn small_document_at(times: [f32; 3]) -> String {
    let mut bin = Vec::new();
    bin.extend([0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0].into_iter().flat_map(f32::to_le_bytes));
    bin.extend(times.into_iter().flat_map(f32::to_le_bytes));
    bin.extend([0.0f32, 0.0, 0.0, 0.0, 0.0, 4.0, 8.0, 0.0, 0.0].into_iter().flat_map(f32::to_le_bytes));
    let data = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, bin);
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"mesh":0,"name":"n","children":[1]}},{{"name":"tag_x","translation":[1,2,3]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "animations":[{{"name":"go","channels":[{{"sampler":0,"target":{{"node":0,"path":"translation"}}}}],
          "samplers":[{{"input":1,"output":2}}]}}],
        "accessors":[
          {{"bufferView":0,"count":3,"componentType":5126,"type":"VEC3","min":[0,0,0],"max":[1,2,0]}},
          {{"bufferView":0,"byteOffset":36,"count":3,"componentType":5126,"type":"SCALAR","min":[0],"max":[1]}},
          {{"bufferView":0,"byteOffset":48,"count":3,"componentType":5126,"type":"VEC3"}}],
        "bufferViews":[{{"buffer":0,"byteLength":84}}],
        "buffers":[{{"byteLength":84,"uri":"data:application/octet-stream;base64,{data}"}}]}}"#
    )
}

#[test]
fn frames_are_baked_at_the_requested_rate() {
    let document = small_document();
    let at = |rate| {
        import(document.as_bytes(), &ImportOptions { rate, ..ImportOptions::default() }, &read).unwrap().0
    };
    // Keys are half a second apart: two frames per second.
    let own = at(None);
    assert_eq!((own.frame_count(), own.clips[0].rate.get(), own.clips[0].name.as_str()), (3, 2.0, "go"));
    let corner = |model: &Model<'_>, frame| model.meshes[0].positions(frame).unwrap().get(1).unwrap();
    assert_eq!(
        [0, 1, 2].map(|frame| corner(&own, frame)),
        [[1.0, 0.0, 0.0], [1.0, 0.0, 4.0], [9.0, 0.0, 0.0]]
    );
    let double = at(Some(4.0));
    assert_eq!(double.frame_count(), 5);
    assert_eq!(corner(&double, 3), [5.0, 0.0, 2.0], "three quarters of a second in: halfway");
    // A tag below the node moves with it.
    assert_eq!(double.tag_pose(0, 3).unwrap().origin, [5.0, 2.0, 5.0]);
    // The only triangle faces Z, and the file has no normals.
    let mut normals = Vec::new();
    assert!(double.meshes[0].normals_into(0, &mut normals).unwrap());
    assert_eq!(normals, [[0.0, 0.0, 1.0]; 3]);
}

/// Replaces a text in the small document by another. The import must then fail with an error that contains the third
/// text, or succeed if the third text is empty.
fn assert_broken(rows: &[(&str, &str, &str)]) {
    for (from, to, says) in rows {
        let document = small_document();
        assert!(document.contains(from), "{from}");
        match import(document.replacen(from, to, 1).as_bytes(), &ImportOptions::default(), &read) {
            Ok(_) => assert_eq!(*says, "", "{to}"),
            Err(error) => assert!(!says.is_empty() && error.to_string().contains(says), "{to}: {error}"),
        }
    }
}

#[test]
fn files_without_a_document_or_a_buffer_are_errors() {
    let options = ImportOptions::default();
    assert!(import(b"glTF", &options, &read).is_err());
    assert!(import(b"{}", &options, &read).is_err());
    let missing = br#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"gone.bin"}]}"#;
    assert_eq!(import(missing, &options, &read).err().unwrap().to_string(), "gltf: gone.bin: cannot be read");
    // A header with a file length that is less than the size of the header.
    assert!(import(b"glTF\x02\0\0\0\x04\0\0\0", &options, &read).is_err());
}

#[test]
fn broken_scenes_and_nodes_are_errors() {
    assert_broken(&[
        (r#""version":"2.0""#, r#""version":"1.0""#, "/asset/version: expected version 2.0, found \"1.0\""),
        (r#""asset""#, r#""assets""#, "the document: missing field `asset` at line"),
        (r#""scene":0"#, r#""scene":1"#, "/scene: expected an index below 1, found 1"),
        (r#""scene":0"#, r#""scene":0,"scene":0"#, "/scene: duplicate field `scene` at line"),
        (r#""nodes":[0]"#, r#""nodes":[2]"#, "/scenes/0/nodes/0: expected an index below 2, found 2"),
        (r#""nodes":[0]"#, r#""nodes":0"#, "/scenes/0/nodes: invalid type: integer `0`, expected a sequence"),
        (r#""mesh":0"#, r#""mesh":-1"#, "/nodes/0/mesh: invalid value: integer `-1`, expected usize at line"),
        (r#""mesh":0"#, r#""mesh":0,"skin":0"#, "/nodes/0/skin: expected an index below 0, found 0"),
        (r#"[1,2,3]"#, r#"[1,2]"#, "/nodes/1/translation: invalid length 2, expected an array of length 3"),
        (r#"[1,2,3]"#, r#"[1,2,{}]"#, "/nodes/1/translation/2: invalid type: map, expected f64"),
        (r#""name":"n""#, r#""name":null,"extras":[1]"#, ""),
        (r#""name":"n""#, r#""name":7"#, "/nodes/0/name: invalid type: integer `7`, expected a string"),
        (r#""children":[1]"#, r#""children":[1,0]"#, "/nodes: a node is its own ancestor"),
        (r#""children":[1]"#, r#""children":[1,1]"#, "/nodes/1: expected one parent"),
    ]);
}

#[test]
fn broken_primitives_are_errors() {
    assert_broken(&[
        (
            r#""POSITION":0"#,
            r#""POSITION":9"#,
            "/meshes/0/primitives/0/attributes/POSITION: expected an index below 3, found 9",
        ),
        (r#""POSITION":0"#, r#""POSITION":0,"A/B":0"#, "attributes/A~1B: expected a known attribute"),
        (r#""POSITION":0"#, r#""NORMAL":0"#, "primitives/0/attributes: the member POSITION is missing"),
        (
            r#""POSITION":0"#,
            r#""POSITION":2"#,
            "/accessors/2: expected min and max of 3 numbers each, as it has the positions of /meshes/0/primitives/0",
        ),
        (
            r#""POSITION":0}"#,
            r#""POSITION":0},"mode":7"#,
            "primitives/0/mode: expected a mode from 0 to 6, found 7",
        ),
        (
            r#""POSITION":0}"#,
            r#""POSITION":0},"indices":3"#,
            "primitives/0/indices: expected an index below 3",
        ),
    ]);
}

#[test]
fn broken_animations_are_errors() {
    assert_broken(&[
        (r#""node":0,"#, r#""node":7,"#, "/animations/0/channels/0/target/node: expected an index below 2"),
        (
            r#""path":"translation""#,
            r#""path":"spin""#,
            "target/path: expected translation, rotation, scale or weights",
        ),
        (r#""sampler":0"#, r#""sampler":1"#, "channels/0/sampler: expected an index below 1, found 1"),
        (
            r#""output":2"#,
            r#""output":2,"interpolation":"EASE""#,
            "/interpolation: unknown variant `EASE`, expected one of `LINEAR`, `STEP`",
        ),
    ]);
}

#[test]
fn broken_accessors_and_buffers_are_errors() {
    assert_broken(&[
        (r#""byteOffset":48"#, r#""byteOffset":52"#, "/accessors/2: expected elements inside its view"),
        (r#""type":"SCALAR""#, r#""type":"VEC2""#, "/accessors/1: expected 1 components"),
        (
            r#""type":"SCALAR""#,
            r#""type":"VEC5""#,
            "/accessors/1/type: unknown variant `VEC5`, expected one of `SCALAR`, `VEC2`, `VEC3`",
        ),
        (
            r#""componentType":5126"#,
            r#""componentType":5124"#,
            "/accessors/0/componentType: expected a component",
        ),
        (r#""bufferView":0,"count":3"#, r#""bufferView":0,"count":900000000000"#, "the limit is 536870912"),
        (r#""buffer":0"#, r#""buffer":1"#, "/bufferViews/0/buffer: expected an index below 1, found 1"),
        (
            r#""buffer":0"#,
            r#""buffer":0,"byteStride":3"#,
            "/bufferViews/0/byteStride: expected 4 to 252 bytes",
        ),
        (r#""byteLength":84,"#, r#""byteLength":85,"#, "/buffers/0: expected 85 bytes, found 84"),
        // Without a length, an external file would be read as empty.
        (r#""byteLength":84,"#, "", "/buffers/0: missing field `byteLength`"),
    ]);
}

#[test]
fn an_animation_with_too_many_frames_is_an_error() {
    // A rate that would result in more frames than the limit.
    let many = ImportOptions { rate: Some(1e30), ..ImportOptions::default() };
    let error = import(small_document().as_bytes(), &many, &read).err().unwrap().to_string();
    assert_eq!(error, "gltf: animation go: more than 4096 frames in all");
}

#[test]
fn times_of_keys_are_finite_and_do_not_decrease() {
    for skins in [Skins::Bake, Skins::Keep] {
        let options = ImportOptions { rate: Some(4.0), skins, ..ImportOptions::default() };
        for (times, found) in [
            ([0.0, f32::NAN, 1.0], "NaN at key 1"),
            ([0.0, 0.5, f32::INFINITY], "inf at key 2"),
            ([f32::NEG_INFINITY, 0.5, 1.0], "-inf at key 0"),
            ([0.0, 1.0, 0.5], "0.5 after 1 at key 2"),
        ] {
            let error =
                import(small_document_at(times).as_bytes(), &options, &read).err().unwrap().to_string();
            let expected = "gltf: /accessors/1: expected times of keys that are finite and increase, found";
            assert_eq!(error, format!("{expected} {found}"));
        }
        let report =
            |times| messages(&import(small_document_at(times).as_bytes(), &options, &read).unwrap().1);
        assert_eq!(report([0.0, 0.5, 1.0]), [""; 0]);
        assert_eq!(report([0.0, 1.0, 1.0]), ["animation go: 1 tracks with several keys at one time"]);
        assert_eq!(report([-0.5, 0.5, 1.0]), ["animation go: 1 tracks with keys before time 0"]);
    }
    let options = ImportOptions { rate: Some(4.0), ..ImportOptions::default() };
    let x_and_z = |times| {
        let (model, _) = import(small_document_at(times).as_bytes(), &options, &read).unwrap();
        let corner = |frame: usize| model.meshes[0].positions(frame).unwrap().get(0).unwrap();
        (0..model.frame_count()).map(|frame| [corner(frame)[0], corner(frame)[2]]).collect::<Vec<_>>()
    };
    // From (0, 0) to (0, 4) in the first half of a second; then a jump to (8, 0).
    assert_eq!(x_and_z([0.0, 0.5, 0.5]), [[0.0, 0.0], [0.0, 2.0], [8.0, 0.0]]);
    // The first key is before the first frame, and the first frame is halfway to (0, 4).
    assert_eq!(x_and_z([-0.5, 0.5, 0.5]), [[0.0, 2.0], [0.0, 3.0], [8.0, 0.0]]);
}

#[test]
fn damaged_documents_are_errors_or_models() {
    let options = ImportOptions::default();
    let small = small_document();
    let mut whole = glb(&Model::parse(&corpus("unigine/skinned_ms11.mesh")).unwrap());
    for len in (0..whole.len()).step_by(97) {
        assert!(import(&whole[..len], &options, &read).is_err());
    }
    // Every byte of the small document is changed in turn, and some bytes of the larger one.
    let mut bytes = small.clone().into_bytes();
    for at in 0..bytes.len() {
        for other in *b"90\"}-" {
            let kept = std::mem::replace(&mut bytes[at], other);
            let _ = import(&bytes, &options, &read);
            bytes[at] = kept;
        }
    }
    let text = u32::from_le_bytes(whole[12..16].try_into().unwrap()) as usize;
    for at in (20..20 + text).filter(|at| whole[*at].is_ascii_digit()).collect::<Vec<_>>() {
        let other = if whole[at] == b'9' { b'1' } else { b'9' };
        let kept = std::mem::replace(&mut whole[at], other);
        if at % 7 == 0 {
            let _ = import(&whole, &options, &read);
        }
        whole[at] = kept;
    }
}

#[test]
fn a_required_extension_that_is_not_supported_is_named_with_a_remedy() {
    let required = |name: &str| {
        let document = format!(
            r#"{{"asset":{{"version":"2.0"}},"extensionsRequired":["{name}"],"extensionsUsed":["{name}"]}}"#
        );
        import(document.as_bytes(), &ImportOptions::default(), &read).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        required("KHR_draco_mesh_compression"),
        "gltf: the extension KHR_draco_mesh_compression is required and not supported; \
         export the file again with Draco compression off"
    );
    assert_eq!(
        required("VENDOR_other"),
        "gltf: the extension VENDOR_other is required and not supported; export the file again without it"
    );
}

#[test]
fn targets_and_properties_of_extensions_are_ignored() {
    let document = small_document()
        .replace(
            r#""target":{"node":0,"path""#,
            r#""target":{"path":"pointer"}},{"sampler":0,"target":{"node":0,"path""#,
        )
        .replace(
            r#""asset""#,
            r#""textures":[{}],"materials":[{"name":"m",
            "pbrMetallicRoughness":{"baseColorFactor":[0,0.5,1,1],"baseColorTexture":{"index":0}},
            "extensions":{"KHR_materials_unlit":{}},"alphaMode":"MASK","doubleSided":true}],"asset""#,
        );
    let (model, losses) = import(document.as_bytes(), &ImportOptions::default(), &read).unwrap();
    assert_eq!(messages(&losses), ["animation go: 1 channels that move no node"]);
    assert_eq!(model.clips[0].count, 3, "the other channel moves the node");
    let material = &model.materials[0];
    assert_eq!((material.name.as_str(), material.texture.as_deref()), ("m", None));
    assert_eq!((material.color, material.unlit, material.two_sided), ([0.0, 0.5, 1.0, 1.0], true, true));
    // An accessor without a view has only zeros.
    let document = small_document().replacen(r#""bufferView":0,"count":3"#, r#""count":3"#, 1);
    let (model, _) = import(document.as_bytes(), &ImportOptions::default(), &read).unwrap();
    assert_eq!(model.meshes[0].positions(0).unwrap().to_vec(), [[0.0; 3]; 3]);
}
