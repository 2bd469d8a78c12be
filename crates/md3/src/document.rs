//! A model whose tables are proven: frames, tags and surfaces.

use meshlens_lens::encoding::F32;
use meshlens_lens::{Bounds, Lens};
use meshlens_wire::{Data, ErrorKind, Limits, Name, Place, Result, Span};
use zerocopy::FromBytes;
use zerocopy::little_endian;

use crate::layout::{self, FRAME_SIZE};
use crate::{FORMAT, Parts, Surface};

/// An MD3 model over borrowed bytes. See the [crate] for its space and conventions.
#[derive(Clone, Debug)]
pub struct Md3<'a> {
    data: Data<'a>,
    parts: Parts,
}

impl<'a> Md3<'a> {
    /// Parses the model at the start of `bytes`.
    ///
    /// Reads the header and the surface headers, and allocates one small entry per surface. Nothing proportional
    /// to vertices, triangles or frames is read.
    ///
    /// # Errors
    ///
    /// A wrong identifier or version, a negative count, a count or offset that leaves the file, surfaces that do
    /// not advance, more surfaces than [`Limits::DEFAULT`] allows. The error names the field's own offset.
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::parse_at(bytes, 0, &Limits::DEFAULT)
    }

    /// Parses the model that starts at byte `start` of a file (MD3: MD3_START). Offsets in errors, findings and
    /// byte ranges stay absolute.
    pub fn parse_at(bytes: &'a [u8], start: u64, limits: &Limits) -> Result<Self> {
        let data = Data::new(FORMAT, bytes);
        let parts = Parts::locate_in(data, start, limits)?;
        Ok(Md3 { data, parts })
    }

    /// Binds parts located earlier to the whole file's bytes.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Incomplete`] or [`ErrorKind::OutOfBounds`] when `bytes` does not hold every part.
    pub fn bind(parts: Parts, bytes: &'a [u8]) -> Result<Self> {
        let data = Data::new(FORMAT, bytes);
        data.bind(parts.frames)?;
        data.bind(parts.tags)?;
        for (index, surface) in (0u64..).zip(parts.surfaces()) {
            for span in [surface.shaders, surface.triangles, surface.texcoords, surface.vertices] {
                data.bind(span).map_err(|error| error.at(Place::new("surface", index)))?;
            }
        }
        Ok(Md3 { data, parts })
    }

    /// Where every part lies.
    pub const fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(crate) const fn data(&self) -> Data<'a> {
        self.data
    }

    /// Absolute offset of the model in its file, usually 0.
    pub const fn offset(&self) -> u64 {
        self.parts.start
    }

    /// Absolute end of the model, as its header says (OFS_EOF). A few files hold a byte more.
    pub const fn end(&self) -> u64 {
        self.parts.end
    }

    /// The version, always 15.
    pub const fn version(&self) -> u32 {
        layout::VERSION as u32
    }

    /// The model's name, usually its path in the archive it came from; often empty.
    pub fn name(&self) -> Name<'a> {
        let field = self.data.take(self.offset().saturating_add(8), 64, "name");
        Name::new(field.unwrap_or_default())
    }

    /// The header's flags, whose meaning nobody documents.
    pub const fn flags(&self) -> i32 {
        self.parts.header.flags.get()
    }

    /// The header's NUM_SKINS; there is no skin block in any file.
    pub const fn skin_count(&self) -> u32 {
        self.parts.header.num_skins.get().unsigned_abs()
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        usize::try_from(self.parts.frames.count()).unwrap_or(usize::MAX)
    }

    /// Whether frames are 104 bytes long, with names of 64 bytes, as some exporters write them.
    pub const fn has_wide_frames(&self) -> bool {
        self.parts.frames.stride() != FRAME_SIZE
    }

    /// Frame `index`, or `None` past the last.
    pub fn frame(&self, index: usize) -> Option<Frame<'a>> {
        let span = self.parts.frames.slice(u64::try_from(index).ok()?, 1)?;
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
        // Every index below the count has a record, so the default never shows.
        (0..self.frame_count()).map(|index| self.frame(index).unwrap_or_default())
    }

    /// The frames, once all are known to hold finite numbers. O(frames).
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

    /// Number of tags in each frame.
    pub fn tag_count(&self) -> usize {
        usize::try_from(self.parts.tags_per_frame).unwrap_or(usize::MAX)
    }

    fn tag_span(&self, frame: usize, tag: usize) -> Option<Span> {
        if tag >= self.tag_count() {
            return None;
        }
        let index = frame.checked_mul(self.tag_count())?.checked_add(tag)?;
        self.parts.tags.slice(u64::try_from(index).ok()?, 1)
    }

    /// Tag `tag` as it stands in frame `frame`, or `None` past the last of either.
    pub fn tag(&self, frame: usize, tag: usize) -> Option<Tag<'a>> {
        let span = self.tag_span(frame, tag)?;
        let record = layout::Tag::ref_from_bytes(self.data.bind(span).ok()?).ok()?;
        Some(Tag {
            offset: span.offset(),
            name: Name::new(&record.name),
            origin: record.origin.map(little_endian::F32::get),
            axis: record.axis.map(|row| row.map(little_endian::F32::get)),
        })
    }

    /// The tags of one frame; none past the last frame.
    pub fn tags(&self, frame: usize) -> impl Iterator<Item = Tag<'a>> + '_ {
        (0..self.tag_count()).map_while(move |tag| self.tag(frame, tag))
    }

    /// The number of the first tag of this name, in any case.
    pub fn find_tag(&self, name: &str) -> Option<usize> {
        self.tags(0).position(|tag| tag.name.eq_ignore_case(name))
    }

    /// The origins of all tags in all frames: element `frame * tag_count + tag`.
    pub fn tag_origins(&self) -> Lens<'a, F32<3>> {
        let skip = size_of::<[u8; 64]>();
        lens_at(self.data, self.parts.tags, skip, F32::<3>)
    }

    /// Row `row` (0 to 2: the local X, Y and Z axis) of every tag's axis matrix; empty for other rows.
    pub fn tag_axes(&self, row: usize) -> Lens<'a, F32<3>> {
        if row > 2 {
            return Lens::empty(F32);
        }
        let skip = row.saturating_mul(12).saturating_add(76);
        lens_at(self.data, self.parts.tags, skip, F32::<3>)
    }

    /// Tag `tag` between two frames: origin and axes are blended, `a` at `t = 0` and `b` at `t = 1`, and each axis
    /// is then scaled to length 1. Name and offset are those of frame `a`.
    ///
    /// # Errors
    ///
    /// A tag or a frame that is out of range.
    pub fn interpolate_tag(&self, tag: usize, a: usize, b: usize, t: f32) -> Result<Tag<'a>> {
        let get = |frame: usize| {
            self.tag(frame, tag).ok_or_else(|| {
                let (what, index, count) = if tag < self.tag_count() {
                    ("frame", frame, self.frame_count())
                } else {
                    ("tag", tag, self.tag_count())
                };
                let index = i64::try_from(index).unwrap_or(i64::MAX);
                self.data
                    .error(self.parts.tags.offset(), ErrorKind::Index { what, index, count: count as u64 })
            })
        };
        let (from, to) = (get(a)?, get(b)?);
        Ok(from.lerp(&to, t))
    }

    /// Number of surfaces.
    pub fn surface_count(&self) -> usize {
        self.parts.surfaces().len()
    }

    /// Surface `index`, or `None` past the last.
    pub fn surface(&self, index: usize) -> Option<Surface<'a>> {
        let parts = self.parts.surfaces().get(index)?;
        Some(Surface::new(self.data, *parts, index))
    }

    /// The surfaces, in order.
    pub fn surfaces(&self) -> impl ExactSizeIterator<Item = Surface<'a>> + DoubleEndedIterator + '_ {
        let surfaces = self.parts.surfaces().iter().enumerate();
        surfaces.map(|(index, parts)| Surface::new(self.data, *parts, index))
    }

    /// The first surface of this name, in any case.
    pub fn find_surface(&self, name: &str) -> Option<Surface<'a>> {
        self.surfaces().find(|surface| surface.name().eq_ignore_case(name))
    }

    /// The box around the vertices of all surfaces in one frame, decoded; `None` where there is no vertex or no
    /// such frame. The bounds stored in frames are not always right: this is O(vertices).
    pub fn compute_bounds(&self, frame: usize) -> Option<Bounds> {
        let boxes = self.surfaces().filter_map(|surface| surface.compute_bounds(frame));
        boxes.reduce(|a, b| a.union(&b))
    }
}

