//! The format traits for Ultimate 3D.

#[cfg(feature = "dump")]
mod dump;
mod limits;
mod mesh;
mod model;
mod parts;
mod skeleton;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};

use meshlens_lens::{Array, ArrayParts, Bounds};
use meshlens_u3d::{FORMAT, FileHeader, Mesh, ParseOptions, Parts, U3d, codes, layout, losses, validate};
use meshlens_wire::{Partial, Presence, Report, Result};

use super::{CompleteDocument, Format, FormatDocument, FormatInfo, IntoModel};
use crate::model::{Mesh as ModelMesh, Space};
use crate::{Model, Summary};

/// The number of sets of texture coordinates that a mesh may have.
const SETS: usize = 8;

pub(super) const INFO: FormatInfo = FormatInfo {
    // ECMA-363 Universal 3D, another format with the same extension.
    knows_other: |bytes| bytes.starts_with(layout::ECMA_MAGIC),
    peek_version: |bytes| {
        // A file whose header cannot be read has no version.
        let header = FileHeader::read(bytes).ok()?;
        let version = header.version;
        Some(match header.encryption {
            None => version.to_string(),
            Some(encryption) => format!("{version}, encrypted: {encryption}"),
        })
    },
    #[cfg(feature = "aes")]
    decrypt: |bytes, password| {
        let is_encrypted = FileHeader::read(bytes).is_ok_and(|header| header.is_encrypted());
        is_encrypted.then(|| U3d::decrypt(bytes, password))
    },
    ..FormatInfo::new(
        FORMAT,
        &["u3d"],
        Space::U3D,
        codes::ALL,
        |bytes| bytes.starts_with(layout::V1_MAGIC) || bytes.starts_with(layout::V2_MAGIC),
        |bytes| Ok(U3d::parse(bytes)?.into()),
        |pieces| Ok(Parts::locate_pieces(pieces, &ParseOptions::default())?.into()),
    )
};

impl<'a, P: Presence> FormatDocument<'a, P> for U3d<'a, P> {
    fn format(&self) -> Format {
        Format::U3d
    }

    fn version(&self) -> String {
        U3d::version(self).to_string()
    }

    fn summary(&self) -> P::Of<Summary> {
        // Meshes of later frames are the same model. Borrowed triangles are not counted again.
        let first = || self.meshes().filter(|mesh| mesh.frame() == 0);
        let own = |mesh: Mesh<'_, '_, P>| if mesh.owns_triangles() { mesh.triangle_count() } else { 0 };
        P::loaded(Summary {
            frames: self.frame_count() as u64,
            surfaces: first().count() as u64,
            vertices: Summary::sum(first(), |mesh| mesh.vertex_count()),
            triangles: Summary::sum(first(), own),
            tags: self.bone_count() as u64,
        })
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = P::Of<Array<'a>>> + '_> {
        Box::new(U3d::arrays(self))
    }

    fn bounds(&self) -> P::Of<Option<Bounds>> {
        let first = || self.meshes().filter(|mesh| mesh.frame() == 0);
        let lod = |mesh: &Mesh<'_, '_, P>| mesh.lod_index().unwrap_or(0);
        let coarsest = first().map(|mesh| lod(&mesh)).max();
        let shown = first().filter(|mesh| Some(lod(mesh)) == coarsest);
        let mut boxes = shown.map(|mesh| P::result(mesh.compute_bounds()));
        let all = boxes.try_fold(None, |all: Option<Bounds>, next| {
            Ok(all.into_iter().chain(next?).reduce(|a, b| a.union(&b)))
        });
        P::read(all, || None)
    }

    fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(self.parts().arrays())
    }
}

impl<'a> IntoModel<'a> for U3d<'a, Partial> {
    fn into_model(self) -> Result<Model<'a>> {
        model::model(self)
    }

    fn into_mesh(self, mesh: usize) -> Result<Option<ModelMesh<'a>>> {
        model::mesh(self, mesh)
    }
}

impl CompleteDocument for U3d<'_> {
    fn validate(&self, report: &mut Report) {
        validate(self, report);
    }

    fn losses(&self, report: &mut Report) {
        losses(self, report);
    }
}
