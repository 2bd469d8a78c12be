//! Meshes: vertices at rest, triangles, bounds over all frames, morph targets.

use bevy::asset::RenderAssetUsages;
use bevy::math::{Mat4, Vec3};
use bevy::mesh::morph::{MAX_MORPH_WEIGHTS, MorphAttributes};
use bevy::mesh::{Indices, Mesh, MeshCompressionArgs, PrimitiveTopology, VertexAttributeValues};
use meshlens::lens::VertexFormat;
use meshlens::model::{Blend, Semantic, VertexLayout};
use meshlens::scene::{Pose, View, ViewMesh};

use super::{MeshPart, MeshlensParts};
use crate::limits::DeviceLimits;
use crate::{LoadError, MeshlensModel, VertexAnimationMode};

/// The largest number of joints that Bevy supports in a mesh.
const MAX_JOINTS: usize = bevy::pbr::MAX_JOINTS;

impl MeshlensParts {
    /// Adds every level of every mesh of a node.
    pub(super) fn add_meshes(&mut self, node: usize, first_material: usize, limits: &DeviceLimits) {
        let model = self.model.clone();
        let Some(of) = model.scene().nodes.get(node) else { return };
        let inner = of.model.meshes.iter().map(|mesh| mesh.lod).max().unwrap_or(0);
        let levels = if model.settings().lods { inner.max(of.lods.len()) } else { 0 };
        for lod in 0..=levels {
            let Some(own) = model.node_view(node) else { continue };
            // A streamed scene has only one level.
            let view = if levels > 0 { own.lod(lod) } else { own };
            for (_, index) in view.mesh_indices().filter(|(of, _)| *of == node) {
                // A level may repeat meshes of the previous level.
                let is_known = |part: &MeshPart| {
                    (part.node, part.index) == (node, index)
                        && lod > of.lods.len()
                        && part.lod >= of.lods.len()
                };
                if self.meshes.iter().any(is_known) {
                    continue;
                }
                let made = view.mesh(node, index).and_then(|mesh| {
                    let (model, view, mesh) = (&model, &view, &mesh);
                    MeshConverter { model, view, mesh, node, lod, index, first_material, limits }.parts()
                });
                match made {
                    Ok(made) => made.into_iter().for_each(|part| match part {
                        Ok(part) => self.meshes.push(part),
                        Err(error) => self.fail(error),
                    }),
                    Err(error) => {
                        let error = Box::new(error);
                        self.fail(LoadError::Mesh { file: model.file(node), node, mesh: index, error });
                    }
                }
            }
        }
    }
}

/// A mesh that is converted to parts, one for each submesh.
struct MeshConverter<'m> {
    model: &'m MeshlensModel,
    view: &'m View<'m, 'm>,
    mesh: &'m ViewMesh<'m, 'm>,
    node: usize,
    lod: usize,
    index: usize,
    first_material: usize,
    limits: &'m DeviceLimits,
}

