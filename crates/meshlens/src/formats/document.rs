//! A parsed file of any format, and the trait behind it.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use meshlens_lens::{Array, ArrayParts, Bounds};
use meshlens_wire::{Error, ErrorKind, Magic, Report, Result};

use super::{Document, Format};
use crate::model::Mesh;
use crate::{Model, Summary};

/// What every document can do, whatever its format. [`Document`] has the same methods.
///
/// A new format implements this trait in a module of its own, and is added to the list in `formats/mod.rs`: see
/// `ARCHITECTURE.md`.
pub trait FormatDocument<'a>: fmt::Debug {
    /// The format.
    fn format(&self) -> Format;

    /// The version of the format, as its documentation writes it. For formats without versions, the layout of the file.
    fn version(&self) -> String;

    /// The counts. O(surfaces); O(triangles) for Unreal meshes, whose weapon attachment is a kind of triangle.
    fn summary(&self) -> Summary;

    /// Adds the findings of the format's validator to `report`. O(file).
    fn validate(&self, report: &mut Report);

    /// Adds a finding for everything that the document holds and a [`Model`] does not, so that no conversion keeps it. O(file).
    fn losses(&self, report: &mut Report) {
        let _ = report;
    }

    /// The arrays that lie in the file, mesh by mesh and frame by frame. Packed arrays (UNIGINE ms14) are not listed.
    /// O(1) for each array.
    fn arrays(&self) -> Box<dyn Iterator<Item = Array<'a>> + '_>;

    /// The box around the model in frame 0, in the space of its [`Model`]: as the file stores it, or else around the
    /// positions, in Ultimate 3D of the coarsest level of detail. `None` if there are no vertices. O(1) if it is stored, else
    /// O(vertices).
    fn bounds(&self) -> Option<Bounds>;

    /// Where the arrays lie, as [`FormatParts::arrays`](crate::FormatParts::arrays) lists them.
    fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_>;

    /// Makes a [`Model`] of the document. O(headers and frame names), and unpacks packed geometry.
    ///
    /// # Errors
    ///
    /// A file that needs a second one; packed geometry that cannot be unpacked; a skeleton that exceeds the limits.
    fn into_model(self) -> Result<Model<'a>>
    where
        Self: Sized;

    /// One mesh of the [model](Self::into_model) alone; `None` if it is out of range. Of a document that is read part by part,
    /// only the mesh has to be there: it has no material, and is skinned if its weights and the skeleton are there.
    ///
    /// # Errors
    ///
    /// As [`into_model`](Self::into_model).
    fn into_mesh(self, mesh: usize) -> Result<Option<Mesh<'a>>>
    where
        Self: Sized,
    {
        Ok(self.into_model()?.meshes.into_iter().nth(mesh))
    }
}

impl<'a> Document<'a> {
    /// Detects the format of `bytes` and parses them. O(headers), as each format's parser is.
    ///
    /// # Errors
    ///
    /// Bytes of no known format; the errors of the format's parser.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        match Format::detect(bytes).or_else(|| Format::knows_other(bytes)) {
            Some(format) => Self::parse_as(format, bytes),
            None => Err(unknown_format(bytes)),
        }
    }

    /// Parses `bytes` as `format`, whatever they begin with.
    ///
    /// # Errors
    ///
    /// The errors of the format's parser. One file of an Unreal mesh is not a mesh: `parse_pair` takes both files, and
    /// `parse_unpaired` takes one.
    pub fn parse_as(format: Format, bytes: &'a [u8]) -> Result<Self> {
        (format.info().parse)(bytes)
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.inner().format()
    }

    /// The version of the format, as its documentation writes it. Unreal meshes have no versions: it is the encoding of the
    /// vertices, and the rule by which it was found.
    pub fn version(&self) -> String {
        self.inner().version()
    }

    /// The counts. O(surfaces); O(triangles) for Unreal meshes, whose weapon attachment is a kind of triangle.
    pub fn summary(&self) -> Summary {
        self.inner().summary()
    }

    /// Adds a finding for everything that the document holds and a [`Model`] does not, so that no conversion keeps it. O(file).
    pub fn losses(&self, report: &mut Report) {
        self.inner().losses(report);
    }

    /// The arrays of vertices and indices that lie in the file, mesh by mesh and frame by frame, under the same names in
    /// every format. Packed arrays (UNIGINE ms14) are not listed. O(1) for each array.
    ///
    /// ```
    /// use meshlens::Document;
    /// use meshlens::lens::Semantic;
    ///
    /// # use meshlens::md3::write;
    /// # let mut file = write::Model::new("flag")?;
    /// # file.frames.push(write::Frame::named("idle")?);
    /// # let mut surface = write::Surface::new("flag")?;
    /// # surface.triangles.push([0, 1, 2]);
    /// # surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    /// # surface.add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])?;
    /// # file.surfaces.push(surface);
    /// # let bytes = file.write()?;
    /// let document = Document::parse(&bytes)?;
    /// let positions = document.arrays().find(|array| array.semantic == Semantic::Position).unwrap();
    /// assert_eq!((positions.lens.len(), positions.lens.stride()), (3, 8));
    /// assert_eq!(positions.lens.format().numpy(), Some(("<i2", 3)));
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    pub fn arrays(&self) -> Box<dyn Iterator<Item = Array<'a>> + '_> {
        self.inner().arrays()
    }

    /// The box around the model in frame 0, in the space of its [`Model`]: as the file stores it (MD3, UNIGINE), or else
    /// around the positions, in Ultimate 3D of the coarsest level of detail. `None` if there are no vertices. O(1) if it is
    /// stored, else O(vertices).
    pub fn bounds(&self) -> Option<Bounds> {
        self.inner().bounds()
    }

    /// Where the arrays lie, as [`Parts::arrays`](crate::Parts::arrays) lists them: the same arrays as
    /// [`arrays`](Self::arrays), except for morph targets of UNIGINE after the first. O(1) for each array.
    pub fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_> {
        self.inner().array_parts()
    }

    /// Adds the findings of the format's validator to `report`. O(file).
    pub fn validate(&self, report: &mut Report) {
        self.inner().validate(report);
    }
}

/// The error that `bytes` begin as no known format does.
pub(super) fn unknown_format(bytes: &[u8]) -> Error {
    let found = Magic::new(bytes);
    Error::new("meshlens", 0, ErrorKind::Magic { expected: "a known mesh format", found })
}

/// The bytes to parse: those of an encrypted file decrypted, all others unchanged.
///
/// Formats with encryption: Ultimate 3D 2.0. Without a password, and without the cargo feature `aes`, encrypted
/// bytes are returned unchanged, and the parser's error says what they need.
///
/// ```
/// # let bytes = meshlens::md3::write::Model::new("plain")?.write()?;
/// let plain = meshlens::decrypt_if_needed(&bytes, Some("not needed"))?;
/// assert_eq!(*plain, bytes);
/// # Ok::<(), meshlens::Error>(())
/// ```
///
/// # Errors
///
/// A wrong password, or an encryption that nobody has documented. No error holds the password.
pub fn decrypt_if_needed<'b>(bytes: &'b [u8], password: Option<&str>) -> Result<Cow<'b, [u8]>> {
    let Some(password) = password else { return Ok(Cow::Borrowed(bytes)) };
    let decrypted = Format::ALL.iter().find_map(|format| (format.info().decrypt)(bytes, password));
    decrypted.map_or(Ok(Cow::Borrowed(bytes)), |decrypted| decrypted.map(Cow::Owned))
}
