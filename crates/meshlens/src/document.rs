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
    /// A UNIGINE mesh.
    #[cfg(feature = "unigine")]
    UnigineMesh(meshlens_unigine::Mesh<'a>),
    /// A UNIGINE animation.
    #[cfg(feature = "unigine")]
    UnigineAnim(meshlens_unigine::Anim<'a>),
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
            #[cfg(feature = "unigine")]
            Format::Unigine => match meshlens_unigine::Version::of(bytes) {
                Some(version) if !version.is_mesh() => {
                    meshlens_unigine::Anim::parse(bytes).map(Document::UnigineAnim)
                }
                _ => meshlens_unigine::Mesh::parse(bytes).map(Document::UnigineMesh),
            },
        }
    }

    /// The format.
    pub fn format(&self) -> Format {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(_) => Format::Md3,
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(_) | Document::UnigineAnim(_) => Format::Unigine,
        }
    }

    /// The format's version, as its own documents write it.
    pub fn version(&self) -> String {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(md3) => alloc::format!("{}", md3.version()),
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(mesh) => mesh.version().as_str().into(),
            #[cfg(feature = "unigine")]
            Document::UnigineAnim(anim) => anim.version().as_str().into(),
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
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(mesh) => {
                let sum = |count: fn(&meshlens_unigine::Surface<'_>) -> usize| {
                    mesh.surfaces().fold(0, |sum: u64, surface| sum.saturating_add(count(&surface) as u64))
                };
                Summary {
                    frames: frames(mesh.animations()),
                    surfaces: mesh.surface_count() as u64,
                    vertices: sum(|surface| surface.vertex_count()),
                    triangles: sum(|surface| surface.triangle_count()),
                    tags: mesh.skeleton().len() as u64,
                }
            }
            #[cfg(feature = "unigine")]
            Document::UnigineAnim(anim) => Summary {
                frames: frames(anim.animations()),
                tags: anim.skeleton().len() as u64,
                ..Summary::default()
            },
        }
    }

    /// Adds what the format's validator has to say to `report`. O(file).
    pub fn validate(&self, report: &mut Report) {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(md3) => meshlens_md3::validate(md3, report),
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(mesh) => meshlens_unigine::validate_mesh(mesh, report),
            #[cfg(feature = "unigine")]
            Document::UnigineAnim(anim) => meshlens_unigine::validate_anim(anim, report),
        }
    }
}

/// Frames of all animations.
#[cfg(feature = "unigine")]
fn frames<'d, 'a: 'd>(animations: impl Iterator<Item = meshlens_unigine::Animation<'d, 'a>>) -> u64 {
    animations.fold(0, |sum: u64, animation| sum.saturating_add(animation.frame_count() as u64))
}
