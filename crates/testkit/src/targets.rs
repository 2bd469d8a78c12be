//! The fuzz targets by name: what each checks, and which files of the corpus are its seeds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use meshlens::{Document, Error, Model};
use meshlens_gltf::{Export, Options, Part};
use meshlens_unreal::{Role, Unreal};
use meshlens_wire::Compact;

use crate::{check, corpus, real};

/// One fuzz target. `fuzz/fuzz_targets/<name>.rs` runs its checker under libFuzzer; the tests of this crate run it on
/// stable, on its seeds, on what is near them, and on everything that ever broke it.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Calls everything there is to call on some bytes, and panics when something does not hold.
    pub check: fn(&[u8]),
    /// What to begin with, each with a name.
    pub seeds: fn() -> Vec<(String, Vec<u8>)>,
    /// How the tests damage the seeds.
    pub damage: Damage,
}

/// How the tests damage the seeds of a target.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// In every small way, and every two counts together: what changes when a count does is the shape of a file, which
    /// the function tells.
    EveryWay(fn(&[u8]) -> String),
    /// In every small way; there are no counts.
    EveryByte,
    /// At random: for targets that look at the same bytes as another one from another side, or that make their own
    /// content of them.
    Random,
}

macro_rules! targets {
    ($($name:ident: $check:ident, $seeds:expr, $damage:expr;)*) => {
        /// Every target, by name.
        pub const TARGETS: &[Target] = &[$(
            Target { name: stringify!($name), check: check::$check, seeds: $seeds, damage: $damage },
        )*];
    };
}

targets! {
    animation_config: animation_config, || corpus::with_extension(&["animation.cfg"]), Damage::EveryByte;
    archive: archive, || corpus::with_extension(&[".pk3"]), Damage::EveryByte;
    compact_int: compact_int, compact_ints, Damage::EveryByte;
    convert: convert, conversions, Damage::Random;
    encodings: encodings, models, Damage::Random;
    gltf: gltf, documents, Damage::Random;
    md3: md3, || corpus::with_extension(&[".md3"]), Damage::EveryWay(document);
    md3_model: md3_model, models, Damage::Random;
    model: model, models, Damage::Random;
    prefixes: prefixes, models, Damage::Random;
    skin: skin, || corpus::with_extension(&[".skin"]), Damage::EveryByte;
    u3d_chunks: u3d_chunks, || corpus::with_extension(&["v2_static.u3d", "v2_newer.u3d", "v2_levels.u3d"]), Damage::EveryByte;
    u3d_decrypt: u3d_decrypt, || corpus::with_extension(&["_aes.u3d"]), Damage::Random;
    u3d_model: u3d_model, models, Damage::Random;
    u3d_v1: u3d_v1, || u3d_files("v1_"), Damage::EveryWay(document);
    u3d_v2: u3d_v2, || u3d_files("v2_"), Damage::EveryWay(document);
    uc_script: uc_script, || corpus::with_extension(&[".uc"]), Damage::EveryByte;
    unigine_anim: unigine_anim, || corpus::with_extension(&[".anim"]), Damage::EveryWay(document);
    unigine_anim_model: unigine_anim_model, models, Damage::Random;
    unigine_mesh: unigine_mesh, || corpus::with_extension(&[".mesh"]), Damage::EveryWay(document);
    unigine_mesh_model: unigine_mesh_model, models, Damage::Random;
    unreal_frames: unreal_frames, || unreal_halves("_a.3d"), Damage::EveryWay(|bytes| half(Role::Frames, bytes));
    unreal_geometry: unreal_geometry, || unreal_halves("_d.3d"), Damage::EveryWay(|bytes| half(Role::Geometry, bytes));
    unreal_model: unreal_model, models, Damage::Random;
    unreal_pair: unreal_pair, unreal_pairs, Damage::EveryWay(unreal_pair);
    vertex_buffers: vertex_buffers, models, Damage::Random;
}

/// The models of every format, those of two files as one.
fn models() -> Vec<(String, Vec<u8>)> {
    let mut models = corpus::with_extension(&[".md3", ".u3d", ".mesh", ".anim"]);
    models.extend(unreal_pairs());
    models
}

fn unreal_pairs() -> Vec<(String, Vec<u8>)> {
    let pairs = corpus::unreal_pairs().into_iter();
    pairs.map(|(path, geometry, frames)| (path, [geometry, frames].concat())).collect()
}

