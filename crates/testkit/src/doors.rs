//! Models of every format that every interface must display in the same way: scaled, rotated and mirrored by a script,
//! with several nodes, moved by joints, with findings, in an archive, imported from glTF, and in the hand of a figure.

use std::path::PathBuf;

use meshlens::md3::Md3;
use meshlens::md3::write::Model;
use meshlens::model::Space;
use meshlens::scene::{Attachment, Scene, Socket};
use meshlens::{Report, Severity, Summary};
use meshlens_assets::{Assets, FoundFile};
use meshlens_gltf::{Export, Gltf, Options};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::files::Files;
use crate::{corpus, real};

/// The names of the models: meshes that a script scales and rotates; a player, whose torso and head are attached;
/// models with frames and with joints; an entry of an archive; a mesh that a script mirrors, a player whose last part has
/// findings, and glTF with its buffer inside and beside it, which are in [`folder`].
pub const MODELS: [&str; 12] = [
    "unreal/Classes/Figure.uc",
    "unreal/Classes/Crates.uc!walk",
    "md3/player",
    "md3/animated.md3",
    "u3d/v2_skinned.u3d",
    "u3d/v2_animated.u3d",
    "unigine/skinned_ms11.mesh",
    "md3/models.pk3!models/deflated.md3",
    "Box.uc",
    "flawed",
    "player.glb",
    "walk.gltf",
];

/// The name of the file of [`answers`].
const ANSWERS: &str = "answers.json";

/// What every interface says about a model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// One of [`MODELS`].
    pub name: String,
    /// The name of the format.
    pub format: String,
    /// The files that are read together: the parts of a player, or both files of an Unreal mesh.
    pub files: Vec<String>,
    /// The names of the nodes.
    pub nodes: Vec<String>,
    /// The number of meshes of all nodes.
    pub meshes: usize,
    /// The [counts](Summary) of the files.
    pub counts: Value,
    /// The numbers of errors, warnings, infos and hints; `None` for glTF.
    pub findings: Option<[u64; 4]>,
    /// The bounding box of the scene at rest, in the space of glTF.
    pub bounds: Bounds,
}

/// The smallest and the largest position.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    /// The smallest coordinates.
    pub min: [f32; 3],
    /// The largest coordinates.
    pub max: [f32; 3],
}

impl Bounds {
    /// The bounding box of a scene at rest, in the space of glTF.
    pub fn of(scene: &Scene<'_>) -> Bounds {
        let found = scene.view(&Space::GLTF).bounds(&scene.rest_pose()).ok().flatten();
        let found = found.expect("vertices that can be decoded");
        Bounds { min: found.min, max: found.max }
    }

    /// Asserts that the other box is this one, up to a rounding of a ten thousandth of its size.
    pub fn assert(&self, other: &Bounds, name: &str) {
        let size = self.max.iter().zip(self.min).fold(0.0f32, |size, (max, min)| size.max(max - min));
        let is_near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-4 * size);
        assert!(is_near(self.min, other.min) && is_near(self.max, other.max), "{name}: {self:?}, {other:?}");
    }
}

impl Answer {
    /// The answer of the library.
    fn of(assets: &Assets, name: &str) -> Answer {
        let located = assets.locate(name).expect(name);
        let loaded = located.load(None).expect(name);
        let (format, counts, findings) = match loaded.importer() {
            Some(importer) => (importer.format(), importer.summarize(loaded.first()).expect(name), None),
            None => {
                let documents = loaded.documents().expect(name);
                let mut report = Report::default();
                loaded.validate_all(&mut report);
                let severities = [Severity::Error, Severity::Warning, Severity::Info, Severity::Hint];
                let counts = documents
                    .iter()
                    .map(|document| document.summary())
                    .fold(Summary::default(), Summary::and);
                let findings = severities.map(|severity| report.count(severity));
                (documents.first().expect(name).format().name(), counts, Some(findings))
            }
        };
        let asset = assets.open(name).expect(name);
        let scene = asset.scene();
        Answer {
            name: name.into(),
            format: format.into(),
            files: located.files().files().into_iter().map(named).collect(),
            nodes: scene.nodes.iter().map(|node| node.name.clone()).collect(),
            meshes: scene.nodes.iter().map(|node| node.model.meshes.len()).sum(),
            counts: serde_json::to_value(counts).expect("numbers"),
            findings,
            bounds: Bounds::of(scene),
        }
    }
}

/// The path of a file in the corpus or in [`folder`].
fn named(file: &FoundFile) -> String {
    let (name, root) = (file.to_string(), real::workspace_root().join("corpus/"));
    name.strip_prefix(&*root.to_string_lossy()).unwrap_or(&name).to_owned()
}

/// The expected answers, which every interface is tested against: `answers.json` in [`folder`].
pub fn answers() -> Vec<Answer> {
    let text = std::fs::read(folder().join(ANSWERS)).expect("the answers");
    serde_json::from_slice(&text).expect("answers")
}

/// The folder of the files that are not in the corpus. `meshlens-testkit doors` writes them.
pub fn folder() -> PathBuf {
    real::workspace_root().join("crates/testkit/doors")
}

/// The path of a model, or of one of its files.
pub fn path(name: &str) -> PathBuf {
    let own = folder().join(name);
    if own.exists() { own } else { real::workspace_root().join("corpus").join(name) }
}

