//! The writer: plain arrays in, two canonical files out.
//!
//! Canonical means: the unused header is zero, frames lie without gaps, and nothing follows the last triangle or
//! frame. A canonical pair read with [`Unreal::parse`] and written again is the same byte for byte.

use alloc::vec::Vec;

use meshlens_lens::Encode;
use meshlens_lens::encoding::{UnrealPackedInteger, UnrealPackedUnits, UnrealWide, UnrealWideInteger};
use meshlens_wire::{Error, ErrorKind, Expected, Place, Result};
use zerocopy::little_endian::{I16, U16, U32};
use zerocopy::{FromZeros, IntoBytes};

use crate::layout::{self, MAX_FRAMES, MAX_PACKED_VERTICES, MAX_TRIANGLES, MAX_WIDE_VERTICES};
use crate::{FRAMES, GEOMETRY, Triangle, Unreal, VertexFormat, VertexLens};

/// A mesh as plain arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// The triangles, their corners clockwise.
    pub triangles: Vec<Triangle>,
    /// Vertices of one frame.
    pub vertices_per_frame: usize,
    /// The vertices of frame 0, then those of frame 1, and so on.
    pub vertices: Vertices,
}

/// Vertices as they are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Vertices {
    /// Packed ones (Unreal: Appendix C).
    Packed(Vec<u32>),
    /// 16-bit ones: x, y, z and a pad.
    Wide(Vec<[i16; 4]>),
}

impl Vertices {
    /// How they are stored.
    pub const fn format(&self) -> VertexFormat {
        match self {
            Vertices::Packed(_) => VertexFormat::Packed,
            Vertices::Wide(_) => VertexFormat::Wide,
        }
    }

    /// How many there are, in all frames.
    pub const fn len(&self) -> usize {
        match self {
            Vertices::Packed(vertices) => vertices.len(),
            Vertices::Wide(vertices) => vertices.len(),
        }
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The two files of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// The content of `_d.3d`.
    pub geometry: Vec<u8>,
    /// The content of `_a.3d`.
    pub frames: Vec<u8>,
}

fn error(format: &'static str, kind: ErrorKind) -> Error {
    // There is no file yet, so there is no offset.
    Error::new(format, 0, kind)
}

fn limited(format: &'static str, what: &'static str, found: usize, limit: u32) -> Result<u16> {
    let within = u16::try_from(found).ok().filter(|count| u32::from(*count) <= limit);
    within.ok_or_else(|| error(format, ErrorKind::Limit { what, limit: limit.into(), found: found as u64 }))
}

impl Model {
    /// A mesh without triangles and frames.
    pub const fn new(format: VertexFormat, vertices_per_frame: usize) -> Self {
        let vertices = match format {
            VertexFormat::Packed => Vertices::Packed(Vec::new()),
            VertexFormat::Wide => Vertices::Wide(Vec::new()),
        };
        Model { triangles: Vec::new(), vertices_per_frame, vertices }
    }

    /// Frames; 0 where they have no vertices.
    pub const fn frame_count(&self) -> usize {
        match self.vertices.len().checked_div(self.vertices_per_frame) {
            Some(frames) => frames,
            None => 0,
        }
    }

    fn check_frame(&self, found: usize) -> Result<()> {
        if found == self.vertices_per_frame {
            return Ok(());
        }
        let to_i64 = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
        let (what, expected) = ("vertices of the frame", Expected::Exactly(to_i64(self.vertices_per_frame)));
        Err(error(FRAMES, ErrorKind::Value { what, expected, found: to_i64(found) }))
    }

    /// Adds a frame in the units of [`Unreal::unit_positions`]: packed by the formula of Appendix C, which cuts off
    /// fractions of an eighth (Z: a quarter), or as 16-bit integers. What does not fit stops at the nearest end.
    ///
    /// # Errors
    ///
    /// Not one position for each vertex.
    pub fn add_frame(&mut self, positions: &[[f32; 3]]) -> Result<()> {
        self.check_frame(positions.len())?;
        match &mut self.vertices {
            Vertices::Packed(vertices) => {
                vertices.extend(positions.iter().map(|position| UnrealPackedUnits.encode(*position).get()));
            }
            Vertices::Wide(vertices) => {
                vertices.extend(positions.iter().map(|position| UnrealWide.encode(*position).map(I16::get)));
            }
        }
        Ok(())
    }

    /// Adds a frame of integers as [`Unreal::integer_positions`] gives them. What does not fit packed vertices stops
    /// at the nearest end.
    ///
    /// # Errors
    ///
    /// Not one position for each vertex.
    pub fn add_integer_frame(&mut self, positions: &[[i16; 3]]) -> Result<()> {
        self.check_frame(positions.len())?;
        match &mut self.vertices {
            Vertices::Packed(vertices) => {
                vertices.extend(positions.iter().map(|position| UnrealPackedInteger.encode(*position).get()));
            }
            Vertices::Wide(vertices) => {
                vertices.extend(
                    positions.iter().map(|position| UnrealWideInteger.encode(*position).map(I16::get)),
                );
            }
        }
        Ok(())
    }

