//! The document: frames, tags and surfaces of a model whose tables are checked.

use alloc::borrow::Cow;

use crate::encoding::F32;
use glam::{Affine3A, Mat3, Vec3};
use meshlens_lens::{Bounds, Lens};
use meshlens_wire::{Data, ErrorKind, Name, Pieces, Place, Result, Span};
use zerocopy::FromBytes;
use zerocopy::little_endian;

use crate::layout::{self, FRAME_SIZE};
use crate::{FORMAT, ParseOptions, Parts, Surface};

/// The offsets of a tag's fields in its record: the origin follows the name, and the three axes follow the origin.
const TAG_ORIGIN: usize = 64;
const TAG_AXES: [usize; 3] = [76, 88, 100];

/// An MD3 model that borrows its bytes. The [crate] documentation describes its space and conventions.
///
/// # Keeping a model with its bytes
///
/// A model borrows the file. To keep both in one value, keep the bytes and the [`Parts`], which borrow nothing, and bind
/// them where the model is used. Binding checks the bounds of a few tables for each surface and parses nothing again.
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
/// Crates such as `self_cell` and `yoke` keep the bytes and a document that is made once:
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
pub struct Md3<'a> {
    data: Data<'a>,
    parts: Cow<'a, Parts>,
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
    /// [`Limits::DEFAULT`](crate::Limits::DEFAULT) allows. The error has the absolute offset of the field.
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
        Ok(Md3 { data, parts: parts.into() })
    }

    /// Binds parts that were located earlier, owned or borrowed, to the bytes of the whole file. O(surfaces).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] if a part lies outside `bytes`.
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
        Ok(Md3 { data, parts })
    }

    /// Binds parts, owned or borrowed, to the available bytes of their file, for a model that is read part by part.
    /// O(surfaces).
    ///
    /// If bytes are missing, getters that return a `Result` return [`ErrorKind::Incomplete`]. Iterators leave out
    /// elements, and other getters return `None`, 0 or an empty value.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::OutOfBounds`] if the file is shorter than the parts.
    pub fn bind_pieces(parts: impl Into<Cow<'a, Parts>>, pieces: &'a dyn Pieces) -> Result<Self> {
        let parts = parts.into();
        let data = Data::of_pieces(FORMAT, pieces);
        let check = |span: Span| data.span(span.offset(), span.count(), span.stride(), "table").map(|_| ());
        [parts.front().header(), parts.frames(), parts.tags()].into_iter().try_for_each(check)?;
        for (index, surface) in (0u64..).zip(parts.surfaces()) {
            let tables = surface.tables().into_iter().chain([surface.header()]);
            tables.into_iter().try_for_each(check).map_err(|error| error.at(Place::new("surface", index)))?;
        }
        Ok(Md3 { data, parts })
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
    pub fn name(&self) -> Name<'a> {
        // The header exists, so the default is never used.
        let header = self.data.record::<layout::Header>(self.offset(), "header");
        header.map(|header| Name::new(&header.name)).unwrap_or_default()
    }

    /// The header's flags. Their meaning is not documented, and engines ignore them.
    pub fn flags(&self) -> i32 {
        self.parts.front().header.flags.get()
    }

    /// The header's NUM_SKINS. The format has no table of skins.
    pub fn skin_count(&self) -> u32 {
        self.parts.front().header.num_skins.get().cast_unsigned()
    }

    /// The number of frames.
    pub fn frame_count(&self) -> usize {
        self.parts.frames().len()
    }

    /// Whether frames are 104 bytes long, with names of 64 bytes, as some exporters write them.
    pub fn has_wide_frames(&self) -> bool {
        self.parts.frames().stride() != FRAME_SIZE
    }

    /// Frame `index`, or `None` if it is out of range.
    pub fn frame(&self, index: usize) -> Option<Frame<'a>> {
        let span = self.parts.frames().slice(index as u64, 1)?;
        // Parsing has proven the span: only bytes that are not loaded are missing.
        let (record, name) = layout::Frame::ref_from_prefix(self.data.bind(span).ok()?).ok()?;
        Some(Frame {
            offset: span.offset(),
            name: Name::new(name),
            bounds: Bounds {
                min: record.min_bounds.map(little_endian::F32::get),
                max: record.max_bounds.map(little_endian::F32::get),
            },
            local_origin: record.local_origin.map(little_endian::F32::get),
            radius: record.radius.get(),
        })
    }

    /// The frames, in order.
    pub fn frames(&self) -> impl ExactSizeIterator<Item = Frame<'a>> + DoubleEndedIterator + '_ {
        // Every index below the count has a record, so the default is never used.
        (0..self.frame_count()).map(|index| self.frame(index).unwrap_or_default())
    }

    /// The frames, after a check that all numbers in them are finite. O(frames).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NotFinite`] at the first frame with a NaN or an infinity.
    pub fn checked_frames(
        &self,
    ) -> Result<impl ExactSizeIterator<Item = Frame<'a>> + DoubleEndedIterator + '_> {
        for (index, frame) in (0u64..).zip(self.frames()) {
            if !frame.is_finite() {
                let kind = ErrorKind::NotFinite { what: "bounds, origin and radius" };
                return Err(self.data.error(frame.offset, kind).at(Place::new("frame", index)));
            }
        }
        Ok(self.frames())
    }

    /// The number of tags in each frame.
    pub fn tag_count(&self) -> usize {
        self.parts.tags_per_frame()
    }

    fn tag_span(&self, frame: usize, tag: usize) -> Option<Span> {
        if tag >= self.tag_count() {
            return None;
        }
        let index = frame.checked_mul(self.tag_count())?.checked_add(tag)?;
        self.parts.tags().slice(index as u64, 1)
    }

    /// Tag `tag` in frame `frame`, or `None` if either is out of range.
    pub fn tag(&self, frame: usize, tag: usize) -> Option<Tag<'a>> {
        let span = self.tag_span(frame, tag)?;
        // Parsing has proven the span: only bytes that are not loaded are missing.
        let record = layout::Tag::ref_from_bytes(self.data.bind(span).ok()?).ok()?;
        Some(Tag {
            offset: span.offset(),
            name: Name::new(&record.name),
            origin: record.origin.map(little_endian::F32::get),
            axis: record.axis.map(|row| row.map(little_endian::F32::get)),
        })
    }

    /// The tags of one frame, in order. Empty if the frame is out of range.
    pub fn tags(&self, frame: usize) -> impl Iterator<Item = Tag<'a>> + '_ {
        (0..self.tag_count()).map_while(move |tag| self.tag(frame, tag))
    }

    /// The index of the first tag with this name, or `None` if there is none. ASCII letters match in any case.
    pub fn find_tag(&self, name: &str) -> Option<usize> {
        self.tags(0).position(|tag| tag.name.eq_ignore_case(name))
    }

    /// The origins of all tags in all frames: element `frame * tag_count + tag`.
    ///
    /// # Errors
    ///
    /// Never fails: [`parse`](Self::parse) and [`bind`](Self::bind) have checked the bounds.
    pub fn tag_origins(&self) -> Result<Lens<'a, F32<3>>> {
        Lens::bind(self.data, self.parts.tags(), TAG_ORIGIN, F32::<3>)
    }

    /// Row `row` of the axes of every tag in every frame: its local X (0), Y (1) or Z axis (2).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if `row` is not 0, 1 or 2.
    pub fn tag_axes(&self, row: usize) -> Result<Lens<'a, F32<3>>> {
        let Some(skip) = TAG_AXES.get(row) else {
            return Err(self.data.index_error(self.parts.tags().offset(), "row", row, TAG_AXES.len()));
        };
        Lens::bind(self.data, self.parts.tags(), *skip, F32::<3>)
    }

    /// Tag `tag` between two frames. Origin and axes are interpolated, from frame `a` at `t = 0` to frame `b` at
    /// `t = 1`, and each axis is normalized. The name and the offset are taken from frame `a`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`] if the tag or a frame is out of range.
    pub fn interpolate_tag(&self, tag: usize, a: usize, b: usize, t: f32) -> Result<Tag<'a>> {
        let get = |frame: usize| {
            self.tag(frame, tag).ok_or_else(|| {
                let (what, index, count) = if tag < self.tag_count() {
                    ("frame", frame, self.frame_count())
                } else {
                    ("tag", tag, self.tag_count())
                };
                self.data.index_error(self.parts.tags().offset(), what, index, count)
            })
        };
        let (from, to) = (get(a)?, get(b)?);
        Ok(from.lerp(&to, t))
    }

    /// The number of surfaces.
    pub fn surface_count(&self) -> usize {
        self.parts.surfaces().len()
    }

    /// Surface `index`, or `None` if it is out of range.
    pub fn surface(&self, index: usize) -> Option<Surface<'a>> {
        let parts = self.parts.surfaces().get(index)?;
        Some(Surface::new(self.data, *parts, index))
    }

    /// The surfaces, in order.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = Surface<'a>> + DoubleEndedIterator + '_ {
        let surfaces = self.parts.surfaces().iter().enumerate();
        surfaces.map(|(index, parts)| Surface::new(self.data, *parts, index))
    }

    /// The first surface with this name, or `None` if there is none. ASCII letters match in any case.
    pub fn find_surface(&self, name: &str) -> Option<Surface<'a>> {
        self.surfaces().find(|surface| surface.name().eq_ignore_case(name))
    }

    /// The bounding box of the vertices of all surfaces in one frame, or `None` if the frame has no vertices or is out
    /// of range. Use it where the bounds stored in frames may be wrong. O(vertices).
    pub fn compute_bounds(&self, frame: usize) -> Option<Bounds> {
        let boxes = self.surfaces().filter_map(|surface| surface.compute_bounds(frame));
        boxes.reduce(|a, b| a.union(&b))
    }
}

