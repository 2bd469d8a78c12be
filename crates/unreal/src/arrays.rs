//! The lists of arrays of a mesh and of its files, for code that treats all arrays alike.

use meshlens_lens::{Array, ArrayParts, Complete, Described, Presence, Semantic};

use crate::encoding::{U8, U16, UnrealPacked, UnrealTexcoord, UnrealWide};
use crate::geometry::{TEXCOORDS, TEXTURE, TYPE};
use crate::pairing::UnpairedFile;
use crate::{Geometry, GeometryParts, Parts, Unreal, VertexEncoding};

impl GeometryParts {
    /// The locations of all arrays of the geometry file, as listed by [`Geometry::arrays`]. Allocates nothing.
    pub fn arrays(&self) -> impl Iterator<Item = ArrayParts> + use<> {
        let triangles = self.triangles();
        let array = move |semantic, skip: usize, format| {
            ArrayParts::new(semantic, triangles, format).skipping(skip as u32)
        };
        let texcoords = TEXCOORDS.into_iter().enumerate();
        let texcoords = texcoords.map(move |(corner, skip)| {
            array(Semantic::Texcoord, skip, UnrealTexcoord::FORMAT).in_set(corner)
        });
        let others = [
            array(Semantic::Materials, TEXTURE, U8::<1>::FORMAT),
            array(Semantic::TriangleType, TYPE, U8::<1>::FORMAT),
        ];
        [array(Semantic::Triangles, 0, U16::<3>::FORMAT)].into_iter().chain(texcoords).chain(others)
    }
}

impl Parts {
    /// The locations of all arrays of both files, as listed by [`Unreal::arrays`]. Allocates nothing.
    pub fn arrays(&self) -> impl Iterator<Item = ArrayParts> + use<> {
        let parts = *self;
        let format = match parts.vertex_encoding() {
            VertexEncoding::Packed => UnrealPacked::FORMAT,
            VertexEncoding::Wide => UnrealWide::FORMAT,
        };
        let frames = (0..parts.frames().len()).filter_map(move |frame| {
            // Frames are in range, so none is omitted.
            let positions = ArrayParts::new(Semantic::Position, parts.frame_vertices(frame)?, format);
            let file = if parts.is_packed() { Unreal::GEOMETRY_FILE } else { Unreal::FRAMES_FILE };
            Some(positions.in_frame(frame).in_file(file))
        });
        parts.geometry().arrays().chain(frames)
    }
}

impl<'a, P: Presence> Unreal<'a, P> {
    /// The arrays of both files: first the arrays of the [geometry](Geometry::arrays), then the positions of each
    /// frame, as the stored integers. [`Array::file`] is the file that contains the array and to which its offset is
    /// relative: [`GEOMETRY_FILE`](Self::GEOMETRY_FILE) or [`FRAMES_FILE`](Self::FRAMES_FILE); 0 for all arrays of a mesh of
    /// one file. The iterator allocates nothing.
    ///
    /// ```
    /// use meshlens_unreal::{Unreal, VertexEncoding, write::Model, lens::Semantic};
    ///
    /// let mut model = Model::new(VertexEncoding::Wide, 1);
    /// model.add_integer_frame(&[[1, 2, 3]])?;
    /// let files = model.write()?;
    /// let unreal = Unreal::parse(&files.geometry, &files.frames)?;
    /// let positions = unreal.arrays().find(|array| array.semantic == Semantic::Position).ok_or("no positions")?;
    /// assert_eq!((positions.file, positions.lens.byte_range().start), (Unreal::FRAMES_FILE, 4));
    /// assert_eq!(positions.lens.get(0), Some([1.0f32, 2.0, 3.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn arrays(&self) -> impl Iterator<Item = P::Of<Array<'a>>> + '_ {
        let (geometry, frames) = (self.geometry.data(), self.frames().data());
        self.parts().arrays().map(move |array| {
            array.bind_in::<P>(if array.file == Unreal::FRAMES_FILE { frames } else { geometry })
        })
    }
}

impl<'a> Geometry<'a> {
    /// The arrays of the geometry file: triangles, the texture coordinates of each corner ([`Array::set`] is the corner),
    /// the texture slots as materials, and the types. The iterator allocates nothing.
    pub fn arrays(&self) -> impl Iterator<Item = Array<'a>> + use<'a> {
        let data = self.data();
        self.parts().arrays().map(move |array| array.bind_in::<Complete>(data))
    }
}

impl<'a> UnpairedFile<'a> {
    /// The arrays of a geometry file, as listed by [`Geometry::arrays`]. Empty for a frames file, because the encoding
    /// of its vertices depends on the geometry file.
    pub fn arrays(&self) -> impl Iterator<Item = Array<'a>> + use<'a> {
        let geometry = match self {
            UnpairedFile::Geometry(geometry) => Some(*geometry),
            UnpairedFile::Frames(_) => None,
        };
        geometry.into_iter().flat_map(|geometry| geometry.arrays())
    }
}
