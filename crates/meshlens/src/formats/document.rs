//! A parsed file of any format, and its trait.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use meshlens_lens::{Array, ArrayParts, Bounds};
use meshlens_wire::{Complete, Error, ErrorKind, Magic, Name, Presence, Report, Result, is_git_lfs_pointer};

use super::{Document, Format};
use crate::model::Mesh;
use crate::{Model, Summary};

/// The operations of every document of any format, complete or partial. [`Document`] dereferences to them. Only this
/// crate implements it: a new format does so in its own module, and is added to the list in `formats/mod.rs` (see
/// `ARCHITECTURE.md`).
pub trait FormatDocument<'a, P: Presence = Complete>: fmt::Debug + super::Sealed<P> {
    /// The format.
    fn format(&self) -> Format;

    /// The version of the format, as its documentation writes it. For Unreal meshes, which have no version, the
    /// encoding of the vertices and the rule that determined it.
    fn version(&self) -> String;

    /// The counts of the document. O(surfaces); O(triangles) for Unreal meshes, in which a triangle of a special type
    /// defines the tag.
    fn summary(&self) -> P::Of<Summary>;

    /// The arrays of vertices and indices in the file, mesh by mesh and frame by frame, with the same names in every
    /// format. Packed arrays (UNIGINE ms14) are not listed. O(1) for each array.
    ///
    /// ```
    /// use meshlens::Document;
    /// use meshlens::lens::Semantic;
    ///
    /// # let bytes = meshlens::md3::write::sample(&[8.0])?;
    /// let document = Document::parse(&bytes)?;
    /// let positions = document.arrays().find(|array| array.semantic == Semantic::Position).ok_or("no positions")?;
    /// assert_eq!((positions.lens.len(), positions.lens.stride()), (3, 8));
    /// assert_eq!(positions.lens.format().numpy(), Some(("<i2", 3)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn arrays(&self) -> Box<dyn Iterator<Item = P::Of<Array<'a>>> + '_>;

    /// The bounding box of the model in frame 0, in the space of its [`Model`]. MD3 and UNIGINE store it. For other
    /// formats, it is computed from the positions; in Ultimate 3D, only from the positions of the coarsest level of
    /// detail. `None` if there are no vertices. O(1) if it is stored, otherwise O(vertices).
    fn bounds(&self) -> P::Of<Option<Bounds>>;

    /// The locations of the arrays, as listed by [`FormatParts::arrays`](crate::FormatParts::arrays): the same arrays as
    /// [`arrays`](Self::arrays), except for morph targets of UNIGINE after the first. O(1) for each array.
    fn array_parts(&self) -> Box<dyn Iterator<Item = ArrayParts> + '_>;
}

/// The conversion of a partial document to a [`Model`]. A complete document is first converted to a partial one.
pub trait IntoModel<'a>: Sized {
    /// Makes a [`Model`] of the document. O(headers and frame names), and unpacks packed geometry.
    ///
    /// # Errors
    ///
    /// Bytes outside of arrays are not loaded, the file needs a second file, packed geometry cannot be unpacked, or a
    /// skeleton exceeds the limits.
    fn into_model(self) -> Result<Model<'a>>;

    /// Returns one mesh of the [model](Self::into_model), as [`Document::into_mesh`] describes it.
    ///
    /// # Errors
    ///
    /// Same as [`into_model`](Self::into_model).
    fn into_mesh(self, mesh: usize) -> Result<Option<Mesh<'a>>> {
        Ok(self.into_model()?.meshes.into_iter().nth(mesh))
    }
}

/// Operations that read a whole file, and therefore need a complete document.
pub trait CompleteDocument: super::Sealed<Complete> {
    /// Adds the findings of the format's validator to `report`. O(file).
    fn validate(&self, report: &mut Report);

    /// Adds a finding for everything in the document that a [`Model`] does not keep. No conversion keeps it either.
    /// O(file).
    fn losses(&self, report: &mut Report) {
        let _ = report;
    }
}

impl<'a> Document<'a> {
    /// Detects the format of `bytes` and parses them. O(headers), like the parser of each format.
    ///
    /// # Errors
    ///
    /// The bytes have no known format, or the parser fails.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        let format = Format::detect(bytes).or_else(|| Format::knows_other(bytes));
        Self::parse_as(format.ok_or_else(|| unknown_format(bytes))?, bytes)
    }

    /// Parses `bytes` as `format`, independent of their first bytes.
    ///
    /// # Errors
    ///
    /// The parser fails. A single file of an Unreal mesh is not a mesh: use `parse_pair` for both files, and
    /// `parse_unpaired` for one.
    pub fn parse_as(format: Format, bytes: &'a [u8]) -> Result<Self> {
        (format.info().parse)(bytes)
    }
}

/// The losses of a [`Model`]. `document` is an error if the model was made from a partial document.
pub(super) fn losses_of(document: Result<impl CompleteDocument>, losses: &mut Report) {
    match document {
        Ok(document) => document.losses(losses),
        Err(error) => losses.add_error(&error),
    }
}

/// The name of a mesh; empty if its bytes are not loaded.
#[allow(dead_code, reason = "not every format has names of meshes")]
pub(super) fn name_if_loaded(name: Result<Name<'_>>) -> String {
    name.unwrap_or_default().to_text().into_owned()
}

/// The error for bytes that no known format starts with.
pub(super) fn unknown_format(bytes: &[u8]) -> Error {
    if is_git_lfs_pointer(bytes) {
        return Error::new("meshlens", 0, ErrorKind::GitLfsPointer);
    }
    let found = Magic::new(bytes);
    Error::new("meshlens", 0, ErrorKind::Magic { expected: "a known mesh format", found })
}

/// Returns the bytes to parse: decrypted if the file is encrypted, otherwise unchanged.
///
/// Ultimate 3D 2.0 has encryption. Without a password, or without the cargo feature `aes`, encrypted bytes are returned
/// unchanged, and the parser's error contains the missing range.
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
/// The password is wrong, or the encryption is not documented. No error contains the password.
pub fn decrypt_if_needed<'b>(bytes: &'b [u8], password: Option<&str>) -> Result<Cow<'b, [u8]>> {
    let Some(password) = password else { return Ok(Cow::Borrowed(bytes)) };
    let decrypted = Format::ALL.iter().find_map(|format| (format.info().decrypt)(bytes, password));
    decrypted.map_or(Ok(Cow::Borrowed(bytes)), |decrypted| decrypted.map(Cow::Owned))
}