impl MeshConverter<'_> {
    fn parts(&self) -> meshlens::Result<Vec<Result<MeshPart, LoadError>>> {
        let settings = self.model.settings();
        let of = self.mesh.mesh();
        let pose = self.view.scene().rest_pose();
        let is_still = settings.vertex_animation == VertexAnimationMode::Still;
        let skin = of.skin.as_ref().filter(|skin| skin.len() <= MAX_JOINTS);
        // The shader for skinned meshes does not read vertex frames.
        let frame_count = if is_still || skin.is_some() { 1 } else { of.frame_count().max(1) };
        let morphs = settings.vertex_animation == VertexAnimationMode::Morph && frame_count > 1;
        if morphs && frame_count > MAX_MORPH_WEIGHTS {
            let remedy = "load it with `vertex_animation: Auto`";
            let (limit, found) = (MAX_MORPH_WEIGHTS as u64, frame_count as u64);
            return Ok(vec![Err(self.limit("morph targets", limit, found, remedy))]);
        }
        let vertices = Vertices::new(self.mesh, &pose, skin.is_some())?;
        let bounds = bounds(self.view, self.mesh, self.node, frame_count)?;
        let conversion = self.mesh.model().space.to(self.view.space()).scaled(settings.scale);
        let inverse_bindposes = skin.map(|skin| {
            skin.iter().map(|bind| Mat4::from_cols_array_2d(&conversion.matrix(*bind))).collect::<Vec<_>>()
        });
        let mut parts: Vec<_> = self.too_many_joints().into_iter().map(Err).collect();
        for (submesh, range) in self.mesh.submeshes().iter().enumerate() {
            let material = range.material.or(of.material);
            let is_hidden = |index: usize| self.mesh.model().materials.get(index).is_some_and(|of| of.hidden);
            if material.is_some_and(is_hidden) {
                continue;
            }
            let triangles: Vec<u32> = self.mesh.submesh_triangles(range).flatten().collect();
            let mut mesh = self.mesh_of(&vertices, triangles, frame_count, morphs)?;
            if inverse_bindposes.is_some() {
                // Without these bounds, Bevy would use the bounds of the rest pose for culling.
                let _ = mesh.generate_skinned_mesh_bounds();
            }
            if let Some(error) = self.too_large(&mesh) {
                parts.push(Err(error));
                continue;
            }
            parts.push(Ok(MeshPart {
                node: self.node,
                lod: self.lod,
                index: self.index,
                submesh,
                name: of.name.clone(),
                mesh,
                bounds,
                material: material.map(|material| self.first_material + material),
                frame_count,
                inverse_bindposes: inverse_bindposes.clone(),
            }));
        }
        Ok(parts)
    }

    /// The mesh of a submesh, with the morph targets of all frames if `morphs`.
    fn mesh_of(
        &self,
        vertices: &Vertices,
        triangles: Vec<u32>,
        frame_count: usize,
        morphs: bool,
    ) -> meshlens::Result<Mesh> {
        let settings = self.model.settings();
        // The CPU may have to write meshes that are animated.
        let kept = if frame_count > 1 { RenderAssetUsages::MAIN_WORLD } else { RenderAssetUsages::empty() };
        let mut mesh = vertices.mesh(settings.load_meshes | kept);
        mesh.insert_indices(indices(triangles, self.mesh.vertex_count()));
        if morphs {
            mesh.set_morph_targets(self.morph_targets(vertices, frame_count)?);
            let of = self.mesh.mesh();
            let names = (0..frame_count).map(|frame| of.frame_name(frame).into_owned());
            mesh.set_morph_target_names(names.collect());
        } else if frame_count == 1 && settings.compress {
            // A mesh that cannot be compressed is unchanged.
            mesh = mesh.compressed_mesh(&MeshCompressionArgs::regular()).unwrap_or_else(|(mesh, _)| mesh);
        }
        Ok(mesh)
    }

    /// The error for a mesh with more joints than Bevy supports.
    fn too_many_joints(&self) -> Option<LoadError> {
        let joints =
            self.mesh.mesh().skin.as_ref().map(|skin| skin.len()).filter(|joints| *joints > MAX_JOINTS)?;
        let remedy = "the mesh stays at rest; remove joints that move nothing";
        Some(self.limit("joints", MAX_JOINTS as u64, joints as u64, remedy))
    }

    fn limit(&self, what: &'static str, limit: u64, found: u64, remedy: &'static str) -> LoadError {
        let (file, offset) = (self.model.file(self.node), offset(self.mesh));
        LoadError::Limit { file, offset, what, limit, found, remedy }
    }

    /// The error for a mesh whose vertices or indices exceed the largest buffer of the device.
    fn too_large(&self, mesh: &Mesh) -> Option<LoadError> {
        let indices = mesh.get_index_buffer_bytes().map_or(0, <[u8]>::len);
        let sizes = [("bytes of vertices", mesh.get_vertex_buffer_size()), ("bytes of indices", indices)];
        let (what, size) = sizes.into_iter().find(|(_, size)| *size as u64 > self.limits.buffer)?;
        Some(self.limit(
            what,
            self.limits.buffer,
            size as u64,
            "split the mesh, or use a device with larger buffers",
        ))
    }

    /// The differences between each frame and the vertices at rest, target by target.
    fn morph_targets(&self, rest: &Vertices, frames: usize) -> meshlens::Result<Vec<MorphAttributes>> {
        let mut targets = Vec::with_capacity(frames * rest.positions.len());
        for frame in 0..frames {
            let moved = Vertices::of_frames(self.view, self.mesh, self.node, frame.into())?;
            let normals =
                rest.normals.iter().zip(&moved.normals).map(|(a, b)| Vec3::from(*b) - Vec3::from(*a));
            let mut normals = normals.chain(std::iter::repeat(Vec3::ZERO));
            for (a, b) in rest.positions.iter().zip(&moved.positions) {
                let normal = normals.next().unwrap_or(Vec3::ZERO);
                targets.push(MorphAttributes::new(Vec3::from(*b) - Vec3::from(*a), normal, Vec3::ZERO));
            }
        }
        Ok(targets)
    }
}

