//! A mesh or animation file whose tables are located: bones, animations and surfaces.

use alloc::borrow::Cow;
use core::marker::PhantomData;

use meshlens_wire::{Complete, Data, ErrorKind, Magic, Partial, Pieces, Place, Presence, Result, Span};

use crate::kind::{AnimFile, FileKind, MeshFile};
use crate::layout::Version;
use crate::{Animation, BoundingVolume, FORMAT, ParseOptions, Parts, Skeleton, Surface};

/// A mesh file (`.mesh`): bones, animations of the bones, and surfaces that the bones move. The [crate] documentation
/// describes its space and conventions.
///
/// # Keeping a mesh with its bytes
///
/// A mesh borrows its bytes. Crates such as `self_cell` and `yoke` keep both in one struct:
///
/// ```
/// use meshlens_unigine::{Mesh, Version, write};
///
/// self_cell::self_cell! {
///     struct Loaded {
///         owner: Vec<u8>,
///         #[covariant]
///         dependent: Mesh,
///     }
/// }
///
/// # let mut model = write::Model::new(Version::Ms11);
/// # model.surfaces.push(write::Surface::new("plane")?);
/// # let bytes = model.write()?;
/// let loaded = Loaded::try_new(bytes, |bytes| Mesh::parse(bytes))?;
/// assert_eq!(loaded.borrow_dependent().surface_count(), 1);
/// # Ok::<(), meshlens_unigine::Error>(())
/// ```
///
/// [`File`] shows how to keep the bytes with the [`Parts`] instead, and the same for [`Anim`].
pub type Mesh<'a, P = Complete> = File<'a, MeshFile, P>;

/// An animation file (`.anim`): bones, and animations of these bones. A [`Binding`](crate::Binding) plays an animation
/// on the bones of a mesh.
pub type Anim<'a, P = Complete> = File<'a, AnimFile, P>;

/// A file that borrows its bytes: a [`Mesh`] or an [`Anim`].
///
/// # Complete and partial files
///
/// A `Mesh<'a>` is [`Complete`]: [`parse`](Self::parse) has proven every table, and getters return values.
/// [`bind_pieces`](File::bind_pieces) gives a `Mesh<'a, Partial>`, of which some bytes are loaded. Its getters of bytes return
/// a `Result`, which is [`Incomplete`](ErrorKind::Incomplete) for bytes that are missing. The signatures of getters of both
/// kinds have [`P::Of<T>`](Presence::Of), which is `T` or `Result<T>`.
///
/// ```
/// use meshlens_unigine::wire::{Partial, PieceList, Result};
/// use meshlens_unigine::{BoundingVolume, Mesh, Version, write};
///
/// # let mut model = write::Model::new(Version::Ms11);
/// # model.surfaces.push(write::Surface::new("plane")?);
/// # let bytes = model.write()?;
/// let mesh = Mesh::parse(&bytes)?;
/// let complete: BoundingVolume = mesh.bounds();
///
/// let nothing = PieceList::empty(bytes.len() as u64);
/// let partial: Mesh<Partial> = Mesh::bind_pieces(mesh.parts(), &nothing)?;
/// let bounds: Result<BoundingVolume> = partial.bounds();
/// assert_eq!(bounds.unwrap_err().offset(), mesh.parts().bounds().ok_or("no bounds")?.offset());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Keeping a file with its bytes
///
/// A document borrows its bytes. To keep both in one struct, keep the bytes and the [`Parts`], which borrow nothing, and
/// bind them when the document is needed. Binding by reference costs nothing.
///
/// ```
/// use meshlens_unigine::{Mesh, ParseOptions, Parts, Result, Version, write};
///
/// struct Loaded {
///     bytes: Vec<u8>,
///     parts: Parts,
/// }
///
/// impl Loaded {
///     fn new(bytes: Vec<u8>) -> Result<Self> {
///         let parts = Parts::locate(&bytes, bytes.len() as u64, &ParseOptions::default())?;
///         Ok(Loaded { bytes, parts })
///     }
///
///     fn mesh(&self) -> Result<Mesh<'_>> {
///         Mesh::bind(&self.parts, &self.bytes)
///     }
/// }
///
/// # let mut model = write::Model::new(Version::Ms11);
/// # model.surfaces.push(write::Surface::new("plane")?);
/// let loaded = Loaded::new(model.write()?)?;
/// assert_eq!(loaded.mesh()?.surface_count(), 1);
/// # Ok::<(), meshlens_unigine::Error>(())
/// ```
///
/// Crates such as `self_cell` and `yoke` keep the bytes and a document that is made once:
///
/// ```
/// use meshlens_unigine::{Anim, Version, write};
///
/// self_cell::self_cell! {
///     struct Loaded {
///         owner: Vec<u8>,
///         #[covariant]
///         dependent: Anim,
///     }
/// }
///
/// # let bytes = write::Anim::new(Version::An10).write()?;
/// let loaded = Loaded::try_new(bytes, |bytes| Anim::parse(bytes))?;
/// assert_eq!(loaded.borrow_dependent().version(), Version::An10);
/// # Ok::<(), meshlens_unigine::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct File<'a, K, P: Presence = Complete> {
    data: Data<'a>,
    parts: Cow<'a, Parts>,
    kind: PhantomData<fn() -> (K, P)>,
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

