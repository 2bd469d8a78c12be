//! Reads the triangles and the attributes of a primitive.

use glam::{Mat4, Vec3};
use meshlens::Report;
use meshlens::model::PlainMesh;

use super::buffers::Buffers;
use super::document::Primitive;
use super::normals::face_normals;
use super::primitive::{Base, InfluenceSet, Skin, Target};
use super::scene::Scene;
use super::texcoords::Texcoords;
use super::{Import, broken};
use crate::json::{Kind, Mode};
use crate::memory::ROOM;
use crate::{Error, codes};

/// The maximum number of sets of an attribute that are kept.
const MAX_SETS: u32 = 8;

/// Reads a primitive of a node; `None` if it has no triangles, which is a loss. Attributes that do not change with time
/// are added to `plain`.
pub(super) fn read(
    Import { scene, buffers, .. }: &Import<'_>,
    (node, name): (usize, &str),
    primitive: &Primitive,
    plain: &mut PlainMesh,
    losses: &mut Report,
) -> Result<Option<Base>, Error> {
    let positions = primitive.get("POSITION").ok_or_else(|| broken("a primitive has no positions"))?;
    let positions = buffers.vectors(positions, "positions")?;
    let reader = Reader { buffers, primitive, count: positions.len() };
    let Some(triangles) = reader.triangles()? else {
        let message = format_args!("mesh {name}: points or lines");
        losses.lose(&codes::PRIMITIVE_LOST, 1, format_args!("mesh {name}"), message);
        return Ok(None);
    };
    plain.triangles = triangles;
    plain.texcoords = reader.texcoords()?;
    let material = primitive.material.and_then(|material| scene.document.materials.get(material));
    material.map_or(Texcoords::FIRST, Texcoords::of).apply(&mut plain.texcoords);
    plain.colors = reader.colors()?;
    let normals = match primitive.get("NORMAL") {
        Some(normals) => buffers.vectors(normals, "normals")?,
        None => {
            buffers.spend(positions.len(), size_of::<Vec3>())?;
            face_normals(&positions, &plain.triangles)
        }
    };
    reader.check(normals.len())?;
    let targets = reader.targets()?;
    let skin = scene.node(node).skin.map(|skin| self::skin(scene, buffers, skin)).transpose()?;
    let influences = if skin.is_some() { reader.influences()? } else { Vec::new() };
    let tangents = match primitive.get("TANGENT") {
        Some(tangents) => buffers.floats::<4>(tangents, "tangents")?,
        None => Vec::new(),
    };
    if !tangents.is_empty() {
        reader.check(tangents.len())?;
    }
    Ok(Some(Base { node, positions, normals, targets, tangents, influences, skin }))
}

fn skin(scene: &Scene<'_>, buffers: &Buffers<'_>, index: usize) -> Result<Skin, Error> {
    let skin = &scene.document.skins[index];
    buffers.spend(skin.joints.len(), size_of::<(usize, Mat4, Mat4)>())?;
    let joints: Vec<usize> = scene.joints(index).collect();
    let mut inverse: Vec<Mat4> = match skin.inverse_bind_matrices {
        Some(matrices) => {
            let matrices = buffers.floats::<16>(matrices, "inverse bind matrices")?;
            matrices.iter().map(Mat4::from_cols_array).collect()
        }
        None => Vec::new(),
    };
    inverse.resize(joints.len(), Mat4::IDENTITY);
    Ok(Skin { joints, inverse })
}

/// A primitive of `count` vertices.
struct Reader<'r, 'b> {
    buffers: &'r Buffers<'b>,
    primitive: &'r Primitive,
    count: usize,
}

impl Reader<'_, '_> {
    /// Checks the length of an attribute.
    fn check(&self, len: usize) -> Result<(), Error> {
        let count = self.count;
        if len == count {
            return Ok(());
        }
        Err(broken(format_args!("an attribute has {len} elements, and the primitive has {count} positions")))
    }

