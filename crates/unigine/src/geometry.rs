//! The geometry of one surface: its tables proven, and lenses onto them.

use meshlens_lens::encoding::{F32, I8, U8, UnigineTangent, UnigineTangentMs10};
use meshlens_lens::{Encoding, Lens};
use meshlens_wire::{Data, Error, ErrorKind, Expected, Name, Place, Result};

use crate::layout::Version;
use crate::reader::{Budget, Reader, Table};
use crate::{Indices, Tangents, Weights, weights};

const POSITION_SIZE: u32 = 12;
const TEXCOORD_SIZE: u32 = 8;
const COLOR_SIZE: u32 = 4;

/// What a surface's header says of its geometry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GeometryHeader {
    pub(crate) version: Version,
    /// Offset of the first morph target's header.
    pub(crate) targets: u64,
    pub(crate) target_count: u32,
    /// Counts of both index lists, where the header has them (ms14).
    pub(crate) index_counts: [u32; 2],
}

/// Where a surface's tables lie: plain data.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GeometryParts {
    /// Offset of the first morph target's data.
    targets: u64,
    positions: Table,
    tangents: Table,
    weights: Table,
    texcoords: [Table; 2],
    colors: Table,
    coordinates: Table,
    triangles: Table,
    /// Where the geometry ends.
    pub(crate) end: u64,
}

/// Walks headers and data of morph targets side by side.
#[derive(Clone, Copy, Debug)]
struct TargetWalk<'a> {
    version: Version,
    header: Reader<'a>,
    data: Reader<'a>,
}

struct TargetTables<'a> {
    name: Name<'a>,
    header: u64,
    positions: Table,
    tangents: Table,
}

impl<'a> TargetWalk<'a> {
    fn step(&mut self) -> Result<TargetTables<'a>> {
        let header = self.header.offset();
        let name = self.header.string("morph target name")?;
        let vertices = match self.version.has_blocks() {
            true => self.header.count("vertices")?,
            false => self.data.count("vertices")?,
        };
        let positions = self.data.table(vertices, POSITION_SIZE, "vertices")?;
        let tangents = self.data.counted_table(self.version.tangent_size(), "tangents")?;
        Ok(TargetTables { name, header, positions, tangents })
    }
}

impl GeometryParts {
    /// Proves every table from `reader` on. O(weights); nothing else is read but counts.
    pub(crate) fn locate<'a>(
        reader: &mut Reader<'a>,
        file: Data<'a>,
        header: &GeometryHeader,
        budget: &mut Budget,
    ) -> Result<Self> {
        let mut parts = GeometryParts { targets: reader.offset(), ..GeometryParts::default() };
        let mut walk =
            TargetWalk { version: header.version, header: Reader::at(file, header.targets)?, data: *reader };
        for index in 0..header.target_count {
            let target = walk.step()?;
            if index == 0 {
                (parts.positions, parts.tangents) = (target.positions, target.tangents);
            }
        }
        *reader = walk.data;
        parts.weights = weights::locate(reader, budget)?;
        for texcoords in &mut parts.texcoords {
            *texcoords = reader.counted_table(TEXCOORD_SIZE, "texture coordinates")?;
        }
        parts.colors = reader.counted_table(COLOR_SIZE, "colours")?;
        let [coordinates, triangles] = header.index_counts;
        let mut indices = |count: u32, into: &Table, what| {
            let count = if header.version.has_blocks() { count } else { reader.count(what)? };
            reader.table(count, Indices::width(into.count), what)
        };
        parts.coordinates = indices(coordinates, &parts.positions, "coordinate indices")?;
        parts.triangles = indices(triangles, &parts.tangents, "triangle indices")?;
        parts.end = reader.offset();
        Ok(parts)
    }

    pub(crate) const fn vertices(&self) -> u32 {
        self.positions.count
    }

    pub(crate) const fn corners(&self) -> u32 {
        self.coordinates.count
    }
}

