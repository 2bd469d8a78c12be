//! Memory is charged as it grows, and calls can share a budget.

use super::one_node;
use meshlens::Model;
use meshlens::import::Roots;
use meshlens::model::export;
use meshlens::wire::Budget;
use meshlens_gltf::{Error, Export, ImportLimits, ImportOptions, Options, Read, import, import_within};
use serde_json::json;

/// There are no files beside a document.
const NOTHING_BESIDE: &Read<'_> = &|_, _| None;

/// Options with a limit of bytes.
fn limited(bytes: usize) -> ImportOptions {
    ImportOptions { limits: ImportLimits { bytes, ..ImportLimits::DEFAULT }, ..ImportOptions::default() }
}

/// A GLB of a document and its buffer.
fn glb(document: &serde_json::Value, bin: &[u8]) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let total = 12 + 8 + text.len() + 8 + bin.len();
    let mut glb = b"glTF\x02\0\0\0".to_vec();
    glb.extend((total as u32).to_le_bytes());
    glb.extend((text.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(text);
    glb.extend((bin.len() as u32).to_le_bytes());
    glb.extend(b"BIN\0");
    glb.extend(bin);
    glb
}

/// `nodes` nodes that all show one mesh of `vertices` vertices.
fn instances(nodes: usize, vertices: usize) -> Vec<u8> {
    let bin = vec![0; vertices * 12];
    let document = json!({
        "asset": { "version": "2.0" },
        "nodes": vec![json!({ "mesh": 0 }); nodes],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [{
            "bufferView": 0, "componentType": 5126, "type": "VEC3", "count": vertices,
            "min": [0, 0, 0], "max": [0, 0, 0],
        }],
        "bufferViews": [{ "buffer": 0, "byteLength": bin.len() }],
        "buffers": [{ "byteLength": bin.len() }],
    });
    glb(&document, &bin)
}

/// The result of a call, and the largest number of bytes that it held at one time.
fn measured<T>(run: impl FnOnce() -> T) -> (T, u64) {
    let (mut run, mut result) = (Some(run), None);
    let found = allocation_counter::measure(|| result = Some(run.take().unwrap()()));
    (result.unwrap(), found.bytes_max)
}

#[test]
fn four_thousand_nodes_of_one_mesh_stop_at_the_limit() {
    let bytes = instances(4000, 7500);
    assert!((134_000..135_500).contains(&bytes.len()), "{}", bytes.len());
    let options = limited(32 << 20);
    let (result, peak) = measured(|| crate::merged::import(&bytes, &options, NOTHING_BESIDE));
    let error = result.err().unwrap().to_string();
    assert!(error.contains("the limit is 33554432"), "{error}");
    assert!(peak <= 32 << 20, "{peak} bytes for a file of {}", bytes.len());
}

#[test]
fn an_import_stays_within_its_budget_and_releases_it() {
    let files = [(1, 3), (1, 30_000), (300, 300), (4000, 3)];
    for ((nodes, vertices), roots) in files.map(|file| [(file, Roots::Merged), (file, Roots::Nodes)]).concat()
    {
        let bytes = instances(nodes, vertices);
        let budget = Budget::new(256 << 20);
        let options = ImportOptions { roots, ..ImportOptions::default() };
        let (imported, peak) = measured(|| import_within(&bytes, &options, NOTHING_BESIDE, &budget));
        let (scene, _) = imported.unwrap();
        assert_eq!(scene.nodes.len(), if roots == Roots::Nodes { nodes } else { 1 });
        assert_eq!(scene.nodes.iter().map(|node| node.model.meshes.len()).sum::<usize>(), nodes);
        let reserved = budget.reserved() as u64;
        assert!(peak <= reserved, "{nodes} x {vertices}: {peak} bytes at most, {reserved} reserved");
        // With one byte less, the import is refused.
        let short = Budget::new(budget.reserved() - 1);
        let refused = import_within(&bytes, &options, NOTHING_BESIDE, &short);
        assert!(matches!(refused, Err(Error::Memory(over)) if over.limit == short.limit()));
        assert_eq!(short.reserved(), 0);
        let clone = scene.clone();
        drop(scene);
        assert_eq!(budget.reserved() as u64, reserved, "the clone has the arrays still");
        drop(clone);
        assert_eq!(budget.reserved(), 0);
    }
}

#[test]
fn two_imports_share_a_budget() {
    let bytes = instances(100, 1000);
    let budget = Budget::new(12 << 20);
    let options = ImportOptions { roots: Roots::Merged, ..ImportOptions::default() };
    let one = || import_within(&bytes, &options, NOTHING_BESIDE, &budget);
    let first = one().unwrap();
    match one() {
        Err(Error::Memory(over)) => assert!(over.fits_alone(), "{over}"),
        other => panic!("{:?}", other.map(|_| ())),
    }
    drop(first);
    assert!(one().is_ok());
}

/// A document with `tracks` channels that all have the same keys.
fn tracks(tracks: usize, keys: usize) -> serde_json::Value {
    json!({
        "asset": { "version": "2.0" },
        "nodes": vec![json!({}); tracks],
        "animations": [{
            "samplers": [{ "input": 0, "output": 1 }],
            "channels": (0..tracks)
                .map(|node| json!({ "sampler": 0, "target": { "node": node, "path": "translation" } }))
                .collect::<Vec<_>>(),
        }],
        "accessors": [
            { "componentType": 5126, "type": "SCALAR", "count": keys, "min": [0], "max": [0] },
            { "componentType": 5126, "type": "VEC3", "count": keys },
        ],
    })
}

#[test]
fn joints_times_keys_stop_at_the_limit() {
    // The keys of a track are 16 MiB of zeros: accessors without a view.
    let bytes = tracks(1000, 1 << 20).to_string().into_bytes();
    let options = limited(40 << 20);
    let (result, peak) = measured(|| import(&bytes, &options, NOTHING_BESIDE));
    let error = result.err().unwrap().to_string();
    assert!(error.starts_with("gltf: 1048576 elements x "), "{error}");
    assert!(error.ends_with("the limit is 41943040"), "{error}");
    assert!(peak <= 40 << 20, "{peak}");
}

/// A text is refused because of its length. A file of gigabytes is not searched for members.
#[test]
fn a_long_text_is_refused_by_its_length() {
    let bytes = vec![b'['; 3000];
    let options = limited(5000);
    let error = import(&bytes, &options, NOTHING_BESIDE).err().unwrap();
    assert!(error.to_string().contains("3000 bytes of JSON need 6000 bytes of memory"), "{error}");
}

#[test]
fn buffers_and_data_uris_count() {
    let data = format!("data:application/octet-stream;base64,{}", "A".repeat(4000));
    let document = json!({
        "asset": { "version": "2.0" },
        "buffers": vec![json!({ "byteLength": 3000, "uri": data }); 200],
    });
    let bytes = document.to_string().into_bytes();
    let needed = |limit| {
        let options = limited(limit);
        import(&bytes, &options, NOTHING_BESIDE)
    };
    assert!(needed(8 << 20).is_ok());
    let error = needed(2_500_000).err().unwrap().to_string();
    assert!(error.contains("a data URI of 3000 bytes, need "), "{error}");
}

/// 1000 buffers name one file. The file is read once, up to the length of the longest buffer, and these bytes are
/// charged.
#[test]
fn a_file_of_many_buffers_is_read_once() {
    let mut buffers = vec![json!({ "byteLength": 4, "uri": "x.bin" }); 999];
    // Another spelling of the same path.
    buffers.push(json!({ "byteLength": 300_000, "uri": "%78.bin" }));
    let document = json!({ "asset": { "version": "2.0" }, "buffers": buffers });
    let bytes = document.to_string().into_bytes();
    let asked = std::cell::RefCell::new(Vec::new());
    let read = |path: &str, len: usize| {
        asked.borrow_mut().push((path.to_owned(), len));
        Some(vec![0; len])
    };
    let (result, peak) = measured(|| import(&bytes, &ImportOptions::default(), &read).map(|_| ()));
    result.unwrap();
    assert_eq!(asked.take(), [("x.bin".to_owned(), 300_000)]);
    assert!(peak < 8 << 20, "{peak}");
}

/// The bytes of a file are reserved before it is read.
#[test]
fn a_file_beyond_the_budget_is_not_read() {
    let document = json!({
        "asset": { "version": "2.0" },
        "buffers": [{ "byteLength": 4, "uri": "x.bin" }, { "byteLength": 9_000_000, "uri": "y.bin" }],
    });
    let asked = std::cell::RefCell::new(Vec::new());
    let read = |path: &str, len: usize| {
        asked.borrow_mut().push(path.to_owned());
        Some(vec![0; len])
    };
    let options = limited(8 << 20);
    let bytes = document.to_string().into_bytes();
    let error = import(&bytes, &options, &read).err().unwrap();
    assert!(error.to_string().contains("buffer 1, 9000000 bytes of a file, need "), "{error}");
    assert_eq!(asked.take(), ["x.bin"]);
}

#[test]
fn long_names_of_frames_count() {
    // A name of 64 KiB for each of 2001 frames of 2 meshes.
    let name = "n".repeat(64 << 10);
    let bin: Vec<u8> = [0.0f32, 200.0].into_iter().chain([0.0; 9]).flat_map(f32::to_le_bytes).collect();
    let document = json!({
        "asset": { "version": "2.0" },
        "nodes": [{ "mesh": 0 }, { "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 1 } }] }],
        "animations": [{
            "name": name,
            "samplers": [{ "input": 0, "output": 2 }],
            "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
        }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "type": "SCALAR", "count": 2, "min": [0], "max": [200] },
            {
                "bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 3,
                "min": [0, 0, 0], "max": [0, 0, 0],
            },
            { "bufferView": 1, "componentType": 5126, "type": "VEC3", "count": 2 },
        ],
        "bufferViews": [{ "buffer": 0, "byteLength": 8 }, { "buffer": 0, "byteOffset": 8, "byteLength": 36 }],
        "buffers": [{ "byteLength": 44 }],
    });
    let bytes = glb(&document, &bin);
    let options = ImportOptions { rate: Some(10.0), ..limited(64 << 20) };
    let run = || import(&bytes, &options, NOTHING_BESIDE);
    let (result, peak) = measured(run);
    let error = result.err().unwrap().to_string();
    assert!(error.starts_with("gltf: 2001 elements x 65"), "{error}");
    assert!(peak < 8 << 20, "{peak}");
}

#[test]
fn conversions_of_the_corpus_take_no_more_than_they_reserve() {
    let folder = meshlens_testkit::real::workspace_root().join("corpus");
    let mut checked = 0;
    for format in ["md3", "u3d", "unigine"] {
        for entry in std::fs::read_dir(folder.join(format)).unwrap() {
            let path = entry.unwrap().path();
            let Ok(bytes) = std::fs::read(&path) else { continue };
            let Ok(model) = Model::parse(&bytes) else { continue };
            let budget = Budget::new(64 << 20);
            let reserved = export::reserve(&model, &budget).unwrap().bytes() as u64;
            let holds = |what: &str, peak: u64, reserved: u64| {
                assert!(peak <= reserved, "{} to {what}: {peak} of {reserved}", path.display());
            };
            holds("MD3", measured(|| export::to_md3(&model, "m", 1.0).map(|made| made.0.len())).1, reserved);
            holds(
                "Ultimate 3D",
                measured(|| export::to_u3d(&model, 1.0).map(|made| made.0.len())).1,
                reserved,
            );
            holds(
                "UNIGINE",
                measured(|| export::to_unigine(&model, 1.0).map(|made| made.0.len())).1,
                reserved,
            );
            holds("Unreal", measured(|| export::to_unreal(&model, "m", 1.0).map(|_| ())).1, reserved);
            let scene = one_node("model", &model);
            let options = Options { budget: Some(&budget), lods: true, ..Options::default() };
            let run = || {
                let export = Export::plan(&scene, &options).unwrap();
                export.write_glb(&mut std::io::sink()).unwrap();
                budget.reserved() as u64
            };
            let (reserved, peak) = measured(run);
            holds("glTF", peak, reserved);
            assert_eq!(budget.reserved(), 0);
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}
