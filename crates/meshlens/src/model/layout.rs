//! The layout of the vertices in a buffer.

use arrayvec::ArrayVec;
use meshlens_lens::{Semantic, VertexBufferLayout, VertexFormat};
use meshlens_wire::{Checks, Result};

/// The largest number of attributes in a layout. GPUs support 16 to 32.
pub const MAX_ATTRIBUTES: usize = 32;

/// The layout of the vertices in a buffer.
///
/// ```
/// use meshlens::lens::VertexFormat;
/// use meshlens::model::{Semantic, VertexLayout};
///
/// let layout = VertexLayout::new(20)
///     .with(Semantic::Position, 0, VertexFormat::Float32x3)
///     .with(Semantic::Normal, 12, VertexFormat::Octahedral16x2)
///     .with(Semantic::Texcoord, 16, VertexFormat::Unorm16x2);
/// assert_eq!(layout.stride(), 20);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct VertexLayout {
    pub(super) layout: VertexBufferLayout,
    pub(super) attributes: ArrayVec<Field, MAX_ATTRIBUTES>,
    /// The number of attributes that were added, which may be too large.
    count: usize,
}

/// An attribute of a layout. Numbers have 32 bits, because layouts are moved, and larger ones are out of range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) semantic: Semantic,
    set: u32,
    offset: u32,
    pub(super) format: VertexFormat,
}

impl Field {
    pub(super) const fn set(&self) -> usize {
        self.set as usize
    }

    pub(super) const fn offset(&self) -> usize {
        self.offset as usize
    }

    /// Whether the attribute depends on the pose.
    pub(super) const fn moves(&self) -> bool {
        matches!(self.semantic, Semantic::Position | Semantic::Normal | Semantic::Tangent)
    }
}

impl VertexLayout {
    /// Makes a layout of `stride` bytes for each vertex, without attributes. Bytes that belong to no attribute are not
    /// written.
    pub const fn new(stride: usize) -> Self {
        VertexLayout { layout: VertexBufferLayout::new(stride), attributes: ArrayVec::new_const(), count: 0 }
    }

    /// Makes a layout of attributes one after another, each given by its semantic, its set and its format, and aligned to
    /// the size of one component. The stride is aligned to the largest component.
    ///
    /// ```
    /// use meshlens::lens::VertexFormat::{Float32x3, Snorm8x4, Unorm8x2};
    /// use meshlens::model::{Semantic, VertexLayout};
    ///
    /// let attributes = [(Semantic::Texcoord, 0, Unorm8x2), (Semantic::Position, 0, Float32x3), (Semantic::Normal, 0, Snorm8x4)];
    /// let layout = VertexLayout::packed(&attributes);
    /// assert_eq!((layout.offsets().collect::<Vec<_>>(), layout.stride()), (vec![0, 4, 16], 20));
    /// ```
    #[must_use]
    pub fn packed(attributes: &[(Semantic, usize, VertexFormat)]) -> Self {
        let (mut made, mut end, mut align) = (VertexLayout::new(0), 0usize, 1);
        for &(semantic, set, format) in attributes {
            let offset = end.next_multiple_of(format.align());
            (end, align) = (offset + format.size(), align.max(format.align()));
            made = made.with_set(semantic, set, offset, format);
        }
        VertexLayout { layout: VertexBufferLayout::new(end.next_multiple_of(align)), ..made }
    }

    /// The offset of each attribute in a vertex, in the order in which they were added.
    pub fn offsets(&self) -> impl Iterator<Item = usize> + '_ {
        self.attributes.iter().map(Field::offset)
    }

    /// Adds an attribute, `offset` bytes into each vertex, stored as `format`: positions and normals have three components,
    /// tangents (a direction and the sign of the bitangent), colors and weights four, texture coordinates two. The indices
    /// of joints need an integer format of four components, such as [`Uint16x4`](VertexFormat::Uint16x4), or
    /// [`Uint8x4`](VertexFormat::Uint8x4) for a model of up to 256 joints.
    #[must_use]
    pub fn with(self, semantic: Semantic, offset: usize, format: VertexFormat) -> Self {
        self.with_set(semantic, 0, offset, format)
    }

    /// Adds a set of texture coordinates or colors, like [`with`](Self::with), which adds the first one.
    #[must_use]
    pub fn with_set(mut self, semantic: Semantic, set: usize, offset: usize, format: VertexFormat) -> Self {
        self.add(semantic, set, offset, format);
        self
    }

    /// Adds an attribute in place, like [`with_set`](Self::with_set), for layouts that are made for each buffer.
    pub fn add(&mut self, semantic: Semantic, set: usize, offset: usize, format: VertexFormat) {
        // Buffers of layouts with too many attributes are errors.
        let [set, offset] = [set, offset].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        let _ = self.attributes.try_push(Field { semantic, set, offset, format });
        self.count += 1;
    }

    /// The attributes that a pose changes: positions, normals and tangents. Their offsets and the stride stay. A buffer that
    /// was filled once with the whole layout is brought to the next pose by this one: other bytes are unchanged, and cost
    /// nothing. Stores are ordinary ones, because those past the cache write every byte.
    ///
    /// ```
    /// use meshlens::lens::VertexFormat;
    /// use meshlens::model::{Model, Semantic, VertexLayout};
    ///
    /// # let bytes = meshlens::md3::write::sample(&[4.0, 8.0])?;
    /// let model = Model::parse(&bytes)?;
    /// let layout =
    ///     VertexLayout::new(20).with(Semantic::Position, 0, VertexFormat::Float32x3).with(Semantic::Texcoord, 12, VertexFormat::Float32x2);
    /// let mut vertices = [0; 3 * 20];
    /// model.fill_vertex_buffer(0, 0, &layout, &mut vertices)?;
    /// let texcoords = vertices[12..20].to_vec();
    /// model.fill_vertex_buffer(0, 1, &layout.moving(), &mut vertices)?;
    /// assert_eq!(vertices[40 + 8..][..4], 8f32.to_ne_bytes());
    /// assert_eq!(vertices[12..20], texcoords);
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    #[must_use]
    pub fn moving(&self) -> Self {
        self.only(|field| field.moves())
    }

    /// The attributes that no pose changes: those that [`moving`](Self::moving) leaves out.
    #[must_use]
    pub fn still(&self) -> Self {
        self.only(|field| !field.moves())
    }

    fn only(&self, mut keeps: impl FnMut(&Field) -> bool) -> Self {
        let mut made = self.clone();
        made.layout = VertexBufferLayout::new(self.stride());
        made.attributes.retain(|field| keeps(field));
        made.count -= self.attributes.len() - made.attributes.len();
        made
    }

    /// Returns an error if there are too many attributes.
    pub(super) fn check(&self) -> Result<()> {
        Checks::new("vertex buffer").at_most("attributes of a vertex", MAX_ATTRIBUTES, self.count)
    }

    /// Writes with stores that bypass the cache, like [`VertexBufferLayout::non_temporal`]. Use it for mapped staging
    /// memory.
    #[must_use]
    pub const fn non_temporal(mut self) -> Self {
        self.layout = self.layout.non_temporal();
        self
    }

    /// The number of bytes from one vertex to the next.
    pub const fn stride(&self) -> usize {
        self.layout.stride()
    }

    /// Whether vertices have joints or weights.
    pub(crate) fn has_influences(&self) -> bool {
        self.attributes.iter().any(|field| matches!(field.semantic, Semantic::Joints | Semantic::Weights))
    }
}
