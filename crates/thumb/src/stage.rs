//! The triangles of all parts: gathered once, and moved for each moment.

use std::collections::HashMap;

use meshlens::Model;
use meshlens::model::{ImageSource, Material, Mesh, Space, TextureAlpha};
use meshlens::wire::{Budget, Reservation};

use crate::affine::{Affine, Vector, normalize};
use crate::gathered::{Gathered, world};
use crate::moment::Moment;
use crate::paint::paint;
use crate::raster::Paint;
use crate::surface::{Surface, Vertices};
use crate::texture::Texture;
use crate::{Error, Limits, Options, Part, sticks};

/// The direction to the light in the space of glTF: from the front, from above and from the left of the model.
const LIGHT: Vector = [0.4, 0.8, 0.45];

/// What determines the pixels of a texture.
type TextureKey = (Option<String>, Option<ImageSource>, TextureAlpha);

/// Everything that does not change from frame to frame.
pub(crate) struct Stage<'m, 'a, 't> {
    parts: &'t [Part<'m, 'a>],
    meshes: Vec<Gathered<'m, 'a>>,
    pub(crate) surfaces: Vec<Surface>,
    textures: Vec<Texture>,
    light: Vector,
    _held: Reservation,
}

impl<'m, 'a, 't> Stage<'m, 'a, 't> {
    pub(crate) fn new(
        parts: &'t [Part<'m, 'a>],
        options: &Options<'_>,
        limits: &Limits,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let mut held = budget.empty();
        reserve(parts, limits, &mut held)?;
        let mut stage = Stage {
            parts,
            meshes: Vec::new(),
            surfaces: Vec::new(),
            textures: Vec::new(),
            // A constant that is not 0.
            light: normalize(LIGHT).unwrap_or(LIGHT),
            _held: held,
        };
        let mut found = HashMap::new();
        for (number, part) in parts.iter().enumerate() {
            let finest = part.model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or(0);
            for mesh in part.model.meshes.iter().filter(|mesh| mesh.lod == finest) {
                let gathered = Gathered::new(number, part.model, mesh)?;
                stage.surfaces(gathered, part.model, options, limits, &mut found)?;
            }
        }
        Ok(stage)
    }

    /// Adds the surfaces of a mesh.
    fn surfaces(
        &mut self,
        mesh: Gathered<'m, 'a>,
        model: &Model<'_>,
        options: &Options<'_>,
        limits: &Limits,
        found: &mut HashMap<TextureKey, Option<usize>>,
    ) -> Result<(), Error> {
        for part in mesh.topology.parts() {
            let index = part.material.or(mesh.mesh.material);
            let plain = Material::new("");
            let material = index.and_then(|index| model.materials.get(index)).unwrap_or(&plain);
            if material.hidden {
                continue;
            }
            let mut texture = None;
            let is_textured = material.texture.is_some() || material.image.is_some();
            if let Some(find) = options.textures
                && is_textured
                && !mesh.texcoords.is_empty()
            {
                let key = (material.texture.clone(), material.image.clone(), material.texture_alpha);
                texture = match found.get(&key) {
                    Some(known) => *known,
                    None => {
                        let made = find(material);
                        if let Some(made) = &made {
                            let [width, height] = made.size();
                            let bytes = Texture::bytes(width, height);
                            self._held.grow(bytes, format_args!("{width} x {height} pixels of a texture"))?;
                        }
                        let made = made.filter(|_| self.textures.len() < limits.textures).map(|made| {
                            self.textures.push(made);
                            self.textures.len() - 1
                        });
                        *found.entry(key).or_insert(made)
                    }
                };
            }
            let triangles = mesh.topology.part_triangles(part);
            let flips = mesh.flips;
            self.surfaces.push(Surface {
                mesh: self.meshes.len(),
                triangles: triangles
                    .iter()
                    .map(|[a, b, c]| if flips { [*a, *c, *b] } else { [*a, *b, *c] })
                    .collect(),
                paint: paint(material, index, texture.is_some(), !mesh.colors.is_empty()),
                texture,
            });
        }
        self.meshes.push(mesh);
        Ok(())
    }

    /// The number of triangles.
    pub(crate) fn triangle_count(&self) -> usize {
        self.surfaces.iter().map(|surface| surface.triangles.len()).sum()
    }

    /// How a surface is drawn.
    pub(crate) fn paint(&self, surface: &Surface) -> Paint<'_> {
        Paint { texture: surface.texture.and_then(|index| self.textures.get(index)), ..surface.paint }
    }

    /// The vertices at one moment. For models without triangles, those of their joints and tags, with their triangles
    /// in `sticks`.
    pub(crate) fn vertices(&self, moment: &Moment, sticks: &mut Vec<Surface>) -> Result<Vertices, Error> {
        let mut places: Vec<Affine> = Vec::new();
        let mut worlds: Vec<Vec<Affine>> = Vec::new();
        for (part, shown) in self.parts.iter().zip(moment) {
            let parent = part.attach.and_then(|(parent, tag)| {
                let (place, model) = (places.get(parent)?, self.parts.get(parent)?.model);
                let frame = moment.get(parent)?.frame.min(model.tag_frame_count().saturating_sub(1));
                Some(place.after(&Affine::from_tag(model.tag_pose(tag, frame))))
            });
            let root = || Affine::from_conversion(&part.model.space.to(&Space::GLTF));
            places.push(parent.unwrap_or_else(root));
            worlds.push(world(part.model, *shown));
        }
        let mut all = Vec::with_capacity(self.meshes.len());
        for mesh in &self.meshes {
            let (Some(part), Some(place), Some(world), Some(shown)) = (
                self.parts.get(mesh.part),
                places.get(mesh.part),
                worlds.get(mesh.part),
                moment.get(mesh.part),
            ) else {
                continue;
            };
            let placement = Affine::from_matrix(part.model.placement.to_cols_array());
            let place = place.after(&placement);
            all.push(mesh.vertices(shown.frame, &place, world, self.light)?);
        }
        if self.triangle_count() == 0 {
            let size = sticks::size(self.parts, &places, &worlds, moment);
            for ((part, shown), (place, world)) in
                self.parts.iter().zip(moment).zip(places.iter().zip(&worlds))
            {
                sticks::add_model(part.model, shown.frame, place, world, size, self.light, &mut all, sticks);
            }
        }
        Ok(all)
    }
}

/// Reserves the memory of the vertices and triangles of all parts.
fn reserve(parts: &[Part<'_, '_>], limits: &Limits, held: &mut Reservation) -> Result<(), Error> {
    let sum = |count: fn(&Mesh<'_>) -> usize| {
        let meshes = parts.iter().flat_map(|part| &part.model.meshes);
        meshes.map(count).fold(0usize, usize::saturating_add)
    };
    let (triangles, corners) =
        (sum(|mesh| mesh.triangle_count()), sum(|mesh| mesh.corner_count().max(mesh.point_count())));
    if triangles as u64 > limits.triangles {
        let found = triangles as u64;
        return Err(Error::Limit { what: "triangles", limit: limits.triangles, found });
    }
    // Triangles twice, vertices at one moment, and the arrays that they are gathered from. A welded mesh has at most
    // three vertices for each triangle.
    let vertices = corners.max(triangles.saturating_mul(3).min(corners.saturating_mul(8)));
    let bytes = triangles.saturating_mul(24).saturating_add(vertices.saturating_mul(128));
    held.grow(bytes, format_args!("{triangles} triangles and {vertices} vertices"))?;
    Ok(())
}
