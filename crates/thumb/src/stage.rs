//! The triangles of all parts: gathered once, and moved for each moment.

use std::collections::HashMap;

use meshlens::Model;
use meshlens::model::{ImageSource, Material, Mesh, Space, TextureAlpha};
use meshlens::wire::{Budget, Reservation};

use crate::affine::{Affine, Vector, normalize};
use crate::gathered::{Gathered, Seen, sprite_triangles, world};
use crate::moment::Moment;
use crate::paint::paint;
use crate::raster::Paint;
use crate::surface::{Surface, Vertices};
use crate::texture::Texture;
use crate::{Error, Limits, Note, Options, Part, opaque, sticks};

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
    seen: Seen,
    /// The largest number of sticks.
    sticks: usize,
    held: Reservation,
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
        let [right, up, _] = options.view.axes();
        let mut stage = Stage {
            parts,
            meshes: Vec::new(),
            surfaces: Vec::new(),
            textures: Vec::new(),
            // A constant that is not 0.
            seen: Seen { light: normalize(LIGHT).unwrap_or(LIGHT), right, up },
            sticks: limits.sticks,
            held,
        };
        let mut found = HashMap::new();
        for (number, part) in parts.iter().enumerate() {
            let finest = part.model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or(0);
            for mesh in part.model.meshes.iter().filter(|mesh| mesh.lod == finest) {
                let gathered = Gathered::new(number, part.model, mesh)?;
                stage.surfaces(gathered, part.model, options, limits, &mut found)?;
            }
        }
        if stage.triangle_count() == 0 {
            let wanted = stage.point_count().max(sticks::count(parts).1);
            stage.hold_sticks(wanted)?;
        }
        Ok(stage)
    }

    /// Adds the surfaces of a mesh.
    fn surfaces(
        &mut self,
        mut mesh: Gathered<'m, 'a>,
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
                && (!mesh.texcoords.is_empty() || material.sprites)
            {
                let key = (material.texture.clone(), material.image.clone(), material.texture_alpha);
                texture = match found.get(&key) {
                    Some(known) => *known,
                    None => {
                        let made = find(material);
                        if let Some(made) = &made {
                            let [width, height] = made.size();
                            let bytes = Texture::bytes(width, height);
                            self.held.grow(bytes, format_args!("{width} x {height} pixels of a texture"))?;
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
            let vertices = mesh.topology.vertex_count();
            let are_sprites =
                material.sprites && vertices.is_multiple_of(4) && mesh.topology.parts().len() == 1;
            mesh.are_sprites |= are_sprites;
            self.surfaces.push(Surface {
                mesh: self.meshes.len(),
                triangles: match are_sprites {
                    true => sprite_triangles(vertices),
                    false => triangles
                        .iter()
                        .map(|[a, b, c]| if flips { [*a, *c, *b] } else { [*a, *b, *c] })
                        .collect(),
                },
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

    /// The number of points of the meshes.
    fn point_count(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.mesh.point_count()).fold(0, usize::saturating_add)
    }

    /// Reserves the memory of at most this number of sticks.
    pub(crate) fn hold_sticks(&mut self, wanted: usize) -> Result<(), Error> {
        let count = wanted.min(self.sticks);
        Ok(self.held.grow(sticks::bytes(count), format_args!("{count} sticks of a picture"))?)
    }

    /// What a picture does not show of a model without triangles.
    pub(crate) fn note(&self) -> Option<Note> {
        let points = self.point_count();
        let (joints_and_tags, _) = sticks::count(self.parts);
        if self.triangle_count() > 0 {
            None
        } else if points > 0 {
            Some(Note::Points { drawn: points.min(self.sticks), count: points })
        } else {
            let drawn = sticks::drawn(self.parts, self.sticks);
            (drawn < joints_and_tags).then_some(Note::JointsAndTags { drawn, count: joints_and_tags })
        }
    }

    /// The number of steps in which textures are looked at.
    pub(crate) fn steps(&self) -> usize {
        let decided =
            self.surfaces.iter().filter(|surface| opaque::is_decided_by_texture(&self.paint(surface)));
        opaque::steps(decided.map(|surface| surface.triangles.len()).sum())
    }

    /// The longest edge of each triangle, as sticks, and their number.
    pub(crate) fn needles(&self, vertices: &mut Vertices, sticks: &mut Vec<Surface>) -> usize {
        let of = |surface: &Surface, triangle: &[u32; 3]| {
            let mesh: &Vec<_> = vertices.get(surface.mesh)?;
            let corner = |corner: u32| Some(mesh.get(corner as usize)?.position);
            let [a, b, c] = triangle.map(corner);
            Some([a?, b?, c?])
        };
        let corners: Vec<[[f32; 3]; 3]> = (self.surfaces.iter())
            .flat_map(|surface| surface.triangles.iter().filter_map(move |triangle| of(surface, triangle)))
            .take(self.sticks)
            .collect();
        sticks::add_edges(corners.iter().copied(), &self.seen, self.sticks, vertices, sticks)
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
        let placed = |mesh: &Gathered<'_, '_>| {
            let (part, place) = (self.parts.get(mesh.part)?, places.get(mesh.part)?);
            let placement = Affine::from_matrix(part.model.placement.to_cols_array());
            Some((place.after(&placement), worlds.get(mesh.part)?, moment.get(mesh.part)?))
        };
        for mesh in &self.meshes {
            let Some((place, world, shown)) = placed(mesh) else { continue };
            all.push(mesh.vertices(shown.frame, &place, world, &self.seen)?);
        }
        if self.triangle_count() > 0 {
            return Ok(all);
        }
        if self.point_count() > 0 {
            let mut points = Vec::new();
            for mesh in &self.meshes {
                if let Some((place, world, shown)) = placed(mesh) {
                    points.extend(mesh.points(shown.frame, &place, world)?);
                }
            }
            sticks::add_points(points.iter().copied(), &self.seen, self.sticks, &mut all, sticks);
        } else {
            let figure = (self.parts, &*places, &*worlds, moment);
            sticks::add_joints_and_tags(figure, &self.seen, self.sticks, &mut all, sticks);
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
