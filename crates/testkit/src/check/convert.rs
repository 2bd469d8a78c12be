//! Conversion: models to glTF and to every other format, and arbitrary glTF to models.

use std::cell::RefCell;
use std::collections::HashMap;

use meshlens::import::Roots;
use meshlens::model::{ImageBytes, Material, Model, export};
use meshlens::scene::{Node, Scene, Socket};
use meshlens::{Document, Format, Report, Severity};
use meshlens_gltf::{
    Export, Frames, ImportLimits, ImportOptions, Meshopt, Normals, Options, PORTABLE_MORPH_TARGETS, Skins,
    Texture, import, import_within,
};
use meshlens_unreal::Unreal;
use meshlens_unreal::script::Script;
use meshlens_wire::Budget;

use super::explained;
use super::model::{view, with_model};
use crate::meter;

/// Converts a model of any format to every other format. The last four bytes choose the frames, the options and the
/// scale.
pub fn convert(bytes: &[u8]) {
    let Some((bytes, [frames, number, how, scale])) = bytes.split_last_chunk() else { return };
    with_model(bytes, |model| {
        let scale = *SCALES.get(usize::from(*scale)).unwrap_or(&1.0);
        let name = model.clips.first().map(|clip| clip.name.clone()).unwrap_or_default();
        let number = usize::from(*number);
        let options = Options {
            frames: match frames % 5 {
                0 | 1 => Frames::All,
                2 => Frames::Range(number % 8, number),
                3 => Frames::Clip(&name),
                _ => Frames::One(number),
            },
            step: how & 1 > 0,
            quantize: how & 2 > 0,
            normals: if how & 32 > 0 { Normals::Base } else { Normals::All },
            compact_joints: number & 1 > 0,
            max_targets: if frames < &128 { PORTABLE_MORPH_TARGETS } else { usize::from(frames & 3) },
            meshopt: (how & 64 > 0).then_some(if how & 128 > 0 { Meshopt::Ext } else { Meshopt::Khr }),
            lods: how & 16 > 0,
            scale,
            textures: (how & 4 > 0).then_some(&texture),
            budget: None,
        };
        let mut whole = Node { rest_frame: number, ..Node::new("whole", model.clone()) };
        let mut scene = Scene::default();
        if how & 8 > 0 {
            whole.lods.push(model.clone());
            let held = Node::new("held", model.clone());
            let socket = match model.tags.first() {
                Some(tag) => Socket::Tag(tag.index),
                None => Socket::Joint(number),
            };
            scene.nodes.push(held.attached_to(1, socket));
        }
        scene.nodes.push(whole);
        to_gltf(&scene, &options);
        to_each_format(model, scale);
    });
}

/// Imports arbitrary glTF. An imported model is checked like any other and exported to each format.
pub fn gltf(bytes: &[u8]) {
    let (merged, nodes) = (Roots::Merged, Roots::Nodes);
    let all = [(None, Skins::Bake, merged), (Some(24.0), Skins::Bake, nodes), (None, Skins::Keep, nodes)];
    for (rate, skins, roots) in all {
        // Files next to the glTF file. Each one is read once, and at most up to the limits.
        let asked = RefCell::new(HashMap::new());
        let read = |path: &str, len: usize| {
            let mut asked = asked.borrow_mut();
            assert!(asked.insert(path.to_owned(), len).is_none(), "{path} is read again");
            assert!(asked.values().sum::<usize>() <= LIMITS.bytes, "{asked:?}");
            path.ends_with(".bin").then(|| vec![0x3f; len.min(BESIDE)])
        };
        let options = ImportOptions { rate, skins, roots, limits: LIMITS, at_rest: false, lods: true };
        let budget = Budget::new(LIMITS.bytes);
        let (base, input) = (meter::MEMORY_BASE as usize, bytes.len() * meter::MEMORY_PER_BYTE as usize);
        let imported = meter::within(base + input + LIMITS.bytes, "an import", || {
            import_within(bytes, &options, &read, &budget)
        });
        let Some((scene, _)) = explained(imported) else { continue };
        scene.nodes.iter().for_each(|node| view(&node.model));
        if rate.is_none() {
            // A file of a few bytes may have any number of nodes.
            let nodes = scene.nodes.iter().take(4);
            nodes.for_each(|node| to_each_format(&node.placed_model(), 1.0));
            to_gltf(&scene, &Options::default());
        }
    }
}

/// Realistic and hostile scales. Most bytes select 1.
const SCALES: [f32; 12] = [
    1.0,
    0.0254,
    32.0,
    0.0,
    -1.0,
    1e30,
    1e-30,
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MAX,
    f32::MIN_POSITIVE,
];

