//! The texture coordinates of a material: the set of its base color, and `KHR_texture_transform`, which models do not have
//! and which is applied to the coordinates.

use super::json::At;
use crate::Error;

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

    /// Reads the base color texture of a material.
    pub(super) fn read(material: &At<'_>) -> Result<Texcoords, Error> {
        let mut made = Texcoords::FIRST;
        let Some(pbr) = material.get("pbrMetallicRoughness")? else { return Ok(made) };
        let Some(texture) = pbr.get("baseColorTexture")? else { return Ok(made) };
        made.set = texture.size("texCoord")?.unwrap_or_default();
        let Some(extensions) = texture.get("extensions")? else { return Ok(made) };
        if let Some(transform) = extensions.get("KHR_texture_transform")? {
            made.set = transform.size("texCoord")?.unwrap_or(made.set);
            made.offset = transform.vector("offset")?.unwrap_or(made.offset);
            made.rotation = transform.float("rotation")?.unwrap_or_default();
            made.scale = transform.vector("scale")?.unwrap_or(made.scale);
        }
        Ok(made)
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
            // The scale first, then the rotation, which is counterclockwise where V points down, then the offset.
            let [u, v] = [coordinates[0] * scale[0], coordinates[1] * scale[1]];
            *coordinates = [cos * u + sin * v + offset[0], cos * v - sin * u + offset[1]];
        }
    }
}
