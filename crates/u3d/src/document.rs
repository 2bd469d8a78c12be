//! A model whose tables are checked: meshes, materials, bones and actions.

use alloc::borrow::Cow;
use core::marker::PhantomData;

use crate::encoding::F32;
use meshlens_lens::Lens;
use meshlens_wire::{Complete, Cursor, Data, Partial, Pieces, Place, Presence, Result, Span};

use crate::header::{Header, Version};
use crate::locate::ParseOptions;
use crate::parts::{MaterialParts, Parts};
use crate::{Action, Bone, FORMAT, Material, Mesh, Section, Sections, Skeleton};

/// An Ultimate 3D model over borrowed bytes. See the [crate] for its space and conventions.
///
/// # Complete and partial models
///
/// `U3d<'a>` is [`Complete`]: [`parse`](Self::parse) has proven every table, and getters return values.
/// [`bind_pieces`](U3d::bind_pieces) gives a `U3d<'a, Partial>`, of which some bytes are loaded. Its getters of bytes return
/// a `Result`, which is [`Incomplete`](meshlens_wire::ErrorKind::Incomplete) for bytes that are missing. The signatures of
/// getters of both kinds have [`P::Of<T>`](Presence::Of), which is `T` or `Result<T>`.
///
/// ```
/// use meshlens_u3d::lens::Lens;
/// use meshlens_u3d::wire::{Partial, PieceList, Result};
/// use meshlens_u3d::{U3d, Version, encoding::F32, write};
///
/// # let mut mesh = write::Mesh::new("point");
/// # mesh.set_vertices(&[[1.0, 2.0, 3.0]], &[[0.0, 0.0, 1.0]], Version::V1)?;
/// # let mut model = write::Model::new(Version::V1);
/// # model.meshes.push(mesh);
/// # let bytes = model.write()?;
/// let u3d = U3d::parse(&bytes)?;
/// let mesh = u3d.mesh(0).ok_or("no mesh")?;
/// let complete: Lens<F32<3>> = mesh.positions();
///
/// let nothing = PieceList::empty(bytes.len() as u64);
/// let u3d: U3d<Partial> = U3d::bind_pieces(u3d.parts(), &nothing)?;
/// let mesh = u3d.mesh(0).ok_or("no mesh")?;
/// let partial: Result<Lens<F32<3>>> = mesh.positions();
/// assert_eq!(partial.unwrap_err().offset(), complete.byte_range().start);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Keeping a model with its bytes
///
/// A document borrows the bytes of its file. To keep both in one struct, keep the bytes and the [`Parts`], and
/// [`bind`](Self::bind) them when the document is needed, which costs next to nothing:
///
/// ```
/// use meshlens_u3d::{Parts, Result, U3d};
///
/// struct Loaded {
///     bytes: Vec<u8>,
///     parts: Parts,
/// }
///
/// impl Loaded {
///     fn new(bytes: Vec<u8>) -> Result<Loaded> {
///         let parts = U3d::parse(&bytes)?.into_parts();
///         Ok(Loaded { bytes, parts })
///     }
///
///     fn model(&self) -> Result<U3d<'_>> {
///         U3d::bind(&self.parts, &self.bytes)
///     }
/// }
/// # use meshlens_u3d::{Version, write};
/// # let loaded = Loaded::new(write::Model::new(Version::V2_0_0).write()?)?;
/// # assert_eq!(loaded.model()?.mesh_count(), 0);
/// # Ok::<(), meshlens_u3d::Error>(())
/// ```
///
/// Crates such as `self_cell` and `yoke` keep the bytes and a document that is made once:
///
/// ```
/// use meshlens_u3d::{U3d, Version, write};
///
/// self_cell::self_cell! {
///     struct Loaded {
///         owner: Vec<u8>,
///         #[covariant]
///         dependent: U3d,
///     }
/// }
///
/// for version in [Version::V1, Version::V2_0_0] {
///     let bytes = write::Model::new(version).write()?;
///     let loaded = Loaded::try_new(bytes, |bytes| U3d::parse(bytes))?;
///     assert_eq!(loaded.borrow_dependent().version(), version);
/// }
/// # Ok::<(), meshlens_u3d::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct U3d<'a, P: Presence = Complete> {
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

