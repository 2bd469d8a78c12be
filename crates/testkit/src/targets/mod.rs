//! The fuzz targets by name: the checker of each, and the corpus files that are its seeds.

mod images;
mod trees;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use meshlens::scene::Scene;
use meshlens::{Document, Error, Model};
use meshlens_gltf::{Export, Options};
use meshlens_unreal::{FileKind, Unreal};
use meshlens_wire::Compact;

use crate::{check, corpus, kept, real};
use images::images;
use trees::trees;

/// One fuzz target. `fuzz/fuzz_targets/<name>.rs` runs its checker under libFuzzer. The tests of this crate run it on
/// stable Rust: on its seeds, on damaged seeds, and on every input that ever made it fail.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Calls every function of a parser on some bytes, and panics if an invariant does not hold.
    pub check: fn(&[u8]),
    /// The seeds, each with a name.
    pub seeds: fn() -> Vec<(String, Vec<u8>)>,
    /// How the tests damage the seeds.
    pub damage: Damage,
}

/// How the tests damage the seeds of a target.
#[derive(Clone, Copy, Debug)]
pub enum Damage {
    /// Every small damage, and every combination of two counts. Counts are the numbers whose change affects the shape
    /// of a file, which the function returns.
    EveryWay(fn(&[u8]) -> String),
    /// Every small damage. There are no counts.
    EveryByte,
    /// Random damage: for targets that check the same bytes as another target in another way, or that make their own
    /// content from the bytes.
    Random,
}

