//! The triangles of all parts: gathered once, and moved for each moment.

use std::collections::HashMap;

use meshlens::lens::Level;
use meshlens::model::{
    Alpha, Conversion, Material, Mesh, Space, TextureAlpha, Topology, Transform, decode_gathered, gather,
};
use meshlens::wire::{Budget, Reservation, parents_first_in_cycles};
use meshlens::{Model, Result};

use crate::affine::{Affine, Vector, dot, narrow, normalize, wide};
use crate::moment::{Moment, Shown};
use crate::raster::{Paint, Vertex};
use crate::texture::Texture;
use crate::{Error, Limits, Options, Part, sticks};

/// The direction to the light in the space of glTF: from the front, from above and from the left of the model.
const LIGHT: Vector = [0.4, 0.8, 0.45];

/// Everything that does not change from frame to frame.
pub(crate) struct Stage<'m, 'a, 't> {
    parts: &'t [Part<'m, 'a>],
    meshes: Vec<Gathered<'m, 'a>>,
    pub(crate) surfaces: Vec<Surface>,
    textures: Vec<Texture>,
    light: Vector,
    _held: Reservation,
}

/// A mesh of a part.
struct Gathered<'m, 'a> {
    part: usize,
    mesh: &'m Mesh<'a>,
    topology: Topology,
    texcoords: Vec<[f32; 2]>,
    colors: Vec<[f32; 4]>,
    joints: Vec<[u16; 4]>,
    weights: Vec<[f32; 4]>,
    /// Whether the space of the part and that of glTF have opposite front faces.
    flips: bool,
}

/// Triangles of one material: a range of those of a mesh.
pub(crate) struct Surface {
    pub(crate) mesh: usize,
    pub(crate) triangles: Vec<[u32; 3]>,
    paint: Paint<'static>,
    texture: Option<usize>,
}

/// The vertices of each mesh at one moment, in the space of glTF.
pub(crate) type Vertices = Vec<Vec<Vertex>>;

