//! The texture coordinates of a material: the set of its base color, and `KHR_texture_transform`, which is applied to
//! the coordinates because models do not have it.

use super::document::Material;
use super::json::values;
use crate::json::Float;

/// How the texture of a material's base color is placed.
#[derive(Clone, Copy)]
pub(super) struct Texcoords {
    /// The set of coordinates.
    pub(super) set: usize,
    offset: [f32; 2],
    rotation: f32,
    scale: [f32; 2],
}

impl Texcoords {
    pub(super) const FIRST: Texcoords =
        Texcoords { set: 0, offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2] };

    /// The texture coordinates of a material's base color.
    pub(super) fn of(material: &Material) -> Texcoords {
        let mut made = Texcoords::FIRST;
        let Some(texture) = &material.pbr_metallic_roughness.base_color_texture else { return made };
        made.set = texture.tex_coord;
        if let Some(transform) = &texture.extensions.transform {
            made.set = transform.tex_coord.unwrap_or(made.set);
            made.offset = transform.offset.map_or(made.offset, values);
            made.rotation = transform.rotation.map_or(0.0, |Float(rotation)| rotation);
            made.scale = transform.scale.map_or(made.scale, values);
        }
        made
    }

    /// Puts the set of the base color first, and applies the transform to it.
    pub(super) fn apply(&self, sets: &mut [Vec<[f32; 2]>]) {
        if let Some(first) = sets.get_mut(..=self.set) {
            first.rotate_right(1);
        }
        let Texcoords { offset, rotation, scale, .. } = *self;
        let is_identity = offset == [0.0; 2] && rotation == 0.0 && scale == [1.0; 2];
        let Some(set) = sets.first_mut().filter(|_| !is_identity) else { return };
        let (sin, cos) = rotation.sin_cos();
        for coordinates in set {
            // The scale is applied first, then the rotation (counterclockwise if V points down), then the offset.
            let [u, v] = [coordinates[0] * scale[0], coordinates[1] * scale[1]];
            *coordinates = [cos * u + sin * v + offset[0], cos * v - sin * u + offset[1]];
        }
    }
}