macro_rules! targets {
    ($($(#[$if:meta])? $name:ident: $check:expr, $seeds:expr, $damage:expr;)*) => {
        /// All targets.
        pub const TARGETS: &[Target] = &[$(
            $(#[$if])?
            Target { name: stringify!($name), check: $check, seeds: $seeds, damage: $damage },
        )*];
    };
}

targets! {
    animation_config: check::animation_config, || corpus::with_extension(&["animation.cfg"]), Damage::EveryByte;
    archive: check::archive, || corpus::with_extension(&[".pk3"]), Damage::EveryByte;
    assets: check::assets, trees, Damage::Random;
    #[cfg(feature = "capi")]
    capi: check::calls, programs, Damage::Random;
    compact_int: check::compact_int, compact_ints, Damage::EveryByte;
    convert: check::convert, conversions, Damage::Random;
    encodings: check::encodings, models, Damage::Random;
    fix: check::fix, models, Damage::Random;
    gltf: check::gltf, documents, Damage::Random;
    image: check::image, images, Damage::EveryByte;
    md3: check::md3, || corpus::with_extension(&[".md3"]), Damage::EveryWay(document);
    md3_model: check::md3_model, models, Damage::Random;
    md3_walk: check::md3_walk, || corpus::with_extension(&[".md3"]), Damage::Random;
    model: check::model, models, Damage::Random;
    pack: check::pack, trees, Damage::Random;
    plan_table: check::plan_table, || vec![("small".into(), check::small_plan_table())], Damage::EveryByte;
    prefixes: check::prefixes, models, Damage::Random;
    range_cache: check::range_cache, || vec![("calls".into(), (0..=255).cycle().take(4096).collect())], Damage::Random;
    shader: check::shader, || corpus::with_extension(&[".shader"]), Damage::EveryByte;
    skeleton: check::skeleton, models, Damage::Random;
    skin: check::skin, || corpus::with_extension(&[".skin"]), Damage::EveryByte;
    stream_plan: check::stream_plan, models, Damage::Random;
    thumb: check::thumb, models, Damage::Random;
    u3d_chunks: check::u3d_chunks, || corpus::with_extension(&["v2_static.u3d", "v2_newer.u3d", "v2_levels.u3d"]), Damage::EveryByte;
    u3d_decrypt: check::u3d_decrypt, || corpus::with_extension(&["_aes.u3d"]), Damage::Random;
    u3d_model: check::u3d_model, models, Damage::Random;
    u3d_v1: check::u3d_v1, || u3d_files("v1_"), Damage::EveryWay(document);
    u3d_v2: check::u3d_v2, || u3d_files("v2_"), Damage::EveryWay(document);
    u3d_walk: check::u3d_walk, || corpus::with_extension(&[".u3d"]), Damage::Random;
    uc_script: check::uc_script, || corpus::with_extension(&[".uc"]), Damage::EveryByte;
    unigine_anim: check::unigine_anim, || corpus::with_extension(&[".anim"]), Damage::EveryWay(document);
    unigine_anim_model: check::unigine_anim_model, models, Damage::Random;
    unigine_anim_walk: check::unigine_anim_walk, || corpus::with_extension(&[".anim"]), Damage::Random;
    unigine_mesh: check::unigine_mesh, || corpus::with_extension(&[".mesh"]), Damage::EveryWay(document);
    unigine_mesh_model: check::unigine_mesh_model, models, Damage::Random;
    unigine_mesh_walk: check::unigine_mesh_walk, || corpus::with_extension(&[".mesh"]), Damage::Random;
    unreal_frames: check::unreal_frames, || unreal_halves("_a.3d"), Damage::EveryWay(|bytes| half(FileKind::Frames, bytes));
    unreal_geometry: check::unreal_geometry, || unreal_halves("_d.3d"), Damage::EveryWay(|bytes| half(FileKind::Geometry, bytes));
    unreal_model: check::unreal_model, models, Damage::Random;
    unreal_pair: check::unreal_pair, unreal_pairs, Damage::EveryWay(unreal_pair);
    unreal_walk: check::unreal_walk, unreal_pairs, Damage::Random;
    usd: check::usd, models, Damage::Random;
    vat: check::vat, models, Damage::Random;
    vertex_buffers: check::vertex_buffers, models, Damage::Random;
    wire: check::wire, statements, Damage::Random;
}

/// The models of every format. Models of two files are stored in one buffer.
fn models() -> Vec<(String, Vec<u8>)> {
    let mut models = corpus::with_extension(&[".md3", ".u3d", ".umsh", ".mesh", ".anim"]);
    models.extend(unreal_pairs());
    models
}

fn unreal_pairs() -> Vec<(String, Vec<u8>)> {
    let pairs = corpus::unreal_pairs().into_iter();
    pairs.map(|(path, geometry, frames)| (path, [geometry, frames].concat())).collect()
}

fn unreal_halves(end: &str) -> Vec<(String, Vec<u8>)> {
    let files = corpus::files().into_iter().filter(|(path, _)| path.starts_with("unreal/"));
    files.filter(|(path, _)| path.to_ascii_lowercase().ends_with(end)).collect()
}

/// The models, each followed by four bytes that choose the conversion.
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

/// The smaller models, each followed by a program of calls of the C interface. The last byte is the length of the
/// program.
#[cfg(feature = "capi")]
fn programs() -> Vec<(String, Vec<u8>)> {
    let models = models().into_iter().filter(|(_, bytes)| bytes.len() <= 8192).enumerate();
    models
        .map(|(index, (path, mut bytes))| {
            // Opens the file, then makes every call once. The first call differs between models.
            bytes.extend([0; 8]);
            for call in 0..24u8 {
                bytes.extend([(call + index as u8) % 24, 0, 0, 0, 0, 0, 0, 0]);
            }
            bytes.push(200);
            (path, bytes)
        })
        .collect()
}

/// The smaller models of the corpus as glTF, as a binary file and as a document with an embedded buffer.
fn documents() -> Vec<(String, Vec<u8>)> {
    let mut documents = Vec::new();
    for (path, bytes) in models().into_iter().filter(|(_, bytes)| bytes.len() <= 4096) {
        let Ok(model) = Model::parse(&bytes) else { continue };
        let options = Options { quantize: documents.len() % 4 == 0, ..Options::default() };
        let scene = Scene::from(model);
        let Ok(mut export) = Export::plan(&scene, &options) else { continue };
        let (mut glb, mut bin, mut json) = (Vec::new(), Vec::new(), Vec::new());
        export.write_glb(&mut glb).expect("memory takes everything");
        export.write_bin(&mut bin).expect("memory takes everything");
        let uri = format!("data:application/octet-stream;base64,{}", STANDARD.encode(bin));
        export.write_json(&uri, &mut json).expect("memory takes everything");
        documents.extend([(format!("{path}.glb"), glb), (format!("{path}.gltf"), json)]);
    }
    documents
}

/// Some values for each statement about `wire`.
fn statements() -> Vec<(String, Vec<u8>)> {
    let names = check::wire_statements();
    let seeds = (0u8..).zip(names).flat_map(|(index, name)| {
        // Zeros, chunks of five and six bytes, and numbers in order.
        let bytes = [vec![0; 64], b"\0\x01\0\0\0xA\0\0\0\0\0".repeat(6), (0..64).collect()];
        (0..)
            .zip(bytes)
            .map(move |(number, bytes)| (format!("{name}_{number}"), [&[index], &bytes[..]].concat()))
    });
    seeds.collect()
}

/// A compact integer of each length, and the limits of the range.
fn compact_ints() -> Vec<(String, Vec<u8>)> {
    let values = [0, 63, -64, 8191, 1 << 20, -(1 << 27), i32::MAX, i32::MIN + 1];
    let written = values.into_iter().filter_map(|value| Some((value, Compact::new(value)?)));
    written.map(|(value, compact)| (format!("{value}"), compact.as_bytes().to_vec())).collect()
}

/// The corpus files of one version of Ultimate 3D.
fn u3d_files(version: &str) -> Vec<(String, Vec<u8>)> {
    let files = corpus::with_extension(&[".u3d"]).into_iter();
    files.filter(|(path, _)| path.contains(version)).collect()
}

/// The outcome of parsing: the error with its offset, or the counts.
fn document(bytes: &[u8]) -> String {
    outcome(Document::parse(bytes))
}

fn unreal_pair(bytes: &[u8]) -> String {
    let (geometry, frames) = check::split_pair(bytes);
    outcome(Unreal::parse(geometry, frames).map(Document::Unreal))
}

fn half(role: FileKind, bytes: &[u8]) -> String {
    outcome(Document::parse_unpaired(role, bytes))
}

fn outcome(parsed: Result<Document<'_>, Error>) -> String {
    match parsed {
        Ok(document) => format!("{:?}", document.summary()),
        Err(error) => format!("{} {}", error.code(), error.offset()),
    }
}

/// The target with this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

impl Target {
    /// The inputs that ever made this target fail, with their paths: the files of `fuzz/regressions/<name>/`.
    pub fn regressions(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let folder = regressions_folder().join(self.name);
        let files = if folder.is_dir() { real::files_below(&folder) } else { Vec::new() };
        files.into_iter().map(|path| (path.clone(), real::read(&path))).collect()
    }

    /// Copies the seeds, the regressions and the kept inputs to `folder`, each with a name made from its path. Returns
    /// their number.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn write_seeds(&self, folder: &Path) -> io::Result<usize> {
        fs::create_dir_all(folder)?;
        let mut files = (self.seeds)();
        files.iter_mut().for_each(|(path, _)| *path = path.replace('/', "-"));
        files.extend(self.regressions().into_iter().map(|(path, bytes)| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            (format!("regression-{name}"), bytes)
        }));
        let kept = kept::of(self.name).into_iter();
        files.extend(kept.map(|(name, bytes)| (format!("kept-{name}"), bytes)));
        for (name, bytes) in &files {
            fs::write(folder.join(name), bytes)?;
        }
        Ok(files.len())
    }

    /// Checks every file of a folder. Returns their number.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
    pub fn run(&self, folder: &Path) -> io::Result<usize> {
        let files = real::files_below(folder);
        for path in &files {
            (self.check)(&fs::read(path)?);
        }
        Ok(files.len())
    }

    /// Keeps the files of a folder as inputs of this target, except its seeds and regressions. Returns their number.
    ///
    /// # Errors
    ///
    /// A file cannot be read or written.
    pub fn keep(&self, found: &Path) -> io::Result<usize> {
        let seeds = (self.seeds)().into_iter().map(|(_, bytes)| bytes);
        let known = seeds.chain(self.regressions().into_iter().map(|(_, bytes)| bytes)).collect();
        kept::keep(self.name, &known, found)
    }
}

/// The folder of the inputs that ever made a target fail.
pub fn regressions_folder() -> PathBuf {
    real::workspace_root().join("fuzz/regressions")
}
