//! The document: a pair of files with a known layout, triangles, and the vertices of every frame.

use core::marker::PhantomData;

use crate::encoding::{
    U16, UnrealPacked, UnrealPackedInteger, UnrealPackedUnits, UnrealWide, UnrealWideInteger,
};
use glam::Vec3;
use meshlens_lens::{Bounds, Described, Lens, ValueLens, lerp_into};
use meshlens_wire::{Complete, Data, Error, ErrorKind, Partial, Pieces, Presence, Result, Span};

use crate::{
    Attachment, FORMAT, FRAMES, Frames, GEOMETRY, Geometry, LayoutRule, ParseOptions, Parts, VertexEncoding,
};

/// An Unreal vertex mesh that borrows the bytes of its two files. The [crate] documentation describes its space and
/// conventions.
///
/// # Complete and partial meshes
///
/// `Unreal<'a>` is [`Complete`]: [`parse`](Self::parse) and [`bind`](Self::bind) have proven every table.
/// [`bind_pieces`](Unreal::bind_pieces) gives an `Unreal<'a, Partial>`, of which some bytes are loaded. Its getters of bytes
/// return a `Result`, which is [`Incomplete`](ErrorKind::Incomplete) for bytes that are missing. The signatures of getters
/// of both kinds have [`P::Of<T>`](Presence::Of), which is `T` or `Result<T>`.
///
/// ```
/// use meshlens_unreal::wire::{Partial, PieceList, Result};
/// use meshlens_unreal::{Geometry, Unreal};
///
/// # let mut model = meshlens_unreal::write::Model::new(meshlens_unreal::VertexEncoding::Packed, 1);
/// # model.add_frame(&[[0.0; 3]])?;
/// # let files = model.write()?;
/// let unreal = Unreal::parse(&files.geometry, &files.frames)?;
/// let complete: Geometry = unreal.geometry();
///
/// let geometry = PieceList::empty(files.geometry.len() as u64);
/// let frames = PieceList::empty(files.frames.len() as u64);
/// let partial: Unreal<Partial> = Unreal::bind_pieces(*unreal.parts(), &geometry, &frames)?;
/// let partial: Result<Geometry> = partial.geometry();
/// # let _ = (complete, partial);
/// # Ok::<(), meshlens_unreal::Error>(())
/// ```
///
/// # Keeping a mesh with its bytes
///
/// A mesh borrows both files. To keep all of it in one value, keep the bytes and the [`Parts`], which borrow nothing, and
/// bind them where the mesh is used. Binding checks the bounds of a few tables and parses nothing again.
///
/// ```
/// use meshlens_unreal::{Parts, Result, Unreal, write::Files};
///
/// struct Loaded {
///     files: Files,
///     parts: Parts,
/// }
///
/// impl Loaded {
///     fn new(files: Files) -> Result<Self> {
///         let parts = *Unreal::parse(&files.geometry, &files.frames)?.parts();
///         Ok(Loaded { files, parts })
///     }
///
///     fn unreal(&self) -> Result<Unreal<'_>> {
///         Unreal::bind(self.parts, &self.files.geometry, &self.files.frames)
///     }
/// }
/// # let mut model = meshlens_unreal::write::Model::new(meshlens_unreal::VertexEncoding::Packed, 1);
/// # model.add_frame(&[[0.0; 3]])?;
/// # assert_eq!(Loaded::new(model.write()?)?.unreal()?.frame_count(), 1);
/// # Ok::<(), meshlens_unreal::Error>(())
/// ```
///
/// Crates such as `self_cell` and `yoke` keep the bytes and a document that is made once:
///
/// ```
/// use meshlens_unreal::{Unreal, write::Files};
///
/// self_cell::self_cell! {
///     struct Loaded {
///         owner: Files,
///         #[covariant]
///         dependent: Unreal,
///     }
/// }
///
/// # let mut model = meshlens_unreal::write::Model::new(meshlens_unreal::VertexEncoding::Packed, 1);
/// # model.add_frame(&[[0.0; 3]])?;
/// # let files = model.write()?;
/// let loaded = Loaded::try_new(files, |files| Unreal::parse(&files.geometry, &files.frames))?;
/// assert_eq!(loaded.borrow_dependent().frame_count(), 1);
/// # Ok::<(), meshlens_unreal::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Unreal<'a, P: Presence = Complete> {
    /// In a partial mesh, the triangles may not be loaded.
    pub(crate) geometry: Geometry<'a>,
    frames: Frames<'a>,
    parts: Parts,
    presence: PhantomData<P>,
}

impl<'a> Unreal<'a> {
    /// The value of [`Array::file`](meshlens_lens::Array::file) for arrays of the geometry file.
    pub const GEOMETRY_FILE: usize = 0;
    /// The value of [`Array::file`](meshlens_lens::Array::file) for arrays of the frames file.
    pub const FRAMES_FILE: usize = 1;