impl<'a> U3d<'a> {
    /// Parses a model of either version.
    ///
    /// Reads headers and the small fields between arrays, skips arrays, and allocates one entry for each mesh, material
    /// and bone. Texture paths and actions, which vary in size, are walked once, without an entry for each. An opaque
    /// material of version 1.0 is searched for the next section.
    ///
    /// # Errors
    ///
    /// The bytes are of another format, of an unknown major version or encrypted (see `U3d::decrypt`); a chunk or array
    /// extends past the end of the file or of its parent chunk; the model header is missing; or there are more parts
    /// than [`Limits::DEFAULT`](meshlens_wire::Limits::DEFAULT) allows. The error has the absolute offset of the field.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_with(bytes, &ParseOptions::default())
    }

    /// Parses a model with options.
    ///
    /// # Errors
    ///
    /// Same as [`parse`](Self::parse).
    pub fn parse_with(bytes: &'a [u8], options: &ParseOptions) -> Result<Self> {
        let data = Data::new(FORMAT, bytes);
        Ok(U3d { data, parts: Parts::locate_in(data, options)?.into(), presence: PhantomData })
    }

    /// Binds parts that were located earlier, owned or borrowed, to the bytes of the whole file. O(1).
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) if `bytes` is shorter than the file in which the parts
    /// were located.
    pub fn bind(parts: impl Into<Cow<'a, Parts>>, bytes: &'a [u8]) -> Result<Self> {
        Self::bind_in(parts.into(), Data::new(FORMAT, bytes))
    }

    /// The index of the first bone with this name, ignoring ASCII case; `None` if there is none.
    pub fn find_bone(&self, name: &str) -> Option<usize> {
        self.bones().position(|bone| bone.name().eq_ignore_case(name))
    }

    /// The sections of the file in file order. In version 2.0, these are all chunks, including nested ones; in version
    /// 1.0, the header, meshes, materials and bones.
    pub fn sections(&self) -> Sections<'_, 'a> {
        Sections::new(self.data, &self.parts)
    }

    /// The chunks that are not part of the format: chunks of other programs (`$U3DC_`) and of later versions.
    pub fn unknown_chunks(&self) -> impl Iterator<Item = Section<'a>> + '_ {
        self.sections().filter(|section| section.depth == 0 && !section.is_known())
    }
}

impl<'a> U3d<'a, Partial> {
    /// Binds parts, owned or borrowed, to the available bytes of their file. O(1).
    ///
    /// # Errors
    ///
    /// [`OutOfBounds`](meshlens_wire::ErrorKind::OutOfBounds) if the file is shorter than the file in which the parts
    /// were located.
    pub fn bind_pieces(parts: impl Into<Cow<'a, Parts>>, pieces: &'a dyn Pieces) -> Result<Self> {
        Self::bind_in(parts.into(), Data::of_pieces(FORMAT, pieces))
    }

    /// The complete model, once all bytes of the file are in one piece. O(1).
    ///
    /// # Errors
    ///
    /// [`Incomplete`](meshlens_wire::ErrorKind::Incomplete) if they are not.
    pub fn complete(self) -> Result<U3d<'a>> {
        self.data.take(0, self.data.file_len(), "file")?;
        Ok(U3d { data: self.data, parts: self.parts, presence: PhantomData })
    }
}

impl<'a, P: Presence> U3d<'a, P> {
    fn bind_in(parts: Cow<'a, Parts>, data: Data<'a>) -> Result<Self> {
        data.span(0, parts.file_len(), 1, "bytes of the file")?;
        Ok(U3d { data, parts, presence: PhantomData })
    }

