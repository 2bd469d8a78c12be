//! Putting a document together: views, accessors and meshes. Nodes and animations have modules of their own.

use std::collections::{HashMap, HashSet};

use meshlens::Model;
use meshlens::model::Mesh;
use serde_json::{Map, Value};

use crate::buffer::{Content, Form, Plan};
use crate::json::{self, Accessor, BufferView, Component, Primitive, Root};
use crate::selection::{self, Selection};
use crate::shape::{Attribute, Scratch, Shape, Wanted, bounds};
use crate::{Error, Export, MANY_TARGETS, Options, Part};

/// glTF 2.0: bufferView.target.
const VERTICES: u16 = 34962;
const INDICES: u16 = 34963;

/// A document on its way.
pub(crate) struct Builder<'o, 'm, 'a> {
    pub(crate) options: &'o Options<'o>,
    pub(crate) root: Root,
    pub(crate) plan: Plan,
    pub(crate) shapes: Vec<Shape<'m, 'a>>,
    pub(crate) scratch: Scratch,
    pub(crate) losses: Vec<String>,
    /// The same lines, each of which is to be there once.
    known_losses: HashSet<String>,
    /// Bytes of animation so far.
    spent: usize,
    pub(crate) warnings: Vec<String>,
    /// Materials by what they are made of, as text.
    pub(crate) materials: HashMap<String, usize>,
    pub(crate) textures: HashMap<String, Option<usize>>,
    /// Accessors of key times, by number of keys and the bits of the rate.
    pub(crate) times: HashMap<(usize, u32), usize>,
    /// Skins made, by where their joints' nodes begin and where the matrices lie that they were made of.
    pub(crate) skins: HashMap<(usize, *const glam::Mat4), usize>,
}

/// The most bytes of keys in one file: clips may overlap, so that a small file can ask for any number of them.
const MAX_KEYS: usize = 1 << 30;

pub(crate) fn build<'m, 'a>(parts: &[Part<'m, 'a>], options: &Options<'_>) -> Result<Export<'m, 'a>, Error> {
    let selections = selection::select(parts, options.frames)?;
    let mut builder = Builder {
        options,
        root: Root { scenes: vec![json::Scene::default()], ..Root::default() },
        plan: Plan::default(),
        shapes: Vec::new(),
        scratch: Scratch::default(),
        losses: Vec::new(),
        known_losses: HashSet::new(),
        spent: 0,
        warnings: Vec::new(),
        materials: HashMap::new(),
        textures: HashMap::new(),
        times: HashMap::new(),
        skins: HashMap::new(),
    };
    let nodes = builder.nodes(parts, &selections)?;
    builder.animations(parts, &selections, &nodes)?;
    for (part, selection) in parts.iter().zip(&selections) {
        selection.losses.iter().for_each(|line| builder.loss(line.clone()));
        builder.model_losses(part.model);
        let targets = selection.last - selection.first;
        if targets > MANY_TARGETS.0 && !part.model.meshes.is_empty() {
            builder.warnings.push(format!(
                "{}: {targets} morph targets are more than {}: {}; --frames, --clip and --frame choose fewer",
                part.name, MANY_TARGETS.0, MANY_TARGETS.1
            ));
        }
    }
    if builder.scratch.replaced > 0 {
        builder.loss(format!(
            "{} values that are no numbers or have no length were replaced",
            builder.scratch.replaced
        ));
    }
    builder.plan.align();
    if builder.plan.len() > 0 {
        builder.root.buffers.push(json::Buffer { uri: None, byte_length: builder.plan.len() });
    }
    let Builder { root, plan, shapes, losses, warnings, .. } = builder;
    Ok(Export { root, plan, shapes, losses, warnings })
}