/// The geometry of one surface (UNIGINE: MESH File Format, "Data on each surface geometry").
///
/// It borrows the file, or the buffer that it was unpacked into; in that case the byte ranges of its lenses count
/// from the start of that buffer.
#[derive(Clone, Copy, Debug)]
pub struct Geometry<'a> {
    /// Holds the headers of the morph targets.
    file: Data<'a>,
    /// Holds everything else.
    data: Data<'a>,
    header: GeometryHeader,
    parts: GeometryParts,
    surface: usize,
    /// Where errors point to, for bytes that lie in no file.
    block: Option<u64>,
}

/// One morph target: absolute positions and tangent spaces, as many as those of target 0 in every sane file.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Absolute offset of its header in the file.
    pub offset: u64,
    /// Its name, usually empty.
    pub name: Name<'a>,
    /// Positions, in the model's unit.
    pub positions: Lens<'a, F32<3>>,
    /// Tangent spaces.
    pub tangents: Tangents<'a>,
}

impl<'a> Geometry<'a> {
    pub(crate) const fn new(
        file: Data<'a>,
        data: Data<'a>,
        header: GeometryHeader,
        parts: GeometryParts,
        surface: usize,
        block: Option<u64>,
    ) -> Self {
        Geometry { file, data, header, parts, surface, block }
    }

    /// Number of the surface in its mesh.
    pub const fn surface(&self) -> usize {
        self.surface
    }

    /// Whether it was unpacked, so that the byte ranges of its lenses are not those of the file.
    pub const fn is_unpacked(&self) -> bool {
        self.block.is_some()
    }

    /// An error at a byte of the geometry; one of an unpacked block points at the block.
    pub(crate) fn error(&self, offset: u64, kind: ErrorKind) -> Error {
        let place = Place::new("surface", self.surface as u64);
        self.file.error(self.offset_in_file(offset), kind).at(place)
    }

    /// Where to look in the file for a byte of the geometry.
    pub(crate) fn offset_in_file(&self, offset: u64) -> u64 {
        self.block.unwrap_or(offset)
    }

    pub(crate) fn length_error(&self, what: &'static str, expected: usize, found: usize) -> Error {
        let expected = Expected::Exactly(i64::try_from(expected).unwrap_or(i64::MAX));
        let found = i64::try_from(found).unwrap_or(i64::MAX);
        self.error(self.parts.targets, ErrorKind::Value { what, expected, found })
    }

    /// How many morph targets there are; 1 in every file seen.
    pub fn target_count(&self) -> usize {
        usize::try_from(self.header.target_count).unwrap_or(usize::MAX)
    }

