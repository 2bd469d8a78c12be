//! The triangles of a scene: gathered once, and transformed for each moment.

use std::collections::HashMap;

use meshlens::model::{ImageSource, Material, Mesh, Space, TextureAlpha};
use meshlens::scene::{LIGHT_DIRECTION, Scene, View};
use meshlens::wire::{Budget, Reservation};

use crate::affine::normalize;
use crate::lines::Lines;
use crate::mesh::{Directions, DrawnMesh};
use crate::moment::{Moment, pose};
use crate::paint::paint;
use crate::raster::{Paint, Vertex};
use crate::surface::{Surface, Vertices};
use crate::texture::Texture;
use crate::{Error, Limits, Note, Options, lines, opaque};

/// The properties that determine the pixels of a texture.
type TextureKey = (Option<String>, Option<ImageSource>, TextureAlpha);

/// Everything that does not change from frame to frame.
pub(crate) struct Geometry<'s, 'a> {
    view: View<'s, 'a>,
    meshes: Vec<DrawnMesh<'s, 'a>>,
    pub(crate) surfaces: Vec<Surface>,
    textures: Vec<Texture>,
    directions: Directions,
    /// The largest number of lines.
    lines: usize,
    held: Reservation,
}

impl<'s, 'a> Geometry<'s, 'a> {
    pub(crate) fn new(
        scene: &'s Scene<'a>,
        options: &Options<'_>,
        limits: &Limits,
        budget: &Budget,
    ) -> Result<Self, Error> {
        let mut held = budget.empty();
        reserve(scene, limits, &mut held)?;
        let [right, up, _] = options.view.axes();
        let view = scene.view(&Space::GLTF);
        let mut geometry = Geometry {
            view,
            meshes: Vec::new(),
            surfaces: Vec::new(),
            textures: Vec::new(),
            // The constant is not 0, so it can be normalized.
            directions: Directions {
                light: normalize(LIGHT_DIRECTION).unwrap_or(LIGHT_DIRECTION),
                right,
                up,
            },
            lines: limits.lines,
            held,
        };
        let mut found = HashMap::new();
        for mesh in view.meshes() {
            geometry.surfaces(DrawnMesh::new(mesh?)?, options, limits, &mut found)?;
        }
        if geometry.triangle_count() == 0 {
            let wanted = geometry.point_count().max(lines::count(scene).1);
            geometry.hold_lines(wanted)?;
        }
        Ok(geometry)
    }

