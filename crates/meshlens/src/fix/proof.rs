//! Compares a file before and after it is mended, corner by corner.

use alloc::vec::Vec;

use meshlens_wire::Result;

use super::differ;
use crate::model::{Mesh, Topology};
use crate::{Document, Model};

/// Compares what is seen of two documents: the corners of all triangles, in order, with their positions in every frame and their
/// texture coordinates. The values of one mesh of each are in memory at a time.
///
/// # Errors
///
/// [`ErrorKind::Mismatch`] if a bit differs; errors of the documents.
pub(super) fn same(before: &Document<'_>, after: &Document<'_>) -> Result<()> {
    let (before, after) = (Model::new(before.clone())?, Model::new(after.clone())?);
    let [frames, other] = [&before, &after].map(Model::frame_count);
    if frames != other {
        return Err(differ("meshlens", "the frames of the mended file", other, "those before", frames));
    }
    let sets = |model: &Model<'_>| model.meshes.iter().map(Mesh::texcoord_sets).max();
    let sets = sets(&before).max(sets(&after)).unwrap_or(0);
    let (before, after) = (topologies(&before)?, topologies(&after)?);
    let compare = |what: &'static str, values: Values| {
        let [mut was, mut is] = [&before, &after].map(|meshes| Corners::new(meshes, values));
        loop {
            match (was.next()?, is.next()?) {
                (None, None) => return Ok(()),
                (was, is) if was == is => {}
                _ => return Err(differ("meshlens", what, corners(&after), "those before", corners(&before))),
            }
        }
    };
    (0..frames)
        .try_for_each(|frame| compare("the positions of the mended file", Values::Positions { frame }))?;
    (0..sets)
        .try_for_each(|set| compare("the texture coordinates of the mended file", Values::Texcoords { set }))
}

/// The meshes of a model, each with its triangles.
type Topologies<'m, 'a> = Vec<(&'m Mesh<'a>, Topology)>;

fn topologies<'m, 'a>(model: &'m Model<'a>) -> Result<Topologies<'m, 'a>> {
    model.meshes.iter().map(|mesh| Ok((mesh, mesh.topology()?))).collect()
}

/// The number of corners of all triangles.
fn corners(meshes: &Topologies<'_, '_>) -> usize {
    meshes.iter().map(|(_, topology)| topology.triangles().as_flattened().len()).sum()
}

#[derive(Clone, Copy)]
enum Values {
    Positions {
        frame: usize,
    },
    /// A mesh without this set has zeros.
    Texcoords {
        set: usize,
    },
}

/// The bits of a value of each corner, mesh by mesh. An index that is out of range has no value.
struct Corners<'t> {
    meshes: core::slice::Iter<'t, (&'t Mesh<'t>, Topology)>,
    values: Values,
    /// The vertices of the corners of a mesh that are left, and the index of the value of each vertex.
    vertices: &'t [u32],
    map: Option<&'t [u32]>,
    positions: Vec<[f32; 3]>,
    texcoords: Vec<[f32; 2]>,
}

impl<'t> Corners<'t> {
    fn new(meshes: &'t Topologies<'t, 't>, values: Values) -> Self {
        let (positions, texcoords) = (Vec::new(), Vec::new());
        Corners { meshes: meshes.iter(), values, vertices: &[], map: None, positions, texcoords }
    }

    fn next(&mut self) -> Result<Option<[u32; 3]>> {
        loop {
            while let Some((vertex, rest)) = self.vertices.split_first() {
                self.vertices = rest;
                let index = self.map.map_or(Some(*vertex), |map| map.get(*vertex as usize).copied());
                if let Some(value) = index.and_then(|index| self.value(index as usize)) {
                    return Ok(Some(value));
                }
            }
            let Some((mesh, topology)) = self.meshes.next() else { return Ok(None) };
            self.load(mesh)?;
            self.vertices = topology.triangles().as_flattened();
            self.map = match self.values {
                Values::Positions { .. } => topology.points(),
                Values::Texcoords { .. } => topology.corners(),
            };
        }
    }

    fn load(&mut self, mesh: &Mesh<'_>) -> Result<()> {
        self.positions.clear();
        match self.values {
            Values::Positions { .. } if mesh.frame_count() == 0 => {}
            Values::Positions { frame } => {
                self.positions.extend(mesh.positions(mesh.clamp_frame(frame))?.iter())
            }
            Values::Texcoords { set } => {
                if !mesh.texcoords_into(set, &mut self.texcoords)? {
                    self.texcoords.clear();
                    self.texcoords.resize(mesh.corner_count(), [0.0; 2]);
                }
            }
        }
        Ok(())
    }

    fn value(&self, index: usize) -> Option<[u32; 3]> {
        match self.values {
            Values::Positions { .. } => Some(self.positions.get(index)?.map(f32::to_bits)),
            Values::Texcoords { .. } => {
                let [u, v] = self.texcoords.get(index)?.map(f32::to_bits);
                Some([u, v, 0])
            }
        }
    }
}
