//! The writer: makes two canonical files from plain arrays.
//!
//! In a canonical pair, the unused header is zero, frames have no gaps, and nothing follows the last triangle or frame.
//! Reading a canonical pair with [`Unreal::parse`] and writing it again gives the same bytes.

use alloc::vec::Vec;

use crate::encoding::{UnrealPackedInteger, UnrealPackedUnits, UnrealWide, UnrealWideInteger};
use meshlens_lens::Encode;
use meshlens_wire::{Checks, Code, ErrorKind, Place, Record, Result, Used, Writer};
use zerocopy::little_endian::{I16, U32};

use crate::layout::{self, MAX_FRAMES, MAX_PACKED_VERTICES, MAX_TRIANGLES, MAX_WIDE_VERTICES};
use crate::{FRAMES, GEOMETRY, Triangle, Unreal, VertexEncoding, codes};

/// The codes of findings that [`Model::mend`] and a canonical pair do not have.
pub static MENDED: &[&Code] = &[
    &codes::TRAILING_BYTES,
    &codes::FRAME_PADDED,
    &codes::FRAME_SIZE_MISTAKEN,
    &codes::VERTEX_COUNT_MISTAKEN,
    &codes::FRAMES_TRUNCATED,
    &codes::FRAME_INCOMPLETE,
    &codes::VERTEX_UNUSED,
];

/// A 16-bit position with its padding, which is written as 0.
fn padded([x, y, z]: [I16; 3]) -> [i16; 4] {
    [x.get(), y.get(), z.get(), 0]
}

/// A mesh as plain arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The triangles, clockwise.
    pub triangles: Vec<Triangle>,
    /// The number of vertices in each frame.
    pub vertices_per_frame: usize,
    /// The vertices of frame 0, then the vertices of frame 1, and so on.
    pub vertices: Vertices,
}

/// Encoded vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vertices {
    /// Packed vertices (Unreal: Appendix C).
    Packed(Vec<u32>),
    /// 16-bit vertices: x, y, z and padding.
    Wide(Vec<[i16; 4]>),
}

impl Vertices {
    /// How vertices are stored.
    pub const fn format(&self) -> VertexEncoding {
        match self {
            Vertices::Packed(_) => VertexEncoding::Packed,
            Vertices::Wide(_) => VertexEncoding::Wide,
        }
    }

    /// The number of vertices in all frames.
    pub const fn len(&self) -> usize {
        match self {
            Vertices::Packed(vertices) => vertices.len(),
            Vertices::Wide(vertices) => vertices.len(),
        }
    }

    /// Whether there are no vertices.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The two files of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The content of the geometry file (`_d.3d`).
    pub geometry: Vec<u8>,
    /// The content of the frames file (`_a.3d`).
    pub frames: Vec<u8>,
}

impl Files {
    /// Both files in one, after [`UMSH`](layout::UMSH), as some engines load them. O(bytes).
    pub fn packed(&self) -> Vec<u8> {
        [&layout::UMSH[..], &self.geometry, &self.frames].concat()
    }
}

/// The checks of the writer, for each of the files.
const GEOMETRY_CHECKS: Checks = Checks::new(GEOMETRY);
const FRAMES_CHECKS: Checks = Checks::new(FRAMES);

impl Model {
    /// Makes a mesh without triangles and frames, whose frames will have `vertices_per_frame` vertices each.
    pub const fn new(format: VertexEncoding, vertices_per_frame: usize) -> Self {
        let vertices = match format {
            VertexEncoding::Packed => Vertices::Packed(Vec::new()),
            VertexEncoding::Wide => Vertices::Wide(Vec::new()),
        };
        Model { triangles: Vec::new(), vertices_per_frame, vertices }
    }

    /// The number of frames; 0 if frames have no vertices.
    pub const fn frame_count(&self) -> usize {
        match self.vertices.len().checked_div(self.vertices_per_frame) {
            Some(frames) => frames,
            None => 0,
        }
    }

    /// Adds a frame in the units of [`Unreal::unit_positions`], encoded with the formula of Appendix C, which truncates
    /// to multiples of 1/8 (Z: 1/4), or as 16-bit integers. Positions that are out of range are clamped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if there is not one position for each vertex.
    pub fn add_frame(&mut self, positions: &[[f32; 3]]) -> Result<()> {
        self.encode_frame(positions, UnrealPackedUnits, UnrealWide)
    }

    /// Adds a frame of integers, as [`Unreal::integer_positions`] returns them. Integers that are out of range for packed
    /// vertices are clamped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Length`] if there is not one position for each vertex.
    pub fn add_integer_frame(&mut self, positions: &[[i16; 3]]) -> Result<()> {
        self.encode_frame(positions, UnrealPackedInteger, UnrealWideInteger)
    }

    fn encode_frame<V: Copy>(
        &mut self,
        positions: &[V],
        packed: impl Encode<Value = V, Raw = U32>,
        wide: impl Encode<Value = V, Raw = [I16; 3]>,
    ) -> Result<()> {
        FRAMES_CHECKS.length("vertices of the frame", self.vertices_per_frame, positions.len())?;
        let positions = positions.iter().copied();
        match &mut self.vertices {
            Vertices::Packed(vertices) => vertices.extend(positions.map(|value| packed.encode(value).get())),
            Vertices::Wide(vertices) => vertices.extend(positions.map(|value| padded(wide.encode(value)))),
        }
        Ok(())
    }

