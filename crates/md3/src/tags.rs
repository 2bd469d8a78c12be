//! The tags of a model: attachment points for other models, in every frame.

use glam::{Mat3, Vec3};
use meshlens_lens::Lens;
use meshlens_wire::{Data, Name, Presence, Record, Result, Span};

use crate::Md3;
use crate::encoding::F32;
use crate::layout;

/// The offsets of a tag's fields in its record: the origin follows the name, and the three axes follow the origin.
const TAG_ORIGIN: usize = 64;
const TAG_AXES: [usize; 3] = [76, 88, 100];

impl<'a, P: Presence> Md3<'a, P> {
    /// The number of tags in each frame.
    pub fn tag_count(&self) -> usize {
        self.parts().tags_per_frame()
    }

    /// Tag `tag` in frame `frame`, or `None` if either is out of range.
    pub fn tag(&self, frame: usize, tag: usize) -> Option<P::Of<Tag<'a>>> {
        let span = self.tags_of(frame)?.slice(tag as u64, 1)?;
        Some(P::read(Tag::read(self.data(), span), Tag::default))
    }

    /// The tags of one frame, in order. Empty if the frame is out of range.
    pub fn tags(&self, frame: usize) -> impl ExactSizeIterator<Item = P::Of<Tag<'a>>> + use<'a, P> {
        let data = self.data();
        let spans = self.tags_of(frame).unwrap_or_default().elements();
        spans.map(move |span| P::read(Tag::read(data, span), Tag::default))
    }

    /// The tags of one frame, or `None` if it is out of range.
    fn tags_of(&self, frame: usize) -> Option<Span> {
        let count = self.tag_count() as u64;
        self.parts().tags().slice((frame as u64).checked_mul(count)?, count)
    }

    /// The origins of all tags in all frames: element `frame * tag_count + tag`.
    pub fn tag_origins(&self) -> P::Of<Lens<'a, F32<3>>> {
        Lens::bind_in::<P>(self.data(), self.parts().tags(), TAG_ORIGIN, F32::<3>)
    }

    /// Row `row` of the axes of every tag in every frame: its local X (0), Y (1) or Z axis (2).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if `row` is not 0, 1 or 2.
    pub fn tag_axes(&self, row: usize) -> Result<Lens<'a, F32<3>>> {
        let Some(skip) = TAG_AXES.get(row) else {
            return Err(self.data().index_error(self.parts().tags().offset(), "row", row, TAG_AXES.len()));
        };
        Lens::bind(self.data(), self.parts().tags(), *skip, F32::<3>)
    }
}

impl<'a> Md3<'a> {
    /// The index of the first tag with this name, or `None` if there is none. ASCII letters match in any case.
    pub fn find_tag(&self, name: &str) -> Option<usize> {
        self.tags(0).position(|tag| tag.name.eq_ignore_case(name))
    }

    /// Tag `tag` between two frames. Origin and axes are interpolated, from frame `a` at `t = 0` to frame `b` at
    /// `t = 1`, and each axis is normalized. The name and the offset are taken from frame `a`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Index`](meshlens_wire::ErrorKind::Index) if the tag or a frame is out of range.
    pub fn interpolate_tag(&self, tag: usize, a: usize, b: usize, t: f32) -> Result<Tag<'a>> {
        let get = |frame: usize| {
            self.tag(frame, tag).ok_or_else(|| {
                let (what, index, count) = if tag < self.tag_count() {
                    ("frame", frame, self.frame_count())
                } else {
                    ("tag", tag, self.tag_count())
                };
                self.data().index_error(self.parts().tags().offset(), what, index, count)
            })
        };
        let (from, to) = (get(a)?, get(b)?);
        Ok(from.lerp(&to, t))
    }
}

/// An attachment point for another model, in one frame (MD3: Tag).
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Tag<'a> {
    /// The absolute offset of the record.
    pub offset: u64,
    /// The tag's name, such as `tag_weapon`.
    pub name: Name<'a>,
    /// The position in model units.
    pub origin: [f32; 3],
    /// The local X, Y and Z axis, one row each. In some files, their length is not 1, and in a few files, they are
    /// left-handed.
    pub axis: [[f32; 3]; 3],
}

impl<'a> Tag<'a> {
    fn read(data: Data<'a>, span: Span) -> Result<Self> {
        let record = data.bind(span)?;
        let layout::Tag { origin, axis, .. } = layout::Tag::read(record);
        let name = Name::new(record.get(..TAG_ORIGIN).unwrap_or_default());
        Ok(Tag { offset: span.offset(), name, origin, axis })
    }
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

    /// The matrix from the space of the attached model to the space of this model, column-major. It includes the scale of
    /// axes whose length is not 1; engines normalize the axes.
    pub const fn to_matrix(&self) -> [[f32; 4]; 4] {
        let ([[a, b, c], [d, e, f], [g, h, i]], [x, y, z]) = (self.axis, self.origin);
        [[a, b, c, 0.0], [d, e, f, 0.0], [g, h, i, 0.0], [x, y, z, 1.0]]
    }

    /// The determinant of the axes: about 1, and negative for a left-handed tag.
    pub fn determinant(&self) -> f32 {
        Mat3::from_cols_array_2d(&self.axis).determinant()
    }

    /// Whether all numbers of the tag are finite.
    pub fn is_finite(&self) -> bool {
        self.origin.iter().chain(self.axis.as_flattened()).all(|value| value.is_finite())
    }
}
