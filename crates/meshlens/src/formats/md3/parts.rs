//! Locates the parts of MD3. The header locates frames and tags, and each surface locates its tables.

use alloc::boxed::Box;

use meshlens_lens::{ArrayParts, Bounds};
use meshlens_md3::{FORMAT, FrontParts, Md3, ParseOptions, Parts, SurfaceParts, layout};
use meshlens_wire::{Data, Partial, Pieces, Result};

use crate::formats::{Document, Format, FormatParts, PartList, one_file};
use crate::model::TagPose;
use crate::part::{Front, Part, PartInfo};

/// The decoded sizes in bytes: of a position and a normal, and of a tag.
const VERTEX: u64 = size_of::<[[f32; 3]; 2]>() as u64;
const TAG: u64 = size_of::<TagPose>() as u64;

/// Reads the bounds, which only need the header.
pub(super) fn locate_front(pieces: &dyn Pieces) -> Result<Front> {
    let front = FrontParts::locate_pieces(pieces, &ParseOptions::default())?;
    let first = front.frames().slice(0, 1);
    let record = first.and_then(|frame| {
        // `None` until the bytes are loaded.
        Data::of_pieces(FORMAT, pieces).record::<layout::Frame>(frame.offset(), "frame").ok()
    });
    let bounds = record.map(|frame| Bounds { min: frame.min_bounds, max: frame.max_bounds });
    Ok(Front { bounds, ..Front::default() })
}

impl FormatParts for Parts {
    fn format(&self) -> Format {
        Format::Md3
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(Parts::arrays(self))
    }

    fn bind(self, bytes: &[u8]) -> Result<Document<'_>> {
        Ok(Md3::bind(self, bytes)?.into())
    }
}

impl PartList for Parts {
    fn mesh_count(&self) -> usize {
        self.surfaces().len()
    }

    fn frame_count(&self, mesh: usize) -> usize {
        self.surfaces().get(mesh).map_or(0, SurfaceParts::frame_count)
    }

    fn find(&self, part: Part) -> Option<PartInfo> {
        let info = PartInfo::new(part);
        let surface = |mesh: u32| self.surfaces().get(mesh as usize);
        let headers = |info: PartInfo| {
            let surfaces = self.surfaces().iter().map(SurfaceParts::header);
            surfaces.fold(info.with_bytes(self.front().header()), PartInfo::with_bytes)
        };
        match part {
            Part::Header => Some(headers(info)),
            Part::Bounds => Some(info.with_table(self.frames().slice(0, 1)?, PartInfo::BOUNDS)),
            Part::Tags => Some(info.with_table(self.tags(), TAG)),
            Part::Names => Some(headers(info).with(0, self.frames().byte_range(), self.frames().size())),
            Part::Materials => {
                let shaders = self.surfaces().iter().map(SurfaceParts::shaders);
                Some(shaders.fold(info, |info, table| info.with(0, table.byte_range(), table.size())))
            }
            Part::Indices { mesh } => Some(info.with_table(surface(mesh)?.triangles(), 12)),
            Part::Texcoords { mesh } => Some(info.with_table(surface(mesh)?.texcoords(), 8)),
            Part::Frame { mesh, frame } => {
                Some(info.with_table(surface(mesh)?.frame_vertices(frame as usize)?, VERTEX))
            }
            _ => None,
        }
    }

    fn bind_pieces<'a>(&'a self, files: &[&'a dyn Pieces]) -> Result<Document<'a, Partial>> {
        Ok(Md3::bind_pieces(self, one_file(files)?)?.into())
    }
}