/// The offset of a mesh in its file, which is the offset of its positions; 0 if they are computed.
pub(crate) fn offset(mesh: &ViewMesh<'_, '_>) -> u64 {
    let positions = mesh.mesh().attribute(Semantic::Position, 0, 0).ok().flatten();
    positions.and_then(|positions| positions.stored()).map_or(0, |stored| stored.byte_range().start)
}

/// Decoded vertices.
#[derive(Clone, Debug, Default)]
struct Vertices {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    texcoords: [Vec<[f32; 2]>; 2],
    colors: Vec<[f32; 4]>,
    tangents: Vec<[f32; 4]>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
}

impl Vertices {
    /// Decodes every attribute. With joints and weights, vertices are in the bind pose.
    fn new(mesh: &ViewMesh<'_, '_>, pose: &Pose, is_skinned: bool) -> meshlens::Result<Self> {
        let of = mesh.mesh();
        let has = |semantic, set| of.attribute(semantic, set, 0).map(|found| found.is_some());
        let mut wanted = vec![(Semantic::Position, 0, VertexFormat::Float32x3)];
        let optional = [
            (Semantic::Normal, 0, VertexFormat::Float32x3),
            (Semantic::Texcoord, 0, VertexFormat::Float32x2),
            (Semantic::Texcoord, 1, VertexFormat::Float32x2),
            (Semantic::Color, 0, VertexFormat::Float32x4),
            (Semantic::Tangent, 0, VertexFormat::Float32x4),
        ];
        for attribute in optional {
            if has(attribute.0, attribute.1)? {
                wanted.push(attribute);
            }
        }
        if is_skinned {
            wanted.push((Semantic::Joints, 0, VertexFormat::Uint16x4));
            wanted.push((Semantic::Weights, 0, VertexFormat::Float32x4));
        }
        Vertices::decode(mesh, pose, &wanted)
    }

    /// Decodes positions and normals of two blended frames.
    fn of_frames(
        view: &View<'_, '_>,
        mesh: &ViewMesh<'_, '_>,
        node: usize,
        frames: Blend,
    ) -> meshlens::Result<Self> {
        let mut pose = view.scene().rest_pose();
        if let Some(shown) = pose.node_mut(node) {
            shown.frames = frames;
        }
        let mut wanted = vec![(Semantic::Position, 0, VertexFormat::Float32x3)];
        if mesh.mesh().attribute(Semantic::Normal, 0, 0)?.is_some() {
            wanted.push((Semantic::Normal, 0, VertexFormat::Float32x3));
        }
        Vertices::decode(mesh, &pose, &wanted)
    }

