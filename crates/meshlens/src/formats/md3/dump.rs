//! Dumps MD3 with the names of its document: positions divided by 64, normals as engines decode them.

use meshlens_md3::{Frame, Md3, Surface, Tag, lens::Semantic};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::dump::array::{Array, Arrays, listed};
use crate::dump::{Sequence, Serializable, With, object, objects};

impl<'a> Serializable<'a> for Md3<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let md3 = self;
        object! { serializer;
            "format": meshlens_md3::FORMAT,
            "version": md3.version(),
            "name": md3.name().to_text(),
            "flags": md3.flags(),
            "frames": Sequence(|| md3.frames().map(FrameDump)),
            "tags": TagsDump { md3, arrays },
            "surfaces": Sequence(|| md3.surfaces().map(move |surface| With(surface, arrays))),
        }
    }
}

struct FrameDump<'a>(Frame<'a>);

struct TagsDump<'d, 'a> {
    md3: &'d Md3<'a>,
    arrays: Arrays,
}

impl<'a> TagsDump<'_, 'a> {
    fn shape(&self) -> [usize; 4] {
        [self.md3.frame_count(), self.md3.tag_count(), 3, 3]
    }

    /// The tags of every frame.
    fn all(&self) -> impl Iterator<Item = Tag<'a>> {
        (0..self.md3.frame_count()).flat_map(|frame| self.md3.tags(frame))
    }
}

objects! {
    impl[] FrameDump<'_>, FrameDump(frame) => {
        "name": frame.name.to_text(),
        "min_bounds": frame.bounds.min,
        "max_bounds": frame.bounds.max,
        "local_origin": frame.local_origin,
        "radius": frame.radius,
    }

    impl[] TagsDump<'_, '_>, tags @ TagsDump { md3, arrays } => {
        "names": Sequence(|| md3.tags(0).map(|tag| tag.name.to_text())),
        "origin": Array::new(*arrays, &tags.shape()[..3], || tags.all().flat_map(|tag| tag.origin)),
        "axis": Array::new(*arrays, &tags.shape(), || {
            tags.all().flat_map(|tag| tag.axis.into_iter().flatten())
        }),
    }

    impl[] With<Surface<'_>>, With(surface, arrays) => {
        "name": surface.name().to_text(),
        "flags": surface.flags(),
        "shaders": Sequence(|| surface.shaders().map(|shader| shader.name.to_text())),
        "triangles": Array::new(*arrays, &[surface.triangle_count(), 3], || {
            listed::<i32>(surface.arrays(), Semantic::Triangles)
        }),
        ..[
            ("texcoords", Semantic::Texcoord, &[surface.vertex_count(), 2][..]),
            ("positions", Semantic::Position, &[surface.frame_count(), surface.vertex_count(), 3]),
            ("normals", Semantic::Normal, &[surface.frame_count(), surface.vertex_count(), 3]),
        ]
        .map(|(name, semantic, shape)| {
            (name, Array::new(*arrays, shape, move || listed::<f32>(surface.arrays(), semantic)))
        }),
    }
}