/// The name, bounds and origin of one frame (MD3: Frame). The vertices of a frame are in the surfaces.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Frame<'a> {
    /// The absolute offset of the record.
    pub offset: u64,
    /// The frame's name, often the name of the exporter.
    pub name: Name<'a>,
    /// The bounding box of the vertices of this frame, as stored. [`Md3::compute_bounds`] computes it.
    pub bounds: Bounds,
    /// The center of the bounding sphere, usually the origin.
    pub local_origin: [f32; 3],
    /// The radius of the bounding sphere.
    pub radius: f32,
}

impl Frame<'_> {
    /// Whether all numbers of the frame are finite.
    pub fn is_finite(&self) -> bool {
        let [min, max] = [self.bounds.min, self.bounds.max];
        self.radius.is_finite() && [min, max, self.local_origin].as_flattened().iter().all(|v| v.is_finite())
    }
}

/// An attachment point for another model, in one frame (MD3: Tag).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Tag<'a> {
    /// The absolute offset of the record.
    pub offset: u64,
    /// The tag's name, such as `tag_weapon`.
    pub name: Name<'a>,
    /// The position in model units.
    pub origin: [f32; 3],
    /// The local X, Y and Z axis, one row each. In some files their length is not 1, and in a few they are left-handed.
    pub axis: [[f32; 3]; 3],
}