    /// The morph targets in order, found on the way: O(1) for each.
    pub fn targets(&self) -> Targets<'a> {
        let walk = Reader::at(self.file, self.header.targets)
            .ok()
            .zip(Reader::at(self.data, self.parts.targets).ok());
        let walk = walk.map(|(header, data)| TargetWalk { version: self.header.version, header, data });
        Targets { walk, data: self.data, left: self.target_count() }
    }

    /// Morph target `index`, or `None` past the last. O(index): for all of them use [`targets`](Self::targets).
    pub fn target(&self, index: usize) -> Option<Target<'a>> {
        self.targets().nth(index)
    }

    /// Vertices of target 0: what coordinate indices name.
    pub fn vertex_count(&self) -> usize {
        self.parts.positions.len()
    }

    /// Tangent spaces of target 0: what triangle indices name.
    pub fn tangent_count(&self) -> usize {
        self.parts.tangents.len()
    }

    /// Positions of target 0.
    pub fn positions(&self) -> Lens<'a, F32<3>> {
        self.parts.positions.lens(self.data, F32)
    }

    /// Tangent spaces of target 0.
    pub fn tangents(&self) -> Tangents<'a> {
        tangents(self.data, self.header.version, self.parts.tangents)
    }

    /// Bones and weights of each vertex; empty where the surface has no skin.
    pub fn weights(&self) -> Weights<'a> {
        Weights::new(self.data, self.parts.weights)
    }

    /// Texture coordinates of set 0 or 1, one for each tangent space, or none; empty for other sets.
    pub fn texcoords(&self, set: usize) -> Lens<'a, F32<2>> {
        self.parts.texcoords.get(set).map_or(Lens::empty(F32), |table| table.lens(self.data, F32))
    }

    /// Red, green, blue and alpha, one for each tangent space, or none.
    pub fn colors(&self) -> Lens<'a, U8<4>> {
        self.parts.colors.lens(self.data, U8)
    }

    /// For each corner of each triangle its position and weights, **unchecked**: see
    /// [`checked_indices`](Self::checked_indices).
    pub fn coordinate_indices(&self) -> Indices<'a> {
        Indices::new(self.data, self.parts.coordinates, self.parts.positions.count)
    }

    /// For each corner of each triangle its tangent space, texture coordinates and colour, **unchecked**.
    pub fn triangle_indices(&self) -> Indices<'a> {
        Indices::new(self.data, self.parts.triangles, self.parts.tangents.count)
    }

    /// Coordinate and triangle indices, once both lists are known to be of one length, a multiple of 3, and every
    /// index to be below its count. O(corners). The proof holds as long as the bytes do.
    ///
    /// # Errors
    ///
    /// Lists of different lengths, a length that is no multiple of 3, or the first index that names nothing.
    pub fn checked_indices(&self) -> Result<(Indices<'a>, Indices<'a>)> {
        let (coordinates, triangles) = (self.coordinate_indices(), self.triangle_indices());
        if coordinates.len() != triangles.len() {
            return Err(self.length_error("triangle indices", coordinates.len(), triangles.len()));
        }
        if !coordinates.len().is_multiple_of(3) {
            let found = i64::try_from(coordinates.len()).unwrap_or(i64::MAX);
            let expected = Expected::Text("a multiple of 3");
            let kind = ErrorKind::Value { what: "coordinate indices", expected, found };
            return Err(self.error(coordinates.byte_range().start, kind));
        }
        self.check_indices(&coordinates, self.parts.positions.count, "vertex")?;
        self.check_indices(&triangles, self.parts.tangents.count, "tangent")?;
        Ok((coordinates, triangles))
    }

    fn check_indices(&self, indices: &Indices<'_>, count: u32, what: &'static str) -> Result<()> {
        if indices.largest().is_none_or(|largest| largest < count) {
            return Ok(());
        }
        let position = indices.iter().position(|index| index >= count).unwrap_or_default();
        let offset = (position as u64).saturating_mul(indices.stride() as u64);
        let offset = indices.byte_range().start.saturating_add(offset);
        let index = indices.get(position).unwrap_or_default().into();
        Err(self.error(offset, ErrorKind::Index { what, index, count: count.into() }))
    }

    /// Absolute end of the geometry.
    pub const fn end(&self) -> u64 {
        self.parts.end
    }
}

fn tangents<'a>(data: Data<'a>, version: Version, table: Table) -> Tangents<'a> {
    if version != Version::Ms10 {
        return Tangents::Quaternions(table.lens(data, UnigineTangent));
    }
    let quaternions = table.lens(data, UnigineTangentMs10);
    // The sign is the seventh byte of each.
    let skip = UnigineTangentMs10::SIZE.saturating_sub(1);
    let (bytes, count) = (quaternions.as_bytes(), quaternions.len());
    let signs = Lens::field(I8::<1>, bytes, table.offset, UnigineTangentMs10::SIZE, count, skip);
    Tangents::Signed { quaternions, signs }
}

/// Iterates over morph targets.
#[derive(Clone, Debug)]
pub struct Targets<'a> {
    walk: Option<TargetWalk<'a>>,
    data: Data<'a>,
    left: usize,
}

impl<'a> Iterator for Targets<'a> {
    type Item = Target<'a>;

    fn next(&mut self) -> Option<Target<'a>> {
        self.left = self.left.checked_sub(1)?;
        let walk = self.walk.as_mut()?;
        let target = walk.step().ok()?;
        Some(Target {
            offset: target.header,
            name: target.name,
            positions: target.positions.lens(self.data, F32),
            tangents: tangents(self.data, walk.version, target.tangents),
        })
    }
}
