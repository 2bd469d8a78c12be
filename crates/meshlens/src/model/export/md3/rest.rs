//! The bytes of an MD3 that do not follow from its model: bounds of frames, axes of tags, flags, bytes after names, surfaces
//! that are not drawn, and the order of the tables. With them and the same vertices, a model becomes the same file again.
//!
//! The rest is the file, in which the arrays of the drawn surfaces are combined by XOR with the arrays that are encoded from
//! the model. They are zeros where both are equal, so that the rest is small when it is compressed.

use alloc::vec::Vec;
use core::ops::Range;

use meshlens_lens::{Encode, encoding::F32};
use meshlens_md3::encoding::{Md3Normal, Md3Position};
use meshlens_md3::{Md3, SurfaceParts};
use meshlens_wire::{Result, Span};

use crate::model::{Mesh, Model, Placement, Space, TagPose, Topology};

/// The layout of a rest.
const VERSION: u8 = 1;
/// The version, the hash of the file, the hash of the names, and the number of surfaces.
const HEADER: usize = 1 + 8 + 8 + 4;
/// How far the origin of a tag may be from the stored one, in units. Axes of glTF are quaternions, and lengths have a scale.
const TAG_DISTANCE: f32 = 0.02;
/// The smallest product of equal rotations, of a quarter of a degree.
const TAG_ROTATION: f32 = 0.99999;

/// Returns the bytes of an MD3 that do not follow from `model`, the model of these bytes, with the materials that it is
/// written with. `is_written` tells for the index of each mesh whether a format that stores the model has it.
/// [`md3_from_rest`] makes the file again. O(file).
///
/// # Errors
///
/// The file is not a valid MD3, or an index of a vertex is out of range.
pub fn md3_rest(bytes: &[u8], model: &Model<'_>, is_written: impl Fn(usize) -> bool) -> Result<Vec<u8>> {
    let md3 = Md3::parse(bytes)?;
    let written: Vec<bool> = (0..md3.surface_count()).map(is_written).collect();
    let meshes = || model.meshes.iter().zip(&written).filter(|(_, written)| **written).map(|(mesh, _)| mesh);
    let mut rest = Vec::with_capacity(HEADER + written.len() + bytes.len());
    rest.push(VERSION);
    rest.extend(hash([bytes]).to_le_bytes());
    rest.extend(hash_of_names(model, meshes()).to_le_bytes());
    rest.extend((written.len() as u32).to_le_bytes());
    rest.extend(written.iter().map(|written| u8::from(*written)));
    let start = rest.len();
    rest.extend(bytes);
    let file = rest.get_mut(start..).unwrap_or_default();
    combine(file, md3.parts().surfaces(), &written, meshes(), &model.placement_in(&Space::MD3))?;
    Ok(rest)
}

/// Makes the file from which [`md3_rest`] made `rest`, with the vertices and triangles of `model` and lengths multiplied by
/// `scale`. `made` is the MD3 that is [written](super::to_md3) from the model. `None` if the model is not the same any more: its
/// meshes, materials, vertices, triangles, frames or tags. O(vertices x frames).
pub fn md3_from_rest(rest: &[u8], made: &[u8], model: &Model<'_>, scale: f32) -> Option<Vec<u8>> {
    let (version, after) = rest.split_first()?;
    let (file_hash, after) = after.split_first_chunk()?;
    let (names_hash, after) = after.split_first_chunk()?;
    let (count, after) = after.split_first_chunk()?;
    let (written, file) = after.split_at_checked(usize::try_from(u32::from_le_bytes(*count)).ok()?)?;
    let written: Vec<bool> = written.iter().map(|written| *written != 0).collect();
    let (stored, made) = (Md3::parse(file).ok()?, Md3::parse(made).ok()?);
    let names = hash_of_names(model, model.meshes.iter());
    let is_whole = written.len() == stored.surface_count()
        && written.iter().filter(|written| **written).count() == model.meshes.len()
        && stored.frame_count() == made.frame_count().max(model.frame_count());
    if *version != VERSION
        || names != u64::from_le_bytes(*names_hash)
        || !is_whole
        || !has_tags(&stored, &made)
    {
        return None;
    }
    let mut whole = file.to_vec();
    let placement = model.placement_in(&Space::MD3).scaled(scale);
    combine(&mut whole, stored.parts().surfaces(), &written, model.meshes.iter(), &placement).ok()?;
    (hash([&*whole]) == u64::from_le_bytes(*file_hash)).then_some(whole)
}

