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
use meshlens_wire::{Partial, Presence, Report, Result};

use super::{CompleteDocument, Format, FormatDocument, FormatInfo, IntoModel, name_if_loaded};
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

impl<'a, P: Presence> FormatDocument<'a, P> for Md3<'a, P> {
    fn format(&self) -> Format {
        Format::Md3
    }

    fn version(&self) -> String {
        Md3::version(self).to_string()
    }

    fn summary(&self) -> P::Of<Summary> {
        P::loaded(Summary {
            frames: self.frame_count() as u64,
            surfaces: self.surface_count() as u64,
            vertices: Summary::sum(self.surfaces(), |surface| surface.vertex_count()),
            triangles: Summary::sum(self.surfaces(), |surface| surface.triangle_count()),
            tags: self.tag_count() as u64,
        })
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = P::Of<Array<'a>>> + '_> {
        Box::new(Md3::arrays(self))
    }

    fn bounds(&self) -> P::Of<Option<Bounds>> {
        self.frame(0).map_or_else(|| P::loaded(None), |frame| P::map(frame, |frame| Some(frame.bounds)))
    }

    fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(self.parts().arrays())
    }
}

impl<'a> IntoModel<'a> for Md3<'a, Partial> {
    fn into_model(self) -> Result<Model<'a>> {
        model::model(self)
    }

    fn into_mesh(self, mesh: usize) -> Result<Option<Mesh<'a>>> {
        Ok(self.surface(mesh).map(|surface| Mesh::new(name_if_loaded(surface.name()), surface)))
    }
}

impl CompleteDocument for Md3<'_> {
    fn validate(&self, report: &mut Report) {
        validate(self, report);
    }

    fn losses(&self, report: &mut Report) {
        losses(self, report);
    }
}
