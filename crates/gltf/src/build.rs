//! Builds the document: nodes, animations, losses and buffers.

use std::collections::{HashMap, HashSet};

use meshlens::Report;
use meshlens::model::Clip;
use meshlens::scene::Scene;
use meshlens::wire::Budget;

use crate::buffer::Plan;
use crate::builder::{Builder, Images};
use crate::codes;
use crate::json::{self, Root};
use crate::memory::Memory;
use crate::selection;
use crate::shape::Scratch;
use crate::stored::Arrays;
use crate::{DEFAULT_MEMORY, Error, Export, Meshopt, Options, PORTABLE_MORPH_TARGETS};

pub(crate) fn build<'m, 'a>(scene: &'m Scene<'a>, options: &Options<'_>) -> Result<Export<'m, 'a>, Error> {
    let selections = selection::select(scene, options.frames)?;
    let budget = options.budget.cloned().unwrap_or_else(|| Budget::new(DEFAULT_MEMORY));
    let mut builder = Builder {
        options,
        root: Root { scenes: vec![json::Scene::default()], ..Root::default() },
        plan: Plan::default(),
        shapes: Vec::new(),
        scratch: Scratch::default(),
        losses: Report::default(),
        known_losses: HashSet::new(),
        memory: Memory::new(&budget)?,
        arrays: Arrays::default(),
        warnings: Vec::new(),
        materials: HashMap::new(),
        images: Images::new(),
        textures: HashMap::new(),
        times: HashMap::new(),
        skins: HashMap::new(),
    };
    for selection in &selections {
        for clip in selection.clips.iter().chain(&selection.joint_clips) {
            builder.memory.elements::<[Clip; 2]>(1, "clips")?;
            builder.memory.bytes(3 * clip.name.len(), "the name of a clip")?;
        }
    }
    builder.warnings.extend(selection::missing_frames(scene, options.frames));
    let mut nodes = builder.nodes(scene, &selections)?;
    builder.animations(scene, &selections, &mut nodes)?;
    for ((node, selection), nodes) in scene.nodes.iter().zip(&selections).zip(&nodes) {
        builder.losses.append(selection.losses.clone());
        builder.model_losses(&node.model);
        builder.warn_of_scales(&node.model, nodes);
        let targets = selection.last - selection.first;
        if targets > PORTABLE_MORPH_TARGETS && !node.model.meshes.is_empty() {
            builder.warnings.push(format!(
                "{}: {targets} morph targets are more than {PORTABLE_MORPH_TARGETS}: the most in Bevy (64 in older \
                 releases), and in three.js on devices with 256 texture layers; fewer frames, or one clip, need fewer",
                node.name
            ));
        }
    }
    if builder.scratch.replaced > 0 {
        let replaced = builder.scratch.replaced as u64;
        let message = format_args!("{replaced} values that are not finite or have no length were replaced");
        builder.losses.lose(&codes::VALUE_REPLACED, replaced, format_args!(""), message);
    }
    builder.buffers();
    let Builder { root, plan, shapes, losses, warnings, memory, .. } = builder;
    Ok(Export { root, plan, shapes, losses, warnings, _memory: memory })
}

impl Builder<'_, '_, '_> {
    /// Adds the buffer of the file, and the buffer that views are decompressed to.
    fn buffers(&mut self) {
        self.plan.align();
        let fallback = match self.options.meshopt.unwrap_or_default() {
            Meshopt::Khr => json::BufferExtension::Khr { fallback: true },
            Meshopt::Ext => json::BufferExtension::Ext { fallback: true },
        };
        let lengths = [(self.plan.len(), None), (self.arrays.decompressed, Some(fallback))];
        for (byte_length, extensions) in lengths.into_iter().filter(|(len, _)| *len > 0) {
            self.root.buffers.push(json::Buffer { uri: None, byte_length, extensions });
        }
    }
}
