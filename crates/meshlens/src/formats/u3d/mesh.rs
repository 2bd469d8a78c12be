//! The arrays of a mesh in every frame, and the bones that move it.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::{Mat4, Vec3};
use meshlens_lens::{IndexBufferLayout, IndexFormat, Semantic, Swizzled, ValueLens};
use meshlens_u3d::{Mesh as U3dMesh, U3d};
use meshlens_wire::{Partial, Result};

use super::SETS;
use super::limits::{MAX_BINDS, limit};
use crate::model::arrays::{Arrays, no_frame};
use crate::model::attribute::Attribute;
use crate::model::sources::{Computed, Joints};
use crate::model::{Mesh, Submesh, Topology};

/// The inverse bind matrices of a mesh.
type Binds = Arc<[[[f32; 4]; 4]]>;

/// A mesh of frame 0 as a mesh of the model, with the meshes of later frames, and with a skin if a bone moves it.
pub(super) fn frame_mesh<'a>(
    u3d: &Arc<U3d<'a, Partial>>,
    mesh: &U3dMesh<'_, 'a, Partial>,
    name: String,
    skin: Option<(u16, Binds)>,
) -> Mesh<'a> {
    let made = FrameMesh {
        u3d: u3d.clone(),
        frames: frames(u3d, mesh),
        sets: texcoord_sets(mesh),
        tangent_sets: mesh.texcoord_owner().and_then(|owner| owner.tangent_sets()),
        joint: skin.as_ref().map(|(joint, _)| *joint),
    };
    let mut made = Mesh::new(name, made);
    made.lod = mesh.lod_index().unwrap_or(0) as usize;
    made.skin = skin.map(|(_, matrices)| matrices);
    made
}

/// The sets of texture coordinates of a mesh, without those that are its tangent space.
pub(super) fn texcoord_sets(mesh: &U3dMesh<'_, '_, Partial>) -> Vec<usize> {
    let Some(owner) = mesh.texcoord_owner() else { return Vec::new() };
    let tangents = owner.tangent_sets().unwrap_or([SETS; 2]);
    let sets = (0..).zip(owner.texcoord_dimensions()).filter(|(_, dimension)| *dimension > 0);
    sets.map(|(set, _)| set).filter(|set| !tangents.contains(set)).collect()
}

/// The meshes that later frames show instead of a mesh of frame 0. They end before the first mesh with another number
/// of vertices, which cannot be blended.
fn frames(u3d: &U3d<'_, Partial>, mesh: &U3dMesh<'_, '_, Partial>) -> Vec<usize> {
    let mut frames = alloc::vec![mesh.index()];
    if u3d.bone_count() > 0 {
        return frames;
    }
    for number in 1..u3d.frame_count() {
        // The number of frames comes from a field of 32 bits.
        let number = number as u32;
        match u3d.find_mesh(mesh.lod_index().unwrap_or(0), mesh.mesh_in_frame(), number) {
            Some(next) if next.vertex_count() == mesh.vertex_count() => frames.push(next.index()),
            _ => break,
        }
    }
    frames
}

/// A mesh in every frame.
#[derive(Clone, Debug)]
struct FrameMesh<'a> {
    u3d: Arc<U3d<'a, Partial>>,
    /// The index in the file of the mesh of each frame.
    frames: Vec<usize>,
    /// The sets of texture coordinates that the mesh has.
    sets: Vec<usize>,
    /// The sets that are tangents and bitangents.
    tangent_sets: Option<[usize; 2]>,
    /// The joint that moves the whole mesh if it has no skin; `None` if no joint moves it.
    joint: Option<u16>,
}

impl<'a> FrameMesh<'a> {
    fn mesh(&self, frame: usize) -> Result<U3dMesh<'_, 'a, Partial>> {
        let found = self.frames.get(frame).and_then(|index| self.u3d.mesh(*index));
        found.ok_or_else(|| no_frame(frame, self.frames.len()))
    }

