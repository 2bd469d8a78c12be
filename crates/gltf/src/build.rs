//! Builds the document: nodes, animations, losses and buffers.

use std::collections::{HashMap, HashSet};

use meshlens::Report;
use meshlens::wire::Budget;
use serde_json::{Map, json};

use crate::buffer::Plan;
use crate::builder::{Builder, Images};
use crate::codes;
use crate::json::{self, Root};
use crate::memory;
use crate::selection::{self};
use crate::shape::Scratch;
use crate::stored::Arrays;
use crate::views::MESHOPT;
use crate::{DEFAULT_MEMORY, Error, Export, MANY_TARGETS, Options};

pub(crate) fn build<'m, 'a>(
    parts: &[crate::Part<'m, 'a>],
    options: &Options<'_>,
) -> Result<Export<'m, 'a>, Error> {
    let selections = selection::select(parts, options.frames)?;
    let budget = options.budget.cloned().unwrap_or_else(|| Budget::new(DEFAULT_MEMORY));
    let mut builder = Builder {
        options,
        root: Root { scenes: vec![json::Scene::default()], ..Root::default() },
        plan: Plan::default(),
        shapes: Vec::new(),
        scratch: Scratch::default(),
        losses: Report::default(),
        known_losses: HashSet::new(),
        memory: memory::reserve(&budget, parts, &selections)?,
        arrays: Arrays::default(),
        warnings: Vec::new(),
        materials: HashMap::new(),
        images: Images::new(),
        textures: HashMap::new(),
        times: HashMap::new(),
        skins: HashMap::new(),
    };
    builder.warnings.extend(selection::missing_frames(parts, options.frames));
    let mut nodes = builder.nodes(parts, &selections)?;
    memory::animations(&mut builder.memory, parts, &selections, &nodes)?;
    builder.animations(parts, &selections, &mut nodes)?;
    for ((part, selection), nodes) in parts.iter().zip(&selections).zip(&nodes) {
        builder.losses.append(selection.losses.clone());
        builder.model_losses(part.model);
        builder.warn_of_scales(part.model, nodes);
        let targets = selection.last - selection.first;
        if targets > MANY_TARGETS.0 && !part.model.meshes.is_empty() {
            builder.warnings.push(format!(
                "{}: {targets} morph targets are more than {}: {}; fewer frames, or one clip, need fewer",
                part.name, MANY_TARGETS.0, MANY_TARGETS.1
            ));
        }
    }
    if builder.scratch.replaced > 0 {
        let replaced = builder.scratch.replaced as u64;
        let message = format_args!("{replaced} values that are not finite or have no length were replaced");
        builder.losses.lose(&codes::VALUE_REPLACED, replaced, format_args!(""), message);
    }
    builder.plan.align();
    if builder.plan.len() > 0 {
        builder.root.buffers.push(json::Buffer {
            uri: None,
            byte_length: builder.plan.len(),
            extensions: Map::new(),
        });
        if builder.arrays.decompressed > 0 {
            // A placeholder without bytes, for the ranges that views are decompressed to.
            builder.root.buffers.push(json::Buffer {
                uri: None,
                byte_length: builder.arrays.decompressed,
                extensions: Map::from_iter([(MESHOPT.into(), json!({ "fallback": true }))]),
            });
        }
    }
    let Builder { root, plan, shapes, losses, warnings, memory, .. } = builder;
    Ok(Export { root, plan, shapes, losses, warnings, _memory: memory })
}
