//! One document over every format: what can be said of any of them.

use alloc::string::String;

use meshlens_wire::{Error, ErrorKind, Magic, Report, Result};

use crate::Format;

/// A parsed file of any format. The variants hold the format's own document for everything else.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Document<'a> {
    /// Quake 3 MD3.
    #[cfg(feature = "md3")]
    Md3(meshlens_md3::Md3<'a>),
    /// Ultimate 3D.
    #[cfg(feature = "u3d")]
    U3d(meshlens_u3d::U3d<'a>),
}

/// The counts of a document, under names that hold for every format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Frames of vertices or of bones.
    pub frames: u64,
    /// Surfaces or meshes.
    pub surfaces: u64,
    /// Vertices of one frame, over all surfaces.
    pub vertices: u64,
    /// Triangles, over all surfaces.
    pub triangles: u64,
    /// Tags or bones: places that other things hang on.
    pub tags: u64,
}

impl<'a> Document<'a> {
    /// Detects the format of `bytes` and parses them. O(headers), as each format's parser is.
    ///
    /// # Errors
    ///
    /// Bytes of no known format, or what the format's parser says.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        match Format::detect(bytes) {
            Some(format) => Self::parse_as(format, bytes),
            None => {
                let head = bytes.get(..bytes.len().min(8)).unwrap_or_default();
                let kind = ErrorKind::Magic { expected: "a known mesh format", found: Magic::new(head) };
                Err(Error::new("meshlens", 0, kind))
            }
        }
    }

    /// Parses `bytes` as `format`, whatever they begin with.
    ///
    /// # Errors
    ///
    /// What the format's parser says.
    pub fn parse_as(format: Format, bytes: &'a [u8]) -> Result<Self> {
        match format {
            #[cfg(feature = "md3")]
            Format::Md3 => meshlens_md3::Md3::parse(bytes).map(Document::Md3),
            #[cfg(feature = "u3d")]
            Format::U3d => meshlens_u3d::U3d::parse(bytes).map(Document::U3d),
        }
    }

    /// The format.
    pub fn format(&self) -> Format {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(_) => Format::Md3,
            #[cfg(feature = "u3d")]
            Document::U3d(_) => Format::U3d,
        }
    }

    /// The format's version, as its own documents write it.
    pub fn version(&self) -> String {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(md3) => alloc::format!("{}", md3.version()),
            #[cfg(feature = "u3d")]
            Document::U3d(u3d) => alloc::format!("{}", u3d.version()),
        }
    }

    /// The counts. O(surfaces).
    pub fn summary(&self) -> Summary {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(md3) => {
                let sum = |count: fn(&meshlens_md3::Surface<'_>) -> usize| {
                    md3.surfaces().fold(0, |sum: u64, surface| sum.saturating_add(count(&surface) as u64))
                };
                Summary {
                    frames: md3.frame_count() as u64,
                    surfaces: md3.surface_count() as u64,
                    vertices: sum(|surface| surface.vertex_count()),
                    triangles: sum(|surface| surface.triangle_count()),
                    tags: md3.tag_count() as u64,
                }
            }
            #[cfg(feature = "u3d")]
            Document::U3d(u3d) => {
                // Frames of meshes are one model each; borrowed triangles have no bytes and do not count.
                let first = || u3d.meshes().filter(|mesh| mesh.frame() == 0);
                let own = |mesh: &meshlens_u3d::Mesh<'_, '_>| mesh.triangles().map_or(0, |own| own.len());
                Summary {
                    frames: u3d.frame_count() as u64,
                    surfaces: first().count() as u64,
                    vertices: first().fold(0, |sum, mesh| sum.saturating_add(mesh.vertex_count() as u64)),
                    triangles: first().fold(0, |sum, mesh| sum.saturating_add(own(&mesh) as u64)),
                    tags: u3d.bone_count() as u64,
                }
            }
        }
    }

    /// Adds what the format's validator has to say to `report`. O(file).
    pub fn validate(&self, report: &mut Report) {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(md3) => meshlens_md3::validate(md3, report),
            #[cfg(feature = "u3d")]
            Document::U3d(u3d) => meshlens_u3d::validate(u3d, report),
        }
    }
}
