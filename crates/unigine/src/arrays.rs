//! The lists of arrays of a file and of a geometry, for code that treats all arrays alike.

use meshlens_lens::{Array, ArrayParts, Described, Presence, Semantic};
use meshlens_wire::Span;

use crate::encoding::{F32, I8, UnigineTangent, UnigineTangentMs10, Unorm8};
use crate::geometry_parts::TargetWalk;
use crate::indices::index_format;
use crate::layout::Version;
use crate::tangent::SIGN;
use crate::{File, FileKind, Geometry, GeometryParts, GeometryPlace, Parts};

/// The arrays of one morph target.
fn target(
    version: Version,
    positions: Span,
    tangents: Span,
    frame: usize,
) -> impl Iterator<Item = ArrayParts> {
    let is_ms10 = version == Version::Ms10;
    let format = if is_ms10 { UnigineTangentMs10::FORMAT } else { UnigineTangent::FORMAT };
    let signs = ArrayParts::new(Semantic::BitangentSign, tangents, I8::<1>::FORMAT);
    let signs = is_ms10.then(|| signs.skipping(SIGN as u32).as_part());
    [
        ArrayParts::new(Semantic::Position, positions, F32::<3>::FORMAT),
        ArrayParts::new(Semantic::TangentFrame, tangents, format),
    ]
    .into_iter()
    .chain(signs)
    .map(move |array| array.in_frame(frame))
}

impl GeometryParts {
    /// The arrays that all morph targets share.
    fn shared_arrays(&self) -> impl Iterator<Item = ArrayParts> + use<> {
        let sets = self
            .texcoords()
            .into_iter()
            .enumerate()
            .map(|(set, table)| ArrayParts::new(Semantic::Texcoord, table, F32::<2>::FORMAT).in_set(set));
        let (points, corners) = (self.positions.count(), self.tangents.count());
        sets.chain([
            ArrayParts::new(Semantic::Color, self.colors(), Unorm8::<4>::FORMAT),
            ArrayParts::new(Semantic::PointIndices, self.coordinate_indices(), index_format(points)),
            ArrayParts::new(Semantic::Indices, self.triangle_indices(), index_format(corners)),
        ])
    }
}

impl Parts {
    /// The locations of the arrays of the file, surface by surface, as [`File::arrays`] lists them. Only the first
    /// morph target is listed, because locating the others requires reading it. O(1) memory.
    ///
    /// The arrays of [packed](GeometryPlace::Packed) surfaces are not listed.
    pub fn arrays(&self) -> impl Iterator<Item = ArrayParts> + '_ {
        let surfaces = self.surfaces().iter().enumerate();
        surfaces.flat_map(|(index, surface)| {
            let parts = match surface.geometry() {
                GeometryPlace::InFile(parts) => Some(*parts),
                GeometryPlace::Packed(_) => None,
            };
            let arrays = parts.into_iter().flat_map(|parts| {
                let first = target(self.version(), parts.positions(), parts.tangents(), 0);
                first.chain(parts.shared_arrays())
            });
            arrays.filter(|array| !array.is_empty()).map(move |array| array.in_mesh(index))
        })
    }
}

impl<'a, K: FileKind, P: Presence> File<'a, K, P> {
    /// The arrays in the file, surface by surface, in the order of [`Geometry::arrays`](crate::Geometry::arrays). Empty
    /// for an animation file. O(1) memory.
    ///
    /// The arrays of [packed](crate::Surface::is_packed) surfaces are not listed. To list those, unpack the geometry:
    ///
    /// ```
    /// # use meshlens_unigine::{Mesh, Version, write};
    /// # let mut model = write::Model::new(Version::Ms14);
    /// # let mut surface = write::Surface::new("plane")?;
    /// # surface.targets[0].positions = vec![[0.0; 3]; 100];
    /// # model.surfaces.push(surface);
    /// # let bytes = model.write()?;
    /// let mesh = Mesh::parse(&bytes)?;
    /// assert_eq!(mesh.arrays().count(), 0);
    /// let mut buffer = Vec::new();
    /// for surface in mesh.surfaces() {
    ///     for array in surface.geometry(&mut buffer)?.arrays() {
    ///         println!("{} of mesh {}: {}", array.semantic, array.mesh, array.lens.len());
    ///     }
    /// }
    /// # Ok::<(), meshlens_unigine::Error>(())
    /// ```
    pub fn arrays(&self) -> impl Iterator<Item = P::Of<Array<'a>>> + '_ {
        self.all_surfaces()
            .filter_map(|surface| surface.geometry_in_place())
            .flat_map(|geometry| geometry.arrays())
    }
}

impl<'a, P: Presence> Geometry<'a, P> {
    /// The arrays of the geometry that are not empty, in file order. O(1) memory.
    ///
    /// Morph targets are the frames of positions and tangent frames. The signs of ms10's bitangents are marked as
    /// [part](Array::is_part) of the tangent frames. Coordinate indices are [`PointIndices`](Semantic::PointIndices),
    /// triangle indices [`Indices`](Semantic::Indices). Skin weights are not listed: their records differ in size.
    ///
    /// For [unpacked](Self::is_unpacked) geometry, the byte ranges of the arrays are relative to the buffer.
    pub fn arrays(&self) -> impl Iterator<Item = P::Of<Array<'a>>> + use<'a, P> {
        let (geometry, mut walk) = (*self, self.target_walk());
        let targets = (0..self.target_count()).flat_map(move |frame| {
            let tables = walk.as_mut().map_err(|error| *error).and_then(TargetWalk::step);
            let arrays = tables.map(|tables| {
                target(geometry.version(), tables.positions.span(), tables.tangents.span(), frame)
            });
            // If a target is not loaded, there is one error instead of its arrays.
            let error = arrays.as_ref().err().copied();
            arrays.into_iter().flatten().map(Ok).chain(error.map(Err))
        });
        let listed = targets.chain(self.parts().shared_arrays().map(Ok));
        listed.filter(|array| !array.as_ref().is_ok_and(ArrayParts::is_empty)).map(move |array| {
            let array = array.map(|array| array.in_mesh(geometry.surface()));
            let nothing = ArrayParts::new(Semantic::Position, Span::default(), F32::<3>::FORMAT);
            P::read(array.and_then(|array| array.bind(geometry.data())), || nothing.empty())
        })
    }
}