    /// The same model as a partial one, for code that serves both kinds.
    pub fn into_partial(self) -> U3d<'a, Partial> {
        U3d { data: self.data, parts: self.parts, presence: PhantomData }
    }

    /// The locations of all parts.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The locations of all parts, without the bytes. Clones the parts of a model that was [bound](Self::bind).
    pub fn into_parts(self) -> Parts {
        self.parts.into_owned()
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// The fields of the headers that describe the whole model.
    pub fn header(&self) -> &Header {
        &self.parts.header
    }

    /// The version.
    pub fn version(&self) -> Version {
        self.parts.header.version
    }

    /// The number of frames of the animation, whether of meshes or of bones.
    pub fn frame_count(&self) -> usize {
        self.parts.header.frames as usize
    }

    /// The number of levels of detail.
    pub fn lod_count(&self) -> usize {
        self.parts.header.lods as usize
    }

    /// Version 1.0, pLODLevelOfDetail: the fraction of triangles, 0 to 1, of each level of detail but the highest.
    /// Empty in version 2.0.
    pub fn lod_fractions(&self) -> P::Of<Lens<'a, F32<1>>> {
        Lens::bind_in::<P>(self.data, self.parts.header.lod_fractions, 0, F32::<1>)
    }

    /// The distances of the levels of detail. Version 1.0, pLODCameraDistanceSq: the squared distance at which each
    /// level but the highest begins. Version 2.0, pLODMaxCameraDistance: the distance at which each level ends.
    pub fn lod_distances(&self) -> P::Of<Lens<'a, F32<1>>> {
        Lens::bind_in::<P>(self.data, self.parts.header.lod_distances, 0, F32::<1>)
    }

    /// The number of meshes in the file, of all frames and levels of detail.
    pub fn mesh_count(&self) -> usize {
        self.parts.meshes.len()
    }

    /// Mesh `index`, in file order; `None` if the index is out of range.
    pub fn mesh(&self, index: usize) -> Option<Mesh<'_, 'a, P>> {
        Mesh::new(self.data, &self.parts, index)
    }

    /// The meshes, in file order.
    pub fn meshes(&self) -> impl ExactSizeIterator<Item = Mesh<'_, 'a, P>> + DoubleEndedIterator {
        let meshes = self.parts.meshes.iter().enumerate();
        meshes.map(|(index, parts)| Mesh::of(self.data, &self.parts, parts, index))
    }

    /// The first mesh in file order with this level of detail, number in its frame, and frame; `None` if there is none.
    /// O(log meshes).
    pub fn find_mesh(&self, lod_index: u32, mesh_in_frame: u32, frame: u32) -> Option<Mesh<'_, 'a, P>> {
        self.mesh(self.parts.find_mesh((Some(lod_index), mesh_in_frame, frame))?)
    }

    /// The number of materials.
    pub fn material_count(&self) -> usize {
        self.parts.materials.len()
    }

    /// Material `index`; `None` if the index is out of range. In a valid file, triangles refer to this material by the
    /// same index. In a partial model, all bytes of the material must be loaded.
    pub fn material(&self, index: usize) -> Option<P::Of<Material<'a>>> {
        self.parts.materials.get(index).map(|parts| self.material_of(parts))
    }

    /// The materials, by number.
    pub fn materials(&self) -> impl ExactSizeIterator<Item = P::Of<Material<'a>>> + DoubleEndedIterator + '_ {
        self.parts.materials.iter().map(|parts| self.material_of(parts))
    }

    fn material_of(&self, parts: &MaterialParts) -> P::Of<Material<'a>> {
        let place = Place::new("material", parts.index.into());
        let check = || self.data.bind(Span::of_bytes(parts.byte_range())).map(|_| ());
        P::checked(|| check().map_err(|error| error.at(place)), || Material::new(self.data, *parts))
    }

    /// The number of bones.
    pub fn bone_count(&self) -> usize {
        self.parts.bones.len()
    }

    /// Bone `index`; `None` if the index is out of range. In a valid file, parents and weights refer to this bone by
    /// the same index.
    pub fn bone(&self, index: usize) -> Option<Bone<'a, P>> {
        self.parts.bones.get(index).map(|parts| Bone::new(self.data, self.version(), parts))
    }

    /// The bones, by number.
    pub fn bones(&self) -> impl ExactSizeIterator<Item = Bone<'a, P>> + DoubleEndedIterator + '_ {
        self.parts.bones.iter().map(|parts| Bone::new(self.data, self.version(), parts))
    }

    /// The bones as a hierarchy that can be posed. O(bones and keys). In a partial model, all bytes of the bones must
    /// be loaded.
    ///
    /// # Errors
    ///
    /// The numbers of the bones are not 0, 1, 2 and so on; or the parent of a bone is out of range, the bone itself, or
    /// one of its descendants.
    pub fn skeleton(&self) -> Result<Skeleton<'a>> {
        for (number, parts) in (0u64..).zip(&self.parts.bones) {
            let check = || self.data.bind(Span::of_bytes(parts.byte_range())).map(|_| ());
            P::result(P::checked(|| check().map_err(|error| error.at(Place::new("bone", number))), || ()))?;
        }
        let bones = self.parts.bones.iter().map(|parts| Bone::new(self.data, self.version(), parts));
        Skeleton::new(self.data, bones)
    }

    /// The number of actions; 0 in version 1.0.
    pub fn action_count(&self) -> usize {
        self.parts.actions.map_or(0, |actions| actions.count as usize)
    }

    /// The actions, in order.
    pub fn actions(&self) -> impl Iterator<Item = P::Of<Action<'a>>> + use<'a, P> {
        let records = self.parts.actions.map(|actions| actions.records).unwrap_or_default();
        let mut cursor = Cursor::at(self.data.within(records.byte_range().end), records.offset());
        (0..self.action_count()).map(move |_| {
            let cursor = cursor.as_mut().map_err(|error| *error);
            P::read(cursor.and_then(Action::read), Action::default)
        })
    }
}
