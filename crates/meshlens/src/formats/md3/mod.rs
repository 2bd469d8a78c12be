//! The format traits for Quake 3 MD3.

mod clips;
#[cfg(feature = "dump")]
mod dump;
mod model;
mod parts;

use alloc::boxed::Box;
use alloc::string::{String, ToString};

use meshlens_lens::{Array, ArrayParts, Bounds};
use meshlens_md3::{FORMAT, Md3, ParseOptions, Parts, codes, layout, losses, validate};
use meshlens_wire::{Report, Result};

use super::{Format, FormatDocument, FormatInfo};
use crate::model::{Mesh, Space};
use crate::{Model, Summary};

pub(super) const INFO: FormatInfo = FormatInfo {
    locate_front: parts::locate_front,
    ..FormatInfo::new(
        FORMAT,
        &["md3"],
        Space::MD3,
        codes::ALL,
        |bytes| bytes.starts_with(&layout::IDENT),
        |bytes| Ok(Md3::parse(bytes)?.into()),
        |pieces| Ok(Parts::locate_pieces(pieces, &ParseOptions::default())?.into()),
    )
};

impl<'a> FormatDocument<'a> for Md3<'a> {
    fn format(&self) -> Format {
        Format::Md3
    }

    fn version(&self) -> String {
        Md3::version(self).to_string()
    }

    fn summary(&self) -> Summary {
        Summary {
            frames: self.frame_count() as u64,
            surfaces: self.surface_count() as u64,
            vertices: Summary::sum(self.surfaces(), |surface| surface.vertex_count()),
            triangles: Summary::sum(self.surfaces(), |surface| surface.triangle_count()),
            tags: self.tag_count() as u64,
        }
    }

    fn validate(&self, report: &mut Report) {
        validate(self, report);
    }

    fn losses(&self, report: &mut Report) {
        losses(self, report);
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = Array<'a>> + '_> {
        Box::new(Md3::arrays(self))
    }

    fn bounds(&self) -> Option<Bounds> {
        self.frame(0).map(|frame| frame.bounds)
    }

    fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(self.parts().arrays())
    }

    fn into_model(self) -> Result<Model<'a>> {
        Ok(model::model(self))
    }

    fn into_mesh(self, mesh: usize) -> Result<Option<Mesh<'a>>> {
        Ok(self.surface(mesh).map(model::mesh))
    }
}
