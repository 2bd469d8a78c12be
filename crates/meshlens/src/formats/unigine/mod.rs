//! The format traits for UNIGINE meshes and animations.

mod animations;
#[cfg(feature = "dump")]
mod dump;
mod mesh;
mod model;
mod parts;

use alloc::boxed::Box;
use alloc::string::String;

use meshlens_lens::{Array, ArrayParts, Bounds};
use meshlens_unigine::{
    Anim, FORMAT, Mesh, ParseOptions, Parts, Version, codes, is_unigine, losses, validate,
};
use meshlens_wire::{Partial, Presence, Report, Result};

use super::{CompleteDocument, Format, FormatDocument, FormatInfo, IntoModel};
use crate::model::{Mesh as ModelMesh, Space};
use crate::{Model, Summary};

pub(super) const INFO: FormatInfo = FormatInfo {
    locate_front: parts::locate_front,
    ..FormatInfo::new(
        FORMAT,
        &["mesh", "anim"],
        Space::UNIGINE,
        codes::ALL,
        is_unigine,
        |bytes| match Version::of(bytes) {
            Some(version) if !version.is_mesh() => Ok(Anim::parse(bytes)?.into()),
            _ => Ok(Mesh::parse(bytes)?.into()),
        },
        |pieces| Ok(Parts::locate_pieces(pieces, &ParseOptions::default())?.into()),
    )
};

impl<'a, P: Presence> FormatDocument<'a, P> for Mesh<'a, P> {
    fn format(&self) -> Format {
        Format::Unigine
    }

    fn version(&self) -> String {
        Mesh::version(self).as_str().into()
    }

    fn summary(&self) -> P::Of<Summary> {
        P::loaded(Summary {
            // A still mesh has the frame that its vertices are.
            frames: self.parts().animations().frame_count().max(1),
            surfaces: self.surface_count() as u64,
            vertices: Summary::sum(self.surfaces(), |surface| surface.vertex_count()),
            triangles: Summary::sum(self.surfaces(), |surface| surface.triangle_count()),
            tags: self.parts().skeleton().len() as u64,
        })
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = P::Of<Array<'a>>> + '_> {
        Box::new(Mesh::arrays(self))
    }

    fn bounds(&self) -> P::Of<Option<Bounds>> {
        P::map(Mesh::bounds(self), |volume| (!volume.is_empty()).then_some(volume.bounds))
    }

    fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(self.parts().arrays())
    }
}

impl<'a> IntoModel<'a> for Mesh<'a, Partial> {
    fn into_model(self) -> Result<Model<'a>> {
        model::model(self)
    }

    fn into_mesh(self, mesh: usize) -> Result<Option<ModelMesh<'a>>> {
        model::mesh(&self, mesh)
    }
}

impl CompleteDocument for Mesh<'_> {
    fn validate(&self, report: &mut Report) {
        validate(self, report);
    }

    fn losses(&self, report: &mut Report) {
        losses(self, report);
    }
}

impl<'a, P: Presence> FormatDocument<'a, P> for Anim<'a, P> {
    fn format(&self) -> Format {
        Format::Unigine
    }

    fn version(&self) -> String {
        Anim::version(self).as_str().into()
    }

    fn summary(&self) -> P::Of<Summary> {
        P::loaded(Summary {
            frames: self.parts().animations().frame_count(),
            tags: self.parts().skeleton().len() as u64,
            ..Summary::default()
        })
    }

    /// Records of animations differ in size, so they are not arrays.
    fn arrays(&self) -> Box<dyn Iterator<Item = P::Of<Array<'a>>> + '_> {
        Box::new(core::iter::empty())
    }

    fn bounds(&self) -> P::Of<Option<Bounds>> {
        Anim::bounds(self).map_or_else(
            || P::loaded(None),
            |volume| P::map(volume, |volume| (!volume.is_empty()).then_some(volume.bounds)),
        )
    }

    fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(self.parts().arrays())
    }
}

impl<'a> IntoModel<'a> for Anim<'a, Partial> {
    fn into_model(self) -> Result<Model<'a>> {
        model::animation_model(self)
    }

    fn into_mesh(self, _mesh: usize) -> Result<Option<ModelMesh<'a>>> {
        Ok(None)
    }
}

impl CompleteDocument for Anim<'_> {
    fn validate(&self, report: &mut Report) {
        validate(self, report);
    }
}
