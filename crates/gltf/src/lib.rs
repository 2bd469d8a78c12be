//! Conversion of scenes of every format to glTF 2.0, and import of glTF 2.0.
//!
//! [`Export::plan`] determines the layout of the file and measures every array. [`Export::write_glb`] then decodes one
//! array after another from the bytes of the source file and writes it, without a second copy of the model in memory.
//! [`import()`] reads glTF files of any program into a [`Scene`].
//!
//! ```
//! use meshlens::Model;
//! use meshlens::scene::Scene;
//! use meshlens_gltf::{Export, Options};
//!
//! # let bytes = meshlens::md3::write::sample(&[8.0])?;
//! let scene = Scene::from(Model::parse(&bytes)?);
//! let export = Export::plan(&scene, &Options::default())?;
//! let mut glb = Vec::new();
//! export.write_glb(&mut glb)?;
//! assert!(glb.starts_with(b"glTF") && glb.len() as u64 == export.glb_len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a scene is stored
//!
//! - A node of the scene becomes a node with the same name and transform. Its parent is the node of the tag or joint that
//!   it is attached to.
//! - A mesh becomes a mesh, in a node with the same name.
//! - Vertex frames become morph targets: displacements of positions and normals from the frame shown at rest. A mesh has at
//!   most [`Options::max_targets`].
//! - A clip becomes an animation of the same name, with a key for every frame at its time. It sets the weights of all
//!   morph targets of all meshes, so that no frame of another clip stays visible.
//! - A tag becomes a node, with tracks of translation and rotation. A tag does not scale the model that is attached to
//!   it.
//! - A joint becomes a node, and a mesh that joints move gets a skin.
//! - Vertices are converted to glTF's axes (Y up, the front along Z), and lengths are multiplied by [`Options::scale`].
//!   Triangles are wound counterclockwise.
//!
//! [`Export::losses`] lists the content that glTF cannot store.
#![forbid(unsafe_code)]

mod animation;
mod arrays;
mod buffer;
mod build;
mod builder;
pub mod codes;
mod error;
mod extras;
mod files;
mod frames;
mod import;
mod joint_keys;
mod json;
mod loss;
mod material;
mod memory;
mod meshes;
mod meshopt;
mod nodes;
mod quantized;
mod selection;
mod shape;
mod skeleton;
mod split;
mod stored;
mod variants;
mod views;

use std::fmt;
use std::io::{self, BufWriter, Write};

use meshlens::Report;
use meshlens::model::Material;
use meshlens::scene::Scene;
use meshlens::wire::Budget;

pub use error::Error;
pub use import::{Gltf, import, import_within, summarize};
pub use material::Texture;
pub use meshlens::import::{ImportLimits, ImportOptions, Read, Skins};
pub use meshopt::Meshopt;
pub use selection::Frames;

use buffer::Plan;
use memory::Memory;
use shape::{Scratch, Shape};

/// Options of an export.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The frames to write.
    pub frames: Frames<'o>,
    /// Whether each frame is shown until the next one begins, without blending.
    pub step: bool,
    /// Whether positions are stored as the integers of the source file (MD3, Unreal), and normals as bytes. Readers
    /// need KHR_mesh_quantization. Texture coordinates and colors that are stored as bytes in the source file are
    /// stored as bytes even without the extension.
    pub quantize: bool,
    /// The normals to write.
    pub normals: Normals,
    /// The largest number of morph targets of a mesh, by default [`PORTABLE_MORPH_TARGETS`]. A model with more frames has
    /// several meshes in place of one, each with the frames of some clips, and its animations show one of them at a time;
    /// the others have a scale of 0. A movement between two frames needs two targets, so 0 and 1 mean 2. Meshes that joints
    /// move are not split.
    pub max_targets: usize,
    /// Compresses vertices, triangles and keys without loss. Readers need the extension. Files are smallest together with
    /// `quantize`. Compressed arrays are held in memory until they are written.
    pub meshopt: Option<Meshopt>,
    /// Whether animations of joints are stored in fewer bytes: a property that no clip of the model moves has no track, a
    /// track of equal keys has one key, and the tracks of a clip share a view if they are not compressed. With `quantize`,
    /// rotations and weights are integers of 16 bits, so are texture coordinates of skinned meshes from 0 to 1 (the error is
    /// at most 1/131070), and normals of meshes without morph targets are bytes (KHR_mesh_quantization).
    pub compact_joints: bool,
    /// Whether the coarser levels of detail are also written (MSFT_lod).
    pub lods: bool,
    /// The factor for positions and other lengths. The default is 1, which also replaces a factor that is not positive
    /// and finite.
    pub scale: f32,
    /// Finds textures. Every material keeps the path of its texture in its extras, whether the texture is found or not.
    /// Textures that are not found are not reported as losses, because this function knows them.
    pub textures: Option<FindTexture<'o>>,
    /// The budget to which memory is charged as it grows, until the export is dropped. If `None`, an export may use 1 GiB.
    pub budget: Option<&'o Budget>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            frames: Frames::default(),
            step: false,
            quantize: false,
            normals: Normals::default(),
            max_targets: PORTABLE_MORPH_TARGETS,
            meshopt: None,
            compact_joints: false,
            lods: false,
            scale: 1.0,
            textures: None,
            budget: None,
        }
    }
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("frames", &self.frames)
            .field("step", &self.step)
            .field("quantize", &self.quantize)
            .field("normals", &self.normals)
            .field("max_targets", &self.max_targets)
            .field("meshopt", &self.meshopt)
            .field("compact_joints", &self.compact_joints)
            .field("lods", &self.lods)
            .field("scale", &self.scale)
            .field("textures", &self.textures.is_some())
            .field("budget", &self.budget.is_some())
            .finish()
    }
}

