//! Builds the document: the meshes and their attributes. Other modules add arrays, materials, nodes and animations.

use std::collections::{HashMap, HashSet};

use meshlens::Model;
use meshlens::model::{Mesh, Part};
use meshlens::wire::{Budget, Reservation};
use meshlens::{Code, Report};
use serde_json::{Map, Value, json};

use crate::arrays::Arrays;
use crate::buffer::Plan;
use crate::codes;
use crate::json::{self, Accessor, Component, Primitive, Root};
use crate::material::Images;
use crate::memory;
use crate::selection::{self, Selection};
use crate::shape::{Attribute, Scratch, Shape, are_bytes};
use crate::views::{Elements, MESHOPT, Use};
use crate::{DEFAULT_MEMORY, Error, Export, MANY_TARGETS, Normals, Options};

/// A document that is being built.
pub(crate) struct Builder<'o, 'm, 'a> {
    pub(crate) options: &'o Options<'o>,
    pub(crate) root: Root,
    pub(crate) plan: Plan,
    pub(crate) shapes: Vec<Shape<'m, 'a>>,
    pub(crate) scratch: Scratch,
    pub(crate) losses: Report,
    /// The messages of the losses: each loss is listed once.
    known_losses: HashSet<String>,
    /// The memory of the document, from the budget.
    pub(crate) memory: Reservation,
    pub(crate) arrays: Arrays,
    pub(crate) warnings: Vec<String>,
    /// Materials by their debug text.
    pub(crate) materials: HashMap<String, usize>,
    pub(crate) images: Images,
    /// Textures by image and sampler.
    pub(crate) textures: HashMap<(usize, Option<usize>), usize>,
    /// Accessors of key times, by the number of keys and the bits of the rate.
    pub(crate) times: HashMap<(usize, u32), usize>,
    /// Skins, by the first joint's node and the address of the inverse bind matrices.
    pub(crate) skins: HashMap<(usize, *const glam::Mat4), usize>,
}

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