    /// Parses a pair: the bytes of a `_d.3d` file and of its `_a.3d` file.
    ///
    /// Reads both headers and allocates nothing. Nothing proportional to triangles, vertices or frames is read, unless none
    /// of the first four [rules](LayoutRule) applies: the fifth one reads the triangles.
    ///
    /// # Errors
    ///
    /// A file is shorter than its header, its triangles or its frames; frames have 0 bytes; or there are more frames
    /// than [`Limits::DEFAULT`](meshlens_wire::Limits::DEFAULT) allows. [`ErrorKind::Mismatch`] with the numbers of both files
    /// if no rule applies. The [`format`](Error::format) of the error is the name of the file that its offset refers
    /// to.
    pub fn parse(geometry: &'a [u8], frames: &'a [u8]) -> Result<Self> {
        Self::parse_with(geometry, frames, &ParseOptions::default())
    }

    /// Parses a pair whose frames file may be incomplete, or within other limits.
    ///
    /// # Errors
    ///
    /// Same as [`parse`](Self::parse). Lenient options accept a frames file shorter than its frames.
    pub fn parse_with(geometry: &'a [u8], frames: &'a [u8], options: &ParseOptions) -> Result<Self> {
        let (geometry_data, frames_data) = (Data::new(GEOMETRY, geometry), Data::new(FRAMES, frames));
        let parts = Parts::locate_in(geometry_data, frames_data, options)?;
        Self::bind(parts, geometry, frames)
    }

    /// Parses a mesh of one file: see [`Parts::locate_packed`].
    ///
    /// # Errors
    ///
    /// Same as [`parse_with`](Self::parse_with), and [`ErrorKind::Magic`] for another file.
    pub fn parse_packed(bytes: &'a [u8], options: &ParseOptions) -> Result<Self> {
        Self::bind(Parts::locate_packed_in(Data::new(FORMAT, bytes), options)?, bytes, bytes)
    }

    /// Binds parts that were located earlier to the bytes of both whole files.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] if a part is not inside the bytes.
    pub fn bind(parts: Parts, geometry: &'a [u8], frames: &'a [u8]) -> Result<Self> {
        let frames = Frames::bind(parts.frames, frames)?;
        if let Some(vertices) = parts.incomplete {
            frames.data().bind(vertices)?;
        }
        Ok(Self::of(Geometry::bind(parts.geometry, geometry)?, frames, parts))
    }

    /// The bounding box of the vertices of one frame, in stored integers, or `None` if there are no vertices or the
    /// frame is out of range. O(vertices).
    pub fn compute_bounds(&self, frame: usize) -> Option<Bounds> {
        // `None` for a frame that is out of range.
        Bounds::around(self.positions(frame).ok()?)
    }
}

impl<'a> Unreal<'a, Partial> {
    /// Binds parts to the available bytes of both files, for a mesh that is read part by part. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] if a file is shorter than its parts.
    pub fn bind_pieces(parts: Parts, geometry: &'a dyn Pieces, frames: &'a dyn Pieces) -> Result<Self> {
        let (geometry, frames) = (Data::of_pieces(GEOMETRY, geometry), Data::of_pieces(FRAMES, frames));
        let check = |data: Data<'a>, span: Span| {
            data.span(span.offset(), span.count(), span.stride(), "table").map(|_| ())
        };
        check(geometry, parts.triangles())?;
        check(frames, parts.frames())?;
        check(frames, parts.incomplete.unwrap_or(parts.frames()))?;
        Ok(Self::of(Geometry::of(geometry, parts.geometry), Frames::of(frames, parts.frames), parts))
    }

    /// The complete mesh, once all bytes of each file are in one piece. O(1).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`] if they are not.
    pub fn complete(self) -> Result<Unreal<'a>> {
        for data in [self.geometry.data(), self.frames.data()] {
            data.take(0, data.file_len(), "file")?;
        }
        Ok(Unreal::of(self.geometry, self.frames, self.parts))
    }
}

impl<'a, P: Presence> Unreal<'a, P> {
    pub(crate) const fn of(geometry: Geometry<'a>, frames: Frames<'a>, parts: Parts) -> Self {
        Unreal { geometry, frames, parts, presence: PhantomData }
    }

