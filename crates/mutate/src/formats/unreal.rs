//! Unreal vertex meshes.

use arbitrary::{Arbitrary, Result, Unstructured};
use meshlens::Document;
use meshlens::unreal::layout::{HEADER_SIZE, TRIANGLE_SIZE};
use meshlens::unreal::write::{Model, Vertices};
use meshlens::unreal::{self, Triangle, TriangleType};

use super::some;
use crate::engine::Format;
use crate::layout::{self, Table};
use crate::random::{MOST_VERTICES, fit, splice};

/// Both files of an Unreal vertex mesh in one buffer: see [`split_pair`].
#[derive(Clone, Copy, Debug)]
pub struct Unreal;

/// Splits a buffer into the geometry file, up to its last triangle, and the frames file.
pub fn split_pair(bytes: &[u8]) -> (&[u8], &[u8]) {
    let triangles = bytes.first_chunk().map_or(0, |count| u64::from(u16::from_le_bytes(*count)));
    let len = HEADER_SIZE + triangles * u64::from(TRIANGLE_SIZE);
    bytes.split_at(bytes.len().min(len as usize))
}

impl Format for Unreal {
    type Model = Model;
    const NAME: &'static str = "unreal";

    fn read(&self, file: &[u8]) -> Option<Model> {
        let (geometry, frames) = split_pair(file);
        Some(Model::from(&unreal::Unreal::parse(geometry, frames).ok()?))
    }

    fn write(&self, model: &Model) -> Option<Vec<u8>> {
        let files = model.write_as_is().ok()?;
        Some([files.geometry, files.frames].concat())
    }

    fn make(&self, u: &mut Unstructured<'_>) -> Result<Model> {
        let vertices_per_frame = u.int_in_range(0..=12)?;
        let frames = u.int_in_range(0..=6)?;
        // Sometimes one vertex more than a whole number of frames, which the writer must refuse.
        let more = usize::from(u.ratio(1, 32)?);
        let vertices = vertices(u, frames * vertices_per_frame + more)?;
        let triangles = some(u, 12, |u| triangle(u, vertices_per_frame))?;
        Ok(Model { triangles, vertices_per_frame, vertices })
    }

    fn edit(&self, model: &mut Model, other: Option<&Model>, u: &mut Unstructured<'_>) -> Result<()> {
        let frames = model.frame_count();
        match u.int_in_range(0..=4)? {
            0 | 1 => {
                let new = [triangle(u, model.vertices_per_frame)?];
                splice(u, &mut model.triangles, other.map_or(&new[..], |other| &other.triangles))?;
            }
            2 => {
                let many = MOST_VERTICES / frames.max(1);
                let most = if u.ratio(1, 16)? { many.min(5000) } else { model.vertices_per_frame + 8 };
                model.vertices_per_frame = u.int_in_range(0..=most)?;
                set_len(&mut model.vertices, frames * model.vertices_per_frame);
            }
            3 => set_len(&mut model.vertices, u.int_in_range(0..=frames + 4)? * model.vertices_per_frame),
            _ => {
                let count = model.vertices.len();
                model.vertices = match other {
                    Some(other) => other.vertices.clone(),
                    None => vertices(u, count.min(64))?,
                };
                set_len(&mut model.vertices, count);
            }
        }
        Ok(())
    }

    fn tables(&self, file: &[u8]) -> Option<Vec<Table>> {
        let (geometry, frames) = split_pair(file);
        let document = Document::parse_pair(geometry, frames).ok()?;
        Some(layout::tables(&document, &[0, geometry.len()]))
    }
}

fn set_len(vertices: &mut Vertices, len: usize) {
    match vertices {
        Vertices::Packed(vertices) => fit(vertices, len, &0),
        Vertices::Wide(vertices) => fit(vertices, len, &[0; 4]),
    }
}

fn triangle(u: &mut Unstructured<'_>, vertices_per_frame: usize) -> Result<Triangle> {
    let last = vertices_per_frame.saturating_sub(1).min(usize::from(u16::MAX)) as u16;
    let mut vertices = [0; 3];
    for vertex in &mut vertices {
        *vertex = if u.ratio(1, 16)? { u.arbitrary()? } else { u.int_in_range(0..=last)? };
    }
    Ok(Triangle {
        vertices,
        triangle_type: TriangleType(u.arbitrary()?),
        color: u.arbitrary()?,
        texcoords: <[[u8; 2]; 3]>::arbitrary(u)?,
        texture: u.arbitrary()?,
        flags: u.arbitrary()?,
    })
}

fn vertices(u: &mut Unstructured<'_>, count: usize) -> Result<Vertices> {
    Ok(if u.arbitrary()? {
        Vertices::Packed((0..count).map(|_| u.arbitrary()).collect::<Result<_>>()?)
    } else {
        Vertices::Wide((0..count).map(|_| u.arbitrary()).collect::<Result<_>>()?)
    })
}