/// The names and the bytes of the files in [`folder`], made from the corpus.
pub fn made() -> Vec<(&'static str, Vec<u8>)> {
    let script = "#exec mesh import mesh=box anivfile=crate_walk_a.3d datafile=crate_d.3d\n\
                  #exec mesh origin mesh=box x=1 y=2 z=3 yaw=32\n\
                  #exec meshmap scale meshmap=box x=-.5 y=.25 z=.125\n";
    let file = |name: &'static str| {
        let path = format!("unreal/Models/{name}");
        let found = corpus::files().into_iter().find(|(found, _)| *found == path);
        (name, found.expect("a file of the corpus").1)
    };
    let mut made = vec![("Box.uc", script.into()), file("crate_d.3d"), file("crate_walk_a.3d")];
    made.extend(flawed().expect("a player"));
    let (mut glb, mut json, mut bin) = (Vec::new(), Vec::new(), Vec::new());
    exported("md3/player", |export| export.write_glb(&mut glb));
    exported("unigine/skinned_ms11.mesh", |mut export| {
        export.write_bin(&mut bin)?;
        export.write_json("walk.bin", &mut json)
    });
    made.extend([("player.glb", glb), ("walk.gltf", json), ("walk.bin", bin)]);
    let mut assets = corpus_assets();
    assets.mount("", made.iter().fold(Files::new(), |all, (name, bytes)| all.with(name, bytes.clone())));
    let answers: Vec<Answer> = MODELS.iter().map(|name| Answer::of(&assets, name)).collect();
    let mut text = serde_json::to_vec_pretty(&answers).expect("memory");
    text.push(b'\n');
    made.push((ANSWERS, text));
    made
}

/// A player whose head has findings of every severity: a radius that is not finite, a path with backslashes, flags, a vertex
/// that no triangle uses, and a triangle without an area.
fn flawed() -> Result<[(&'static str, Vec<u8>); 4], meshlens::Error> {
    let file = |name: &str| {
        let path = format!("md3/player/{name}");
        corpus::files().into_iter().find(|(found, _)| *found == path).expect("a file of the corpus").1
    };
    let head = file("head.md3");
    let mut head = Model::try_from(&Md3::parse(&head)?)?;
    head.flags = 8;
    head.frames.iter_mut().for_each(|frame| frame.radius = f32::NAN);
    for surface in &mut head.surfaces {
        let paths = surface.shaders.iter_mut().flat_map(|(path, _)| path);
        paths.filter(|byte| **byte == b'/').for_each(|byte| *byte = b'\\');
        surface.texcoords.push([0.0; 2]);
        surface.vertices.push(surface.vertices[0]);
        surface.triangles.push([0; 3]);
    }
    Ok([
        ("flawed/animation.cfg", file("animation.cfg")),
        ("flawed/lower.md3", file("lower.md3")),
        ("flawed/upper.md3", file("upper.md3")),
        ("flawed/head.md3", head.write()?),
    ])
}

fn exported(name: &str, write: impl FnOnce(Export<'_, '_>) -> Result<u64, meshlens_gltf::Error>) {
    let asset = corpus_assets().open(name).expect(name);
    let export = Export::plan(asset.scene(), &Options::default()).expect(name);
    write(export).expect("memory");
}

fn corpus_assets() -> Assets {
    let mut assets = Assets::new();
    assets.add_importer(Gltf);
    assets.mount_folder(real::workspace_root().join("corpus")).expect("the corpus");
    assets
}

/// The search path in which [`MODELS`] are found.
pub fn assets() -> Assets {
    let mut assets = corpus_assets();
    assets.mount_folder(folder()).expect("the folder");
    assets
}

/// A player with a model at the first tag of its torso. The model is mirrored if its format has a different handedness.
pub fn in_hand<'a>(player: &Scene<'a>, held: &Scene<'a>) -> Scene<'a> {
    let mut scene = player.clone();
    scene.attach(held.clone(), Attachment { node: 1, socket: Socket::Tag(0) });
    scene
}

/// The difference between two pictures of the same model. Their background is transparent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// The number of pixels that the model covers in both.
    pub covered: usize,
    /// The number of pixels that the model covers in only one of them.
    pub apart: usize,
    /// The mean difference of red, green and blue where the model covers both, from 0 to 255.
    pub mean: f64,
}

impl Difference {
    /// Compares two pictures of the same size: red, green, blue and alpha of each pixel.
    pub fn new(a: &[u8], b: &[u8]) -> Difference {
        let (mut difference, mut sum) = (Difference::default(), 0);
        for ([a @ .., over_a], [b @ .., over_b]) in a.as_chunks::<4>().0.iter().zip(b.as_chunks::<4>().0) {
            difference.apart += usize::from(over_a.abs_diff(*over_b) > 200);
            if *over_a == 255 && *over_b == 255 {
                difference.covered += 1;
                sum += a.iter().zip(b).map(|(a, b)| u64::from(a.abs_diff(*b))).sum::<u64>();
            }
        }
        difference.mean = sum as f64 / (3 * difference.covered.max(1)) as f64;
        difference
    }

    /// Asserts that at least 400 pixels are covered, that the outlines differ in at most one in a hundred of them, and
    /// that their colors differ by at most `mean`.
    pub fn assert(&self, mean: f64, name: &str) {
        assert!(self.covered >= 400 && self.apart * 100 <= self.covered, "{name}: {self:?}");
        assert!(self.mean <= mean, "{name}: {self:?}");
    }
}
