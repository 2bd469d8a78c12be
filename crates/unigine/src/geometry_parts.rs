//! The locations of the tables of a geometry.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects))]

use core::ops::Range;

use meshlens_wire::{Data, Name, Result, SmallSpan, Span};

use crate::indices::index_width;
use crate::layout::Version;
use crate::reader::{Budget, Reader};
use crate::weights::WeightsParts;

const POSITION_SIZE: u32 = 12;
const TEXCOORD_SIZE: u32 = 8;
const COLOR_SIZE: u32 = 4;

/// The fields of the header of a surface about its geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GeometryHeader {
    pub(crate) version: Version,
    /// The offset of the header of the first morph target.
    pub(crate) targets: u64,
    pub(crate) target_count: u32,
}

/// The locations of the tables of a surface. Plain data, without the bytes.
#[derive(Clone, Copy, Debug)]
pub struct GeometryParts {
    pub(crate) start: u64,
    pub(crate) positions: SmallSpan,
    pub(crate) tangents: SmallSpan,
    pub(crate) weights: WeightsParts,
    pub(crate) texcoords: [SmallSpan; 2],
    pub(crate) colors: SmallSpan,
    pub(crate) coordinate_indices: SmallSpan,
    pub(crate) triangle_indices: SmallSpan,
}

/// Walks the headers and the data of morph targets in parallel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TargetWalk<'a> {
    version: Version,
    pub(crate) header: Reader<'a>,
    pub(crate) data: Reader<'a>,
}

/// The locations of one morph target.
pub(crate) struct TargetTables<'a> {
    pub(crate) name: Name<'a>,
    /// The offset of its header.
    pub(crate) header: u64,
    pub(crate) positions: SmallSpan,
    pub(crate) tangents: SmallSpan,
}

impl<'a> TargetWalk<'a> {
    /// The morph targets of a surface whose data begins at `data`.
    pub(crate) fn new(header: &GeometryHeader, file: Data<'a>, data: Reader<'a>) -> Result<Self> {
        Ok(TargetWalk { version: header.version, header: Reader::at(file, header.targets)?, data })
    }

    /// The morph targets from a location on.
    pub(crate) fn at(version: Version, file: Data<'a>, data: Data<'a>, location: [u64; 2]) -> Result<Self> {
        let [header, start] = location;
        Ok(TargetWalk { version, header: Reader::at(file, header)?, data: Reader::at(data, start)? })
    }

    pub(crate) fn step(&mut self) -> Result<TargetTables<'a>> {
        let header = self.header.offset();
        let name = self.header.string("morph target name")?;
        let vertices = match self.version.has_blocks() {
            true => self.header.count("vertices")?,
            false => self.data.count("vertices")?,
        };
        let positions = self.data.cursor.small_span(vertices, POSITION_SIZE, "vertices")?;
        let tangents = self.data.counted_table(self.version.tangent_size(), "tangents")?;
        Ok(TargetTables { name, header, positions, tangents })
    }
}

impl GeometryParts {
    /// Locates every table from `reader` on. `index_counts` are the lengths of both index lists, if the header of the
    /// surface has them. O(weights); of the other tables, only counts are read.
    pub(crate) fn locate<'a>(
        reader: &mut Reader<'a>,
        file: Data<'a>,
        header: &GeometryHeader,
        index_counts: Option<[u32; 2]>,
        budget: &mut Budget,
    ) -> Result<Self> {
        let start = reader.offset();
        let mut walk = TargetWalk::new(header, file, *reader)?;
        let mut first = None;
        for _ in 0..header.target_count {
            let target = walk.step()?;
            first.get_or_insert((target.positions, target.tangents));
        }
        *reader = walk.data;
        let (positions, tangents) = match first {
            Some(first) => first,
            // A surface without a morph target has no vertices.
            None => (
                reader.cursor.small_span(0, POSITION_SIZE, "vertices")?,
                reader.cursor.small_span(0, header.version.tangent_size(), "tangents")?,
            ),
        };
        let weights = WeightsParts::locate(reader, budget)?;
        let texcoords = [
            reader.counted_table(TEXCOORD_SIZE, "texture coordinates")?,
            reader.counted_table(TEXCOORD_SIZE, "texture coordinates")?,
        ];
        let colors = reader.counted_table(COLOR_SIZE, "colors")?;
        let [coordinates, triangles] = index_counts.map_or([None; 2], |counts| counts.map(Some));
        let mut indices = |count: Option<u32>, into: SmallSpan, what| {
            let count = count.map_or_else(|| reader.count(what), Ok)?;
            reader.cursor.small_span(count, index_width(into.count()), what)
        };
        let coordinate_indices = indices(coordinates, positions, "coordinate indices")?;
        let triangle_indices = indices(triangles, tangents, "triangle indices")?;
        Ok(GeometryParts {
            start,
            positions,
            tangents,
            weights,
            texcoords,
            colors,
            coordinate_indices,
            triangle_indices,
        })
    }

    /// The number of vertices of morph target 0.
    pub const fn vertex_count(&self) -> u32 {
        self.positions.count()
    }

    /// The number of corners of all triangles.
    pub const fn corner_count(&self) -> u32 {
        self.coordinate_indices.count()
    }

    /// The location of the whole geometry, with all morph targets.
    pub const fn byte_range(&self) -> Range<u64> {
        self.start..self.triangle_indices().byte_range().end
    }

    /// The positions of morph target 0, three floats each.
    pub const fn positions(&self) -> Span {
        self.positions.span()
    }

    /// The tangent frames of morph target 0.
    pub const fn tangents(&self) -> Span {
        self.tangents.span()
    }

    /// The skin weights, as elements of one byte, because their records vary in size.
    pub const fn weights(&self) -> Span {
        self.weights.span()
    }

    /// The number of records of skin weights: 0, or the number of vertices.
    pub const fn weight_count(&self) -> u32 {
        self.weights.count
    }

    /// Both sets of texture coordinates, two floats each.
    pub fn texcoords(&self) -> [Span; 2] {
        self.texcoords.map(|table| table.span())
    }

    /// The colors, four bytes each.
    pub const fn colors(&self) -> Span {
        self.colors.span()
    }

    /// The indices of positions and weights.
    pub const fn coordinate_indices(&self) -> Span {
        self.coordinate_indices.span()
    }

    /// The indices of tangent frames, texture coordinates and colors.
    pub const fn triangle_indices(&self) -> Span {
        self.triangle_indices.span()
    }
}
