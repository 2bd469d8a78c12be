//! The document: a model whose tables are checked, and its surfaces. `frames` and `tags` have
//! the rest of its methods.

use alloc::borrow::Cow;
use core::marker::PhantomData;

use meshlens_lens::Bounds;
use meshlens_wire::{Complete, Data, Name, Partial, Pieces, Place, Presence, Result, Span};

use crate::layout;
use crate::{FORMAT, ParseOptions, Parts, Surface};

/// An MD3 model that borrows its bytes. The [crate] documentation describes its space and conventions.
///
/// # Complete and partial models
///
/// `Md3<'a>` is [`Complete`]: [`parse`](Self::parse) and [`bind`](Self::bind) have proven every table, and getters
/// return values. [`bind_pieces`](Md3::bind_pieces) returns an `Md3<'a, Partial>`, of which some bytes are loaded: the
/// same getters return a `Result`, which is [`Incomplete`](meshlens_wire::ErrorKind::Incomplete) for bytes that are
/// missing. The signatures of getters of both kinds have [`P::Of<T>`](Presence::Of), which is `T` or `Result<T>`.
///
/// ```
/// use meshlens_md3::lens::Lens;
/// use meshlens_md3::wire::{Partial, Piece, PieceList, Result};
/// use meshlens_md3::{Md3, encoding::F32};
///
/// # use meshlens_md3::write;
/// # let mut model = write::Model::new("point")?;
/// # let mut surface = write::Surface::new("point")?;
/// # surface.texcoords.push([0.5, 0.25]);
/// # model.surfaces.push(surface);
/// # let bytes = model.write()?;
/// let md3 = Md3::parse(&bytes)?;
/// let surface = md3.surface(0).ok_or("no surface")?;
/// let complete: Lens<F32<2>> = surface.texcoords();
///
/// // The texture coordinates are the last 8 bytes of this file, and only they are loaded.
/// let start = bytes.len() as u64 - 8;
/// let pieces = [Piece { offset: start, bytes: &bytes[bytes.len() - 8..] }];
/// let pieces = PieceList::new(&pieces, bytes.len() as u64).ok_or("pieces out of order")?;
/// let md3: Md3<Partial> = Md3::bind_pieces(md3.parts(), &pieces)?;
/// let surface = md3.surface(0).ok_or("no surface")?;
/// let partial: Result<Lens<F32<2>>> = surface.texcoords();
/// assert!(partial?.iter().eq(complete));
/// let error = surface.name().unwrap_err();
/// // The name is after the four letters at the start of the surface.
/// assert_eq!((error.code(), error.offset()), ("INCOMPLETE", surface.offset() + 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Keeping a model with its bytes
///
/// A model borrows the file. To keep both in one value, keep the bytes and the [`Parts`], which borrow nothing, and
/// bind them when the model is needed. Binding checks the bounds of a few tables for each surface and parses nothing
/// again.
///
/// ```
/// use meshlens_md3::{Md3, Parts, Result};
///
/// struct Loaded {
///     bytes: Vec<u8>,
///     parts: Parts,
/// }
///
/// impl Loaded {
///     fn new(bytes: Vec<u8>) -> Result<Self> {
///         let parts = Md3::parse(&bytes)?.into_parts();
///         Ok(Loaded { bytes, parts })
///     }
///
///     fn md3(&self) -> Result<Md3<'_>> {
///         Md3::bind(&self.parts, &self.bytes)
///     }
/// }
/// # let loaded = Loaded::new(meshlens_md3::write::Model::new("kept")?.write()?)?;
/// # assert_eq!(loaded.md3()?.name(), "kept");
/// # Ok::<(), meshlens_md3::Error>(())
/// ```
///
/// Crates such as `self_cell` and `yoke` keep the bytes together with a document that is only made once:
///
/// ```
/// use meshlens_md3::Md3;
///
/// self_cell::self_cell! {
///     struct Loaded {
///         owner: Vec<u8>,
///         #[covariant]
///         dependent: Md3,
///     }
/// }
///
/// # let bytes = meshlens_md3::write::Model::new("kept")?.write()?;
/// let loaded = Loaded::try_new(bytes, |bytes| Md3::parse(bytes))?;
/// assert_eq!(loaded.borrow_dependent().name(), "kept");
/// # Ok::<(), meshlens_md3::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Md3<'a, P: Presence = Complete> {
    data: Data<'a>,
    parts: Cow<'a, Parts>,
    presence: PhantomData<P>,
}

impl From<Parts> for Cow<'_, Parts> {
    fn from(parts: Parts) -> Self {
        Cow::Owned(parts)
    }
}

impl<'p> From<&'p Parts> for Cow<'p, Parts> {
    fn from(parts: &'p Parts) -> Self {
        Cow::Borrowed(parts)
    }
}