impl<'m, 'a, 't> Stage<'m, 'a, 't> {
    pub(crate) fn new(
        parts: &'t [Part<'m, 'a>],
        options: &Options<'_>,
        limits: &Limits,
        budget: &Budget,
    ) -> std::result::Result<Self, Error> {
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
        found: &mut HashMap<(String, TextureAlpha), Option<usize>>,
    ) -> std::result::Result<(), Error> {
        for part in mesh.topology.parts() {
            let index = part.material.or(mesh.mesh.material);
            let plain = Material::new("");
            let material = index.and_then(|index| model.materials.get(index)).unwrap_or(&plain);
            if material.hidden {
                continue;
            }
            let mut texture = None;
            if let (Some(path), Some(find)) = (&material.texture, options.textures)
                && !mesh.texcoords.is_empty()
            {
                let key = (path.clone(), material.texture_alpha);
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
    pub(crate) fn vertices(
        &self,
        moment: &Moment,
        sticks: &mut Vec<Surface>,
    ) -> std::result::Result<Vertices, Error> {
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

impl Surface {
    /// Triangles without a material.
    pub(crate) fn plain(mesh: usize, triangles: Vec<[u32; 3]>) -> Surface {
        let material = Material::new("");
        Surface {
            mesh,
            triangles,
            paint: Paint { color: [1.0; 4], ..paint(&material, None, false, true) },
            texture: None,
        }
    }
}

/// Reserves the memory of the vertices and triangles of all parts.
fn reserve(
    parts: &[Part<'_, '_>],
    limits: &Limits,
    held: &mut Reservation,
) -> std::result::Result<(), Error> {
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

impl<'m, 'a> Gathered<'m, 'a> {
    fn new(part: usize, model: &Model<'_>, mesh: &'m Mesh<'a>) -> Result<Self> {
        let topology = mesh.topology()?;
        let (mut texcoords, mut colors, mut scratch) = (Vec::new(), Vec::new(), Vec::new());
        if mesh.texcoords_into(0, &mut scratch)? {
            texcoords = gathered(&scratch, topology.corners(), topology.vertex_count());
        }
        let mut scratch = Vec::new();
        if mesh.colors_into(&mut scratch)? {
            colors = gathered(&scratch, topology.corners(), topology.vertex_count());
        }
        let (mut joints, mut weights) = (Vec::new(), Vec::new());
        if mesh.skin.is_some() && !mesh.influences_into(&mut joints, &mut weights)? {
            joints.clear();
        }
        let conversion: Conversion = model.space.to(&Space::GLTF);
        // A placement that mirrors exchanges fronts and backs.
        let is_mirrored = Affine::from_matrix(model.placement.to_cols_array()).mirrors();
        let flips = conversion.swaps_winding != is_mirrored;
        Ok(Gathered { part, mesh, topology, texcoords, colors, joints, weights, flips })
    }

    /// The vertices in one frame.
    fn vertices(&self, frame: usize, place: &Affine, world: &[Affine], light: Vector) -> Result<Vec<Vertex>> {
        let frame = frame.min(self.mesh.frame_count().saturating_sub(1));
        let (mut scratch, mut positions) = (Vec::new(), Vec::new());
        let points = self.topology.points();
        decode_gathered(self.mesh.positions(frame)?, points, &mut scratch, &mut positions)?;
        positions.truncate(self.topology.vertex_count());
        let normals = self.normals(frame, &positions)?;
        let skin = self.skin(world);
        let mut vertices = Vec::with_capacity(positions.len());
        for (index, (position, normal)) in positions.iter().zip(&normals).enumerate() {
            let point = points.map_or(index, |map| map.get(index).map_or(0, |point| *point as usize));
            let moved = skin.as_ref().and_then(|skin| self.blended(skin, point));
            let (mut position, mut normal) = (wide(*position), wide(*normal));
            if let Some(moved) = &moved {
                (position, normal) = (moved.point(position), moved.normal(normal));
            }
            let normal = normalize(place.normal(normal)).unwrap_or([0.0, 1.0, 0.0]);
            vertices.push(Vertex {
                position: narrow(place.point(position)),
                light: dot(normal, light) as f32,
                texcoord: self.texcoords.get(index).copied().unwrap_or_default(),
                color: self.colors.get(index).copied().unwrap_or([1.0; 4]),
            });
        }
        Ok(vertices)
    }

    /// The normal of each vertex. Arrays are decoded by the scalar kernel, whose result is the same everywhere. If the file
    /// has no normals, they are computed.
    fn normals(&self, frame: usize, positions: &[[f32; 3]]) -> Result<Vec<[f32; 3]>> {
        let (corners, count) = (self.topology.corners(), self.topology.vertex_count());
        if let Some(lens) = self.mesh.normals(frame)? {
            let mut decoded = vec![[0.0; 3]; lens.len()];
            lens.decode_into_with(Level::SCALAR, &mut decoded)?;
            return Ok(gathered(&decoded, corners, count));
        }
        if let Some(lens) = self.mesh.tangent_frames(frame)? {
            let mut decoded = vec![Default::default(); lens.len()];
            lens.decode_into_with(Level::SCALAR, &mut decoded)?;
            let normals: Vec<[f32; 3]> = decoded.iter().map(|frame| frame.normal).collect();
            return Ok(gathered(&normals, corners, count));
        }
        let mut decoded = Vec::new();
        if self.mesh.normals_into(frame, &mut decoded)? {
            return Ok(gathered(&decoded, corners, count));
        }
        let is_clockwise = self.flips;
        let mut sums = vec![[0.0f64; 3]; count];
        for corners in self.topology.triangles() {
            let [Some(a), Some(b), Some(c)] =
                corners.map(|corner| positions.get(corner as usize).map(|p| wide(*p)))
            else {
                continue;
            };
            let subtract = crate::affine::subtract;
            let mut face = crate::affine::cross(subtract(b, a), subtract(c, a));
            if is_clockwise {
                face = face.map(|axis| -axis);
            }
            for corner in corners {
                if let Some(sum) = sums.get_mut(*corner as usize) {
                    *sum = crate::affine::add(*sum, face);
                }
            }
        }
        Ok(sums.into_iter().map(|sum| narrow(normalize(sum).unwrap_or_default())).collect())
    }

    /// The matrix of each joint, from the mesh at rest to its pose.
    fn skin(&self, world: &[Affine]) -> Option<Vec<Affine>> {
        let skin = self.mesh.skin.as_ref().filter(|_| !self.joints.is_empty())?;
        let bind = skin.iter().map(|bind| Affine::from_matrix(bind.to_cols_array()));
        Some(world.iter().zip(bind).map(|(world, bind)| world.after(&bind)).collect())
    }

    /// The weighted sum of the matrices of a point; `None` if no joint moves it.
    fn blended(&self, skin: &[Affine], point: usize) -> Option<Affine> {
        let (joints, weights) = (self.joints.get(point)?, self.weights.get(point)?);
        let mut sum = None;
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            if let Some(matrix) = skin.get(usize::from(*joint)) {
                matrix.add_to(f64::from(*weight), sum.get_or_insert(Affine::ZERO));
            }
        }
        sum
    }
}

/// One value for each vertex.
fn gathered<V: meshlens::lens::Value>(values: &[V], map: Option<&[u32]>, count: usize) -> Vec<V> {
    let mut out = vec![V::zeroed(); count];
    gather(values, map, &mut out);
    out
}

/// The matrix of each joint in the space of the model.
fn world(model: &Model<'_>, shown: Shown) -> Vec<Affine> {
    let mut pose: Vec<Transform> = model.joints.iter().map(|joint| joint.rest).collect();
    if let Some((index, frame)) = shown.joints
        && let Some(animation) = model.animations.get(index)
    {
        animation.apply(frame, &mut pose);
    }
    let parent = |joint: usize| model.joints.get(joint).and_then(|joint| joint.parent);
    let mut out = vec![Affine::IDENTITY; pose.len()];
    let mut is_done = vec![false; pose.len()];
    for joint in parents_first_in_cycles(pose.len(), parent) {
        let joint = joint as usize;
        let own = pose.get(joint).map_or(Affine::IDENTITY, Affine::from_transform);
        let above = parent(joint).filter(|parent| is_done.get(*parent) == Some(&true));
        let world = above.and_then(|above| out.get(above)).map_or(own, |above| above.after(&own));
        if let (Some(slot), Some(is_done)) = (out.get_mut(joint), is_done.get_mut(joint)) {
            (*slot, *is_done) = (world, true);
        }
    }
    out
}

/// Colors of surfaces without a texture, so that neighbors differ.
const COLORS: [[f32; 3]; 6] = [
    [0.82, 0.80, 0.77],
    [0.60, 0.70, 0.80],
    [0.82, 0.68, 0.56],
    [0.66, 0.76, 0.62],
    [0.76, 0.64, 0.74],
    [0.80, 0.76, 0.58],
];

fn paint(material: &Material, index: Option<usize>, is_textured: bool, has_colors: bool) -> Paint<'static> {
    let [r, g, b, a] = material.color;
    let mut color = [stored(r), stored(g), stored(b), a.clamp(0.0, 1.0)];
    if !is_textured {
        let own = COLORS[index.unwrap_or(0) % COLORS.len()];
        color = [color[0] * own[0], color[1] * own[1], color[2] * own[2], color[3]];
    }
    Paint {
        texture: None,
        wrap: material.wrap,
        color,
        emissive: material.emissive.map(stored),
        // Without its texture, the shape of a mask is unknown.
        alpha: if is_textured || material.alpha == Alpha::Blend && a < 1.0 {
            material.alpha
        } else {
            Alpha::Opaque
        },
        cutoff: (material.cutoff.clamp(0.0, 1.0) * 255.0 + 0.5) as u8,
        two_sided: material.two_sided,
        unlit: material.unlit,
        has_colors,
        wire: None,
    }
}

/// A linear component as it is stored in pictures (sRGB).
fn stored(linear: f32) -> f32 {
    let linear = if linear.is_nan() { 0.0 } else { linear.clamp(0.0, 1.0) };
    if linear <= 0.003_130_8 { linear * 12.92 } else { 1.055 * libm::powf(linear, 1.0 / 2.4) - 0.055 }
}
