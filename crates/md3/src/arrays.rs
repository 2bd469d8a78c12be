//! The list of a model's arrays, for code that treats all arrays in the same way.

use meshlens_lens::{Array, ArrayParts, Described, Presence, Semantic};

use crate::encoding::{F32, I32, Md3Normal, Md3Position, Md3Vertex};
use crate::locate::SurfaceParts;
use crate::surface::NORMAL_OFFSET;
use crate::{Md3, Parts, Surface};

impl Parts {
    /// The location of every array, as listed by [`Md3::arrays`]. O(1) memory.
    pub fn arrays(&self) -> impl Iterator<Item = ArrayParts> + '_ {
        self.surfaces().iter().enumerate().flat_map(|(index, surface)| surface.arrays(index))
    }
}

impl SurfaceParts {
    fn arrays(&self, index: usize) -> impl Iterator<Item = ArrayParts> + use<> {
        let surface = *self;
        // All frames are in range.
        let frames = (0..surface.frame_count()).map_while(move |frame| {
            let vertices = surface.frame_vertices(frame)?;
            let arrays = [
                ArrayParts::new(Semantic::PositionNormal, vertices, Md3Vertex::FORMAT),
                ArrayParts::new(Semantic::Position, vertices, Md3Position::FORMAT).as_part(),
                ArrayParts::new(Semantic::Normal, vertices, Md3Normal::FORMAT)
                    .skipping(NORMAL_OFFSET as u32)
                    .as_part(),
            ];
            Some(arrays.map(|array| array.in_frame(frame)))
        });
        [
            ArrayParts::new(Semantic::Triangles, surface.triangles(), I32::<3>::FORMAT),
            ArrayParts::new(Semantic::Texcoord, surface.texcoords(), F32::<2>::FORMAT),
        ]
        .into_iter()
        .chain(frames.flatten())
        .map(move |array| array.in_mesh(index))
    }
}

impl<'a, P: Presence> Md3<'a, P> {
    /// Every array of vertices and triangles in the file, surface by surface: the triangles, the texture coordinates,
    /// and the vertices of each frame. Vertices are also listed as positions and as normals ([`Array::is_part`]). The
    /// iterator allocates nothing.
    ///
    /// Triangles are listed unchecked, as three `i32` each.
    ///
    /// ```
    /// use meshlens_md3::{Md3, write, lens::Semantic};
    ///
    /// let mut model = write::Model::new("point")?;
    /// model.frames.push(write::Frame::named("idle")?);
    /// let mut surface = write::Surface::new("point")?;
    /// surface.texcoords.push([0.5, 0.5]);
    /// surface.add_frame(&[[1.0, 2.0, 3.0]], &[[0.0, 0.0, 1.0]])?;
    /// model.surfaces.push(surface);
    /// let bytes = model.write()?;
    ///
    /// let md3 = Md3::parse(&bytes)?;
    /// let positions = md3.arrays().find(|array| array.semantic == Semantic::Position).ok_or("no positions")?;
    /// assert_eq!((positions.mesh, positions.frame), (0, 0));
    /// assert_eq!(positions.lens.get(0), Some([1.0f32, 2.0, 3.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn arrays(&self) -> impl Iterator<Item = P::Of<Array<'a>>> + '_ {
        self.surfaces().flat_map(|surface| surface.arrays())
    }
}

impl<'a, P: Presence> Surface<'a, P> {
    /// Every array of this surface, as listed by [`Md3::arrays`].
    pub fn arrays(&self) -> impl Iterator<Item = P::Of<Array<'a>>> + use<'a, P> {
        let data = self.data();
        self.parts().arrays(self.index()).map(move |array| array.bind_in::<P>(data))
    }
}
