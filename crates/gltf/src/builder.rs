//! The document that is being built. Other modules add arrays, meshes, materials, nodes and animations to it.

use std::collections::{HashMap, HashSet};

use meshlens::model::{ImageSource, TextureAlpha};
use meshlens::{Code, Report};

use crate::buffer::Plan;
use crate::json::Root;
use crate::memory::Memory;
use crate::shape::{Scratch, Shape};
use crate::stored::Arrays;
use crate::{Error, Options};

/// A document that is being built.
pub(crate) struct Builder<'o, 'm, 'a> {
    pub(crate) options: &'o Options<'o>,
    pub(crate) root: Root,
    pub(crate) plan: Plan,
    pub(crate) shapes: Vec<Shape<'m, 'a>>,
    pub(crate) scratch: Scratch,
    pub(crate) losses: Report,
    /// The messages of the losses: each loss is listed once.
    pub(crate) known_losses: HashSet<String>,
    /// The memory of the document, from the budget.
    pub(crate) memory: Memory,
    pub(crate) arrays: Arrays,
    pub(crate) warnings: Vec<String>,
    /// Materials by their debug text and their images.
    pub(crate) materials: HashMap<(String, [Option<ImageSource>; 2]), usize>,
    pub(crate) images: Images,
    /// Textures by image and sampler.
    pub(crate) textures: HashMap<(usize, Option<usize>), usize>,
    /// Accessors of key times, by the number of keys and the bits of the rate.
    pub(crate) times: HashMap<(usize, u32), usize>,
    /// Skins, by the first joint's node and the address of the inverse bind matrices.
    pub(crate) skins: HashMap<(usize, *const [[f32; 4]; 4]), usize>,
}

impl<'m, 'a> Builder<'_, 'm, 'a> {
    /// Lists a loss of `count` values, unless it is listed: several nodes may show one mesh.
    pub(crate) fn loss(&mut self, code: &'static Code, count: usize, message: String) -> Result<(), Error> {
        if !self.known_losses.contains(&message) {
            self.memory.elements::<String>(1, "losses")?;
            self.memory.bytes(3 * message.len(), "a loss")?;
            self.losses.lose(code, count as u64, format_args!(""), format_args!("{message}"));
            self.known_losses.insert(message);
        }
        Ok(())
    }

    pub(crate) fn use_extension(&mut self, name: &'static str, required: bool) {
        if !self.root.extensions_used.contains(&name) {
            self.root.extensions_used.push(name);
            if required {
                self.root.extensions_required.push(name);
            }
        }
    }

    pub(crate) fn scale(&self) -> f32 {
        let scale = self.options.scale;
        if scale > 0.0 && scale.is_finite() { scale } else { 1.0 }
    }
}

/// Adds a record to a list of the document, and returns its index.
pub(crate) fn added<T>(list: &mut Vec<T>, record: T) -> usize {
    list.push(record);
    list.len() - 1
}

/// The properties that determine the image of a material: its path, the image of an imported file, the requested alpha,
/// whether the material is opaque, and how it becomes a normal map.
pub(crate) type ImageKey = (Option<String>, Option<ImageSource>, TextureAlpha, bool, (Option<u32>, bool));

/// Images; `None` if no image was found.
pub(crate) type Images = HashMap<ImageKey, Option<usize>>;
