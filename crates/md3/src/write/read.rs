//! Reads a file as a model of plain arrays.

use meshlens_wire::{Error, Record, Result};

use super::{Frame, Model, Surface, Tag, padded};
use crate::Md3;
use crate::layout::Vertex;

const VERTEX_SIZE: usize = Vertex::SIZE;

impl TryFrom<&Md3<'_>> for Model {
    type Error = Error;

    /// Copies a model from its file, including the bytes after the NUL of names. Vertices are not decoded.
    ///
    /// # Errors
    ///
    /// A vertex index is out of range.
    fn try_from(md3: &Md3<'_>) -> Result<Self> {
        let frames = md3.frames().map(|frame| Frame {
            name: padded(frame.name.raw()),
            bounds: frame.bounds,
            local_origin: frame.local_origin,
            radius: frame.radius,
        });
        let tags = (0..md3.frame_count()).flat_map(|frame| md3.tags(frame)).map(|tag| Tag {
            name: padded(tag.name.raw()),
            origin: tag.origin,
            axis: tag.axis,
        });
        let surfaces = md3.surfaces().map(|surface| {
            let vertices = md3.data().bind(surface.parts().vertices())?.as_chunks::<VERTEX_SIZE>().0;
            Ok(Surface {
                name: padded(surface.name().raw()),
                flags: surface.flags(),
                // Both counts come from fields of 32 bits.
                frame_count: surface.frame_count() as u32,
                shaders: surface.shaders().map(|shader| (padded(shader.name.raw()), shader.index)).collect(),
                triangles: surface.checked_triangles()?.iter().collect(),
                texcoords: surface.texcoords().iter().collect(),
                vertices: vertices.iter().map(|vertex| Vertex::read(vertex)).collect(),
            })
        });
        Ok(Model {
            name: padded(md3.name().raw()),
            flags: md3.flags(),
            skin_count: md3.skin_count(),
            wide_frames: md3.has_wide_frames(),
            frames: frames.collect(),
            tags: tags.collect(),
            tags_per_frame: md3.tag_count() as u32,
            surfaces: surfaces.collect::<Result<_>>()?,
        })
    }
}