    fn decode(
        mesh: &ViewMesh<'_, '_>,
        pose: &Pose,
        wanted: &[(Semantic, usize, VertexFormat)],
    ) -> meshlens::Result<Self> {
        let layout = VertexLayout::packed(wanted);
        let stride = layout.stride();
        let mut buffer = vec![0; mesh.buffer_len(&layout)];
        mesh.fill_vertex_buffer(pose, &layout, &mut buffer)?;
        let mut vertices = Vertices::default();
        for ((semantic, set, _), offset) in wanted.iter().zip(layout.offsets()) {
            let from = (&*buffer, stride, offset);
            match (semantic, set) {
                (Semantic::Position, _) => vertices.positions = column(from),
                (Semantic::Normal, _) => vertices.normals = column(from),
                (Semantic::Texcoord, set) => vertices.texcoords[(*set).min(1)] = column(from),
                (Semantic::Color, _) => vertices.colors = column(from),
                (Semantic::Tangent, _) => vertices.tangents = column(from),
                (Semantic::Joints, _) => vertices.joints = column(from),
                _ => vertices.weights = column(from),
            }
        }
        Ok(vertices)
    }

    /// A mesh without triangles.
    fn mesh(&self, usages: RenderAssetUsages) -> Mesh {
        let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, usages);
        let Vertices { positions, normals, texcoords: [first, second], colors, tangents, joints, weights } =
            self;
        let mut insert = |attribute, values: VertexAttributeValues| {
            if !values.is_empty() {
                mesh.insert_attribute(attribute, values);
            }
        };
        insert(Mesh::ATTRIBUTE_POSITION, positions.clone().into());
        insert(Mesh::ATTRIBUTE_NORMAL, normals.clone().into());
        insert(Mesh::ATTRIBUTE_UV_0, first.clone().into());
        insert(Mesh::ATTRIBUTE_UV_1, second.clone().into());
        insert(Mesh::ATTRIBUTE_COLOR, colors.clone().into());
        insert(Mesh::ATTRIBUTE_TANGENT, tangents.clone().into());
        insert(Mesh::ATTRIBUTE_JOINT_INDEX, VertexAttributeValues::Uint16x4(joints.clone()));
        insert(Mesh::ATTRIBUTE_JOINT_WEIGHT, weights.clone().into());
        mesh
    }
}

/// The values of one attribute of an interleaved buffer.
fn column<V: bytemuck::AnyBitPattern>((buffer, stride, offset): (&[u8], usize, usize)) -> Vec<V> {
    let value = |vertex: &[u8]| bytemuck::pod_read_unaligned(&vertex[offset..offset + size_of::<V>()]);
    buffer.chunks_exact(stride).map(value).collect()
}

/// Indices of 16 bits if they are enough.
fn indices(triangles: Vec<u32>, vertex_count: usize) -> Indices {
    match vertex_count {
        0..=0xffff => Indices::U16(triangles.into_iter().map(|index| index as u16).collect()),
        _ => Indices::U32(triangles),
    }
}

/// The smallest and the largest position of a mesh in its first `frames` frames. Positions that are not finite are
/// ignored. O(vertices of all frames).
fn bounds(
    view: &View<'_, '_>,
    mesh: &ViewMesh<'_, '_>,
    node: usize,
    frames: usize,
) -> meshlens::Result<Option<[[f32; 3]; 2]>> {
    let mut found: Option<[Vec3; 2]> = None;
    for frame in 0..frames {
        for position in Vertices::of_frames(view, mesh, node, frame.into())?.positions {
            let position = Vec3::from(position);
            if position.is_finite() {
                let [min, max] = found.unwrap_or([position; 2]);
                found = Some([min.min(position), max.max(position)]);
            }
        }
    }
    Ok(found.map(|corners| corners.map(Into::into)))
}
