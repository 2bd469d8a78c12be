//! The arrays of all frames of a pair of files as the arrays of a mesh of the model.

use alloc::sync::Arc;
use alloc::vec::Vec;

use glam::Vec3;
use meshlens_lens::Semantic;
use meshlens_lens::encoding::F32;
use meshlens_unreal::{Geometry, NormalScratch, TriangleType, Unreal};
use meshlens_wire::{Budget, Partial, Result};

use crate::model::arrays::{Arrays, no_frame};
use crate::model::attribute::Attribute;
use crate::model::kept::{Charge, Kept};
use crate::model::sources::{Ordered, floats};
use crate::model::{Submesh, Topology, unit_direction};

/// The texture slot and the type of a triangle. Each pair has a material.
pub(super) type Look = (u8, u8);

/// A mesh with all of its frames: the whole frames, and a completed last frame if the file ends inside it.
#[derive(Clone, Debug)]
pub(super) struct UnrealFrames<'a> {
    unreal: Unreal<'a, Partial>,
    /// The bytes of the completed last frame.
    completed: Option<Result<Arc<[u8]>>>,
}

impl<'a> UnrealFrames<'a> {
    pub(super) fn new(unreal: Unreal<'a, Partial>) -> Self {
        let cut = unreal.incomplete_frame().transpose();
        UnrealFrames { unreal, completed: cut.map(|cut| Ok(cut?.complete().into())) }
    }

    pub(super) const fn count(&self) -> usize {
        // Files have at most 65,535 frames.
        self.unreal.frame_count() + self.completed.is_some() as usize
    }

    /// The mesh that contains a frame, and the index of the frame in that mesh.
    pub(super) fn at(&self, frame: usize) -> Result<(Unreal<'_, Partial>, usize)> {
        match &self.completed {
            Some(completed) if frame == self.unreal.frame_count() => {
                let completed = completed.as_ref().map_err(|error| *error)?;
                let cut = self.unreal.incomplete_frame()?.ok_or_else(|| no_frame(frame, self.count()))?;
                Ok((cut.open(completed)?, 0))
            }
            _ => Ok((self.unreal, frame)),
        }
    }
}

#[derive(Debug)]
pub(super) struct UnrealMesh<'a> {
    unreal: Unreal<'a, Partial>,
    pub(super) frames: UnrealFrames<'a>,
    /// The number of triangles that are not the weapon triangle.
    visible: usize,
    /// The slot and the type of each material, in the order of the model.
    pub(super) looks: Vec<Look>,
    /// The factors of positions, on which normals depend.
    pub(super) scale: [f32; 3],
    /// Whether positions are the stored integers, to be scaled by a script.
    pub(super) is_scaled_by_script: bool,
    /// The texture slot whose texture coordinates are mirrored along U (UNMIRRORTEX).
    pub(super) mirrored_texture: Option<u8>,
    computed: Computed,
}

/// The normal of triangles with an index that is out of range.
const NOT_DRAWN: [f32; 3] = [0.0, 0.0, 1.0];

/// Attributes that are computed when they are first read, and kept: for each corner 8 bytes of texture coordinates and 4 of
/// the index of a normal, and for each frame that was shown 12 bytes for each point and each corner of a flat triangle.
#[derive(Debug, Default)]
struct Computed {
    charge: Charge,
    texcoords: Kept<Vec<[f32; 2]>>,
    normal_of_corner: Kept<Vec<u32>>,
    normals: Kept<Vec<Kept<Vec<[f32; 3]>>>>,
}

impl<'a> UnrealMesh<'a> {
    /// The mesh in the units of the format. `geometry` is its geometry file.
    pub(super) fn new(unreal: Unreal<'a, Partial>, geometry: &Geometry<'_>) -> Self {
        let mut looks: Vec<Look> = Vec::new();
        let mut known = [[false; 256]; 256];
        let mut visible = 0usize;
        for (slot, bits) in geometry.textures().iter().zip(geometry.types()) {
            visible += usize::from(TriangleType(bits).is_visible());
            let flag = known.get_mut(usize::from(slot)).and_then(|row| row.get_mut(usize::from(bits)));
            if let Some(known) = flag.filter(|known| !**known)
                && TriangleType(bits).is_visible()
            {
                *known = true;
                looks.push((slot, bits));
            }
        }
        looks.sort_unstable();
        UnrealMesh {
            unreal,
            frames: UnrealFrames::new(unreal),
            visible,
            looks,
            scale: unreal.unit_scale(),
            is_scaled_by_script: false,
            mirrored_texture: None,
            computed: Computed::default(),
        }
    }