    /// The first two numbers of each element, for sets with one, three or four numbers.
    fn texcoords(&self, set: usize, frame: usize) -> Result<Option<Attribute<'_>>> {
        let Some(set) = self.sets.get(set) else { return Ok(None) };
        let Some(floats) = self.mesh(frame)?.texcoords(*set)? else { return Ok(None) };
        if floats.typed::<[f32; 2]>().is_some() {
            return Ok(Some(floats.into()));
        }
        let first_two = Computed::new(floats.len(), floats, |floats, vertex| {
            floats.get_floats(vertex).map_or([0.0; 2], |[s, t, ..]| [s, t])
        });
        Ok(Some(first_two.into()))
    }

    /// The normals of a frame as they are drawn, and whether they point against those that are stored.
    fn normals(&self, frame: usize) -> Result<(ValueLens<'_, [f32; 3]>, bool)> {
        let mesh = self.mesh(frame)?;
        Ok((mesh.normals()?, mesh.normal_scalar() < 0.0))
    }

    /// The tangents of a frame. V grows along the bitangents of the file, so the sign of the bitangent is opposite to that
    /// of glTF, where V decreases along the bitangent.
    fn tangents(&self, frame: usize) -> Result<Option<Attribute<'_>>> {
        let Some([tangents, bitangents]) = self.tangent_sets else { return Ok(None) };
        let (normals, _) = self.normals(frame)?;
        let mesh = self.mesh(frame)?;
        let (Some(tangents), Some(bitangents)) = (mesh.texcoords(tangents)?, mesh.texcoords(bitangents)?)
        else {
            return Ok(None);
        };
        let signed = Computed::new(normals.len(), (normals, [tangents, bitangents]), |arrays, vertex| {
            let (normals, directions) = arrays;
            let [tangent, bitangent] = directions.map(|lens| lens.get_floats(vertex).unwrap_or_default());
            let [tangent, bitangent] = [tangent, bitangent].map(|[x, y, z, _]| Vec3::new(x, y, z));
            let normal = Vec3::from(normals.get(vertex).unwrap_or_default());
            let is_right_handed = normal.cross(tangent).dot(bitangent) >= 0.0;
            tangent.extend(if is_right_handed { -1.0 } else { 1.0 }).to_array()
        });
        Ok(Some(signed.into()))
    }

    fn joints(&self) -> Result<Option<Attribute<'_>>> {
        let Some(joint) = self.joint else { return Ok(None) };
        let (count, get) = (self.point_count(), self.influences(joint)?);
        Ok(Some(Attribute::computed(Joints { count, get: move |vertex| get(vertex).0 })))
    }

    fn weights(&self) -> Result<Option<Attribute<'_>>> {
        let Some(joint) = self.joint else { return Ok(None) };
        let (count, get) = (self.point_count(), self.influences(joint)?);
        Ok(Some(Attribute::computed(Computed::new(count, get, |get, vertex| get(vertex).1))))
    }

    /// The joints and weights of each vertex. A vertex that the skin does not name follows `joint`.
    fn influences(&self, joint: u16) -> Result<impl Fn(usize) -> ([u16; 4], [f32; 4]) + use<'_, 'a>> {
        let mesh = self.mesh(0)?;
        let (named, bones) = (mesh.skin_bones()?, self.u3d.bone_count());
        // Reading weights cannot fail for a single vertex once they are loaded, so a failure is reported here.
        mesh.skin_weights()?;
        Ok(move |vertex| match (named.get(vertex), mesh.weights(vertex)) {
            (Some(named), Ok(Some(weights))) => normalized(named, weights, bones),
            _ => ([joint, 0, 0, 0], [1.0, 0.0, 0.0, 0.0]),
        })
    }
}

impl Arrays for FrameMesh<'_> {
    fn point_count(&self) -> usize {
        self.mesh(0).map_or(0, |mesh| mesh.vertex_count())
    }

    fn triangle_count(&self) -> usize {
        self.mesh(0).map_or(0, |mesh| mesh.triangle_count())
    }

    fn frame_count(&self) -> usize {
        self.frames.len()
    }

    fn texcoord_sets(&self) -> usize {
        self.sets.len()
    }

    fn attribute(&self, semantic: Semantic, set: usize, frame: usize) -> Result<Option<Attribute<'_>>> {
        match semantic {
            Semantic::Position => Ok(Some(ValueLens::from(self.mesh(frame)?.positions()?).into())),
            Semantic::Normal => {
                let (normals, is_reversed) = self.normals(frame)?;
                Ok(Some(match is_reversed {
                    true => Swizzled::new(normals, [0, 1, 2, 3], [-1.0; 4]).into(),
                    false => normals.into(),
                }))
            }
            Semantic::Texcoord => self.texcoords(set, frame),
            Semantic::Tangent => self.tangents(frame),
            Semantic::Joints => self.joints(),
            Semantic::Weights => self.weights(),
            _ => Ok(None),
        }
    }

    /// The triangles by material, and in file order for each material.
    fn topology_into(&self, _material: Option<usize>, topology: &mut Topology) -> Result<()> {
        let mesh = self.mesh(0)?;
        let materials = mesh.triangle_owner().map(|owner| owner.triangle_materials()).transpose()?;
        // Every triangle has a material.
        let material_of = |number: usize| materials.and_then(|all| all.get(number)).unwrap_or(0);
        topology.vertex_count = mesh.vertex_count();
        // A mesh that borrows its triangles may state any number.
        let count = mesh.triangle_owner().map_or(0, |owner| owner.triangle_count());
        topology.triangles.resize(count, [0; 3]);
        let layout = IndexBufferLayout::new(IndexFormat::Uint32);
        mesh.indices_into(layout, bytemuck::cast_slice_mut(&mut topology.triangles))?;
        let is_sorted = (0..topology.triangles.len()).map(material_of).is_sorted();
        let mut order: Vec<u32> = Vec::new();
        if !is_sorted {
            // The number of triangles comes from a field of 32 bits.
            order.extend(0..topology.triangles.len() as u32);
            order.sort_by_key(|number| material_of(*number as usize));
            let triangles = core::mem::take(&mut topology.triangles);
            topology.triangles.extend(order.iter().filter_map(|number| triangles.get(*number as usize)));
        }
        let number_at = |place: usize| order.get(place).map_or(place, |number| *number as usize);
        for place in 0..topology.triangles.len() {
            let material = Some(usize::from(material_of(number_at(place))));
            match topology.submeshes.last_mut() {
                Some(part) if part.material == material => part.triangles.end = place + 1,
                _ => topology.submeshes.push(Submesh { material, triangles: place..place + 1 }),
            }
        }
        if topology.submeshes.is_empty() {
            topology.one_part(None);
        }
        Ok(())
    }
}

