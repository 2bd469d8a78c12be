//! The counts of a glTF file, without reading its buffers.

use meshlens::Summary;
use meshlens::import::ImportLimits;
use meshlens::wire::Budget;

use super::document::{Document, Primitive};
use super::memory::Memory;
use super::parse::parse;
use super::scene::is_tag;
use crate::Error;
use crate::json::Mode;

/// Returns the counts of a glTF file without reading its buffers. Surfaces are the primitives of meshes. The number of
/// frames is the largest number of keys of an animation for one property. Tags are joints, and nodes without a mesh
/// whose names begin with `tag_`. O(JSON).
///
/// # Errors
///
/// The JSON is not a glTF 2.0 document, or a required extension is not supported.
pub fn summarize(bytes: &[u8]) -> Result<Summary, Error> {
    let limit = ImportLimits::DEFAULT.bytes;
    let (document, _) = parse(bytes, &mut Memory::new(limit, &Budget::new(limit)))?;
    let mut summary = Summary::default();
    for primitive in document.meshes.iter().flat_map(|mesh| &mesh.primitives) {
        summary.surfaces += 1;
        summary.vertices = summary.vertices.saturating_add(vertices(&document, primitive));
        summary.triangles = summary.triangles.saturating_add(triangles(&document, primitive));
    }
    let tracks = document.animations.iter().flat_map(|animation| animation.tracks());
    summary.frames = tracks.map(|(.., sampler)| count(&document, sampler.input)).max().unwrap_or_default();
    let mut tags: Vec<bool> = document
        .nodes
        .iter()
        .map(|node| node.mesh.is_none() && node.name.as_deref().is_some_and(is_tag))
        .collect();
    document.skins.iter().flat_map(|skin| &skin.joints).for_each(|joint| tags[*joint] = true);
    summary.tags = tags.into_iter().filter(|tag| *tag).count() as u64;
    Ok(summary)
}

fn count(document: &Document, accessor: usize) -> u64 {
    document.accessors[accessor].count as u64
}

fn vertices(document: &Document, primitive: &Primitive) -> u64 {
    primitive.get("POSITION").map_or(0, |accessor| count(document, accessor))
}

fn triangles(document: &Document, primitive: &Primitive) -> u64 {
    let vertices = || vertices(document, primitive);
    let corners = primitive.indices.map_or_else(vertices, |accessor| count(document, accessor));
    match primitive.mode {
        Mode::Triangles => corners / 3,
        Mode::TriangleStrip | Mode::TriangleFan => corners.saturating_sub(2),
        Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip => 0,
    }
}