    /// The corners of the flat triangles, three by three.
    fn flat_triangles(&self) -> Result<impl Iterator<Item = [u16; 3]>> {
        let types = self.unreal.geometry()?.types();
        let triangles = self.unreal.triangles()?;
        Ok(triangles
            .iter()
            .zip(types.iter())
            .filter(|(_, bits)| TriangleType(*bits).is_flat())
            .map(|(corners, _)| corners))
    }

    /// The number of [normals](Self::compute_normals) of a frame.
    fn normal_count(&self) -> Result<usize> {
        // Files have at most 65,535 points and triangles.
        Ok(self.unreal.vertex_count() + 3 * self.flat_triangles()?.count() + 1)
    }

    /// The normals of all points, averaged over their triangles, those of the corners of flat triangles, and [`NOT_DRAWN`].
    fn compute_normals(&self, frame: usize) -> Result<Vec<[f32; 3]>> {
        let mut normals = Vec::with_capacity(self.normal_count()?);
        normals.resize(self.unreal.vertex_count(), [0.0; 3]);
        let (unreal, frame) = self.frames.at(frame)?;
        unreal.smooth_normals_into(frame, self.scale, &mut NormalScratch::default(), &mut normals)?;
        let (positions, scale) = (unreal.positions(frame)?, Vec3::from(self.scale));
        for corners in self.flat_triangles()? {
            let [a, b, c] =
                corners.map(|point| positions.get(usize::from(point)).map(|at| Vec3::from(at) * scale));
            // Front faces are clockwise, in a left-handed space.
            let face =
                a.zip(b).zip(c).and_then(|((a, b), c)| unit_direction((b - a).cross(c - a).to_array()));
            for point in corners {
                let smooth = normals.get(usize::from(point)).copied();
                normals.push(face.or(smooth).unwrap_or(NOT_DRAWN));
            }
        }
        normals.push(NOT_DRAWN);
        Ok(normals)
    }

    /// The index of the normal of each corner in the [normals](Self::compute_normals) of a frame.
    fn normals_of_corners(&self) -> Result<Vec<u32>> {
        let points = self.unreal.vertex_count();
        let not_drawn = points + 3 * self.flat_triangles()?.count();
        let (mut flat, mut indices) = (points as u32, Vec::with_capacity(self.corner_count()));
        for (corners, bits) in self.unreal.triangles()?.iter().zip(self.unreal.geometry()?.types().iter()) {
            for point in corners {
                // Files have at most 65,535 points and triangles.
                indices.push(match TriangleType(bits).is_flat() {
                    true => flat,
                    false if usize::from(point) < points => point.into(),
                    false => not_drawn as u32,
                });
                flat += u32::from(TriangleType(bits).is_flat());
            }
        }
        Ok(indices)
    }

    /// Normals are computed for the points, and each corner gets the normal of its point.
    fn normals(&self, frame: usize) -> Result<Attribute<'_>> {
        let Computed { charge, normals, normal_of_corner, .. } = &self.computed;
        let count = self.frames.count();
        let slots = || Ok((0..count).map(|_| Kept::default()).collect());
        let frames = normals.get(charge, "a list of frames", || Ok(size_of::<usize>() * count), slots)?;
        let slot = frames.get(frame).ok_or_else(|| no_frame(frame, count))?;
        let bytes = || Ok(size_of::<[f32; 3]>() * self.normal_count()?);
        let values = slot.get(charge, "the normals of a frame", bytes, || self.compute_normals(frame))?;
        let bytes = || Ok(size_of::<u32>() * self.corner_count());
        let order =
            normal_of_corner.get(charge, "the normals of corners", bytes, || self.normals_of_corners())?;
        Ok(Ordered { values, order }.into())
    }

    fn texcoords(&self) -> Result<Attribute<'_>> {
        let Computed { charge, texcoords, .. } = &self.computed;
        let bytes = || Ok(size_of::<[f32; 2]>() * self.corner_count());
        let texcoords = texcoords.get(charge, "texture coordinates", bytes, || self.compute_texcoords())?;
        Ok(Attribute::kept(floats(texcoords, F32::<2>)?))
    }

    fn compute_texcoords(&self) -> Result<Vec<[f32; 2]>> {
        let geometry = self.unreal.geometry()?;
        let corners = [geometry.texcoords(0)?, geometry.texcoords(1)?, geometry.texcoords(2)?];
        let (slots, mirrored) = (geometry.textures(), self.mirrored_texture);
        let get = |corner: usize| {
            let (triangle, corner) = (corner / 3, corner % 3);
            let [u, v] = corners.get(corner).and_then(|lens| lens.get(triangle)).unwrap_or_default();
            let is_mirrored = mirrored.is_some() && slots.get(triangle) == mirrored;
            [if is_mirrored { 1.0 - u } else { u }, v]
        };
        Ok((0..self.corner_count()).map(get).collect())
    }
}