    /// Adds the surfaces of a mesh.
    fn surfaces(
        &mut self,
        mesh: DrawnMesh<'s, 'a>,
        options: &Options<'_>,
        limits: &Limits,
        found: &mut HashMap<TextureKey, Option<usize>>,
    ) -> Result<(), Error> {
        for submesh in mesh.mesh.submeshes() {
            let index = submesh.material.or(mesh.mesh.mesh().material);
            let plain = Material::new("");
            let material = index.and_then(|index| mesh.mesh.model().materials.get(index)).unwrap_or(&plain);
            if material.hidden {
                continue;
            }
            let mut texture = None;
            let is_textured = material.texture.is_some() || material.image.is_some();
            if let Some(find) = options.textures
                && is_textured
                && (!mesh.texcoords.is_empty() || mesh.are_sprites)
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
            self.surfaces.push(Surface {
                mesh: self.meshes.len(),
                triangles: match mesh.are_sprites {
                    true => mesh.mesh.topology().sprite_triangles(),
                    false => mesh.mesh.submesh_triangles(submesh).collect(),
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
        self.meshes.iter().map(|mesh| mesh.mesh.mesh().point_count()).fold(0, usize::saturating_add)
    }

    /// Reserves the memory of at most this number of lines.
    pub(crate) fn hold_lines(&mut self, wanted: usize) -> Result<(), Error> {
        let count = wanted.min(self.lines);
        Ok(self.held.grow(lines::bytes(count), format_args!("{count} lines of a picture"))?)
    }

    /// The parts of a model without triangles that a picture does not show.
    pub(crate) fn note(&self) -> Option<Note> {
        let points = self.point_count();
        let (joints_and_tags, _) = lines::count(self.view.scene());
        if self.triangle_count() > 0 {
            None
        } else if points > 0 {
            Some(Note::Points { drawn: points.min(self.lines), count: points })
        } else {
            let drawn = lines::drawn(self.view.scene(), self.lines);
            (drawn < joints_and_tags).then_some(Note::JointsAndTags { drawn, count: joints_and_tags })
        }
    }

    /// The number of steps in which textures are sampled for the camera.
    pub(crate) fn steps(&self) -> usize {
        let decided =
            self.surfaces.iter().filter(|surface| opaque::is_decided_by_texture(&self.paint(surface)));
        opaque::steps(decided.map(|surface| surface.triangles.len()).sum())
    }

    /// The longest edge of each triangle, as lines, and their number.
    pub(crate) fn needles(&self, vertices: &mut Vertices, lines: &mut Vec<Surface>) -> usize {
        let of = |surface: &Surface, triangle: &[u32; 3]| {
            let mesh: &Vec<_> = vertices.get(surface.mesh)?;
            let corner = |corner: u32| Some(mesh.get(corner as usize)?.position);
            let [a, b, c] = triangle.map(corner);
            Some([a?, b?, c?])
        };
        let corners: Vec<[[f32; 3]; 3]> = (self.surfaces.iter())
            .flat_map(|surface| surface.triangles.iter().filter_map(move |triangle| of(surface, triangle)))
            .take(self.lines)
            .collect();
        let mut needles = Lines::new(&self.directions, self.lines);
        let drawn = needles.add_edges(&corners);
        needles.finish(vertices, lines);
        drawn
    }

    /// How a surface is drawn.
    pub(crate) fn paint(&self, surface: &Surface) -> Paint<'_> {
        Paint { texture: surface.texture.and_then(|index| self.textures.get(index)), ..surface.paint }
    }

    /// The vertices at one moment. For models without triangles, the vertices of their joints and tags, whose triangles
    /// are added to `lines`.
    pub(crate) fn vertices(&self, moment: &Moment, lines: &mut Vec<Surface>) -> Result<Vertices, Error> {
        let pose = pose(self.view.scene(), moment);
        let mut all = Vec::with_capacity(self.meshes.len());
        for mesh in &self.meshes {
            all.push(mesh.vertices(&pose, &self.directions)?);
        }
        if self.triangle_count() > 0 {
            return Ok(all);
        }
        let mut made = Lines::new(&self.directions, self.lines);
        if self.point_count() > 0 {
            let mut points = Vec::new();
            for mesh in &self.meshes {
                points.extend(mesh.points(&pose)?);
            }
            made.add_points(&points);
        } else {
            made.add_joints_and_tags(&self.view, &pose);
        }
        made.finish(&mut all, lines);
        Ok(all)
    }
}

/// Reserves the memory of the vertices and triangles of all nodes.
fn reserve(scene: &Scene<'_>, limits: &Limits, held: &mut Reservation) -> Result<(), Error> {
    let sum = |count: fn(&Mesh<'_>) -> usize| {
        let meshes = scene.nodes.iter().flat_map(|node| &node.model.meshes);
        meshes.map(count).fold(0usize, usize::saturating_add)
    };
    let (triangles, corners) =
        (sum(|mesh| mesh.triangle_count()), sum(|mesh| mesh.corner_count().max(mesh.point_count())));
    if triangles as u64 > limits.triangles {
        let found = triangles as u64;
        return Err(Error::Limit { what: "triangles", limit: limits.triangles, found });
    }
    // Triangles are stored twice; vertices at one moment, and the arrays that they are gathered from. A welded mesh has
    // at most three vertices for each triangle.
    let vertices = corners.max(triangles.saturating_mul(3).min(corners.saturating_mul(8)));
    let of_triangle = size_of::<[[u32; 3]; 2]>();
    let of_vertex = size_of::<(Vertex, [[f32; 3]; 4], [f32; 2], [f32; 4], [u32; 2])>();
    let bytes = triangles.saturating_mul(of_triangle).saturating_add(vertices.saturating_mul(of_vertex));
    held.grow(bytes, format_args!("{triangles} triangles and {vertices} vertices"))?;
    Ok(())
}