impl<'m, 'a> Builder<'_, 'm, 'a> {
    /// Lists a loss of `count` values, unless it is listed: several nodes may show one mesh.
    pub(crate) fn loss(&mut self, code: &'static Code, count: usize, message: String) {
        if !self.known_losses.contains(&message) {
            self.losses.lose(code, count as u64, format_args!(""), format_args!("{message}"));
            self.known_losses.insert(message);
        }
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

    /// Adds a mesh. Returns its index and the number of its targets; `None` if there is nothing to draw.
    pub(crate) fn mesh(
        &mut self,
        model: &Model<'_>,
        mesh: &'m Mesh<'a>,
        selection: &Selection,
    ) -> Result<Option<(usize, usize)>, Error> {
        let shape = Shape::new(model, mesh, selection.rest, self.scale(), self.options.quantize)?;
        let vertices = shape.topology.vertex_count();
        if vertices == 0 || shape.topology.triangles().is_empty() {
            let message = format!("mesh {}: {vertices} vertices without triangles", mesh.name);
            self.loss(&codes::MESH_WITHOUT_TRIANGLES, 1, message);
            return Ok(None);
        }
        let (quantized, has_normals) = (shape.quantized.is_some(), shape.has_normals()?);
        let is_hidden = |part: &Part| {
            let material = part.material.and_then(|material| model.materials.get(material));
            material.is_some_and(|material| material.hidden)
        };
        let parts = shape.topology.parts();
        let hidden = parts.iter().filter(|part| is_hidden(part)).count();
        let drawn = |(_, part): &(usize, Part)| !part.triangles.is_empty() && !is_hidden(part);
        let parts: Vec<(usize, Part)> = parts.iter().cloned().enumerate().filter(drawn).collect();
        if hidden > 0 {
            self.loss(
                &codes::SURFACE_HIDDEN,
                hidden,
                format!("mesh {}: its material is not drawn", mesh.name),
            );
        }
        if parts.is_empty() {
            return Ok(None);
        }
        let moves = mesh.frame_count() > 1;
        let targets: Vec<usize> = if moves { selection.targets().collect() } else { Vec::new() };
        let names = targets.iter().map(|frame| target_name(model, mesh, *frame).len()).sum();
        memory::primitives(&mut self.memory, parts.len(), targets.len(), names)?;
        let index = self.shapes.len();
        self.shapes.push(shape);
        if quantized {
            self.use_extension("KHR_mesh_quantization", true);
        }

        // The normals of targets are more than half of a file.
        let turning = if self.options.normals == Normals::All { &targets[..] } else { &[] };
        if has_normals && turning.len() < targets.len() {
            let message = format!("mesh {}: the normals of {} morph targets", mesh.name, targets.len());
            self.loss(&codes::NORMAL_TARGETS_LOST, targets.len(), message);
        }
        let positions = self.vectors(index, Attribute::Position, &targets)?;
        let normals = if has_normals { self.vectors(index, Attribute::Normal, turning)? } else { Vec::new() };
        let mut attributes = json::Attributes::default();
        attributes.set("POSITION", positions[0]);
        if let Some(normal) = normals.first() {
            attributes.set("NORMAL", *normal);
        }
        for set in 0..mesh.texcoord_sets() {
            attributes.set(format!("TEXCOORD_{set}"), self.texcoords(index, set, vertices)?);
        }
        self.small_attributes(index, &mut attributes, targets.len())?;
        let dropped = self.shapes[index].topology.dropped_triangles();
        if dropped > 0 {
            let message = format!("mesh {}: {dropped} triangles with indices out of range", mesh.name);
            self.loss(&codes::TRIANGLE_DROPPED, dropped, message);
        }
        let targets: Vec<json::Target> = (1..positions.len())
            .map(|target| json::Target { position: positions[target], normal: normals.get(target).copied() })
            .collect();
        let mut primitives = Vec::new();
        for (number, part) in &parts {
            let material = part.material.and_then(|material| model.materials.get(material));
            primitives.push(Primitive {
                attributes: attributes.clone(),
                indices: self.indices(index, *number, part.triangles.len() * 3, vertices)?,
                material: material.map(|material| self.material(material)).transpose()?,
                targets: targets.clone(),
            });
        }
        let count = targets.len();
        let mut extras = Map::new();
        if count > 0 {
            let names: Vec<Value> =
                selection.targets().map(|frame| target_name(model, mesh, frame).into()).collect();
            extras.insert("targetNames".into(), names.into());
        }
        let weights = vec![0.0; count];
        self.root.meshes.push(json::Mesh { name: mesh.name.clone(), primitives, weights, extras });
        Ok(Some((self.root.meshes.len() - 1, count)))
    }

    /// Tangents, colors, joints and weights. They are encoded in advance, since most meshes have none of them.
    fn small_attributes(
        &mut self,
        shape: usize,
        attributes: &mut json::Attributes,
        targets: usize,
    ) -> Result<(), Error> {
        let tangents = self.shapes[shape].tangents()?;
        if !tangents.is_empty() {
            if targets > 0 {
                let message = format!("mesh {}: the tangents of morph targets", self.shapes[shape].mesh.name);
                self.loss(&codes::TANGENT_TARGETS_LOST, 1, message);
            }
            let accessor = self.floats_accessor(tangents.as_flattened(), "VEC4", tangents.len())?;
            attributes.set("TANGENT", accessor);
        }
        let colors = self.shapes[shape].colors()?;
        if !colors.is_empty() {
            let accessor = if self.options.quantize && are_bytes(colors.as_flattened()) {
                let bytes = colors.as_flattened().iter().map(|value| (value * 255.0).round() as u8).collect();
                let view = self.bytes_view(Use::Vertices, Elements::Attributes(4), bytes)?;
                self.accessor(Accessor::new(view, Component::U8, "VEC4", colors.len()).normalized())
            } else {
                self.floats_accessor(colors.as_flattened(), "VEC4", colors.len())?
            };
            attributes.set("COLOR_0", accessor);
        }
        let (joints, weights) = self.shapes[shape].influences()?;
        if !joints.is_empty() {
            let bytes = joints.as_flattened().iter().flat_map(|joint| joint.to_le_bytes()).collect();
            let view = self.bytes_view(Use::Vertices, Elements::Attributes(8), bytes)?;
            let accessor = self.accessor(Accessor::new(view, Component::U16, "VEC4", joints.len()));
            attributes.set("JOINTS_0", accessor);
            let accessor = self.floats_accessor(weights.as_flattened(), "VEC4", weights.len())?;
            attributes.set("WEIGHTS_0", accessor);
        }
        Ok(())
    }
}

/// The name of a frame, or its index as text. It need not be unique.
fn target_name(model: &Model<'_>, mesh: &Mesh<'_>, frame: usize) -> String {
    let own = mesh.frame_name(frame);
    let name = if own.is_empty() { model.frame_name(frame) } else { &own };
    if name.is_empty() { format!("frame {frame}") } else { name.to_owned() }
}
