//! Mends files: writes them without what the validators find, and proves that nobody sees a difference.

mod normals;
mod proof;

use alloc::vec;
use alloc::vec::Vec;

use meshlens_md3::{skin, write as md3};
use meshlens_wire::{Code, Error, ErrorKind, Group, Report, Result, Severity};

use crate::{Document, Format, codes};

/// How [`fix`] mends a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FixOptions {
    /// The largest number of vertices and of triangles of an MD3 surface. Larger surfaces are split, as
    /// [`split_surfaces`](meshlens_md3::write::Model::split_surfaces) does. `None` for 999 and 1999, which all engines accept.
    pub surface_limits: Option<(usize, usize)>,
    /// The surfaces of an MD3 whose shader draws every four vertices as one sprite (`deformVertexes autosprite` and `autosprite2`).
    /// They keep their vertices, used or not. The file does not state the shader; `Located::sprite_surfaces` of meshlens-assets
    /// looks it up.
    pub sprites: Vec<usize>,
}

/// What [`fix`] made of a file.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fixed {
    /// The content of the file: of both files of an Unreal pair, the geometry first, and of one file otherwise.
    pub files: Vec<Vec<u8>>,
    /// The findings that are gone: for each code, their number and the first finding with it. If it is empty, nothing needs to
    /// be written.
    pub mended: Vec<Group>,
    /// The findings about the mended file.
    pub left: Report,
}

/// Whether [`fix`] mends the findings with a code in files of a format.
///
/// ```
/// use meshlens::{Format, codes, fix};
///
/// let code = |name: &str| codes::all().find(|code| code.name == name).ok_or("no code");
/// assert!(fix::is_mended(code("SURFACE_EMPTY")?, Format::Md3));
/// assert!(!fix::is_mended(code("SURFACE_EMPTY")?, Format::Unigine));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn is_mended(code: &Code, format: Format) -> bool {
    let lists: &[&[&Code]] = match format {
        Format::Md3 => &[meshlens_md3::write::MENDED, OF_MD3, meshlens_md3::skin::MENDED],
        Format::Unreal => &[meshlens_unreal::write::MENDED],
        Format::U3d => &[meshlens_u3d::write::MENDED],
        Format::Unigine => &[meshlens_unigine::write::MENDED],
    };
    lists.iter().copied().flatten().any(|mended| *mended == code)
}

/// What is mended in an MD3 beside what its crate mends.
static OF_MD3: &[&Code] = &[
    &meshlens_wire::codes::LIMIT_VERTICES,
    &meshlens_md3::codes::LIMIT_TRIANGLES,
    &meshlens_md3::codes::ENGINE_LIMIT_VERTICES,
    &meshlens_md3::codes::ENGINE_LIMIT_TRIANGLES,
    &codes::NORMALS_EQUAL,
    // Where the normals point inwards, not where the triangles are inside out.
    &codes::NORMALS_REVERSED,
];

/// The capacity of a report that keeps the first finding of each code, and no other.
const FIRST_OF_EACH: usize = 1;

/// Writes the file of a document again, without the findings that [are mended](is_mended). Positions in all frames, triangles
/// and texture coordinates are the same bits, corner by corner and in the same order: this is compared, not assumed. Vertices
/// that no triangle uses are left out of surfaces that are split. O(file), in time and memory.
///
/// ```
/// use meshlens::Document;
/// use meshlens::fix::{FixOptions, fix};
/// use meshlens::md3::{Md3, write};
///
/// let mut model = write::Model::try_from(&Md3::parse(&write::sample(&[8.0])?)?)?;
/// model.recompute_bounds();
/// model.frames[0].radius = 0.0;
/// let bytes = model.write()?;
/// let fixed = fix(&Document::parse(&bytes)?, &FixOptions::default())?;
/// let mended: Vec<_> = fixed.mended.iter().map(|group| (group.code.name, group.findings)).collect();
/// assert_eq!(mended, [("FRAME_RADIUS_EXCEEDED", 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// An index is out of range, or another error of [`Model::new`](crate::Model::new) or of the writer of the format;
/// [`ErrorKind::Mismatch`] if the mended file would differ, as one whose chunks readers skip.
pub fn fix(document: &Document<'_>, options: &FixOptions) -> Result<Fixed> {
    let mut before = Report::with_capacity(FIRST_OF_EACH);
    document.validate(&mut before);
    let files = write(document, options)?;
    let reopened = reopen(document, &files)?;
    proof::same(document, &reopened)?;
    let mut left = Report::default();
    reopened.validate(&mut left);
    finished(document.format().name(), files, &before, left)
}

