//! Dumps MD3 with the names of its document: positions divided by 64, normals as engines decode them.

use meshlens_md3::{Frame, Md3, Surface, lens::Semantic};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::dump::array::{Array, Arrays, listed};
use crate::dump::{Sequence, Serializable};

impl<'a> Serializable<'a> for Md3<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let md3 = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", meshlens_md3::FORMAT)?;
        map.serialize_entry("version", &md3.version())?;
        map.serialize_entry("name", &md3.name().to_text())?;
        map.serialize_entry("flags", &md3.flags())?;
        map.serialize_entry("frames", &Sequence(|| md3.frames().map(FrameDump)))?;
        map.serialize_entry("tags", &TagsDump { md3, arrays })?;
        let surfaces = || md3.surfaces().map(move |surface| SurfaceDump { surface, arrays });
        map.serialize_entry("surfaces", &Sequence(surfaces))?;
        map.end()
    }
}

struct FrameDump<'a>(Frame<'a>);

impl Serialize for FrameDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.0.name.to_text())?;
        map.serialize_entry("min_bounds", &self.0.bounds.min)?;
        map.serialize_entry("max_bounds", &self.0.bounds.max)?;
        map.serialize_entry("local_origin", &self.0.local_origin)?;
        map.serialize_entry("radius", &self.0.radius)?;
        map.end()
    }
}

struct TagsDump<'d, 'a> {
    md3: &'d Md3<'a>,
    arrays: Arrays,
}

impl Serialize for TagsDump<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TagsDump { md3, arrays } = *self;
        let (frames, tags) = (md3.frame_count(), md3.tag_count());
        let all = || (0..frames).flat_map(|frame| md3.tags(frame));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("names", &Sequence(|| md3.tags(0).map(|tag| tag.name.to_text())))?;
        map.serialize_entry(
            "origin",
            &Array::new(arrays, &[frames, tags, 3], || all().flat_map(|tag| tag.origin)),
        )?;
        let axes = || all().flat_map(|tag| tag.axis.into_iter().flatten());
        map.serialize_entry("axis", &Array::new(arrays, &[frames, tags, 3, 3], axes))?;
        map.end()
    }
}

struct SurfaceDump<'a> {
    surface: Surface<'a>,
    arrays: Arrays,
}

impl Serialize for SurfaceDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let SurfaceDump { surface, arrays } = self;
        let (frames, vertices) = (surface.frame_count(), surface.vertex_count());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &surface.name().to_text())?;
        map.serialize_entry("flags", &surface.flags())?;
        map.serialize_entry("shaders", &Sequence(|| surface.shaders().map(|shader| shader.name.to_text())))?;
        let triangles = || listed::<i32>(surface.arrays(), Semantic::Triangles);
        map.serialize_entry("triangles", &Array::new(*arrays, &[surface.triangle_count(), 3], triangles))?;
        for (name, semantic, shape) in [
            ("texcoords", Semantic::Texcoord, &[vertices, 2][..]),
            ("positions", Semantic::Position, &[frames, vertices, 3]),
            ("normals", Semantic::Normal, &[frames, vertices, 3]),
        ] {
            let values = || listed::<f32>(surface.arrays(), semantic);
            map.serialize_entry(name, &Array::new(*arrays, shape, values))?;
        }
        map.end()
    }
}