/// The bones to which meshes are appended: the mesh, the bone, and the index of the mesh among the meshes of the bone.
pub(super) struct Appended(Vec<(u32, u16, usize)>);

impl Appended {
    pub(super) fn new(u3d: &U3d<'_, Partial>) -> Result<Appended> {
        let mut all = Vec::new();
        for (number, bone) in u3d.bones().enumerate() {
            // Only bones up to this index have matrices, because of the limit below.
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            all.extend(bone.meshes()?.iter().enumerate().map(|(index, mesh)| (mesh, number, index)));
        }
        all.sort_unstable();
        // If a mesh is appended to a bone twice, the first one is used.
        all.dedup_by_key(|(mesh, bone, _)| (*mesh, *bone));
        let meshes = all.chunk_by(|a, b| a.0 == b.0).count() as u64;
        limit("bind matrices of meshes", MAX_BINDS, meshes.saturating_mul(u3d.bone_count() as u64))?;
        Ok(Appended(all))
    }

    /// The first bone that a mesh is appended to, and the matrix of each bone from the space of the mesh to the space of the
    /// bone; `None` if the mesh is appended to no bone.
    pub(super) fn skin(
        &self,
        u3d: &U3d<'_, Partial>,
        mesh: &U3dMesh<'_, '_, Partial>,
    ) -> Result<Option<(u16, Binds)>> {
        // The indices of meshes come from fields of 32 bits.
        let number = mesh.index() as u32;
        let start = self.0.partition_point(|(mesh, ..)| *mesh < number);
        let own = self.0.get(start..).and_then(|rest| rest.chunk_by(|a, b| a.0 == b.0).next());
        let Some((own, (_, first, _))) = own.and_then(|own| Some((own, own.first()?))) else {
            return Ok(None);
        };
        if own.iter().any(|(mesh, ..)| *mesh != number) {
            return Ok(None);
        }
        let mut matrices = alloc::vec![Mat4::IDENTITY.to_cols_array_2d(); u3d.bone_count()];
        for (_, bone, index) in own {
            let matrix = u3d.bone(usize::from(*bone)).map(|bone| bone.mesh_to_bone(*index));
            let matrix = matrix.transpose()?.flatten();
            if let (Some(slot), Some(matrix)) = (matrices.get_mut(usize::from(*bone)), matrix) {
                let [[a, b, c, _], [d, e, f, _], [g, h, i, _], [j, k, l, _]] = matrix;
                // The fourth column in files is always this column. Any other column would be a perspective, which is
                // not supported.
                *slot = [[a, b, c, 0.0], [d, e, f, 0.0], [g, h, i, 0.0], [j, k, l, 1.0]];
            }
        }
        Ok(Some((*first, matrices.into())))
    }
}

/// The joints and weights of a vertex, with each joint once and weights that are not negative and add up to 1. A vertex without
/// weights is moved by the first joint.
fn normalized(named: [u8; 4], weights: [f32; 4], bones: usize) -> ([u16; 4], [f32; 4]) {
    let mut merged: [(u16, f32); 4] = [(0, 0.0); 4];
    let mut count = 0usize;
    for (bone, weight) in named.into_iter().zip(weights) {
        if usize::from(bone) >= bones || !(weight > 1e-6 && weight.is_finite()) {
            continue;
        }
        let known = merged.iter().take(count).position(|(known, _)| *known == u16::from(bone));
        let place = known.unwrap_or(count);
        count = count.max(place + 1);
        if let Some(slot) = merged.get_mut(place) {
            *slot = (u16::from(bone), slot.1 + weight);
        }
    }
    let sum: f32 = merged.iter().map(|(_, weight)| weight).sum();
    if sum <= 0.0 {
        return ([0; 4], [1.0, 0.0, 0.0, 0.0]);
    }
    (merged.map(|(joint, _)| joint), merged.map(|(_, weight)| weight / sum))
}
