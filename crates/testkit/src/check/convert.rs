//! Conversion: models to glTF and to every other format, and glTF of anybody back.

use meshlens::model::{Model, export};
use meshlens::{Document, Format};
use meshlens_gltf::{Export, Frames, ImportLimits, ImportOptions, Options, Part, Texture, import_within};
use meshlens_unreal::Unreal;
use meshlens_unreal::script::Script;

use super::model::{view, with_model};

/// A model of any format to every other one, as the last four bytes choose: the frames, how, and the scale.
pub fn convert(bytes: &[u8]) {
    let Some((bytes, [frames, number, how, scale])) = bytes.split_last_chunk() else { return };
    with_model(bytes, |model| {
        if !is_cheap(model) {
            return;
        }
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
            levels: how & 8 > 0,
            scale,
            textures: (how & 4 > 0).then_some(&texture),
        };
        let mut parts = vec![Part { rest: number, ..Part::new("whole", model) }];
        if how & 8 > 0 {
            parts[0].lods.push(model);
            let attach = model.tags.first().map(|tag| (0, tag.index));
            parts.push(Part { attach, ..Part::new("held", model) });
        }
        to_gltf(&parts, &options);
        to_each_format(model, scale);
    });
}

/// glTF of anybody: what can be imported is a model like any other, and goes to each format.
pub fn gltf(bytes: &[u8]) {
    // What is not in the file itself is not there at all, or is this.
    let read = |path: &str| (path == "x.bin").then(|| vec![0x3f; 64]);
    for rate in [None, Some(24.0)] {
        let options = ImportOptions { rate, read: &read };
        match import_within(bytes, &options, &LIMITS) {
            Ok((model, _)) => {
                view(&model);
                if rate.is_none() && is_cheap(&model) {
                    to_gltf(&[Part::new("imported", &model)], &Options::default());
                    to_each_format(&model, 1.0);
                }
            }
            Err(found) => assert!(!found.to_string().is_empty()),
        }
    }
}

/// A scale that somebody means, and those that nobody does; most bytes stand for 1.
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

/// What an import may cost here: a few bytes of JSON may speak of any number of zeros, and sanitizers are slow.
const LIMITS: ImportLimits = ImportLimits { frames: 512, bytes: 1 << 22, work: 1 << 18 };

/// Whether frames times what is in them is little enough to be written a few times over: a frame of joints may have no
/// byte in the file, and is made of every vertex.
fn is_cheap(model: &Model<'_>) -> bool {
    let steps: usize = model.clips.iter().map(|clip| clip.count).sum();
    let frames = model.frame_count().max(steps);
    let each: usize = model
        .meshes
        .iter()
        .map(|mesh| mesh.point_count() + mesh.corner_count() + mesh.triangle_count() + mesh.frame_count())
        .sum();
    frames.saturating_mul(each + model.joints.len() + model.tags.len() + 1) <= 1 << 17
}

/// A texture of each kind, by the path's length, or none.
fn texture(path: &str) -> Option<Texture> {
    match path.len() % 3 {
        0 => None,
        1 => Some(Texture::File("beside.png".into())),
        _ => Some(Texture::Embedded { mime_type: "image/png", bytes: b"\x89PNG\r\n\x1a\n".to_vec() }),
    }
}

fn to_gltf(parts: &[Part<'_, '_>], options: &Options<'_>) {
    let mut export = match Export::plan(parts, options) {
        Ok(export) => export,
        Err(found) => return assert!(!found.to_string().is_empty()),
    };
    let mut glb = Vec::new();
    let written = export.write_glb(&mut glb).expect("memory takes everything");
    assert_eq!((written, export.glb_len()), (glb.len() as u64, glb.len() as u64));
    assert!(export.losses().iter().chain(export.warnings()).all(|line| !line.is_empty()));
    // What is written is read by the same rules as anybody's.
    let read = |_: &str| None;
    let nothing_beside = ImportOptions { rate: None, read: &read };
    let limits = ImportLimits { frames: 4096, bytes: 1 << 28, work: 1 << 22 };
    match import_within(&glb, &nothing_beside, &limits) {
        Ok((model, _)) => view(&model),
        Err(found) => {
            let found = found.to_string();
            assert!(found.contains("more than "), "what was written cannot be read: {found}");
        }
    }
    let (mut json, mut bin) = (Vec::new(), Vec::new());
    export.write_json("model.bin", &mut json).expect("memory takes everything");
    assert_eq!(export.write_bin(&mut bin).expect("memory takes everything"), bin.len() as u64);
    assert_eq!(export.has_bin(), !bin.is_empty());
    serde_json::from_slice::<serde_json::Value>(&json).expect("JSON");
}

/// To each format there is a writer for; what is written parses.
fn to_each_format(model: &Model<'_>, scale: f32) {
    let parses = |bytes: &[u8], format| {
        let document = Document::parse(bytes).unwrap_or_else(|error| panic!("what was written: {error}"));
        assert_eq!(document.format(), format);
    };
    match export::to_md3(model, "model", scale) {
        Ok((bytes, _)) => parses(&bytes, Format::Md3),
        Err(found) => assert!(!found.to_string().is_empty()),
    }
    match export::to_unigine(model, scale) {
        Ok((bytes, _)) => parses(&bytes, Format::Unigine),
        Err(found) => assert!(!found.to_string().is_empty()),
    }
    match export::to_unreal(model, "model", scale) {
        Ok((made, _)) => {
            Unreal::parse(&made.files.geometry, &made.files.frames).expect("what was written parses");
            let script = Script::parse(made.script.as_bytes()).expect("what was written parses");
            assert!(script.mesh("model").is_some());
        }
        Err(found) => assert!(!found.to_string().is_empty()),
    }
}
