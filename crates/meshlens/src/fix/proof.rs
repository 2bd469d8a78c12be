//! Compares a file before and after it is mended, corner by corner.

use alloc::vec::Vec;

use meshlens_wire::Result;

use super::differ;
use crate::model::gather;
use crate::{Document, Model};

/// Compares what is seen of two documents: the corners of all triangles, in order, with their positions in every frame and their
/// texture coordinates.
///
/// # Errors
///
/// [`ErrorKind::Mismatch`] if a bit differs; errors of the documents.
pub(super) fn same(before: &Document<'_>, after: &Document<'_>) -> Result<()> {
    let (before, after) = (Model::new(before.clone())?, Model::new(after.clone())?);
    let differ = |what, found: usize, other: usize| differ("meshlens", what, found, "those before", other);
    let [frames, other] = [&before, &after].map(Model::frame_count);
    if frames != other {
        return Err(differ("the frames of the mended file", other, frames));
    }
    for frame in 0..frames {
        let [was, is] = [&before, &after].map(|model| positions(model, frame));
        let (was, is) = (was?, is?);
        if was != is {
            return Err(differ("the positions of the mended file", is.len(), was.len()));
        }
    }
    let sets = |model: &Model<'_>| model.meshes.iter().map(crate::model::Mesh::texcoord_sets).max();
    for set in 0..sets(&before).max(sets(&after)).unwrap_or(0) {
        let [was, is] = [&before, &after].map(|model| texcoords(model, set));
        let (was, is) = (was?, is?);
        if was != is {
            return Err(differ("the texture coordinates of the mended file", is.len(), was.len()));
        }
    }
    Ok(())
}

/// The position of each corner in a frame, as bits.
fn positions(model: &Model<'_>, frame: usize) -> Result<Vec<[u32; 3]>> {
    let mut all = Vec::new();
    for mesh in model.meshes.iter().filter(|mesh| mesh.frame_count() > 0) {
        let positions: Vec<[f32; 3]> = mesh.positions(mesh.clamp_frame(frame))?.iter().collect();
        let topology = mesh.topology()?;
        let mut corners = alloc::vec![[0.0; 3]; mesh.corner_count()];
        gather(&positions, topology.points(), &mut corners);
        all.extend(of_triangles(topology.triangles(), &corners).map(|corner| corner.map(f32::to_bits)));
    }
    Ok(all)
}

/// The texture coordinates of each corner, as bits. A mesh without them has zeros.
fn texcoords(model: &Model<'_>, set: usize) -> Result<Vec<[u32; 2]>> {
    let (mut all, mut texcoords) = (Vec::new(), Vec::new());
    for mesh in &model.meshes {
        texcoords.clear();
        if set >= mesh.texcoord_sets() || !mesh.texcoords_into(set, &mut texcoords)? {
            texcoords = alloc::vec![[0.0; 2]; mesh.corner_count()];
        }
        let topology = mesh.topology()?;
        all.extend(of_triangles(topology.triangles(), &texcoords).map(|corner| corner.map(f32::to_bits)));
    }
    Ok(all)
}

/// The value of each corner. An index that is out of range has no value.
fn of_triangles<'v, V: Copy>(triangles: &'v [[u32; 3]], values: &'v [V]) -> impl Iterator<Item = V> + 'v {
    triangles.as_flattened().iter().filter_map(|corner| values.get(*corner as usize).copied())
}
