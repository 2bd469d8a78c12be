//! Mends what the validator finds, without a change of positions, triangles and texture coordinates.

use glam::Vec3;
use meshlens_lens::{Bounds, Encoding};
use meshlens_wire::{Code, Used};
use zerocopy::little_endian::I16;

use super::{Frame, Model, Surface};
use crate::codes;
use crate::encoding::Md3Position;
use crate::tolerance::{AXIS_SLACK, BOUNDS_SLACK, farthest};

/// The codes of findings that [`Model::mend`] and a canonical file do not have.
pub static MENDED: &[&Code] = &[
    &codes::NAME_UNTERMINATED,
    &codes::NAME_TRAILING_BYTES,
    &codes::SKINS_ANNOUNCED,
    &codes::DATA_BEHIND_EOF,
    &codes::TRAILING_BYTES,
    &codes::OVERLAP,
    &codes::BLOCK_ORDER,
    &codes::FRAME_STRIDE_104,
    &codes::FRAME_NOT_FINITE,
    &codes::FRAME_BOUNDS_INVERTED,
    &codes::FRAME_BOUNDS_UNUSED,
    &codes::FRAME_BOUNDS_EXCEEDED,
    &codes::FRAME_RADIUS_EXCEEDED,
    &codes::TAG_AXIS_NOT_UNIT,
    &codes::SURFACE_HEADER_UNSET,
    &codes::SURFACE_EMPTY,
    &codes::VERTEX_UNUSED,
    &codes::SHADER_REPEATED,
    &codes::SHADER_PATH_BACKSLASH,
    &codes::SHADER_PATH_SLASH,
];

/// The lengths of axes that engines cannot normalize.
const SHORTEST: f32 = 1e-6;

impl Model {
    /// Mends what the validator finds and nobody sees. Names end with a NUL and have nothing after it, frame records have 56
    /// bytes, bounds and radii of frames hold the vertices, the axes of tags have length 1, as engines normalize them, paths
    /// of shaders have slashes and do not begin with one, and what is not used is removed: vertices without triangles, surfaces
    /// without vertices and triangles, and shaders that repeat the only one of a surface. Positions, texture coordinates and
    /// normals of the corners of triangles stay as they are. `sprites` are the surfaces that keep all vertices, because their
    /// shader draws every four of them as one sprite (`deformVertexes autosprite`). O(vertices).
    ///
    /// ```
    /// use meshlens_md3::{Md3, write};
    ///
    /// let mut model = write::Model::try_from(&Md3::parse(&write::sample(&[8.0])?)?)?;
    /// model.frames[0].radius = 0.0;
    /// model.mend(&[]);
    /// assert!(model.frames[0].radius >= 8.0);
    /// # Ok::<(), meshlens_md3::Error>(())
    /// ```
    pub fn mend(&mut self, sprites: &[usize]) {
        self.skin_count = 0;
        self.wide_frames = false;
        terminate(&mut self.name);
        for frame in &mut self.frames {
            terminate(frame.name.split_at_mut(16).0);
            frame.name.split_at_mut(16).1.fill(0);
        }
        for tag in &mut self.tags {
            terminate(&mut tag.name);
            tag.axis = tag.axis.map(unit);
        }
        for (number, surface) in self.surfaces.iter_mut().enumerate() {
            surface.mend(sprites.contains(&number));
        }
        self.surfaces.retain(|surface| !(surface.texcoords.is_empty() && surface.triangles.is_empty()));
        for (index, frame) in self.frames.iter_mut().enumerate() {
            frame.mend(|| self.surfaces.iter().flat_map(move |surface| positions(surface, index)));
        }
    }
}

fn positions(surface: &Surface, frame: usize) -> impl Iterator<Item = [f32; 3]> {
    surface.frame(frame).iter().map(|vertex| Md3Position.decode(vertex.coord.map(I16::new)))
}

impl Surface {
    fn mend(&mut self, is_of_sprites: bool) {
        terminate(&mut self.name);
        for (name, _) in &mut self.shaders {
            terminate(name);
            mend_path(name);
        }
        if let Some(((first, _), others)) = self.shaders.split_first()
            && others.iter().all(|(name, _)| name == first)
        {
            self.shaders.truncate(1);
        }
        if is_of_sprites {
            return;
        }
        let used = Used::new(self.texcoords.len(), self.triangles.as_flattened().iter().copied());
        used.keep(&mut self.texcoords, 1);
        used.keep(&mut self.vertices, 1);
        self.triangles.as_flattened_mut().iter_mut().for_each(|corner| *corner = used.number(*corner));
    }
}

impl Frame {
    /// Makes the bounds and the sphere hold the vertices, if they do not.
    fn mend<I: Iterator<Item = [f32; 3]>>(&mut self, positions: impl Fn() -> I) {
        let computed = Bounds::around(positions());
        let Bounds { min, max } = self.bounds;
        let is_finite = [min, max, self.local_origin].as_flattened().iter().all(|value| value.is_finite())
            && self.radius.is_finite();
        if !is_finite {
            self.local_origin = [0.0; 3];
        }
        if !is_finite || min.iter().zip(max).any(|(min, max)| *min > max) {
            self.bounds = computed.unwrap_or(Bounds { min: [0.0; 3], max: [0.0; 3] });
            self.radius = self.bounds.radius_from(self.local_origin).min(f32::MAX);
        }
        let Some(computed) = computed else { return };
        let holds = |point| self.bounds.contains(point, BOUNDS_SLACK);
        if !(holds(computed.min) && holds(computed.max)) {
            self.bounds = self.bounds.union(&computed);
        }
        let farthest = farthest(self.local_origin, positions());
        if self.radius + BOUNDS_SLACK < farthest {
            self.radius = self.bounds.radius_from(self.local_origin).max(farthest).min(f32::MAX);
        }
    }
}

/// Ends a name with a NUL inside its field, and clears what follows it.
fn terminate(field: &mut [u8]) {
    let most = field.len().saturating_sub(1);
    let len = field.iter().position(|byte| *byte == 0).unwrap_or(most).min(most);
    field.iter_mut().skip(len).for_each(|byte| *byte = 0);
}

/// An axis of length 1; as it is if it has no direction.
fn unit(axis: [f32; 3]) -> [f32; 3] {
    let axis = Vec3::from(axis);
    let length = axis.length();
    // Axes within the slack of the validator are left as they are.
    if length.is_finite() && length > SHORTEST && (length - 1.0).abs() > AXIS_SLACK {
        (axis / length).to_array()
    } else {
        axis.to_array()
    }
}

/// Writes a path with slashes, and without those at its start.
fn mend_path(name: &mut [u8; 64]) {
    name.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
    let slashes = name.iter().take_while(|byte| **byte == b'/').count();
    name.rotate_left(slashes);
    name.iter_mut().rev().take(slashes).for_each(|byte| *byte = 0);
}