    /// The canonical files.
    ///
    /// # Errors
    ///
    /// A triangle that names no vertex; vertices that make no whole number of frames; more than 65,535 triangles or
    /// frames, 16,383 packed or 8,191 16-bit vertices, which is all that the headers' numbers can speak of.
    pub fn write(&self) -> Result<Files> {
        for (number, triangle) in (0u64..).zip(&self.triangles) {
            let past = triangle.vertices.iter().find(|index| usize::from(**index) >= self.vertices_per_frame);
            if let Some(index) = past {
                let (index, count) = (i64::from(*index), self.vertices_per_frame as u64);
                let kind = ErrorKind::Index { what: "vertex", index, count };
                return Err(error(GEOMETRY, kind).at(Place::new("triangle", number)));
            }
        }
        self.write_as_is()
    }

    /// As [`write`](Self::write), but triangles are not looked at: those of a broken file that name no vertex stay as
    /// they are.
    ///
    /// # Errors
    ///
    /// The others of [`write`](Self::write).
    pub fn write_as_is(&self) -> Result<Files> {
        let format = self.vertices.format();
        let most = match format {
            VertexFormat::Packed => MAX_PACKED_VERTICES,
            VertexFormat::Wide => MAX_WIDE_VERTICES,
        };
        let vertices = limited(FRAMES, "vertices", self.vertices_per_frame, most)?;
        let triangles = limited(GEOMETRY, "triangles", self.triangles.len(), MAX_TRIANGLES)?;
        let frames = limited(FRAMES, "frames", self.frame_count(), MAX_FRAMES)?;
        let whole = usize::from(frames).saturating_mul(self.vertices_per_frame);
        if whole != self.vertices.len() {
            let kind = ErrorKind::Mismatch {
                what: "vertices of all frames",
                found: i64::try_from(self.vertices.len()).unwrap_or(i64::MAX),
                with: "vertices of one",
                other: vertices.into(),
            };
            return Err(error(FRAMES, kind));
        }

        let mut header = layout::Header::new_zeroed();
        header.num_polygons = U16::new(triangles);
        header.num_vertices = U16::new(vertices);
        let mut geometry = Vec::from(header.as_bytes());
        let size = usize::from(triangles).saturating_mul(size_of::<layout::Triangle>());
        geometry.reserve_exact(size);
        for triangle in &self.triangles {
            geometry.extend(layout::Triangle::from(triangle).as_bytes());
        }

        let vertex_size = format.size();
        // At most 16,383 x 4 or 8,191 x 8.
        let frame_size = u32::from(vertices).saturating_mul(vertex_size) as u16;
        let header = layout::FrameHeader { num_frames: U16::new(frames), frame_size: U16::new(frame_size) };
        let mut out = Vec::from(header.as_bytes());
        out.reserve_exact(whole.saturating_mul(vertex_size as usize));
        match &self.vertices {
            Vertices::Packed(vertices) => out.extend(vertices.iter().flat_map(|vertex| vertex.to_le_bytes())),
            Vertices::Wide(vertices) => {
                out.extend(vertices.as_flattened().iter().flat_map(|axis| axis.to_le_bytes()));
            }
        }
        Ok(Files { geometry, frames: out })
    }
}

impl From<&Unreal<'_>> for Model {
    /// Copies a mesh out of its files, vertices as they are stored, pads of 16-bit ones included. What lies between
    /// and behind frames is left out, and triangles that name no vertex are kept: see [`Model::write_as_is`].
    fn from(unreal: &Unreal<'_>) -> Self {
        let frames = (0..unreal.frame_count()).filter_map(|frame| unreal.positions(frame).ok());
        let mut model = Model::new(unreal.vertex_format(), unreal.vertex_count());
        model.triangles.extend(unreal.geometry().records());
        for frame in frames {
            match (&mut model.vertices, frame) {
                (Vertices::Packed(vertices), VertexLens::Packed(lens)) => {
                    vertices.extend((0..lens.len()).filter_map(|index| lens.get_raw(index)).map(U32::get));
                }
                (Vertices::Wide(vertices), VertexLens::Wide(lens)) => {
                    let raw = (0..lens.len()).filter_map(|index| lens.get_raw(index));
                    vertices.extend(raw.map(|vertex| vertex.map(I16::get)));
                }
                // The model was made for the format of the frames.
                _ => {}
            }
        }
        model
    }
}
