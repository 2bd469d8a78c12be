//! MD3 models.

use arbitrary::{Result, Unstructured};
use meshlens::lens::Bounds;
use meshlens::md3;
use meshlens::md3::layout::Vertex;
use meshlens::md3::write::{Frame, Model, Surface, Tag};
use meshlens::{Document, Format as Formats};

use super::{name, number, numbers, of_other, some, triangle};
use crate::engine::Format;
use crate::layout::{self, Table};
use crate::random::{MOST_VERTICES, corners, fit, one_of, splice};

/// Quake 3 models.
#[derive(Clone, Copy, Debug)]
pub struct Md3;

impl Format for Md3 {
    type Model = Model;
    const NAME: &'static str = "md3";
    const HAS_FIXED_TABLES: bool = true;

    fn read(&self, file: &[u8]) -> Option<Model> {
        Model::try_from(&md3::Md3::parse(file).ok()?).ok()
    }

    fn write(&self, model: &Model) -> Option<Vec<u8>> {
        model.write().ok()
    }

    fn make(&self, u: &mut Unstructured<'_>) -> Result<Model> {
        let frames: Vec<Frame> = some(u, 6, frame)?;
        let tags_per_frame = u.int_in_range(0..=3)?;
        let mut tags = Vec::new();
        for _ in 0..frames.len() * tags_per_frame as usize {
            let axis = [numbers(u)?, numbers(u)?, numbers(u)?];
            tags.push(Tag { name: name(u)?, origin: numbers(u)?, axis });
        }
        let surfaces = some(u, 3, |u| surface(u, frames.len()))?;
        Ok(Model {
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

    fn edit(&self, model: &mut Model, other: Option<&Model>, u: &mut Unstructured<'_>) -> Result<()> {
        let frames = model.frames.len();
        match u.int_in_range(0..=9)? {
            0..=2 => {
                let mut more = of_other(other.map(|other| &other.surfaces), || surface(u, frames))?;
                more.iter_mut().for_each(|surface| resize(surface, frames, surface.texcoords.len()));
                splice(u, &mut model.surfaces, &more)?;
            }
            3 | 4 => {
                let more = of_other(other.map(|other| &other.frames), || frame(u))?;
                splice(u, &mut model.frames, &more)?;
                set_frames(model);
            }
            5 => {
                let Some(surface) = one_of(u, &mut model.surfaces)? else { return Ok(()) };
                let vertices = surface.texcoords.len();
                let many = MOST_VERTICES / frames.max(1);
                let most = if u.ratio(1, 16)? { many.clamp(1, 5000) } else { vertices + 8 };
                resize(surface, frames, u.int_in_range(1..=most)?);
            }
            6 => {
                let Some(surface) = one_of(u, &mut model.surfaces)? else { return Ok(()) };
                if let Some(new) = corners(u, surface.texcoords.len())? {
                    splice(u, &mut surface.triangles, &[new])?;
                }
            }
            7 => {
                let new = (name(u)?, u.arbitrary()?);
                let Some(surface) = one_of(u, &mut model.surfaces)? else { return Ok(()) };
                splice(u, &mut surface.shaders, &[new])?;
            }
            8 => {
                model.tags = other.map_or(&model.tags, |other| &other.tags).clone();
                model.tags_per_frame = u.int_in_range(0..=20)?;
                set_frames(model);
            }
            _ => {
                (model.name, model.flags, model.skin_count) =
                    (name(u)?, u.arbitrary()?, u.int_in_range(0..=2)?);
                model.wide_frames = u.arbitrary()?;
            }
        }
        Ok(())
    }

    fn tables(&self, file: &[u8]) -> Option<Vec<Table>> {
        Some(layout::tables(&Document::parse_as(Formats::Md3, file).ok()?, &[]))
    }
}

/// Gives tags and surfaces the number of frames of the model.
fn set_frames(model: &mut Model) {
    let frames = model.frames.len();
    let tag = Tag { name: [0; 64], origin: [0.0; 3], axis: [[0.0; 3]; 3] };
    fit(&mut model.tags, frames * model.tags_per_frame as usize, &tag);
    model.surfaces.iter_mut().for_each(|surface| resize(surface, frames, surface.texcoords.len()));
}

/// Gives a surface numbers of frames and vertices.
fn resize(surface: &mut Surface, frames: usize, vertices: usize) {
    surface.frame_count = frames as u32;
    fit(&mut surface.texcoords, vertices, &[0.0; 2]);
    fit(&mut surface.vertices, frames * vertices, &Vertex { coord: [64, 0, 0], normal: [0; 2] });
    match vertices as u32 {
        0 => surface.triangles.clear(),
        vertices => surface.triangles.as_flattened_mut().iter_mut().for_each(|index| *index %= vertices),
    }
}

fn frame(u: &mut Unstructured<'_>) -> Result<Frame> {
    let bounds = Bounds { min: numbers(u)?, max: numbers(u)? };
    Ok(Frame { name: name(u)?, bounds, local_origin: numbers(u)?, radius: number(u)? })
}

fn surface(u: &mut Unstructured<'_>, frames: usize) -> Result<Surface> {
    let texcoords = some(u, 8, numbers)?;
    let mut vertices = Vec::new();
    for _ in 0..frames * texcoords.len() {
        vertices.push(Vertex { coord: u.arbitrary()?, normal: u.arbitrary()? });
    }
    Ok(Surface {
        name: name(u)?,
        flags: u.arbitrary()?,
        // Sometimes a wrong number of frames, which the writer must refuse.
        frame_count: if u.ratio(1, 32)? { u.arbitrary()? } else { frames as u32 },
        shaders: some(u, 2, |u| Ok((name(u)?, u.arbitrary()?)))?,
        triangles: some(u, 8, |u| triangle(u, 16, texcoords.len()))?,
        texcoords,
        vertices,
    })
}