    /// The same mesh as a partial one, for code that serves both kinds.
    pub const fn into_partial(self) -> Unreal<'a, Partial> {
        Unreal::of(self.geometry, self.frames, self.parts)
    }

    /// The locations of all parts.
    pub const fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The geometry file: triangles with their types, texture slots and texture coordinates. In a partial mesh, all
    /// triangles must be loaded.
    pub fn geometry(&self) -> P::Of<Geometry<'a>> {
        let triangles = || self.geometry.data().bind(self.parts.triangles()).map(|_| ());
        P::checked(triangles, || self.geometry)
    }

    /// The frames file. The layout determines its stride, which is not always the frame size in its header.
    pub const fn frames(&self) -> &Frames<'a> {
        &self.frames
    }

    /// The rule that determined the layout.
    pub const fn rule(&self) -> LayoutRule {
        self.parts.rule()
    }

    /// How vertices are stored.
    pub const fn vertex_encoding(&self) -> VertexEncoding {
        self.parts.vertex_encoding()
    }

    /// The number of vertices in each frame. With [`LayoutRule::MistakenVertexCount`], it differs from the number in
    /// the geometry file.
    pub const fn vertex_count(&self) -> usize {
        self.parts.vertex_count()
    }

    /// The number of triangles.
    pub const fn triangle_count(&self) -> usize {
        self.geometry.triangle_count()
    }

    /// The number of whole frames. An incomplete one may follow: see [`incomplete_frame`](Self::incomplete_frame).
    pub const fn frame_count(&self) -> usize {
        self.frames.frame_count()
    }

    /// The triangles as they are stored, **unchecked**: see [`Geometry::triangles`].
    pub fn triangles(&self) -> P::Of<Lens<'a, U16<3>>> {
        P::map(self.geometry(), |geometry| geometry.triangles())
    }

    /// The triangles, after a check that every vertex index is below [`vertex_count`](Self::vertex_count): see
    /// [`Geometry::checked_triangles`].
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] at the first index that is out of range.
    pub fn checked_triangles(&self) -> Result<Lens<'a, U16<3>>> {
        P::result(self.geometry())?.checked_triangles(self.vertex_count())
    }

    fn vertex_span(&self, frame: usize) -> Result<Span> {
        self.parts.frame_vertices(frame).ok_or_else(|| self.frames.frame_error(frame))
    }

    fn vertex_lens<E, W>(&self, frame: usize, packed: E, wide: W) -> Result<ValueLens<'a, E::Value>>
    where
        E: Described,
        W: Described<Value = E::Value>,
    {
        let (data, span) = (self.frames.data(), self.vertex_span(frame)?);
        Ok(match self.vertex_encoding() {
            VertexEncoding::Packed => Lens::bind(data, span, 0, packed)?.into(),
            VertexEncoding::Wide => Lens::bind(data, span, 0, wide)?.into(),
        })
    }

    /// The positions of one frame as the stored integers, converted to floats. A script scales them.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if the frame is out of range.
    pub fn positions(&self, frame: usize) -> Result<ValueLens<'a, [f32; 3]>> {
        self.vertex_lens(frame, UnrealPacked, UnrealWide)
    }

    /// The positions of one frame as the stored integers.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if the frame is out of range.
    pub fn integer_positions(&self, frame: usize) -> Result<ValueLens<'a, [i16; 3]>> {
        self.vertex_lens(frame, UnrealPackedInteger, UnrealWideInteger)
    }

    /// The positions of one frame, multiplied by [`unit_scale`](Self::unit_scale).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if the frame is out of range.
    pub fn unit_positions(&self, frame: usize) -> Result<ValueLens<'a, [f32; 3]>> {
        self.vertex_lens(frame, UnrealPackedUnits, UnrealWide)
    }

    /// The factors from stored integers to the units of the tools that write them (Unreal: Appendix C): 1/8, 1/8 and 1/4
    /// for packed vertices. No factors are published for 16-bit vertices; they are 1.
    pub const fn unit_scale(&self) -> [f32; 3] {
        match self.vertex_encoding() {
            VertexEncoding::Packed => [0.125, 0.125, 0.25],
            VertexEncoding::Wide => [1.0; 3],
        }
    }

    /// The vertices of one frame as they are stored, 4 or 8 bytes each. A renderer can upload them without conversion.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if the frame is out of range.
    pub fn vertex_bytes(&self, frame: usize) -> Result<&'a [u8]> {
        self.frames.data().bind(self.vertex_span(frame)?)
    }

    /// Writes the [positions](Self::positions) between two frames to `out`, decoded and interpolated in one pass: frame
    /// `a` at `t = 0`, frame `b` at `t = 1`.
    ///
    /// # Errors
    ///
    /// A frame is out of range, or `out` does not have one value for each vertex.
    pub fn lerp_positions_into(&self, a: usize, b: usize, t: f32, out: &mut [[f32; 3]]) -> Result<()> {
        lerp_into(self.positions(a)?, self.positions(b)?, t, out)
    }

    /// The place where a weapon is attached in one frame: the first weapon triangle (Unreal: Appendix A). `None` if
    /// there is none. O(triangles).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if the frame, or a vertex index of the weapon triangle, is out of range.
    pub fn weapon_attachment(&self, frame: usize) -> Result<Option<Attachment>> {
        let positions = self.positions(frame)?;
        let geometry = P::result(self.geometry())?;
        let weapon = geometry.weapon_triangle();
        let Some((triangle, record)) = weapon.and_then(|index| Some((index, geometry.triangle(index)?)))
        else {
            return Ok(None);
        };
        let mut corners = [[0.0; 3]; 3];
        for (corner, index) in corners.iter_mut().zip(record.vertices) {
            *corner = positions.get(index.into()).ok_or_else(|| {
                let (index, count) = (index.into(), self.vertex_count() as u64);
                let kind = ErrorKind::Index { what: "vertex", index, count };
                Error::new(GEOMETRY, geometry.triangle_offset(triangle), kind)
            })?;
        }
        let [a, b, _] = corners.map(Vec3::from);
        Ok(Some(Attachment { triangle, origin: a.midpoint(b).into(), corners }))
    }
}
