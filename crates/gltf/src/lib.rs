//! Models of every format to glTF 2.0.
//!
//! [`Export::plan`] decides what goes where and measures it; [`Export::write_glb`] then streams it out, one array after
//! another, straight from the file's bytes: no second copy of the model is ever in memory.
//!
//! ```
//! use meshlens::Model;
//! use meshlens_gltf::{Export, Options, Part};
//!
//! # use meshlens::md3::write;
//! # let mut file = write::Model::new("flag")?;
//! # file.frames.push(write::Frame::named("idle")?);
//! # let mut surface = write::Surface::new("flag")?;
//! # surface.triangles.push([0, 1, 2]);
//! # surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
//! # surface.add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])?;
//! # file.surfaces.push(surface);
//! # let bytes = file.write()?;
//! let model = Model::parse(&bytes)?;
//! let export = Export::plan(&[Part::new("flag", &model)], &Options::default())?;
//! let mut glb = Vec::new();
//! export.write_glb(&mut glb)?;
//! assert!(glb.starts_with(b"glTF") && glb.len() as u64 == export.glb_len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What becomes what
//!
//! Surfaces become meshes, each under a node of its name. Frames of vertices become morph targets: displacements of positions
//! and normals from the frame shown at rest. Each clip becomes an animation of the same name, with a key for every frame at
//! its true time; it moves every surface and keys every target, so that clips do not shine through one another. Tags become
//! nodes with tracks, joints nodes too, and meshes that they move get skins. Coordinates are brought to glTF's axes in the vertices themselves, and triangles are turned over where
//! the source winds them clockwise. What glTF cannot hold is listed in [`Export::losses`].
#![forbid(unsafe_code)]

mod animation;
mod buffer;
mod builder;
mod import;
mod json;
mod loss;
mod material;
mod nodes;
mod selection;
mod shape;
mod skeleton;

use std::io::{self, Write};

use meshlens::Model;

pub use import::{ImportLimits, ImportOptions, import, import_within};
pub use material::Texture;
pub use selection::Frames;

use buffer::Plan;
use shape::{Scratch, Shape};

/// What goes into the file, and how.
#[derive(Clone, Copy, Default)]
pub struct Options<'o> {
    /// Which frames.
    pub frames: Frames<'o>,
    /// Show each frame until the next one begins, instead of going over to it.
    pub step: bool,
    /// Store MD3 positions as the integers that the file has, and normals as bytes (KHR_mesh_quantization): less than
    /// half the size, for readers that know the extension.
    pub quantize: bool,
    /// Write the coarser levels of detail of a model too (MSFT_lod); else the finest alone.
    pub levels: bool,
    /// What lengths are multiplied by; 1 when it is 0.
    pub scale: f32,
    /// Where textures are; without it materials keep only their paths.
    pub textures: Option<FindTexture<'o>>,
}

/// Finds a texture by the path that a material gives.
pub type FindTexture<'o> = &'o dyn Fn(&str) -> Option<Texture>;

/// A model and its place among others.
#[derive(Clone, Debug)]
pub struct Part<'m, 'a> {
    /// The name of its node.
    pub name: String,
    /// The model.
    pub model: &'m Model<'a>,
    /// The part, by its number, and the tag of it that this one hangs on.
    pub attach: Option<(usize, usize)>,
    /// The frame shown while no clip plays; the first that is written, where this one is not.
    pub rest: usize,
    /// Coarser models to show from afar, the finest first (MSFT_lod).
    pub lods: Vec<&'m Model<'a>>,
}

impl<'m, 'a> Part<'m, 'a> {
    /// A model by itself.
    pub fn new(name: impl Into<String>, model: &'m Model<'a>) -> Self {
        Part { name: name.into(), model, attach: None, rest: 0, lods: Vec::new() }
    }
}

/// A file that is decided on, and can be written.
pub struct Export<'m, 'a> {
    root: json::Root,
    plan: Plan,
    shapes: Vec<Shape<'m, 'a>>,
    losses: Vec<String>,
    warnings: Vec<String>,
}

/// Engines that do not take more morph targets than this, and which those are.
pub const MANY_TARGETS: (usize, &str) =
    (256, "Bevy stops there (older releases at 64), and three.js on devices with 256 layers to a texture");