impl<'a> Md3<'a> {
    /// Parses the model at the start of `bytes`.
    ///
    /// Reads the header and the surface headers, and allocates one small entry per surface. Nothing proportional
    /// to vertices, triangles or frames is read.
    ///
    /// # Errors
    ///
    /// The identifier or version is wrong, a count is negative, a table or surface extends past the end of the file,
    /// the size of a surface is smaller than its header, or there are more surfaces than
    /// [`Limits::DEFAULT`](meshlens_wire::Limits::DEFAULT) allows. The error has the absolute offset of the field.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_with(bytes, &ParseOptions::default())
    }

    /// Parses a model that starts anywhere in `bytes`, or within other limits. Offsets in errors, findings and byte ranges
    /// stay absolute.
    ///
    /// # Errors
    ///
    /// Same as [`parse`](Self::parse).
    pub fn parse_with(bytes: &'a [u8], options: &ParseOptions) -> Result<Self> {
        let data = Data::new(FORMAT, bytes);
        let parts = Parts::locate_in(data, options)?;
        Ok(Md3 { data, parts: parts.into(), presence: PhantomData })
    }

    /// Binds parts that were located earlier, owned or borrowed, to the bytes of the whole file. O(surfaces).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) if a part lies outside `bytes`.
    pub fn bind(parts: impl Into<Cow<'a, Parts>>, bytes: &'a [u8]) -> Result<Self> {
        let (parts, data) = (parts.into(), Data::new(FORMAT, bytes));
        data.record::<layout::Header>(parts.start(), "header")?;
        data.bind(parts.frames())?;
        data.bind(parts.tags())?;
        for (index, surface) in (0u64..).zip(parts.surfaces()) {
            let place = |error: crate::Error| error.at(Place::new("surface", index));
            data.record::<layout::Surface>(surface.offset(), "surface header").map_err(place)?;
            for span in surface.tables() {
                data.bind(span).map_err(place)?;
            }
        }
        Ok(Md3 { data, parts, presence: PhantomData })
    }

    /// The first surface with this name, or `None` if there is none. ASCII letters match in any case.
    pub fn find_surface(&self, name: &str) -> Option<Surface<'a>> {
        self.surfaces().find(|surface| surface.name().eq_ignore_case(name))
    }

    /// The bounding box of the vertices of all surfaces in one frame, or `None` if the frame has no vertices or is out
    /// of range. Use it if the bounds stored in frames may be wrong. O(vertices).
    pub fn compute_bounds(&self, frame: usize) -> Option<Bounds> {
        let boxes = self.surfaces().filter_map(|surface| surface.compute_bounds(frame));
        boxes.reduce(|a, b| a.union(&b))
    }
}

impl<'a> Md3<'a, Partial> {
    /// Binds parts, owned or borrowed, to the available bytes of their file, for a model that is read part by part.
    /// O(surfaces).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) if the file is shorter than the parts.
    pub fn bind_pieces(parts: impl Into<Cow<'a, Parts>>, pieces: &'a dyn Pieces) -> Result<Self> {
        let parts = parts.into();
        let data = Data::of_pieces(FORMAT, pieces);
        let check = |span: Span| data.span(span.offset(), span.count(), span.stride(), "table").map(|_| ());
        [parts.front().header(), parts.frames(), parts.tags()].into_iter().try_for_each(check)?;
        for (index, surface) in (0u64..).zip(parts.surfaces()) {
            let tables = surface.tables().into_iter().chain([surface.header()]);
            tables.into_iter().try_for_each(check).map_err(|error| error.at(Place::new("surface", index)))?;
        }
        Ok(Md3 { data, parts, presence: PhantomData })
    }

    /// The complete model, once all bytes of the file are in one piece. O(surfaces).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`](meshlens_wire::ErrorKind::Incomplete) if they are not.
    pub fn complete(self) -> Result<Md3<'a>> {
        let bytes = self.data.take(0, self.data.file_len(), "file")?;
        Md3::bind(self.parts, bytes)
    }
}

impl<'a, P: Presence> Md3<'a, P> {
    /// The same model as a partial one, for code that serves both kinds.
    pub fn into_partial(self) -> Md3<'a, Partial> {
        Md3 { data: self.data, parts: self.parts, presence: PhantomData }
    }

    /// The location of every part.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns the location of every part, to be bound again later. Clones parts that [`bind`](Self::bind) borrowed.
    pub fn into_parts(self) -> Parts {
        self.parts.into_owned()
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// The absolute offset of the model in its file, usually 0.
    pub fn offset(&self) -> u64 {
        self.parts.start()
    }

    /// The absolute offset of the end of the model, as stated by its header (OFS_EOF). A few files have one more byte.
    pub fn end(&self) -> u64 {
        self.parts.end()
    }

    /// The version, which is always 15.
    pub const fn version(&self) -> u32 {
        layout::VERSION as u32
    }

    /// The model's name, usually its path in the archive it came from; often empty.
    pub fn name(&self) -> P::Of<Name<'a>> {
        // It follows the identifier and the version.
        let name = self.data.take(self.offset().saturating_add(8), 64, "name");
        P::read(name.map(Name::new), Name::default)
    }

    /// The header's flags. Their meaning is not documented, and engines ignore them.
    pub fn flags(&self) -> i32 {
        self.parts.front().header.flags
    }

    /// The header's NUM_SKINS. The format has no table of skins.
    pub fn skin_count(&self) -> u32 {
        self.parts.front().header.num_skins.cast_unsigned()
    }

    /// The number of surfaces.
    pub fn surface_count(&self) -> usize {
        self.parts.surfaces().len()
    }

    /// Surface `index`, or `None` if it is out of range.
    pub fn surface(&self, index: usize) -> Option<Surface<'a, P>> {
        let parts = self.parts.surfaces().get(index)?;
        Some(Surface::new(self.data, *parts, index))
    }

    /// The surfaces, in order.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = Surface<'a, P>> + DoubleEndedIterator + '_ {
        let surfaces = self.parts.surfaces().iter().enumerate();
        surfaces.map(|(index, parts)| Surface::new(self.data, *parts, index))
    }
}