/// The memory that a conversion may use. A frame of joints may need no bytes in the file, but one value for every
/// vertex. A conversion that would use more memory is refused before it starts.
const MEMORY: usize = 16 << 20;

/// The limits of an import. A few bytes of JSON can describe any number of zeros, and sanitizers are slow.
const LIMITS: ImportLimits = ImportLimits { frames: 512, bytes: 1 << 22, work: 1 << 18 };

/// The size of a file next to a glTF file.
const BESIDE: usize = 1 << 20;

/// No texture or a texture of some kind, chosen by the length of the path.
fn texture(material: &Material) -> Option<Texture> {
    match material.texture.as_deref().unwrap_or_default().len() % 3 {
        0 => None,
        1 => Some(Texture::File("beside.png".into())),
        _ => Some(Texture::Embedded { mime_type: "image/png", bytes: ImageBytes::new(b"\x89PNG\r\n\x1a\n") }),
    }
}

fn to_gltf(scene: &Scene<'_>, options: &Options<'_>) {
    let budget = Budget::new(MEMORY);
    let options = Options { budget: Some(&budget), ..*options };
    let plan = || {
        let export = Export::plan(scene, &options)?;
        export.write_glb(&mut std::io::sink())?;
        Ok::<_, meshlens_gltf::Error>(export)
    };
    let export = meter::within(MEMORY, "an export to glTF", plan);
    let Some(mut export) = explained(export) else { return };
    let mut glb = Vec::new();
    let written = export.write_glb(&mut glb).expect("memory takes everything");
    assert_eq!((written, export.glb_len()), (glb.len() as u64, glb.len() as u64));
    assert!(export.warnings().iter().all(|line| !line.is_empty()));
    super::report_of(export.losses(), |_| &[]);
    // The output is read by the same rules as any other file.
    let read = |_: &str, _: usize| None;
    let limits = ImportLimits { frames: 4096, bytes: 1 << 28, work: 1 << 22 };
    for skins in [Skins::Keep, Skins::Bake] {
        let options = ImportOptions { skins, limits, ..ImportOptions::default() };
        match import(&glb, &options, &read) {
            Ok((scene, _)) => scene.nodes.iter().for_each(|node| view(&node.model)),
            Err(found) => {
                let found = found.to_string();
                assert!(
                    found.contains("limit is") || found.contains("more than "),
                    "what was written cannot be read: {found}"
                );
            }
        }
    }
    if options.meshopt.is_none() {
        super::glb::glb(&glb);
    }
    let (mut json, mut bin) = (Vec::new(), Vec::new());
    export.write_json("model.bin", &mut json).expect("memory takes everything");
    assert_eq!(export.write_bin(&mut bin).expect("memory takes everything"), bin.len() as u64);
    assert_eq!(export.has_bin(), !bin.is_empty());
    serde_json::from_slice::<serde_json::Value>(&json).expect("JSON");
}

/// Exports to each format with a writer. The output parses, and its validator finds no error.
fn to_each_format(model: &Model<'_>, scale: f32) {
    let reserved = match export::reserve(model, &Budget::new(MEMORY)) {
        Ok(reserved) => reserved.bytes(),
        Err(found) => return assert!(found.bytes > MEMORY),
    };
    for (target, name) in export::Target::ALL {
        let made = meter::within(reserved, name, || export::to_files(model, target, "model", scale, None));
        if let Some(made) = explained(made) {
            written(&made, target);
        }
    }
}

/// Checks the files of a conversion.
fn written(made: &export::ModelFiles, target: export::Target) {
    super::report_of(&made.losses, |_| &[]);
    let (fit, bytes) = (made.fit, |index: usize| &*made.files[index].1);
    assert!(fit.merged <= fit.distinct, "{fit:?}");
    assert!(fit.better_scale.is_none_or(|scale| fit.is_poor() && scale > 0.0 && scale.is_finite()));
    let (document, format) = match target {
        export::Target::Unreal => {
            let script = Script::parse(bytes(2)).expect("what was written parses");
            assert!(script.mesh("model").is_some());
            (Unreal::parse(bytes(0), bytes(1)).map(Document::from), Format::Unreal)
        }
        export::Target::Md3 => (Document::parse(bytes(0)), Format::Md3),
        export::Target::U3d => (Document::parse(bytes(0)), Format::U3d),
        _ => (Document::parse(bytes(0)), Format::Unigine),
    };
    let document = document.unwrap_or_else(|error| panic!("what was written: {error}"));
    assert_eq!(document.format(), format);
    let mut found = Report::default();
    document.validate(&mut found);
    let worst = found.findings().next();
    assert!(found.count(Severity::Error) == 0, "what was written to {target:?}: {worst:?}");
}