impl<'a, K: FileKind> File<'a, K> {
    /// Parses a file of any version of its kind, within [`Limits::DEFAULT`](meshlens_wire::Limits::DEFAULT).
    ///
    /// O(file): counts are stored between the tables, and skin weights and animation records vary in size, so the file
    /// is walked once, from front to back. Tables of elements of fixed size are skipped. Allocates one entry per bone
    /// and surface, and one per [`FRAME_BLOCK`](crate::FRAME_BLOCK) frames of an animation.
    ///
    /// # Errors
    ///
    /// A magic at the start, between the parts or at the end is wrong; a count is negative, or its elements exceed the
    /// remaining bytes; a string has no NUL; the parents of bones do not exist or form a cycle; a vertex has more than
    /// four bones; or the file has more parts, records or frames without bones than the limits allow. The error has the
    /// absolute offset of the field.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_with(bytes, &ParseOptions::default())
    }

    /// Like [`parse`](Self::parse), with the caller's options.
    pub fn parse_with(bytes: &'a [u8], options: &ParseOptions) -> Result<Self> {
        let data = Data::new(FORMAT, bytes);
        let is_wanted = |version: Version| version.is_mesh() == K::IS_MESH;
        let parts = Parts::locate_in(data, options, K::VERSIONS, is_wanted)?;
        Ok(File { data, parts: parts.into(), kind: PhantomData })
    }

    /// Binds parts that were located earlier, owned or borrowed, to the bytes of the whole file. O(1).
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`](ErrorKind::OutOfBounds) if there are fewer bytes than the file has; [`Magic`](ErrorKind::Magic)
    /// if the parts were located in a file of the other kind.
    pub fn bind(parts: impl Into<Cow<'a, Parts>>, bytes: &'a [u8]) -> Result<Self> {
        let bound = Self::bind_in(parts.into(), Data::new(FORMAT, bytes))?;
        bound.data.take(0, bound.parts.end(), "file")?;
        Ok(bound)
    }

    /// The animations, in order.
    pub fn animations(&self) -> impl Iterator<Item = Animation<'_, 'a>> + '_ {
        // Every index is in range.
        (0..self.animation_count()).filter_map(|index| self.animation(index))
    }
}

impl<'a, K: FileKind> File<'a, K, Partial> {
    /// Binds parts, owned or borrowed, to the available bytes of their file. O(1).
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`](ErrorKind::OutOfBounds) if the file is shorter than its parts; [`Magic`](ErrorKind::Magic) if
    /// the parts were located in a file of the other kind.
    pub fn bind_pieces(parts: impl Into<Cow<'a, Parts>>, pieces: &'a dyn Pieces) -> Result<Self> {
        let bound = Self::bind_in(parts.into(), Data::of_pieces(FORMAT, pieces))?;
        bound.data.span(0, bound.parts.end(), 1, "file")?;
        Ok(bound)
    }

    /// The complete file, once all its bytes are in one piece. O(1).
    ///
    /// # Errors
    ///
    /// [`Incomplete`](ErrorKind::Incomplete) if they are not.
    pub fn complete(self) -> Result<File<'a, K>> {
        self.data.take(0, self.data.file_len(), "file")?;
        Ok(File { data: self.data, parts: self.parts, kind: PhantomData })
    }
}