/// Writes the text of a `.skin` file again, without the findings that [are mended](is_mended). The surfaces and their paths stay
/// the same. O(bytes).
///
/// ```
/// let fixed = meshlens::fix::fix_skin(b"head,models/red.tga\r")?;
/// assert_eq!(fixed.files, [b"head,models/red.tga\n"]);
/// # Ok::<(), meshlens::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`Skin::parse`](meshlens_md3::Skin::parse).
pub fn fix_skin(text: &[u8]) -> Result<Fixed> {
    let (mut before, mut left) = (Report::with_capacity(FIRST_OF_EACH), Report::default());
    skin::validate(text, &mut before)?;
    let mended = skin::mend(text);
    skin::validate(&mended, &mut left)?;
    let lines = |text: &[u8]| -> Result<Vec<_>> {
        let entries = skin::Skin::parse(text)?.entries.into_iter();
        Ok(entries.map(|entry| (entry.surface, entry.path, entry.others)).collect())
    };
    let [was, is] = [text, &mended].map(lines);
    let (was, is) = (was?, is?);
    if was != is {
        return Err(differ("skin", "the lines of the mended skin", is.len(), "its lines before", was.len()));
    }
    finished("skin", vec![mended], &before, left)
}

/// The error that a mended file differs from the file.
fn differ(
    format: &'static str,
    what: &'static str,
    found: impl TryInto<i64>,
    with: &'static str,
    other: impl TryInto<i64>,
) -> Error {
    let (found, other) = (found.try_into().unwrap_or(i64::MAX), other.try_into().unwrap_or(i64::MAX));
    Error::new(format, 0, ErrorKind::Mismatch { what, found, with, other })
}

/// Compares the findings before and after. A mended file has no new errors.
fn finished(format: &'static str, files: Vec<Vec<u8>>, before: &Report, left: Report) -> Result<Fixed> {
    let count = |report: &Report, code: &Code| {
        report.groups().find(|group| group.code == code).map_or(0, |group| group.findings)
    };
    for group in left.groups().filter(|group| group.code.severity == Severity::Error) {
        let (found, other) = (group.findings, count(before, group.code));
        if found > other {
            return Err(differ(format, "errors of the mended file", found, "its errors before", other));
        }
    }
    let mended = before.groups().filter_map(|group| {
        let mut gone = group.clone();
        gone.findings = group.findings.saturating_sub(count(&left, group.code));
        (gone.findings > 0).then_some(gone)
    });
    let mended = mended.collect();
    Ok(Fixed { files, mended, left })
}

/// The mended content of the files of a document.
fn write(document: &Document<'_>, options: &FixOptions) -> Result<Vec<Vec<u8>>> {
    Ok(match document {
        Document::Md3(file) => {
            let mut model = md3::Model::try_from(file)?;
            normals::mend(document, &mut model)?;
            model.mend(&options.sprites);
            let (vertices, triangles) = options.surface_limits.unwrap_or((999, 1999));
            model.split_surfaces(vertices, triangles)?;
            vec![model.write()?]
        }
        Document::Unreal(unreal) => {
            let mut model = meshlens_unreal::write::Model::from(unreal);
            model.mend();
            let files = model.write()?;
            if unreal.parts().is_packed() { vec![files.packed()] } else { vec![files.geometry, files.frames] }
        }
        Document::UnrealUnpaired(_) => {
            let kind = ErrorKind::Missing { what: "the other file of the mesh" };
            return Err(Error::new("unreal", 0, kind));
        }
        Document::U3d(u3d) => {
            let mut model = meshlens_u3d::write::Model::try_from(u3d)?;
            model.mend();
            vec![model.write()?]
        }
        Document::UnigineMesh(mesh) => {
            let mut model = meshlens_unigine::write::Model::try_from(mesh)?;
            model.mend();
            vec![model.write()?]
        }
        Document::UnigineAnim(anim) => {
            let mut anim = meshlens_unigine::write::Anim::from(anim);
            anim.mend();
            vec![anim.write()?]
        }
    })
}

/// Parses the mended files as what the document was.
fn reopen<'f>(document: &Document<'_>, files: &'f [Vec<u8>]) -> Result<Document<'f>> {
    match files {
        [geometry, frames] => Ok(meshlens_unreal::Unreal::parse(geometry, frames)?.into()),
        [file] => Document::parse_as(document.format(), file),
        _ => Err(Error::new("meshlens", 0, ErrorKind::Missing { what: "a mended file" })),
    }
}
