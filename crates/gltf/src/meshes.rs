//! Meshes: their primitives, attributes and morph targets.

use meshlens::Model;
use meshlens::model::{Mesh, Submesh};

use crate::builder::Builder;
use crate::codes;
use crate::json::{self, Accessor, Component, Kind, MeshExtras, MeshPart, Primitive, Target};
use crate::selection::Selection;
use crate::shape::{Attribute, Shape, TriangleArrays, VertexArrays, are_bytes};
use crate::stored::{Elements, Use};
use crate::{Error, Normals};

impl<'m, 'a> Builder<'_, 'm, 'a> {
    /// Adds a mesh: one, or one for each group of morph targets. Returns the index of each and the number of its targets.
    pub(crate) fn mesh(
        &mut self,
        model: &Model<'_>,
        mesh: &'m Mesh<'a>,
        selection: &Selection,
    ) -> Result<Vec<(usize, usize)>, Error> {
        let shape = self.shape(model, mesh, selection)?;
        let vertices = shape.topology.vertex_count();
        if vertices == 0 || shape.topology.triangles().is_empty() {
            let message = format!("mesh {}: {vertices} vertices without triangles", mesh.name);
            self.loss(&meshlens::codes::MESH_WITHOUT_TRIANGLES, 1, message)?;
            return Ok(Vec::new());
        }
        let submeshes = self.drawn(model, mesh, shape.topology.submeshes())?;
        if submeshes.is_empty() {
            return Ok(Vec::new());
        }
        let moves = mesh.frame_count() > 1;
        let frames: Vec<usize> = if moves { selection.targets().collect() } else { Vec::new() };
        let is_split = moves && mesh.skin.is_none() && !selection.split.groups.is_empty();
        let whole = std::slice::from_ref(&frames);
        let groups = if is_split { &selection.split.groups } else { whole };
        if shape.quantized.is_some() {
            self.use_extension("KHR_mesh_quantization", true);
        }
        let index = self.shapes.len();
        self.shapes.push(shape);
        let (attributes, targets) = self.attributes(index, &frames)?;
        let dropped = self.shapes[index].topology.dropped_triangles();
        if dropped > 0 {
            let message = format!("mesh {}: {dropped} triangles with indices out of range", mesh.name);
            self.loss(&meshlens::codes::TRIANGLE_DROPPED, dropped, message)?;
        }
        let mut made = Vec::new();
        for group in groups {
            let count = group.len();
            let names = group.iter().map(|frame| target_name(model, mesh, *frame).len()).sum();
            self.memory.bytes(names, "the names of morph targets")?;
            self.memory.elements::<([usize; 2], f32, String, Target)>(count, "morph targets")?;
            let target = |frame: &usize| targets.get(selection.target(*frame)?).cloned();
            let targets: Vec<Target> = group.iter().filter_map(target).collect();
            let primitives = self.primitives(model, index, &submeshes, &attributes, &targets)?;
            let names = group.iter().map(|frame| target_name(model, mesh, *frame));
            let targets_of_whole = || group.iter().filter_map(|frame| selection.target(*frame)).collect();
            let meshlens = is_split.then(|| MeshPart {
                part: made.len(),
                parts: groups.len(),
                targets: targets_of_whole(),
            });
            let extras = MeshExtras { target_names: names.collect(), meshlens };
            let name = numbered(&mesh.name, made.len());
            let weights = vec![0.0; count];
            made.push((self.root.meshes.len(), count));
            self.root.meshes.push(json::Mesh { name, primitives, weights, extras });
        }
        Ok(made)
    }

    fn shape(
        &mut self,
        model: &Model<'_>,
        mesh: &'m Mesh<'a>,
        selection: &Selection,
    ) -> Result<Shape<'m, 'a>, Error> {
        let vertices = mesh.point_count().saturating_add(mesh.corner_count());
        self.memory.array::<VertexArrays>(vertices, "vertices of a mesh")?;
        self.memory.array::<TriangleArrays>(mesh.triangle_count(), "triangles of a mesh")?;
        self.memory.elements::<(json::Mesh, Shape<'_, '_>)>(1, "meshes")?;
        self.memory.bytes(3 * mesh.name.len(), "the name of a mesh")?;
        Ok(Shape::new(model, mesh, selection.rest, self.scale(), self.options.quantize)?)
    }

    /// The submeshes that are drawn, with their indices.
    fn drawn(
        &mut self,
        model: &Model<'_>,
        mesh: &Mesh<'_>,
        submeshes: &[Submesh],
    ) -> Result<Vec<(usize, Submesh)>, Error> {
        let is_hidden = |submesh: &Submesh| {
            let material = submesh.material.and_then(|material| model.materials.get(material));
            material.is_some_and(|material| material.hidden)
        };
        let hidden = submeshes.iter().filter(|submesh| is_hidden(submesh)).count();
        if hidden > 0 {
            let message = format!("mesh {}: its material is not drawn", mesh.name);
            self.loss(&meshlens::codes::SURFACE_HIDDEN, hidden, message)?;
        }
        self.memory.elements::<(usize, Submesh)>(submeshes.len(), "submeshes")?;
        let drawn = |(_, submesh): &(usize, Submesh)| !submesh.triangles.is_empty() && !is_hidden(submesh);
        Ok(submeshes.iter().cloned().enumerate().filter(drawn).collect())
    }

    /// The attributes of a shape, and the accessors of its morph targets.
    fn attributes(
        &mut self,
        shape: usize,
        targets: &[usize],
    ) -> Result<(json::Attributes, Vec<Target>), Error> {
        let mesh = self.shapes[shape].mesh;
        let has_normals = self.shapes[shape].has_normals()?;
        // The normals of morph targets take more than half of a file.
        let turning = if self.options.normals == Normals::All { targets } else { &[] };
        if has_normals && turning.len() < targets.len() {
            let message = format!("mesh {}: the normals of {} morph targets", mesh.name, targets.len());
            self.loss(&codes::NORMAL_TARGETS_LOST, targets.len(), message)?;
        }
        let positions = self.vectors(shape, Attribute::Position, targets)?;
        let normals = if has_normals { self.vectors(shape, Attribute::Normal, turning)? } else { Vec::new() };
        let mut attributes = json::Attributes::default();
        attributes.insert("POSITION".into(), positions[0]);
        if let Some(normal) = normals.first() {
            attributes.insert("NORMAL".into(), *normal);
        }
        let vertices = self.shapes[shape].topology.vertex_count();
        for set in 0..mesh.texcoord_sets() {
            attributes.insert(format!("TEXCOORD_{set}"), self.texcoords(shape, set, vertices)?);
        }
        self.small_attributes(shape, &mut attributes, targets.len())?;
        let target = |target: usize| Target {
            position: Some(positions[target]),
            normal: normals.get(target).copied(),
            tangent: None,
        };
        Ok((attributes, (1..positions.len()).map(target).collect()))
    }

    /// A primitive for each submesh of a shape.
    fn primitives(
        &mut self,
        model: &Model<'_>,
        shape: usize,
        submeshes: &[(usize, Submesh)],
        attributes: &json::Attributes,
        targets: &[Target],
    ) -> Result<Vec<Primitive>, Error> {
        let count = submeshes.len();
        self.memory.elements::<Primitive>(count, "primitives")?;
        self.memory.array::<Target>(count.saturating_mul(targets.len()), "targets of primitives")?;
        // A map reserves memory for eleven attributes, or is at least half full.
        let room = count.saturating_mul(12 + 2 * attributes.len());
        self.memory.array::<([u8; 16], String, usize)>(room, "attributes of primitives")?;
        let vertices = self.shapes[shape].topology.vertex_count();
        let sets = self.shapes[shape].mesh.texcoord_sets();
        let mut primitives = Vec::with_capacity(count);
        for (number, submesh) in submeshes {
            let material = submesh.material.and_then(|material| model.materials.get(material));
            primitives.push(Primitive {
                attributes: attributes.clone(),
                indices: self.indices(shape, *number, submesh.triangles.len() * 3, vertices)?,
                material: material.map(|material| self.material(material, sets)).transpose()?,
                targets: targets.to_vec(),
                extensions: None,
            });
        }
        Ok(primitives)
    }

    /// Tangents, colors, joints and weights. They are encoded in advance, since most meshes have none of them.
    fn small_attributes(
        &mut self,
        shape: usize,
        attributes: &mut json::Attributes,
        targets: usize,
    ) -> Result<(), Error> {
        let tangents = self.shapes[shape].tangents(&mut self.scratch.replaced)?;
        if !tangents.is_empty() {
            if targets > 0 {
                let message = format!("mesh {}: the tangents of morph targets", self.shapes[shape].mesh.name);
                self.loss(&codes::TANGENT_TARGETS_LOST, 1, message)?;
            }
            let accessor = self.floats_accessor(Use::Vertices, tangents.as_flattened(), Kind::Vec4)?;
            attributes.insert("TANGENT".into(), accessor);
        }
        for set in 0..self.shapes[shape].mesh.color_sets() {
            if let Some(accessor) = self.colors(shape, set)? {
                attributes.insert(format!("COLOR_{set}"), accessor);
            }
        }
        let (joints, weights) = self.shapes[shape].influences()?;
        if !joints.is_empty() {
            let is_small = self.options.compact_joints && self.options.quantize;
            let are_bytes = is_small && joints.as_flattened().iter().all(|joint| *joint < 256);
            let (component, bytes): (Component, Vec<u8>) = if are_bytes {
                (Component::U8, joints.as_flattened().iter().map(|joint| *joint as u8).collect())
            } else {
                let bytes = joints.as_flattened().iter().flat_map(|joint| joint.to_le_bytes());
                (Component::U16, bytes.collect())
            };
            let view = self.bytes_view(Use::Vertices, Elements::Attributes(4 * component.size()), bytes)?;
            let accessor = self.accessor(Accessor::new(view, component, Kind::Vec4, joints.len()))?;
            attributes.insert("JOINTS_0".into(), accessor);
            let accessor = if is_small {
                let bytes = weights.iter().flat_map(|weights| integers(*weights)).flat_map(u16::to_le_bytes);
                let view = self.bytes_view(Use::Vertices, Elements::Attributes(8), bytes.collect())?;
                self.accessor(Accessor::new(view, Component::U16, Kind::Vec4, weights.len()).normalized())?
            } else {
                self.floats_accessor(Use::Vertices, weights.as_flattened(), Kind::Vec4)?
            };
            attributes.insert("WEIGHTS_0".into(), accessor);
        }
        Ok(())
    }

    /// Adds a set of colors, as bytes if that is exact and requested. `None` if the set does not exist.
    fn colors(&mut self, shape: usize, set: usize) -> Result<Option<usize>, Error> {
        let colors = self.shapes[shape].colors(set, &mut self.scratch.replaced)?;
        if colors.is_empty() {
            return Ok(None);
        }
        Ok(Some(if self.options.quantize && are_bytes(colors.as_flattened()) {
            let bytes = colors.as_flattened().iter().map(|value| (value * 255.0).round() as u8).collect();
            let view = self.bytes_view(Use::Vertices, Elements::Attributes(4), bytes)?;
            self.accessor(Accessor::new(view, Component::U8, Kind::Vec4, colors.len()).normalized())?
        } else {
            self.floats_accessor(Use::Vertices, colors.as_flattened(), Kind::Vec4)?
        }))
    }
}

/// The name of a mesh: its own for the first group of targets, and with a number for others. three.js makes names distinct by a
/// number after an underscore, and would make a name such as `flag_2` again.
pub(crate) fn numbered(name: &str, group: usize) -> String {
    if group == 0 { name.to_owned() } else { format!("{name} part {}", group + 1) }
}

/// Weights as integers whose sum is the largest one. The rounding of all goes to the largest weight.
fn integers(weights: [f32; 4]) -> [u16; 4] {
    let mut integers = weights.map(|weight| (weight * f32::from(u16::MAX)).round() as u16);
    let largest = (1..4).fold(0, |best, index| if weights[index] > weights[best] { index } else { best });
    let others = (0..4).filter(|index| *index != largest).map(|index| integers[index]);
    integers[largest] = others.fold(u16::MAX, u16::saturating_sub);
    integers
}

/// The name of a frame, or its index as text. It need not be unique.
fn target_name(model: &Model<'_>, mesh: &Mesh<'_>, frame: usize) -> String {
    let own = mesh.frame_name(frame);
    let name = if own.is_empty() { model.frame_name(frame) } else { &own };
    if name.is_empty() { format!("frame {frame}") } else { name.to_owned() }
}
