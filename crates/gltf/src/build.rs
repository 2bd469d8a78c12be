//! Builds the document: nodes, animations, losses and buffers.

use std::collections::{HashMap, HashSet};

use meshlens::Report;
use meshlens::model::Clip;
use meshlens::scene::{self, Scene};
use meshlens::wire::Budget;

use crate::buffer::Plan;
use crate::builder::{Builder, Images};
use crate::codes;
use crate::json::{self, Root};
use crate::memory::Memory;
use crate::selection::{self, Selection};
use crate::shape::Scratch;
use crate::split::Split;
use crate::stored::Arrays;
use crate::{DEFAULT_MEMORY, Error, Export, Meshopt, Options, PORTABLE_MORPH_TARGETS};

pub(crate) fn build<'m, 'a>(scene: &'m Scene<'a>, options: &Options<'_>) -> Result<Export<'m, 'a>, Error> {
    let mut selections = selection::select(scene, options.frames)?;
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
    for selection in &mut selections {
        for clip in selection.clips.iter().chain(&selection.joint_clips) {
            builder.memory.elements::<[Clip; 2]>(1, "clips")?;
            builder.memory.bytes(3 * clip.name.len(), "the name of a clip")?;
        }
        let (rest, most) = (selection.rest, options.max_targets);
        selection.split = Split::new(selection.targets(), rest, &selection.clips, most, &mut builder.memory)?;
    }
    builder.warnings.extend(selection::missing_frames(scene, options.frames));
    let mut nodes = builder.nodes(scene, &selections)?;
    builder.animations(scene, &selections, &mut nodes)?;
    for ((node, selection), nodes) in scene.nodes.iter().zip(&selections).zip(&nodes) {
        builder.losses.append(selection.losses.clone());
        builder.model_losses(&node.model);
        builder.warn_of_scales(&node.model, nodes);
        builder.many_targets(node, selection)?;
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
    /// Reports a model with more morph targets than many programs draw.
    fn many_targets(&mut self, node: &scene::Node<'_>, selection: &Selection) -> Result<(), Error> {
        let (targets, copies) = (selection.targets().len(), selection.split.groups.len());
        let moves = |skinned: bool| {
            let mut meshes = node.model.meshes.iter();
            meshes.any(|mesh| mesh.frame_count() > 1 && (mesh.skin.is_some() || !skinned))
        };
        if copies > 1 && moves(false) {
            let most = self.options.max_targets.max(2);
            let message = format!(
                "{}: {targets} morph targets, more than {most}: {copies} meshes in place of each, shown in turn",
                node.name
            );
            self.loss(&codes::MORPH_TARGETS_SPLIT, copies, message)?;
        }
        if targets > PORTABLE_MORPH_TARGETS && moves(copies > 1) {
            let message =
                format!("{}: {targets} morph targets, more than {PORTABLE_MORPH_TARGETS}", node.name);
            self.loss(&codes::MORPH_TARGETS_MANY, targets, message)?;
        }
        Ok(())
    }

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