impl Tag<'_> {
    /// Interpolates origin and axes, and normalizes each axis.
    fn lerp(mut self, to: &Tag<'_>, t: f32) -> Self {
        self.origin = Vec3::from(self.origin).lerp(to.origin.into(), t).into();
        for (row, to) in self.axis.iter_mut().zip(to.axis) {
            let axis = Vec3::from(*row).lerp(to.into(), t);
            let length = axis.length();
            *row = if length > 0.0 { axis / length } else { axis }.into();
        }
        self
    }

    /// The transform from the space of the attached model to the space of this model. It includes the scale of axes
    /// whose length is not 1; engines normalize the axes.
    pub fn transform(&self) -> Affine3A {
        Affine3A::from_mat3_translation(self.matrix(), self.origin.into())
    }

    /// The axes as the columns of a matrix.
    fn matrix(&self) -> Mat3 {
        Mat3::from_cols_array_2d(&self.axis)
    }

    /// The determinant of the axes: about 1, and negative for a left-handed tag.
    pub fn determinant(&self) -> f32 {
        self.matrix().determinant()
    }

    /// Whether all numbers of the tag are finite.
    pub fn is_finite(&self) -> bool {
        self.origin.iter().chain(self.axis.as_flattened()).all(|value| value.is_finite())
    }
}
