//! Unreal meshes.

use arbitrary::{Arbitrary, Result, Unstructured};
use meshlens_unreal::{Triangle, TriangleType, Unreal, write};

use super::some;
use crate::check::unreal_files;

/// An Unreal mesh made from `bytes`: the writer refuses it, or it reads back equal and passes the checks of all meshes.
pub fn unreal_model(bytes: &[u8]) {
    let Ok(model) = from(&mut Unstructured::new(bytes)) else { return };
    // `write` checks vertex indices, but `write_as_is` does not.
    let Ok(files) = model.write_as_is() else { return assert!(model.write().is_err()) };
    unreal_files(&files.geometry, &files.frames);
    let read = Unreal::parse(&files.geometry, &files.frames).expect("what was written parses");
    assert_eq!(read.geometry().triangle_count(), model.triangles.len());
    assert_eq!(read.frame_count(), model.frame_count());
}

fn from(u: &mut Unstructured<'_>) -> Result<write::Model> {
    let vertices_per_frame = u.int_in_range(0..=12)?;
    let frames = u.int_in_range(0..=6)?;
    // Sometimes one vertex more than a whole number of frames, which the writer must refuse.
    let count = frames * vertices_per_frame + usize::from(u.ratio(1, 32)?);
    let vertices = if u.arbitrary()? {
        write::Vertices::Packed((0..count).map(|_| u.arbitrary()).collect::<Result<_>>()?)
    } else {
        write::Vertices::Wide((0..count).map(|_| u.arbitrary()).collect::<Result<_>>()?)
    };
    let last = vertices_per_frame.saturating_sub(1) as u16;
    let triangles = some(u, 12, |u| {
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
    })?;
    Ok(write::Model { triangles, vertices_per_frame, vertices })
}
