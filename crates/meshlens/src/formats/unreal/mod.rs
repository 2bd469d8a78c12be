//! The format traits for Unreal vertex meshes.

#[cfg(feature = "dump")]
mod dump;
mod mesh;
mod model;
pub(crate) use model::material;
mod parts;
mod script;

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use meshlens_lens::{Array, ArrayParts, Bounds};
use meshlens_unreal::layout::UMSH;
use meshlens_unreal::{
    FORMAT, FRAMES, FileKind, Geometry, ParseOptions, Parts, Prefix, UnpairedFile, Unreal, codes, losses,
    validate, validate_unpaired,
};
use meshlens_wire::{Error, ErrorKind, Partial, Presence, Report, Result};

use super::{CompleteDocument, Document, Format, FormatDocument, FormatInfo, IntoModel};
use crate::model::Space;
use crate::{Model, Summary};

pub(super) const INFO: FormatInfo = FormatInfo {
    locate_pair: Some((parts::locate_pair, FRAMES)),
    ..FormatInfo::new(
        FORMAT,
        &["3d", "umsh"],
        Space::UNREAL,
        codes::ALL,
        |bytes| bytes.starts_with(&UMSH),
        parse,
        parts::locate,
    )
};

/// The error for a file that does not say which of the two files of a mesh it is.
const WITHOUT_KIND: &str = "one of the two files of a mesh, without its kind,";

/// Parses a mesh of one file.
fn parse(bytes: &[u8]) -> Result<Document<'_>> {
    if !(INFO.detect)(bytes) {
        return Err(one_of_two(WITHOUT_KIND));
    }
    Ok(Unreal::parse_packed(bytes, &ParseOptions::LENIENT)?.into())
}

/// The error for a mesh of two files if only one is given.
fn one_of_two(what: &'static str) -> Error {
    Error::new(FORMAT, 0, ErrorKind::Unsupported { what })
}

impl<'a> Document<'a> {
    /// Parses the two files of an Unreal mesh. From a truncated frames file, the whole frames are used, and
    /// [`validate`](crate::CompleteDocument::validate) reports the truncation.
    ///
    /// ```
    /// use meshlens::{Document, Format, unreal};
    ///
    /// # let model = unreal::write::Model::new(unreal::VertexEncoding::Packed, 0);
    /// # let unreal::write::Files { geometry, frames } = model.write()?;
    /// let document = Document::parse_pair(&geometry, &frames)?;
    /// assert_eq!(document.format(), Format::Unreal);
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the format's parser.
    pub fn parse_pair(geometry: &'a [u8], frames: &'a [u8]) -> Result<Self> {
        Ok(Unreal::parse_with(geometry, frames, &ParseOptions::LENIENT)?.into())
    }

    /// Parses one file of an Unreal mesh whose other file is missing, which
    /// [`validate`](crate::CompleteDocument::validate) reports.
    ///
    /// # Errors
    ///
    /// The errors of the format's parser.
    pub fn parse_unpaired(kind: FileKind, bytes: &'a [u8]) -> Result<Self> {
        Ok(UnpairedFile::parse(kind, bytes)?.into())
    }
}

impl<'a, P: Presence> Document<'a, P> {
    /// The Unreal mesh, with both its files; `None` for any other document.
    #[allow(unreachable_patterns, reason = "there may be no other format in this build")]
    pub const fn as_unreal(&self) -> Option<&Unreal<'a, P>> {
        match self {
            Document::Unreal(unreal) => Some(unreal),
            _ => None,
        }
    }
}

impl crate::Parts {
    /// Locates the parts of an Unreal mesh from the first bytes of both files. From a truncated frames file, the whole
    /// frames are used.
    ///
    /// # Errors
    ///
    /// Same as [`unreal::Parts::locate`](Parts::locate).
    pub fn locate_pair(geometry: Prefix<'_>, frames: Prefix<'_>) -> Result<Self> {
        Ok(Parts::locate(geometry, frames, &ParseOptions::LENIENT)?.into())
    }
}

impl<'a, P: Presence> FormatDocument<'a, P> for Unreal<'a, P> {
    fn format(&self) -> Format {
        Format::Unreal
    }

    fn version(&self) -> String {
        format!("{}, rule {}", self.vertex_encoding(), self.rule().number())
    }

    fn summary(&self) -> P::Of<Summary> {
        P::map(self.geometry(), |geometry| Summary {
            // Files have at most 65,535 frames.
            frames: self.frame_count() as u64 + u64::from(self.parts().incomplete_vertices().is_some()),
            vertices: self.vertex_count() as u64,
            ..geometry_summary(&geometry)
        })
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = P::Of<Array<'a>>> + '_> {
        Box::new(Unreal::arrays(self))
    }

    fn bounds(&self) -> P::Of<Option<Bounds>> {
        let positions = (self.frame_count() > 0).then(|| self.unit_positions(0)).transpose();
        P::read(positions.map(|positions| positions.and_then(Bounds::around)), || None)
    }

    fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        Box::new(self.parts().arrays())
    }
}

impl<'a> IntoModel<'a> for Unreal<'a, Partial> {
    fn into_model(self) -> Result<Model<'a>> {
        model::model(self)
    }
}

impl CompleteDocument for Unreal<'_> {
    fn validate(&self, report: &mut Report) {
        validate(self, report);
    }

    fn losses(&self, report: &mut Report) {
        losses(self, report);
    }
}

impl<'a, P: Presence> FormatDocument<'a, P> for UnpairedFile<'a> {
    fn format(&self) -> Format {
        Format::Unreal
    }

    fn version(&self) -> String {
        match self {
            UnpairedFile::Geometry(_) => "geometry alone".into(),
            UnpairedFile::Frames(_) => "frames alone".into(),
        }
    }

    fn summary(&self) -> P::Of<Summary> {
        P::loaded(match self {
            UnpairedFile::Geometry(geometry) => geometry_summary(geometry),
            UnpairedFile::Frames(frames) => {
                Summary { frames: frames.frame_count() as u64, ..Summary::default() }
            }
        })
    }

    fn arrays(&self) -> Box<dyn Iterator<Item = P::Of<Array<'a>>> + '_> {
        Box::new(UnpairedFile::arrays(self).map(P::loaded))
    }

    fn bounds(&self) -> P::Of<Option<Bounds>> {
        P::loaded(None)
    }

    fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        match self {
            UnpairedFile::Geometry(geometry) => Box::new(geometry.parts().arrays()),
            UnpairedFile::Frames(_) => Box::new(core::iter::empty()),
        }
    }
}

impl<'a> IntoModel<'a> for UnpairedFile<'a> {
    fn into_model(self) -> Result<Model<'a>> {
        Err(one_of_two("one of the two files of a mesh"))
    }
}

impl CompleteDocument for UnpairedFile<'_> {
    fn validate(&self, report: &mut Report) {
        validate_unpaired(self, report);
    }
}

/// The counts of a geometry file: one surface, with the first weapon triangle as its only tag.
fn geometry_summary(geometry: &Geometry<'_>) -> Summary {
    Summary {
        frames: 0,
        surfaces: 1,
        vertices: geometry.vertex_count() as u64,
        triangles: geometry.triangle_count() as u64,
        tags: u64::from(geometry.weapon_triangle().is_some()),
    }
}