    /// Removes the vertices that no triangle uses, from all frames. A mesh without triangles keeps all of them, because frames
    /// without vertices are not stored. O(vertices).
    ///
    /// ```
    /// use meshlens_unreal::write::Model;
    /// use meshlens_unreal::{Triangle, VertexEncoding};
    ///
    /// let mut model = Model::new(VertexEncoding::Packed, 4);
    /// model.add_frame(&[[8.0, 0.0, 0.0]; 4])?;
    /// model.triangles.push(Triangle { vertices: [0, 1, 3], ..Triangle::default() });
    /// model.mend();
    /// assert_eq!((model.vertices_per_frame, model.vertices.len()), (3, 3));
    /// assert_eq!(model.triangles[0].vertices, [0, 1, 2]);
    /// # Ok::<(), meshlens_unreal::Error>(())
    /// ```
    pub fn mend(&mut self) {
        if self.triangles.is_empty() {
            return;
        }
        let corners = self.triangles.iter().flat_map(|triangle| triangle.vertices.map(u32::from));
        let used = Used::new(self.vertices_per_frame, corners);
        match &mut self.vertices {
            Vertices::Packed(vertices) => used.keep(vertices, 1),
            Vertices::Wide(vertices) => used.keep(vertices, 1),
        }
        self.vertices_per_frame -= used.unused();
        for triangle in &mut self.triangles {
            // A number is not larger than the index.
            triangle.vertices = triangle.vertices.map(|vertex| used.number(vertex.into()) as u16);
        }
    }

    /// Writes the canonical files.
    ///
    /// # Errors
    ///
    /// A vertex index is out of range; the vertices are not a whole number of frames; or there are more than 65,535
    /// triangles, 65,535 frames, 16,383 packed vertices or 8,191 16-bit vertices, which the fields of the headers
    /// cannot store.
    pub fn write(&self) -> Result<Files> {
        for (number, triangle) in (0u64..).zip(&self.triangles) {
            let checked = GEOMETRY_CHECKS.all_below("vertex", triangle.vertices, self.vertices_per_frame);
            checked.map_err(|error| error.at(Place::new("triangle", number)))?;
        }
        self.write_as_is()
    }

    /// Writes the files without a check of vertex indices, so that the indices of a broken file are kept.
    ///
    /// # Errors
    ///
    /// Same as [`write`](Self::write), except for vertex indices.
    pub fn write_as_is(&self) -> Result<Files> {
        let format = self.vertices.format();
        let most = match format {
            VertexEncoding::Packed => MAX_PACKED_VERTICES,
            VertexEncoding::Wide => MAX_WIDE_VERTICES,
        };
        FRAMES_CHECKS.at_most("vertices", most, self.vertices_per_frame)?;
        GEOMETRY_CHECKS.at_most("triangles", MAX_TRIANGLES, self.triangles.len())?;
        FRAMES_CHECKS.at_most("frames", MAX_FRAMES, self.frame_count())?;
        // None of them is larger than 65,535.
        let [vertices, triangles, frames] =
            [self.vertices_per_frame, self.triangles.len(), self.frame_count()].map(|count| count as u16);
        let whole = usize::from(frames) * usize::from(vertices);
        if whole != self.vertices.len() {
            let kind = ErrorKind::Mismatch {
                what: "vertices of all frames",
                found: i64::try_from(self.vertices.len()).unwrap_or(i64::MAX),
                with: "vertices of one",
                other: vertices.into(),
            };
            return Err(FRAMES_CHECKS.error(kind));
        }

        let triangles_size = usize::from(triangles) * layout::Triangle::SIZE;
        let mut geometry = Writer::with_capacity(GEOMETRY, layout::Header::SIZE + triangles_size);
        let header =
            layout::Header { num_polygons: triangles, num_vertices: vertices, ..layout::Header::default() };
        geometry.record(&header);
        for triangle in &self.triangles {
            geometry.record(&layout::Triangle::from(triangle));
        }

        let vertex_size = format.size();
        // At most 16,383 x 4 or 8,191 x 8 bytes.
        let frame_size = (u32::from(vertices) * vertex_size) as u16;
        let vertices_size = whole * vertex_size as usize;
        let mut out = Writer::with_capacity(FRAMES, layout::FrameHeader::SIZE + vertices_size);
        out.record(&layout::FrameHeader { num_frames: frames, frame_size });
        match &self.vertices {
            Vertices::Packed(vertices) => out.u32s(vertices),
            Vertices::Wide(vertices) => out.i16s(vertices.as_flattened()),
        }
        Ok(Files { geometry: geometry.finish(), frames: out.finish() })
    }
}

impl From<&Unreal<'_>> for Model {
    /// Copies a mesh out of its files: vertices as they are stored, with the padding of 16-bit vertices. Bytes between
    /// and after frames are omitted. Triangles with vertex indices that are out of range are kept: see
    /// [`Model::write_as_is`].
    fn from(unreal: &Unreal<'_>) -> Self {
        let mut model = Model::new(unreal.vertex_encoding(), unreal.vertex_count());
        model.triangles.extend(unreal.geometry().records());
        // Every frame is in range.
        for frame in (0..unreal.frame_count()).filter_map(|frame| unreal.vertex_bytes(frame).ok()) {
            match &mut model.vertices {
                Vertices::Packed(vertices) => {
                    let (frame, _) = frame.as_chunks::<4>();
                    vertices.extend(frame.iter().map(|vertex| u32::from_le_bytes(*vertex)));
                }
                Vertices::Wide(vertices) => {
                    let (frame, _) = frame.as_chunks::<8>();
                    vertices.extend(frame.iter().map(|vertex| <[i16; 4]>::read(vertex)));
                }
            }
        }
        model
    }
}