impl<'a, K: FileKind, P: Presence> File<'a, K, P> {
    /// The same file as a partial one, for code that serves both kinds.
    pub fn into_partial(self) -> File<'a, K, Partial> {
        File { data: self.data, parts: self.parts, kind: PhantomData }
    }

    fn bind_in(parts: Cow<'a, Parts>, data: Data<'a>) -> Result<Self> {
        if parts.version().is_mesh() != K::IS_MESH {
            let found = Magic::new(&parts.version().magic());
            return Err(data.error(0, ErrorKind::Magic { expected: K::VERSIONS, found }));
        }
        Ok(File { data, parts, kind: PhantomData })
    }

    /// The locations of all parts.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// The version.
    pub fn version(&self) -> Version {
        self.parts.version()
    }

    /// The absolute offset after the last magic.
    pub fn end(&self) -> u64 {
        self.parts.end()
    }

    /// The absolute offset of the bounding box and sphere; `None` in an11.
    pub fn bounds_offset(&self) -> Option<u64> {
        Some(self.parts.bounds()?.offset())
    }

    pub(crate) fn stored_bounds(&self) -> Option<P::Of<BoundingVolume>> {
        Some(self.read_bounds(self.parts.bounds()?))
    }

    fn read_bounds(&self, span: Span) -> P::Of<BoundingVolume> {
        P::read(BoundingVolume::read(self.data, span), BoundingVolume::default)
    }

    /// The surfaces; an animation file has none.
    pub(crate) fn all_surfaces(
        &self,
    ) -> impl ExactSizeIterator<Item = Surface<'a, P>> + DoubleEndedIterator + '_ {
        let (data, version, blocks) = (self.data, self.version(), self.parts.blocks());
        self.parts.surfaces().iter().enumerate().map(move |(index, parts)| {
            Surface::new(data, version, *parts, blocks.and_then(|blocks| blocks.surface(index)), index)
        })
    }

    /// The bones. In a partial file, all of them must be loaded.
    pub fn skeleton(&self) -> P::Of<Skeleton<'_, 'a>> {
        P::checked(|| self.bones().check_loaded(), || self.bones())
    }

    fn bones(&self) -> Skeleton<'_, 'a> {
        Skeleton::new(self.data, self.parts.skeleton(), self.version())
    }

    /// The number of animations; 0 in ms13 and ms14, 1 in an11.
    pub fn animation_count(&self) -> usize {
        self.parts.animations().len()
    }

    /// Animation `index`, or `None` if it is out of range. In a partial file, the bones and all bytes of the animation
    /// must be loaded.
    pub fn animation(&self, index: usize) -> P::Of<Option<Animation<'_, 'a>>> {
        let check = || {
            self.bones().check_loaded()?;
            let spans = self.parts.animations().animation(index).into_iter().flatten();
            let mut spans = spans.map(|span| self.data.bind(span).map(|_| ()));
            spans.try_for_each(|bound| bound.map_err(|error| error.at(Place::new("animation", index as u64))))
        };
        P::checked(check, || Animation::find(self.parts.animations(), self.bones(), index))
    }
}

impl<P: Presence> Anim<'_, P> {
    /// The bounding box and sphere, which are empty in every known file; `None` in an11.
    pub fn bounds(&self) -> Option<P::Of<BoundingVolume>> {
        self.stored_bounds()
    }
}

impl<'a> Mesh<'a> {
    /// The first surface with this name, compared byte for byte; `None` if there is none.
    pub fn find_surface(&self, name: &str) -> Option<Surface<'a>> {
        self.surfaces().find(|surface| surface.name() == name)
    }
}

impl<'a, P: Presence> Mesh<'a, P> {
    /// The bounding box and sphere of the whole mesh, as stored.
    pub fn bounds(&self) -> P::Of<BoundingVolume> {
        // Only animation files of version an11 have no bounds.
        self.read_bounds(self.parts.bounds().unwrap_or_default())
    }

    /// The number of triangles in a node of the spatial trees; `None` if the version is not ms14.
    pub fn tree_triangles(&self) -> Option<u32> {
        self.parts.tree_triangles()
    }

    /// The number of bytes that the mesh takes in memory, as its writer estimated it; `None` if the version is not
    /// ms14.
    pub fn memory_estimate(&self) -> Option<i64> {
        self.parts.memory_estimate()
    }

    /// The number of surfaces.
    pub fn surface_count(&self) -> usize {
        self.parts.surfaces().len()
    }

    /// Surface `index`, or `None` if it is out of range.
    pub fn surface(&self, index: usize) -> Option<Surface<'a, P>> {
        let blocks = self.parts.blocks().and_then(|blocks| blocks.surface(index));
        Some(Surface::new(self.data, self.version(), *self.parts.surfaces().get(index)?, blocks, index))
    }

    /// The surfaces, in order.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = Surface<'a, P>> + DoubleEndedIterator + '_ {
        self.all_surfaces()
    }
}