fn unreal_halves(end: &str) -> Vec<(String, Vec<u8>)> {
    let files = corpus::files().into_iter();
    files.filter(|(path, _)| path.to_ascii_lowercase().ends_with(end)).collect()
}

/// The models, each with four bytes that choose how it is converted.
fn conversions() -> Vec<(String, Vec<u8>)> {
    let models = models().into_iter().enumerate();
    models
        .map(|(index, (path, mut bytes))| {
            let [frames, how] = [index % 5, index % 16].map(|choice| choice as u8);
            bytes.extend([frames, 1, how, 0]);
            (path, bytes)
        })
        .collect()
}

/// The smaller models of the corpus as glTF, both as one binary file and as a document with its buffer inside.
fn documents() -> Vec<(String, Vec<u8>)> {
    let mut documents = Vec::new();
    for (path, bytes) in models().into_iter().filter(|(_, bytes)| bytes.len() <= 4096) {
        let Ok(model) = Model::parse(&bytes) else { continue };
        let options = Options { quantize: documents.len() % 4 == 0, ..Options::default() };
        let parts = [Part::new("model", &model)];
        let Ok(mut export) = Export::plan(&parts, &options) else { continue };
        let (mut glb, mut bin, mut json) = (Vec::new(), Vec::new(), Vec::new());
        export.write_glb(&mut glb).expect("memory takes everything");
        export.write_bin(&mut bin).expect("memory takes everything");
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(bin));
        export.write_json(&uri, &mut json).expect("memory takes everything");
        documents.extend([(format!("{path}.glb"), glb), (format!("{path}.gltf"), json)]);
    }
    documents
}

/// One of each length, and the ends of the range.
fn compact_ints() -> Vec<(String, Vec<u8>)> {
    let values = [0, 63, -64, 8191, 1 << 20, -(1 << 27), i32::MAX, i32::MIN + 1];
    let written = values.into_iter().filter_map(|value| Some((value, Compact::new(value)?)));
    written.map(|(value, compact)| (format!("{value}"), compact.as_bytes().to_vec())).collect()
}

/// The corpus' files of one version of Ultimate 3D.
fn u3d_files(version: &str) -> Vec<(String, Vec<u8>)> {
    let files = corpus::with_extension(&[".u3d"]).into_iter();
    files.filter(|(path, _)| path.contains(version)).collect()
}

/// The outcome of a parse: what is wrong and where, or the counts.
fn document(bytes: &[u8]) -> String {
    outcome(Document::parse(bytes))
}

fn unreal_pair(bytes: &[u8]) -> String {
    let (geometry, frames) = check::split_pair(bytes);
    outcome(Unreal::parse(geometry, frames).map(Document::Unreal))
}

fn half(role: Role, bytes: &[u8]) -> String {
    outcome(Document::parse_half(role, bytes))
}

fn outcome(parsed: Result<Document<'_>, Error>) -> String {
    match parsed {
        Ok(document) => format!("{:?}", document.summary()),
        Err(error) => format!("{} {}", error.code(), error.offset()),
    }
}

/// The target of this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

impl Target {
    /// What ever broke it, by path: the files of `fuzz/regressions/<name>/`.
    pub fn regressions(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = regressions_folder().join(self.name);
        let files = if folder.is_dir() { real::files_below(&folder) } else { Vec::new() };
        let read = |path: PathBuf| {
            let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            (path, bytes)
        };
        files.into_iter().map(read).collect()
    }

    /// Copies its seeds and regressions to `folder`, each under a name made from its place; says how many there are.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn write_seeds(&self, folder: &Path) -> io::Result<usize> {
        fs::create_dir_all(folder)?;
        let seeds = (self.seeds)();
        let regressions = self.regressions();
        for (path, bytes) in &seeds {
            fs::write(folder.join(path.replace('/', "-")), bytes)?;
        }
        for (path, bytes) in &regressions {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            fs::write(folder.join(format!("regression-{name}")), bytes)?;
        }
        Ok(seeds.len() + regressions.len())
    }
}

/// Where the inputs are kept that ever broke a target.
pub fn regressions_folder() -> PathBuf {
    real::workspace_root().join("fuzz/regressions")
}