impl Arrays for UnrealMesh<'_> {
    fn point_count(&self) -> usize {
        self.unreal.vertex_count()
    }

    fn corner_count(&self) -> usize {
        // Files have at most 65,535 triangles.
        self.unreal.triangle_count() * 3
    }

    fn triangle_count(&self) -> usize {
        self.visible
    }

    fn frame_count(&self) -> usize {
        self.frames.count()
    }

    fn is_welded(&self) -> bool {
        false
    }

    fn texcoord_sets(&self) -> usize {
        1
    }

    fn charge_to(&self, budget: &Budget) {
        self.computed.charge.set(budget);
    }

    fn attribute(&self, semantic: Semantic, set: usize, frame: usize) -> Result<Option<Attribute<'_>>> {
        match semantic {
            Semantic::Position => {
                let (unreal, frame) = self.frames.at(frame)?;
                let stored = self.is_scaled_by_script;
                Ok(Some(if stored { unreal.positions(frame)? } else { unreal.unit_positions(frame)? }.into()))
            }
            Semantic::Normal => self.normals(frame).map(Some),
            Semantic::Texcoord if set == 0 => self.texcoords().map(Some),
            _ => Ok(None),
        }
    }

    /// Corners with the same vertex index and the same texture coordinates become one vertex, unless their triangle is flat. Weapon triangles and
    /// triangles with an index out of range are not drawn.
    fn topology_into(&self, _material: Option<usize>, topology: &mut Topology) -> Result<()> {
        let geometry = self.unreal.geometry()?;
        let points = self.point_count();
        let texcoords = |corner| geometry.texcoord_bytes(corner);
        let bytes = [texcoords(0)?, texcoords(1)?, texcoords(2)?];
        let mut drawn: Vec<(Look, usize)> = Vec::new();
        // Vertex index, texture coordinates, flat triangle, corner number: equal corners are next to each other after sorting.
        let mut keys: Vec<(u16, [u8; 2], u32, u32)> = Vec::new();
        for (number, ((corners, bits), slot)) in
            geometry.triangles().iter().zip(geometry.types()).zip(geometry.textures()).enumerate()
        {
            if !TriangleType(bits).is_visible() {
                continue;
            }
            if corners.iter().any(|corner| usize::from(*corner) >= points) {
                topology.dropped += 1;
                continue;
            }
            drawn.push(((slot, bits), number));
            for ((corner, point), bytes) in (0usize..).zip(corners).zip(bytes) {
                // There is one element for each triangle, and a file has at most 65,535 triangles.
                let number_of = |corner: usize| (number * 3 + corner) as u32;
                let flat = if TriangleType(bits).is_flat() { number_of(3) } else { 0 };
                keys.push((point, bytes.get(number).unwrap_or([0; 2]), flat, number_of(corner)));
            }
        }
        keys.sort_unstable();
        let mut vertex_of = alloc::vec![0u32; self.corner_count()];
        let (point_of, corner_of) = (topology.points.fill(), topology.corners.fill());
        for run in keys.chunk_by(|a, b| (a.0, a.1, a.2) == (b.0, b.1, b.2)) {
            // At most the number of corners of 65,535 triangles.
            let vertex = point_of.len() as u32;
            let Some((point, .., first)) = run.first() else { continue };
            point_of.push(u32::from(*point));
            corner_of.push(*first);
            for (.., corner) in run {
                if let Some(slot) = vertex_of.get_mut(*corner as usize) {
                    *slot = vertex;
                }
            }
        }
        topology.vertex_count = point_of.len();
        // By material, and in file order for each material.
        drawn.sort_by_key(|(look, _)| *look);
        for run in drawn.chunk_by(|a, b| a.0 == b.0) {
            let start = topology.triangles.len();
            for (_, number) in run {
                // Every corner of a drawn triangle has a vertex.
                let vertex = |corner: usize| vertex_of.get(number * 3 + corner).copied().unwrap_or(0);
                topology.triangles.push([0, 1, 2].map(vertex));
            }
            let material = run.first().and_then(|(look, _)| self.looks.binary_search(look).ok());
            topology.submeshes.push(Submesh { material, triangles: start..topology.triangles.len() });
        }
        Ok(())
    }
}