impl<'m, 'a> Export<'m, 'a> {
    /// Decides what goes where, and measures every array, for which each is decoded once: O(model).
    ///
    /// # Errors
    ///
    /// A vertex number out of range, frames or a clip that no part has.
    pub fn plan(parts: &[Part<'m, 'a>], options: &Options<'_>) -> Result<Self, Error> {
        builder::build(parts, options)
    }

    /// What of the model the file does not hold, a line each.
    pub fn losses(&self) -> &[String] {
        &self.losses
    }

    /// What readers of the file may stumble over, a line each.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn json(&self) -> Result<Vec<u8>, Error> {
        Ok(serde_json::to_vec(&self.root).map_err(io::Error::from)?)
    }

    fn name_buffer(&mut self, uri: Option<String>) {
        if let Some(buffer) = self.root.buffers.first_mut() {
            buffer.uri = uri;
        }
    }

    /// Bytes of the GLB.
    pub fn glb_len(&self) -> u64 {
        let json = self.json().map_or(0, |json| json.len() as u64).next_multiple_of(4);
        let bin = if self.plan.len() > 0 { 8 + self.plan.len() } else { 0 };
        12 + 8 + json + bin
    }

    /// Writes it as one binary file, and says how many bytes that were.
    ///
    /// # Errors
    ///
    /// What `out` says, and a file past the 4 GiB that its header can speak of.
    pub fn write_glb(&self, out: &mut impl Write) -> Result<u64, Error> {
        let mut json = self.json()?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let bin = self.plan.len();
        let total = 12 + 8 + json.len() as u64 + if bin > 0 { 8 + bin } else { 0 };
        let field =
            |value: u64| u32::try_from(value).map(u32::to_le_bytes).map_err(|_| Error::TooLarge(total));
        out.write_all(b"glTF")?;
        out.write_all(&2u32.to_le_bytes())?;
        out.write_all(&field(total)?)?;
        out.write_all(&field(json.len() as u64)?)?;
        out.write_all(b"JSON")?;
        out.write_all(&json)?;
        if bin > 0 {
            out.write_all(&field(bin)?)?;
            out.write_all(b"BIN\0")?;
            self.write_bin(out)?;
        }
        Ok(total)
    }

    /// Writes the document, which names its buffer `uri`.
    ///
    /// # Errors
    ///
    /// What `out` says.
    pub fn write_json(&mut self, uri: &str, out: &mut impl Write) -> Result<u64, Error> {
        self.name_buffer(Some(uri.into()));
        let json = self.json();
        self.name_buffer(None);
        let json = json?;
        out.write_all(&json)?;
        Ok(json.len() as u64)
    }

    /// Whether there is a buffer at all: a model of nothing but still tags has none.
    pub const fn has_bin(&self) -> bool {
        self.plan.len() > 0
    }

    /// Writes the buffer alone, and says how many bytes that were.
    ///
    /// # Errors
    ///
    /// What `out` says.
    pub fn write_bin(&self, out: &mut impl Write) -> Result<u64, Error> {
        self.plan.write(&self.shapes, &mut Scratch::default(), out)?;
        Ok(self.plan.len())
    }
}

/// Why a model could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The model is broken.
    Model(meshlens::Error),
    /// The output cannot be written.
    Io(io::Error),
    /// A GLB speaks of at most 4 GiB, and a file has at most 1 GiB of keys; it would have this many bytes.
    TooLarge(u64),
    /// A glTF file cannot be read.
    Import(String),
    /// No part has a clip of this name.
    NoClip(String),
    /// No part has these frames: the first asked for, and how many there are.
    NoFrame(usize, usize),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Model(error) => error.fmt(f),
            Error::Io(error) => error.fmt(f),
            Error::Import(message) => write!(f, "gltf: {message}"),
            Error::TooLarge(bytes) => {
                write!(f, "{bytes} bytes are past the 4 GiB that a GLB has room for, or the 1 GiB for keys")
            }
            Error::NoClip(name) => write!(f, "there is no clip {name}"),
            Error::NoFrame(frame, count) => write!(f, "there is no frame {frame}: there are {count}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<meshlens::Error> for Error {
    fn from(error: meshlens::Error) -> Self {
        Error::Model(error)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Error::Io(error)
    }
}
