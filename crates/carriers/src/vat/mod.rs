//! Vertex animation textures in the layout of OpenVAT: a texture with the movement of every vertex in every frame, one with
//! the normals, a mesh whose second texture coordinates are the place of each vertex in them, and a description.
//!
//! # Layout
//!
//! Vertices are numbered through all meshes. Vertex `i` is in column `i % width`, and in the row `i / width * frames + frame` from
//! the top. A mesh has the center of that texel for frame 0 as its second set of texture coordinates (V from the top, as in
//! glTF), so a shader adds `frame / height` to V.
//!
//! A texel of the positions is the movement from the mesh as it is stored: `min + texel * (max - min)`. It has the axes of
//! Blender, in which OpenVAT writes: X, then -Z of the mesh, then Y of the mesh. Normals have the same axes, and are
//! `2 * texel - 1`. Both are linear, not sRGB, and must not be filtered across columns.
//!
//! ```
//! use meshlens::Model;
//! use meshlens::scene::Scene;
//! use meshlens_carriers::vat::{Options, Vat};
//!
//! # let bytes = meshlens::md3::write::sample(&[4.0, 8.0])?;
//! let scene = Scene::from(Model::parse(&bytes)?);
//! let vat = Vat::plan(&scene, &Options::default())?;
//! assert_eq!((vat.vertices(), vat.frames()), (3, 2));
//! let mut png = Vec::new();
//! vat.write_positions(&mut png)?;
//! assert!(png.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod describe;
mod mesh;
mod texture;

use meshlens::model::{Semantic, Space};
use meshlens::scene::{Pose, Scene, ViewMesh};
use meshlens::wire::{Budget, Reservation};
use meshlens::{Report, codes};

use crate::timeline::{Replaced, Timeline, has_normals, lose_common};
use crate::{ClipRange, DEFAULT_MEMORY, Error};

/// Options of [`Vat::plan`].
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// The factor for lengths. The default is 1, which also replaces a factor that is not positive and finite.
    pub scale: f32,
    /// The budget to which memory is charged, until the plan is dropped. If `None`, a plan may use 1 GiB.
    pub budget: Option<&'o Budget>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { scale: 1.0, budget: None }
    }
}

/// The largest width and height of a texture.
pub const MAX_SIZE: usize = 8192;

/// The smallest width of a texture.
const MIN_WIDTH: usize = 64;

/// Vertex animation textures that are planned, and which can be written.
pub struct Vat<'s, 'a> {
    scene: &'s Scene<'a>,
    timeline: Timeline<'s, 'a>,
    meshes: Vec<ViewMesh<'s, 'a>>,
    /// The first vertex of each mesh, and the number of all vertices.
    starts: Vec<usize>,
    /// The positions of all vertices at rest.
    base: Vec<[f32; 3]>,
    has_normals: bool,
    size: (usize, usize),
    /// The bounds of the movements, in the axes of the texture.
    bounds: [[f32; 3]; 2],
    losses: Report,
    _memory: Reservation,
}

impl std::fmt::Debug for Vat<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vat")
            .field("size", &self.size)
            .field("frames", &self.timeline.count)
            .finish_non_exhaustive()
    }
}

impl<'s, 'a> Vat<'s, 'a> {
    /// Plans the textures of a scene. Every frame is decoded once: O(vertices x frames).
    ///
    /// # Errors
    ///
    /// An index is out of range, the scene has no triangles, the textures would be larger than [`MAX_SIZE`], or the budget has
    /// too little memory left.
    pub fn plan(scene: &'s Scene<'a>, options: &Options<'_>) -> Result<Self, Error> {
        let mut losses = Report::default();
        let mut memory = options.budget.cloned().unwrap_or_else(|| Budget::new(DEFAULT_MEMORY)).empty();
        let scale = crate::scale(options.scale);
        let view = scene.view(&Space::GLTF).scaled(scale);
        let timeline = Timeline::new(scene, &mut losses);
        lose_common(scene, &mut losses);
        lose(scene, &mut losses);
        let (mut meshes, mut starts, mut vertices) = (Vec::new(), vec![0], 0usize);
        for (node, index) in view.mesh_indices() {
            let Some(mesh) = view.model(node).and_then(|model| model.meshes.get(index)) else { continue };
            // Vertices at rest, in a frame, and those of the mesh with their attributes; triangles of both topologies.
            let count = mesh.point_count().saturating_add(mesh.corner_count());
            let bytes =
                count.saturating_mul(VERTEX).saturating_add(mesh.triangle_count().saturating_mul(TRIANGLE));
            memory.grow(bytes.saturating_add(1 << 10), format_args!("mesh {}", mesh.name))?;
            let mesh = view.mesh(node, index)?;
            if mesh.vertex_count() == 0 || mesh.triangle_count() == 0 {
                let name = &mesh.mesh().name;
                let message = format_args!("mesh {name}: no triangles");
                losses.lose(&codes::MESH_WITHOUT_TRIANGLES, 1, format_args!("mesh {name}"), message);
                continue;
            }
            vertices = vertices.saturating_add(mesh.vertex_count());
            starts.push(vertices);
            meshes.push(mesh);
        }
        if meshes.is_empty() {
            return Err(Error::NoTriangles);
        }
        let too_large = Error::TooLarge { vertices, frames: timeline.count };
        let size = size(vertices, timeline.count).ok_or(too_large)?;
        memory.grow(size.0.saturating_mul(ROW), format_args!("a row of {} texels", size.0))?;
        let has_normals = meshes.iter().map(has_normals).collect::<Result<Vec<bool>, _>>()?.contains(&true);
        let mut made = Vat {
            scene,
            timeline,
            meshes,
            starts,
            base: Vec::new(),
            has_normals,
            size,
            bounds: [[0.0; 3]; 2],
            losses,
            _memory: memory,
        };
        made.measure()?;
        Ok(made)
    }