/// A lens onto one field of a table of records, `skip` bytes into each.
pub(crate) fn lens_at<'a, E: meshlens_lens::Encoding>(
    data: Data<'a>,
    span: Span,
    skip: usize,
    encoding: E,
) -> Lens<'a, E> {
    let records = data.bind(span).unwrap_or_default();
    let [stride, count] =
        [u64::from(span.stride()), span.count()].map(|n| usize::try_from(n).unwrap_or_default());
    Lens::field(encoding, records, span.offset(), stride, count, skip)
}

/// MD3: Frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Frame<'a> {
    /// Absolute offset of the record.
    pub offset: u64,
    /// The frame's name, often that of the exporter.
    pub name: Name<'a>,
    /// The box around the vertices of this frame, as stored; [`Md3::compute_bounds`] is the true one.
    pub bounds: Bounds,
    /// The centre of the bounding sphere, usually the origin.
    pub local_origin: [f32; 3],
    /// The radius of the bounding sphere.
    pub radius: f32,
}

impl Frame<'_> {
    /// Whether no number of the frame is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        let [min, max] = [self.bounds.min, self.bounds.max];
        self.radius.is_finite() && [min, max, self.local_origin].as_flattened().iter().all(|v| v.is_finite())
    }
}

/// MD3: Tag, an attachment point for another model.
#[derive(Clone, Copy, Debug)]
pub struct Tag<'a> {
    /// Absolute offset of the record.
    pub offset: u64,
    /// The tag's name, such as `tag_weapon`.
    pub name: Name<'a>,
    /// Where it is, in model units.
    pub origin: [f32; 3],
    /// The local X, Y and Z axis, one row each. Not always of length 1, and in a few files left-handed.
    pub axis: [[f32; 3]; 3],
}

impl Tag<'_> {
    /// Blends origin and axes and scales each axis to length 1.
    fn lerp(mut self, to: &Tag<'_>, t: f32) -> Self {
        let blend = |from: &mut [f32; 3], to: &[f32; 3]| {
            for (from, to) in from.iter_mut().zip(to) {
                *from = *from * (1.0 - t) + *to * t;
            }
        };
        blend(&mut self.origin, &to.origin);
        for (row, to) in self.axis.iter_mut().zip(&to.axis) {
            blend(row, to);
            let length = libm::sqrtf(row.iter().map(|v| v * v).sum());
            if length > 0.0 {
                row.iter_mut().for_each(|v| *v /= length);
            }
        }
        self
    }

    /// The determinant of the axes: about 1, and negative for a left-handed tag.
    pub fn determinant(&self) -> f32 {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.axis;
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    }

    /// Whether no number of the tag is NaN or infinite.
    pub fn is_finite(&self) -> bool {
        self.origin.iter().chain(self.axis.as_flattened()).all(|value| value.is_finite())
    }
}
