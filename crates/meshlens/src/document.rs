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
    /// An Unreal vertex mesh.
    #[cfg(feature = "unreal")]
    Unreal(meshlens_unreal::Unreal<'a>),
    /// One file of an Unreal vertex mesh, without the other.
    #[cfg(feature = "unreal")]
    UnrealHalf(meshlens_unreal::Half<'a>),
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
            // Another format with the same extension, of which the parser of this one knows the name.
            #[cfg(feature = "u3d")]
            None if bytes.starts_with(meshlens_u3d::layout::ECMA_MAGIC) => Self::parse_as(Format::U3d, bytes),
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
    /// What the format's parser says. One file of an Unreal mesh is none:
    /// [`parse_pair`](Self::parse_pair) takes both, [`parse_half`](Self::parse_half) one.
    #[allow(unused_variables, reason = "a build may read formats of several files alone")]
    pub fn parse_as(format: Format, bytes: &'a [u8]) -> Result<Self> {
        match format {
            #[cfg(feature = "md3")]
            Format::Md3 => meshlens_md3::Md3::parse(bytes).map(Document::Md3),
            #[cfg(feature = "u3d")]
            Format::U3d => meshlens_u3d::U3d::parse(bytes).map(Document::U3d),
            #[cfg(feature = "unreal")]
            Format::Unreal => {
                let kind = ErrorKind::Unsupported { what: "one file of a mesh of two, without its role," };
                Err(Error::new(meshlens_unreal::FORMAT, 0, kind))
            }
            #[cfg(feature = "unigine")]
            Format::Unigine => match meshlens_unigine::Version::of(bytes) {
                Some(version) if !version.is_mesh() => {
                    meshlens_unigine::Anim::parse(bytes).map(Document::UnigineAnim)
                }
                _ => meshlens_unigine::Mesh::parse(bytes).map(Document::UnigineMesh),
            },
        }
    }

    /// Parses the two files of an Unreal mesh. A frames file that is cut short gives the whole frames that are there,
    /// and [`validate`](Self::validate) says so.
    ///
    /// ```
    /// use meshlens::{Document, Format, unreal};
    ///
    /// # let model = unreal::write::Model::new(unreal::VertexFormat::Packed, 0);
    /// # let unreal::write::Files { geometry, frames } = model.write()?;
    /// let document = Document::parse_pair(&geometry, &frames)?;
    /// assert_eq!(document.format(), Format::Unreal);
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What the format's parser says.
    #[cfg(feature = "unreal")]
    pub fn parse_pair(geometry: &'a [u8], frames: &'a [u8]) -> Result<Self> {
        use meshlens_unreal::{Mode, Unreal};
        Unreal::parse_with(geometry, frames, Mode::Lenient, &meshlens_wire::Limits::DEFAULT)
            .map(Document::Unreal)
    }

    /// Parses one file of an Unreal mesh, whose other file is not there; [`validate`](Self::validate) says so.
    ///
    /// # Errors
    ///
    /// What the format's parser says.
    #[cfg(feature = "unreal")]
    pub fn parse_half(role: meshlens_unreal::Role, bytes: &'a [u8]) -> Result<Self> {
        meshlens_unreal::Half::parse(role, bytes).map(Document::UnrealHalf)
    }

    /// The format.
    pub fn format(&self) -> Format {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(_) => Format::Md3,
            #[cfg(feature = "u3d")]
            Document::U3d(_) => Format::U3d,
            #[cfg(feature = "unreal")]
            Document::Unreal(_) | Document::UnrealHalf(_) => Format::Unreal,
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(_) | Document::UnigineAnim(_) => Format::Unigine,
        }
    }

    /// The format's version, as its own documents write it. Unreal meshes have none, but five layouts: how vertices
    /// are stored, and the rule that told so.
    pub fn version(&self) -> String {
        match self {
            #[cfg(feature = "md3")]
            Document::Md3(md3) => alloc::format!("{}", md3.version()),
            #[cfg(feature = "u3d")]
            Document::U3d(u3d) => alloc::format!("{}", u3d.version()),
            #[cfg(feature = "unreal")]
            Document::Unreal(unreal) => {
                alloc::format!("{}, rule {}", unreal.vertex_format(), unreal.rule().number())
            }
            #[cfg(feature = "unreal")]
            Document::UnrealHalf(meshlens_unreal::Half::Geometry(_)) => "geometry alone".into(),
            #[cfg(feature = "unreal")]
            Document::UnrealHalf(meshlens_unreal::Half::Frames(_)) => "frames alone".into(),
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(mesh) => mesh.version().as_str().into(),
            #[cfg(feature = "unigine")]
            Document::UnigineAnim(anim) => anim.version().as_str().into(),
        }
    }

    /// The counts. O(surfaces); of Unreal meshes, whose attachments are a kind of triangle, O(triangles).
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
            #[cfg(feature = "unreal")]
            Document::Unreal(unreal) => Summary {
                frames: unreal.frame_count() as u64,
                vertices: unreal.vertex_count() as u64,
                ..geometry_summary(unreal.geometry())
            },
            #[cfg(feature = "unreal")]
            Document::UnrealHalf(meshlens_unreal::Half::Geometry(geometry)) => geometry_summary(geometry),
            #[cfg(feature = "unreal")]
            Document::UnrealHalf(meshlens_unreal::Half::Frames(frames)) => {
                Summary { frames: frames.frame_count() as u64, ..Summary::default() }
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
            #[cfg(feature = "u3d")]
            Document::U3d(u3d) => meshlens_u3d::validate(u3d, report),
            #[cfg(feature = "unreal")]
            Document::Unreal(unreal) => meshlens_unreal::validate(unreal, report),
            #[cfg(feature = "unreal")]
            Document::UnrealHalf(half) => meshlens_unreal::validate_half(half, report),
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(mesh) => meshlens_unigine::validate_mesh(mesh, report),
            #[cfg(feature = "unigine")]
            Document::UnigineAnim(anim) => meshlens_unigine::validate_anim(anim, report),
        }
    }
}

/// What a geometry file counts: one surface, with the first weapon triangle as its one tag.
#[cfg(feature = "unreal")]
fn geometry_summary(geometry: &meshlens_unreal::Geometry<'_>) -> Summary {
    Summary {
        frames: 0,
        surfaces: 1,
        vertices: geometry.vertex_count() as u64,
        triangles: geometry.triangle_count() as u64,
        tags: u64::from(geometry.weapon_triangle().is_some()),
    }
}

/// Frames of all animations.
#[cfg(feature = "unigine")]
fn frames<'d, 'a: 'd>(animations: impl Iterator<Item = meshlens_unigine::Animation<'d, 'a>>) -> u64 {
    animations.fold(0, |sum: u64, animation| sum.saturating_add(animation.frame_count() as u64))
}