    /// Fills the positions at rest and the bounds of the movements.
    fn measure(&mut self) -> Result<(), Error> {
        let (mut pose, mut values, mut replaced) = (Pose::default(), Vec::new(), Replaced::default());
        self.timeline.pose_into(self.timeline.rest, &mut pose)?;
        for mesh in &self.meshes {
            replaced.read(Semantic::Position, mesh, &pose, &mut values)?;
            self.base.append(&mut values);
        }
        for frame in 0..self.timeline.count {
            self.timeline.pose_into(frame, &mut pose)?;
            for (mesh, start) in self.meshes.iter().zip(&self.starts) {
                replaced.read(Semantic::Position, mesh, &pose, &mut values)?;
                for (value, base) in values.iter().zip(self.base.iter().skip(*start)) {
                    for (axis, moved) in movement(*value, *base).into_iter().enumerate() {
                        let [min, max] = &mut self.bounds;
                        (min[axis], max[axis]) = (min[axis].min(moved), max[axis].max(moved));
                    }
                }
            }
        }
        replaced.lose(&mut self.losses);
        Ok(())
    }

    /// The number of vertices of all meshes.
    pub const fn vertices(&self) -> usize {
        self.base.len()
    }

    /// The number of frames.
    pub const fn frames(&self) -> usize {
        self.timeline.count
    }

    /// The frame that the mesh shows.
    pub const fn rest_frame(&self) -> usize {
        self.timeline.rest
    }

    /// The width and the height of the textures, powers of two.
    pub const fn size(&self) -> (usize, usize) {
        self.size
    }

    /// The least and the greatest movement along each axis of the texture, which texels of 0 and 1 stand for.
    pub const fn bounds(&self) -> [[f32; 3]; 2] {
        self.bounds
    }

    /// The clips, as ranges of frames.
    pub fn clips(&self) -> &[ClipRange] {
        &self.timeline.clips
    }

    /// Whether there is a texture of normals.
    pub const fn has_normals(&self) -> bool {
        self.has_normals
    }

    /// The content of the scene that the files do not have.
    pub const fn losses(&self) -> &Report {
        &self.losses
    }
}

/// Bytes of a vertex while it is planned or written: at rest, in a frame, and as a mesh.
const VERTEX: usize = size_of::<([[f32; 3]; 8], [[f32; 2]; 6], [[f32; 4]; 4], [u32; 4])>();

/// Bytes of a triangle.
const TRIANGLE: usize = size_of::<[[u32; 3]; 8]>();

/// Bytes of a texel in the rows that are held: its value, and encoded in three rows.
const ROW: usize = size_of::<[f32; 3]>() + 4 * size_of::<[u16; 3]>();

/// The movement of a vertex in the axes of the texture.
fn movement(value: [f32; 3], base: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = [0, 1, 2].map(|axis: usize| value[axis] - base[axis]);
    [x, -z, y].map(|axis| if axis.is_finite() { axis } else { 0.0 })
}

/// The smallest texture of all vertices and frames whose sides are powers of two; of several, the one that is nearest to a
/// square. `None` if it would be too large.
fn size(vertices: usize, frames: usize) -> Option<(usize, usize)> {
    let widths = std::iter::successors(Some(MIN_WIDTH), |width| Some(width * 2))
        .take_while(|width| *width <= MAX_SIZE);
    widths
        .filter_map(|width| {
            let height = frames.checked_mul(vertices.div_ceil(width))?.checked_next_power_of_two()?;
            (height <= MAX_SIZE).then_some((width, height))
        })
        // Of two like that, the wider one, which keeps a frame in fewer rows.
        .min_by_key(|(width, height)| {
            (width * height, width.max(height) / width.min(height).max(&1), MAX_SIZE - width)
        })
}

/// Lists the content of a scene that textures of vertices do not have.
fn lose(scene: &Scene<'_>, losses: &mut Report) {
    for node in &scene.nodes {
        let (name, model) = (&node.name, &node.model);
        let place = format_args!("{name}");
        let tags = model.tags.len();
        losses.lose(&codes::TAG_LOST, tags as u64, place, format_args!("{name}: {tags} tags"));
        let joints = model.joints.len();
        let baked = model.clips.iter().any(|clip| clip.animation.is_some());
        let code = if baked { &codes::SKELETON_BAKED } else { &codes::SKELETON_LOST };
        losses.lose(code, u64::from(joints > 0), place, format_args!("{name}: {joints} joints"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_are_small_and_near_a_square() {
        // 3 vertices need a column each, and 64 is the least width.
        assert_eq!(size(3, 5), Some((64, 8)));
        // Two rows of 64 for each of 32 frames; one row of 128 has the same area, and is farther from a square.
        assert_eq!(size(100, 32), Some((64, 64)));
        assert_eq!(size(1000, 325), Some((1024, 512)));
        assert_eq!(size(8192 * 8192, 1), Some((8192, 8192)));
        assert_eq!(size(8192 * 8192 + 1, 1), None);
        assert_eq!(size(usize::MAX, usize::MAX), None);
    }
}
