//! Models of every format that every interface must display in the same way: scaled, rotated and mirrored by a script,
//! with several nodes, moved by joints, in an archive, imported from glTF, and in the hand of a figure.

use meshlens::scene::{Attachment, Scene, Socket};
use meshlens_assets::Assets;
use meshlens_gltf::{Export, Gltf, Options};

use crate::files::Files;
use crate::{corpus, real};

/// The names of the models: meshes that a script scales and rotates; a player, whose torso and head are attached;
/// models with frames and with joints; an entry of an archive; a mesh that a script mirrors, and glTF with its buffer inside
/// and beside it, which are [made](files).
pub const MODELS: [&str; 11] = [
    "unreal/Classes/Figure.uc",
    "unreal/Classes/Crates.uc!walk",
    "md3/player",
    "md3/animated.md3",
    "u3d/v2_skinned.u3d",
    "u3d/v2_animated.u3d",
    "unigine/skinned_ms11.mesh",
    "md3/models.pk3!models/deflated.md3",
    "Box.uc",
    "player.glb",
    "walk.gltf",
];

/// The names and the bytes of the files that are not in the corpus.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let script = "#exec mesh import mesh=box anivfile=crate_walk_a.3d datafile=crate_d.3d\n\
                  #exec mesh origin mesh=box x=1 y=2 z=3 yaw=32\n\
                  #exec meshmap scale meshmap=box x=-.5 y=.25 z=.125\n";
    let file = |name: &'static str| {
        let path = format!("unreal/Models/{name}");
        let found = corpus::files().into_iter().find(|(found, _)| *found == path);
        (name, found.expect("a file of the corpus").1)
    };
    let mut files = vec![("Box.uc", script.into()), file("crate_d.3d"), file("crate_walk_a.3d")];
    let (mut glb, mut json, mut bin) = (Vec::new(), Vec::new(), Vec::new());
    exported("md3/player", |export| export.write_glb(&mut glb));
    exported("unigine/skinned_ms11.mesh", |mut export| {
        export.write_bin(&mut bin)?;
        export.write_json("walk.bin", &mut json)
    });
    files.extend([("player.glb", glb), ("walk.gltf", json), ("walk.bin", bin)]);
    files
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
    let files = files().into_iter().fold(Files::new(), |files, (name, bytes)| files.with(name, bytes));
    let mut assets = corpus_assets();
    assets.mount("scripts", files);
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