/// The normals of meshes with morph targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Normals {
    /// The normals of every morph target. Lighting is correct in every frame.
    #[default]
    All,
    /// Only the normals at rest. The file has less than half the size, but lighting does not follow movements unless a
    /// reader computes normals.
    Base,
}

/// The memory limit of an export without a budget. Clips may overlap, so a small file can require any number of keys.
const DEFAULT_MEMORY: usize = 1 << 30;

/// A function that finds the texture of a material. [`Material::texture`] is the path of the texture, and
/// [`Material::image`] its image if the model was imported from a file that names or contains it.
/// [`Material::texture_alpha`] is the alpha that its pixels need, unless [`Material::alpha`] is opaque. The function is
/// called once for each combination of the four. Equal textures are stored once.
pub type FindTexture<'o> = &'o dyn Fn(&Material) -> Option<Texture>;

/// A file whose layout is planned, and which can be written.
pub struct Export<'m, 'a> {
    root: json::Root,
    plan: Plan,
    shapes: Vec<Shape<'m, 'a>>,
    losses: Report,
    warnings: Vec<String>,
    _memory: Memory,
}

/// The size of a GLB with a document and a buffer of these lengths.
const fn glb_len(json: u64, bin: u64) -> u64 {
    12 + 8 + json.next_multiple_of(4) + if bin > 0 { 8 + bin } else { 0 }
}

/// Calls a function with the bytes that are written.
struct Sink<F>(F);

impl<F: FnMut(&[u8]) -> io::Result<()>> Write for Sink<F> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (self.0)(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The largest number of morph targets of a mesh that Bevy draws (64 in older releases), and three.js and Babylon.js on devices
/// with 256 texture layers, which is the least that WebGL2 guarantees.
pub const PORTABLE_MORPH_TARGETS: usize = 256;

impl fmt::Debug for Export<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Export").field("glb_len", &self.glb_len()).finish_non_exhaustive()
    }
}

impl<'m, 'a> Export<'m, 'a> {
    /// Plans the file of a scene. Every array is decoded once to measure it: O(vertices x frames).
    ///
    /// # Errors
    ///
    /// An index is out of range, no model has the requested frames or clip, or the budget has too little memory left.
    pub fn plan(scene: &'m Scene<'a>, options: &Options<'_>) -> Result<Self, Error> {
        build::build(scene, options)
    }

    /// The content of the scene that the file does not store.
    pub const fn losses(&self) -> &Report {
        &self.losses
    }

    /// Properties of the file that may cause problems in some readers, one line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Writes the document without holding its text. Returns the number of bytes.
    fn json(&self, out: &mut dyn Write) -> Result<u64, Error> {
        let (mut out, mut len) = (BufWriter::new(out), 0);
        let counted = Sink(|bytes: &[u8]| {
            len += bytes.len() as u64;
            out.write_all(bytes)
        });
        serde_json::to_writer(counted, &self.root).map_err(io::Error::from)?;
        out.flush()?;
        Ok(len)
    }

    /// The length of the document.
    fn json_len(&self) -> u64 {
        // Counting does not fail.
        self.json(&mut io::sink()).unwrap_or_default()
    }

    fn name_buffer(&mut self, uri: Option<String>) {
        if let Some(buffer) = self.root.buffers.first_mut() {
            buffer.uri = uri;
        }
    }

    /// The size of the GLB in bytes.
    pub fn glb_len(&self) -> u64 {
        glb_len(self.json_len(), self.plan.len())
    }

    /// Writes a GLB. Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// The errors of `out`; [`Error::TooLarge`] if the file would be larger than 4 GiB, the largest size that the
    /// header of a GLB can store.
    pub fn write_glb(&self, out: &mut impl Write) -> Result<u64, Error> {
        let (json, bin) = (self.json_len(), self.plan.len());
        let padding = (json.next_multiple_of(4) - json) as usize;
        let total = glb_len(json, bin);
        let field = |value: u64| {
            u32::try_from(value).map(u32::to_le_bytes).map_err(|_| Error::TooLarge { bytes: total })
        };
        out.write_all(b"glTF")?;
        out.write_all(&2u32.to_le_bytes())?;
        out.write_all(&field(total)?)?;
        out.write_all(&field(json.next_multiple_of(4))?)?;
        out.write_all(b"JSON")?;
        self.json(out)?;
        out.write_all(&b"   "[..padding])?;
        if bin > 0 {
            out.write_all(&field(bin)?)?;
            out.write_all(b"BIN\0")?;
            self.write_bin(out)?;
        }
        Ok(total)
    }

    /// Writes the JSON document. `uri` is the URI of its buffer, which [`write_bin`](Self::write_bin) writes. Returns the
    /// number of bytes.
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    pub fn write_json(&mut self, uri: &str, out: &mut impl Write) -> Result<u64, Error> {
        self.name_buffer(Some(uri.into()));
        let written = self.json(out);
        self.name_buffer(None);
        written
    }

    /// Whether the file has a buffer. A model that consists of tags that do not move has no buffer.
    pub const fn has_bin(&self) -> bool {
        self.plan.len() > 0
    }

    /// Writes the buffer without the document. Returns the number of bytes.
    ///
    /// # Errors
    ///
    /// The errors of `out`.
    pub fn write_bin(&self, out: &mut impl Write) -> Result<u64, Error> {
        self.plan.write(&self.shapes, &mut Scratch::default(), out)?;
        Ok(self.plan.len())
    }
}