impl<'m, 'a> Builder<'_, 'm, 'a> {
    /// Notes a loss once.
    pub(crate) fn loss(&mut self, line: String) {
        if self.known_losses.insert(line.clone()) {
            self.losses.push(line);
        }
    }

    /// Counts keys of `size` bytes, before they are made.
    pub(crate) fn spend(&mut self, keys: usize, size: usize) -> Result<(), Error> {
        self.spent = self.spent.saturating_add(keys.saturating_mul(size));
        if self.spent > MAX_KEYS { Err(Error::TooLarge(self.spent as u64)) } else { Ok(()) }
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

    /// A view onto what is pushed from `start` to the end of the plan.
    pub(crate) fn view(&mut self, start: u64, stride: Option<usize>, target: Option<u16>) -> usize {
        self.root.buffer_views.push(BufferView {
            buffer: 0,
            byte_offset: start,
            byte_length: self.plan.len() - start,
            byte_stride: stride,
            target,
        });
        self.root.buffer_views.len() - 1
    }

    /// A view onto bytes that are ready.
    pub(crate) fn bytes_view(&mut self, bytes: Vec<u8>) -> usize {
        self.plan.align();
        let len = bytes.len() as u64;
        let start = self.plan.push(Content::Bytes(bytes), len);
        self.view(start, None, None)
    }

    pub(crate) fn accessor(&mut self, accessor: Accessor) -> usize {
        self.root.accessors.push(accessor);
        self.root.accessors.len() - 1
    }

    /// A mesh of the document, and the number of its targets; `None` where there is nothing to draw.
    pub(crate) fn mesh(
        &mut self,
        model: &Model<'_>,
        mesh: &'m Mesh<'a>,
        selection: &Selection,
    ) -> Result<Option<(usize, usize)>, Error> {
        let shape = Shape::new(model, mesh, selection.rest, self.scale(), self.options.quantize)?;
        let vertices = shape.topology.vertex_count();
        if vertices == 0 || shape.topology.triangles().is_empty() {
            self.loss(format!("mesh {}: {vertices} vertices without triangles", mesh.name));
            return Ok(None);
        }
        let (quantized, has_normals) = (shape.quantized, shape.has_normals());
        let parts = shape.topology.parts().to_vec();
        let index = self.shapes.len();
        self.shapes.push(shape);
        if quantized {
            self.use_extension("KHR_mesh_quantization", true);
        }

        let moves = mesh.frame_count() > 1;
        let targets: Vec<usize> = if moves { selection.targets().collect() } else { Vec::new() };
        let positions = self.vectors(index, Attribute::Position, &targets)?;
        let normals =
            if has_normals { self.vectors(index, Attribute::Normal, &targets)? } else { Vec::new() };
        let mut attributes = json::Attributes::default();
        attributes.set("POSITION", positions[0]);
        if let Some(normal) = normals.first() {
            attributes.set("NORMAL", *normal);
        }
        for set in 0..mesh.texcoord_sets() {
            attributes.set(format!("TEXCOORD_{set}"), self.texcoords(index, set, vertices));
        }
        self.small_attributes(index, &mut attributes, targets.len())?;
        let dropped = self.shapes[index].topology.dropped_triangles();
        if dropped > 0 {
            self.loss(format!("mesh {}: {dropped} triangles that name no vertex", mesh.name));
        }
        let targets: Vec<json::Target> = (1..positions.len())
            .map(|target| json::Target { position: positions[target], normal: normals.get(target).copied() })
            .collect();
        let mut primitives = Vec::new();
        for (number, part) in parts.iter().enumerate().filter(|(_, part)| !part.triangles.is_empty()) {
            let material = part.material.and_then(|material| model.materials.get(material));
            primitives.push(Primitive {
                attributes: attributes.clone(),
                indices: self.indices(index, number, part.triangles.len() * 3, vertices),
                material: material.map(|material| self.material(material)),
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

    /// The accessors of an attribute: that of the base frame, then those of the targets.
    fn vectors(
        &mut self,
        shape: usize,
        attribute: Attribute,
        targets: &[usize],
    ) -> Result<Vec<usize>, Error> {
        let base = self.shapes[shape].base;
        let quantized = self.shapes[shape].quantized;
        let vertices = self.shapes[shape].topology.vertex_count();
        let mut wanted = vec![Wanted { shape, attribute, frame: base, relative: false }];
        wanted.extend(targets.iter().map(|frame| Wanted { shape, attribute, frame: *frame, relative: true }));

        // Every array is measured before anything is written: bounds stand in the document, ahead of the buffer.
        let mut measured = Vec::with_capacity(wanted.len());
        for wanted in wanted {
            let bounds = bounds(self.shapes[shape].values(wanted, &mut self.scratch)?);
            let reach = bounds.as_flattened().iter().fold(0.0f32, |reach, value| reach.max(value.abs()));
            let form = match attribute {
                Attribute::Position if quantized && reach <= f32::from(i16::MAX) + 1.0 => Form::I16,
                Attribute::Normal if quantized && reach <= 1.0 => Form::I8,
                _ => Form::F32,
            };
            measured.push((wanted, bounds, form));
        }
        // A displacement past 16 bits needs floats, in the same unit.
        let mut accessors = vec![0; measured.len()];
        for form in [Form::I16, Form::I8, Form::F32] {
            if !measured.iter().any(|(_, _, other)| *other == form) {
                continue;
            }
            self.plan.align();
            let start = self.plan.len();
            let view = self.root.buffer_views.len();
            for (accessor, (wanted, bounds, _)) in
                accessors.iter_mut().zip(&measured).filter(|(_, (_, _, other))| *other == form)
            {
                let len = (vertices * form.stride()) as u64;
                let content = match form {
                    Form::I16 if !wanted.relative => Content::Raw { shape },
                    _ => Content::Vectors { wanted: *wanted, form },
                };
                let offset = self.plan.push(content, len) - start;
                let mut described = match form {
                    Form::F32 => Accessor::new(view, Component::F32, "VEC3", vertices),
                    Form::I16 => Accessor::new(view, Component::I16, "VEC3", vertices),
                    Form::I8 => Accessor::new(view, Component::I8, "VEC3", vertices).normalized(),
                };
                if attribute == Attribute::Position {
                    described = described.bounds(*bounds);
                }
                self.root.accessors.push(described.at(offset));
                *accessor = self.root.accessors.len() - 1;
            }
            self.view(start, Some(form.stride()), Some(VERTICES));
        }
        Ok(accessors)
    }

    /// Tangents, colours, joints and weights: made ready, since most meshes have none.
    fn small_attributes(
        &mut self,
        shape: usize,
        attributes: &mut json::Attributes,
        targets: usize,
    ) -> Result<(), Error> {
        let tangents = self.shapes[shape].tangents()?;
        if !tangents.is_empty() {
            if targets > 0 {
                self.loss(format!("mesh {}: the tangents of morph targets", self.shapes[shape].mesh.name));
            }
            let accessor = self.floats_accessor(tangents.as_flattened(), "VEC4", tangents.len());
            attributes.set("TANGENT", accessor);
        }
        let colors = self.shapes[shape].colors();
        if !colors.is_empty() {
            let accessor = self.floats_accessor(colors.as_flattened(), "VEC4", colors.len());
            attributes.set("COLOR_0", accessor);
        }
        let (joints, weights) = self.shapes[shape].influences();
        if !joints.is_empty() {
            let bytes = joints.as_flattened().iter().flat_map(|joint| joint.to_le_bytes()).collect();
            let view = self.bytes_view(bytes);
            self.root.buffer_views[view].target = Some(VERTICES);
            let accessor = self.accessor(Accessor::new(view, Component::U16, "VEC4", joints.len()));
            attributes.set("JOINTS_0", accessor);
            let accessor = self.floats_accessor(weights.as_flattened(), "VEC4", weights.len());
            attributes.set("WEIGHTS_0", accessor);
        }
        Ok(())
    }

    fn floats_accessor(&mut self, values: &[f32], kind: &'static str, count: usize) -> usize {
        let view = self.bytes_view(values.iter().flat_map(|value| value.to_le_bytes()).collect());
        self.root.buffer_views[view].target = Some(VERTICES);
        self.accessor(Accessor::new(view, Component::F32, kind, count))
    }

    fn texcoords(&mut self, shape: usize, set: usize, vertices: usize) -> usize {
        self.plan.align();
        // Decoded once ahead, so that values that are no numbers are counted.
        let _ = self.shapes[shape].texcoords(set, &mut self.scratch);
        let start = self.plan.push(Content::Texcoords { shape, set }, (vertices * 8) as u64);
        let view = self.view(start, Some(8), Some(VERTICES));
        self.accessor(Accessor::new(view, Component::F32, "VEC2", vertices))
    }

    fn indices(&mut self, shape: usize, part: usize, count: usize, vertices: usize) -> usize {
        // 65535 would restart the primitive.
        let wide = vertices > 65535;
        let (component, size) = if wide { (Component::U32, 4) } else { (Component::U16, 2) };
        self.plan.align();
        let start = self.plan.push(Content::Indices { shape, part, wide }, (count * size) as u64);
        let view = self.view(start, None, Some(INDICES));
        self.accessor(Accessor::new(view, component, "SCALAR", count))
    }
}

/// What a frame is called, unique or not: its own name, or its number.
fn target_name(model: &Model<'_>, mesh: &Mesh<'_>, frame: usize) -> String {
    let own = mesh.frame_name(frame);
    let name = if own.is_empty() { model.frame_name(frame) } else { own.into_owned() };
    if name.is_empty() { format!("frame {frame}") } else { name }
}