    /// The accessors of the sets of an attribute.
    fn sets(&self, name: &str) -> impl Iterator<Item = usize> {
        (0..MAX_SETS).map_while(move |set| self.primitive.get(&format!("{name}_{set}")))
    }

    /// The triangles; `None` for points and lines.
    fn triangles(&self) -> Result<Option<Vec<[u32; 3]>>, Error> {
        let count = self.count;
        let indices: Vec<u32> = match self.primitive.indices {
            Some(indices) => self.buffers.integers::<1>(indices)?.into_flattened(),
            None => {
                self.buffers.spend(count, size_of::<u32>())?;
                (0..count as u32).collect()
            }
        };
        // Each index of a strip or a fan becomes a triangle of three indices.
        self.buffers.spend(indices.len(), size_of::<[u32; 3]>())?;
        let Some(triangles) = triangles(self.primitive.mode, &indices) else { return Ok(None) };
        if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
            return Err(broken(format_args!("a primitive has index {index}, and {count} vertices")));
        }
        Ok(Some(triangles))
    }

    fn texcoords(&self) -> Result<Vec<Vec<[f32; 2]>>, Error> {
        let mut sets = Vec::new();
        for accessor in self.sets("TEXCOORD") {
            sets.push(self.buffers.floats::<2>(accessor, "texture coordinates")?);
            self.check(self.buffers.count(accessor))?;
        }
        Ok(sets)
    }

    fn colors(&self) -> Result<Vec<Vec<[f32; 4]>>, Error> {
        let mut sets = Vec::new();
        for accessor in self.sets("COLOR") {
            sets.push(match self.buffers.document.accessors[accessor].kind {
                Kind::Vec3 => {
                    self.buffers.spend(self.buffers.count(accessor), size_of::<[f32; 4]>())?;
                    let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
                    self.buffers.floats::<3>(accessor, "colors")?.into_iter().map(opaque).collect()
                }
                _ => self.buffers.floats::<4>(accessor, "colors")?,
            });
            self.check(self.buffers.count(accessor))?;
        }
        Ok(sets)
    }

    /// The displacements of the morph targets.
    fn targets(&self) -> Result<Vec<Target>, Error> {
        self.buffers.spend(self.primitive.targets.len(), ROOM * size_of::<Target>())?;
        let read = |accessor: Option<usize>, what| match accessor {
            Some(accessor) => {
                self.check(self.buffers.count(accessor))?;
                self.buffers.vectors(accessor, what)
            }
            None => Ok(Vec::new()),
        };
        let mut targets = Vec::new();
        for target in &self.primitive.targets {
            targets.push((
                read(target.position, "positions of morph targets")?,
                read(target.normal, "normals of morph targets")?,
            ));
        }
        Ok(targets)
    }

    fn influences(&self) -> Result<Vec<InfluenceSet>, Error> {
        let mut sets = Vec::new();
        for (joints, weights) in self.sets("JOINTS").zip(self.sets("WEIGHTS")) {
            self.check(self.buffers.count(joints))?;
            self.check(self.buffers.count(weights))?;
            let weights = self.buffers.floats::<4>(weights, "weights of joints")?;
            sets.push((self.buffers.integers::<4>(joints)?, weights));
        }
        Ok(sets)
    }
}

/// The triangles of a list, a strip or a fan; `None` for points and lines.
fn triangles(mode: Mode, indices: &[u32]) -> Option<Vec<[u32; 3]>> {
    match mode {
        Mode::Triangles => Some(indices.as_chunks().0.to_vec()),
        // Every second triangle has the opposite winding.
        Mode::TriangleStrip => Some(
            indices
                .windows(3)
                .enumerate()
                .map(|(n, run)| if n % 2 == 0 { [run[0], run[1], run[2]] } else { [run[0], run[2], run[1]] })
                .collect(),
        ),
        Mode::TriangleFan => {
            let (first, others) = indices.split_first().unwrap_or((&0, &[]));
            Some(others.windows(2).map(|pair| [*first, pair[0], pair[1]]).collect())
        }
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => None,
    }
}
