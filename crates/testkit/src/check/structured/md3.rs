//! MD3 models.

use arbitrary::{Result, Unstructured};
use meshlens_lens::Bounds;
use meshlens_md3::layout::Vertex;
use meshlens_md3::{Md3, write};

use super::{name, number, numbers, some};
use crate::check::md3;

/// An MD3 model made from `bytes`: the writer refuses it, or it reads back equal and passes the checks of all models.
pub fn md3_model(bytes: &[u8]) {
    let Ok(model) = md3_from(&mut Unstructured::new(bytes)) else { return };
    let Ok(file) = model.write() else { return };
    md3(&file);
    let read = Md3::parse(&file).expect("what was written parses");
    for surface in read.surfaces() {
        assert!(surface.frame_count() == model.frames.len() || surface.vertex_count() == 0);
    }
    let is_sane = model.surfaces.iter().all(|surface| {
        let count = surface.texcoords.len() as u32;
        surface.triangles.as_flattened().iter().all(|index| *index < count)
    });
    assert_eq!(write::Model::try_from(&read).is_ok(), is_sane);
}

fn md3_from(u: &mut Unstructured<'_>) -> Result<write::Model> {
    let frames: Vec<write::Frame> = some(u, 6, |u| {
        let bounds = Bounds { min: numbers(u)?, max: numbers(u)? };
        Ok(write::Frame { name: name(u)?, bounds, local_origin: numbers(u)?, radius: number(u)? })
    })?;
    let tags_per_frame = u.int_in_range(0..=3)?;
    let mut tags = Vec::new();
    for _ in 0..frames.len() * tags_per_frame as usize {
        let axis = [numbers(u)?, numbers(u)?, numbers(u)?];
        tags.push(write::Tag { name: name(u)?, origin: numbers(u)?, axis });
    }
    let surfaces = some(u, 3, |u| md3_surface(u, frames.len()))?;
    Ok(write::Model {
        name: name(u)?,
        flags: u.arbitrary()?,
        skin_count: u.int_in_range(0..=2)?,
        wide_frames: u.arbitrary()?,
        frames,
        tags,
        tags_per_frame,
        surfaces,
    })
}

fn md3_surface(u: &mut Unstructured<'_>, frames: usize) -> Result<write::Surface> {
    let texcoords = some(u, 8, numbers)?;
    let mut vertices = Vec::new();
    for _ in 0..frames * texcoords.len() {
        vertices.push(Vertex { coord: u.arbitrary()?, normal: u.arbitrary()? });
    }
    let count = texcoords.len() as u32;
    let corner = |u: &mut Unstructured<'_>| -> Result<u32> {
        // Usually an existing vertex.
        if u.ratio(1, 16)? { u.arbitrary() } else { u.int_in_range(0..=count.saturating_sub(1)) }
    };
    Ok(write::Surface {
        name: name(u)?,
        flags: u.arbitrary()?,
        // Sometimes a wrong number of frames, which the writer must refuse.
        frame_count: if u.ratio(1, 32)? { u.arbitrary()? } else { frames as u32 },
        shaders: some(u, 2, |u| Ok((name(u)?, u.arbitrary()?)))?,
        triangles: some(u, 8, |u| Ok([corner(u)?, corner(u)?, corner(u)?]))?,
        texcoords,
        vertices,
    })
}