/// Combines the arrays of the surfaces that are written with those that are encoded from meshes. An array of another length is
/// left as it is.
fn combine<'m>(
    file: &mut [u8],
    surfaces: &[SurfaceParts],
    written: &[bool],
    meshes: impl Iterator<Item = &'m Mesh<'m>>,
    placement: &Placement,
) -> Result<()> {
    let surfaces = surfaces.iter().zip(written).filter(|(_, written)| **written);
    let (mut topology, mut texcoords) = (Topology::default(), Vec::new());
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for ((surface, _), mesh) in surfaces.zip(meshes) {
        mesh.topology_into(&mut topology)?;
        let corners = topology.triangles().iter().flat_map(|triangle| placement.corners(*triangle));
        xor(file, range(surface.triangles()), corners.flat_map(u32::to_le_bytes));
        if mesh.texcoords_into(0, &mut texcoords)? {
            let pairs = texcoords.iter().flat_map(|pair| F32::<2>.encode(*pair));
            xor(file, range(surface.texcoords()), pairs.flat_map(|value| value.to_bytes()));
        }
        for frame in 0..surface.frame_count() {
            let Some(span) = surface.frame_vertices(frame) else { break };
            mesh.skin_vertices_into(&topology, mesh.clamp_frame(frame), &[], &mut positions, &mut normals)?;
            let vertices = positions.iter().zip(&normals).flat_map(|(position, normal)| {
                let [x, y, z] = Md3Position.encode(placement.position(*position)).map(|axis| axis.to_bytes());
                [x, y, z, Md3Normal.encode(placement.normal(*normal))]
            });
            xor(file, range(span), vertices.flatten());
        }
    }
    Ok(())
}

fn range(span: Span) -> Range<usize> {
    let Range { start, end } = span.byte_range();
    usize::try_from(start).unwrap_or(usize::MAX)..usize::try_from(end).unwrap_or(usize::MAX)
}

fn xor(file: &mut [u8], range: Range<usize>, bytes: impl Iterator<Item = u8>) {
    for (to, from) in file.get_mut(range).unwrap_or_default().iter_mut().zip(bytes) {
        *to ^= from;
    }
}

/// Whether two files have the same tags, within the precision of formats that store rotations.
fn has_tags(stored: &Md3<'_>, made: &Md3<'_>) -> bool {
    let is_same = |(stored, made): (meshlens_md3::Tag<'_>, meshlens_md3::Tag<'_>)| {
        let pose = |tag: &meshlens_md3::Tag<'_>| TagPose { origin: tag.origin, axes: tag.axis };
        let (from, to) = (pose(&stored), pose(&made));
        let turn = from.rotation().iter().zip(to.rotation()).map(|(a, b)| a * b).sum::<f32>();
        let moved = from.origin.iter().zip(to.origin).any(|(a, b)| (a - b).abs() > TAG_DISTANCE);
        // A pose that is not finite has been replaced.
        let is_named = stored.name.to_text() == made.name.to_text();
        is_named && (!from.is_finite() || (!moved && turn.abs() > TAG_ROTATION))
    };
    let frames = stored.frame_count().min(made.frame_count());
    stored.tag_count() == made.tag_count()
        && (0..frames).all(|frame| stored.tags(frame).zip(made.tags(frame)).all(is_same))
}

/// The hash of the names of meshes and of their materials.
fn hash_of_names<'m>(model: &Model<'_>, meshes: impl Iterator<Item = &'m Mesh<'m>>) -> u64 {
    let material =
        |mesh: &Mesh<'_>| model.materials.get(mesh.material?).map(|material| material.name.clone());
    let names: Vec<_> = meshes.map(|mesh| (mesh.name.clone(), material(mesh).unwrap_or_default())).collect();
    hash(names.iter().flat_map(|(mesh, material)| [mesh.as_bytes(), &[0], material.as_bytes(), &[0]]))
}

/// FNV-1a: it tells whether bytes are those that were written, not who has written them.
fn hash<'b>(parts: impl IntoIterator<Item = &'b [u8]>) -> u64 {
    parts.into_iter().flatten().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
