//! Locates the parts of Unreal meshes: triangles in one file, vertices in the other.

use alloc::boxed::Box;

use meshlens_lens::ArrayParts;
use meshlens_unreal::layout::{FRAME_HEADER_SIZE, HEADER_SIZE};
use meshlens_unreal::{ParseOptions, Parts, Unreal};
use meshlens_wire::{ErrorKind, Partial, Pieces, Result};

use super::one_of_two;
use crate::formats::{Document, Format, FormatParts, PartList};
use crate::part::{Part, PartInfo};

pub(super) fn locate_pair(geometry: &dyn Pieces, frames: &dyn Pieces) -> Result<crate::Parts> {
    Ok(Parts::locate_pieces(geometry, frames, &ParseOptions::LENIENT)?.into())
}

/// Locates the parts of a mesh of one file.
pub(super) fn locate(file: &dyn Pieces) -> Result<crate::Parts> {
    match Parts::locate_packed(file, &ParseOptions::LENIENT) {
        Err(error)
            if error.offset() == 0
                && matches!(error.kind(), ErrorKind::Magic { .. } | ErrorKind::OutOfBounds { .. }) =>
        {
            Err(one_of_two(super::WITHOUT_KIND))
        }
        parts => Ok(parts?.into()),
    }
}

/// The header of the frames.
fn frames_header(parts: &Parts) -> core::ops::Range<u64> {
    // The frames follow their header.
    let end = parts.frames().offset();
    end.saturating_sub(FRAME_HEADER_SIZE)..end
}

impl FormatParts for Parts {
    fn format(&self) -> Format {
        Format::Unreal
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(Parts::arrays(self))
    }

    fn bind(self, bytes: &[u8]) -> Result<Document<'_>> {
        if !self.is_packed() {
            return Err(one_of_two("one file of a mesh of two"));
        }
        Ok(Unreal::bind(self, bytes, bytes)?.into())
    }
}

impl PartList for Parts {
    fn file_count(&self) -> usize {
        if self.is_packed() { 1 } else { 2 }
    }

    fn mesh_count(&self) -> usize {
        1
    }

    /// The last frame also counts if the file ends inside it.
    fn frame_count(&self, mesh: usize) -> usize {
        match mesh {
            0 => self.frames().len().saturating_add(usize::from(self.incomplete_vertices().is_some())),
            _ => 0,
        }
    }

    fn find(&self, part: Part) -> Option<PartInfo> {
        let info = PartInfo::new(part);
        let frames_file = if self.is_packed() { Unreal::GEOMETRY_FILE } else { Unreal::FRAMES_FILE };
        let frame = |info: PartInfo, frame: usize| {
            let vertices = self.frame_vertices(frame)?;
            let decoded = vertices.count().saturating_mul(PartInfo::VECTOR);
            Some(info.with(frames_file, vertices.byte_range(), decoded))
        };
        match part {
            Part::Header => {
                let header = 0..self.triangles().offset();
                let info = info.with(Unreal::GEOMETRY_FILE, header, HEADER_SIZE);
                Some(info.with(frames_file, frames_header(self), FRAME_HEADER_SIZE))
            }
            Part::Bounds => {
                let vertices = self.frame_vertices(0)?;
                Some(info.with(frames_file, vertices.byte_range(), PartInfo::BOUNDS))
            }
            // Triangles are in file 0, the geometry. Each has a texture slot and a type.
            Part::Materials => Some(info.with_table(self.triangles(), 2)),
            Part::Indices { mesh: 0 } => Some(info.with_table(self.triangles(), 8)),
            Part::Texcoords { mesh: 0 } => Some(info.with_table(self.triangles(), 24)),
            Part::Frame { mesh: 0, frame: number } => match self.incomplete_vertices() {
                Some(vertices) if number as usize == self.frames().len() => {
                    // Missing vertices are copied from the previous frame.
                    let before = (number as usize).checked_sub(1);
                    let info = info.with(frames_file, vertices.byte_range(), 0);
                    match before {
                        Some(before) => frame(info, before),
                        None => Some(info),
                    }
                }
                _ => frame(info, number as usize),
            },
            _ => None,
        }
    }

    fn bind_pieces<'a>(&'a self, files: &[&'a dyn Pieces]) -> Result<Document<'a, Partial>> {
        match files {
            [file] if self.is_packed() => Ok(Unreal::bind_pieces(*self, *file, *file)?.into()),
            [geometry, frames] if !self.is_packed() => {
                Ok(Unreal::bind_pieces(*self, *geometry, *frames)?.into())
            }
            _ => Err(one_of_two("one file of a mesh of two")),
        }
    }
}
