//! Dumps Unreal meshes with the names of their document: positions as the stored integers, texture coordinates as
//! bytes.

use meshlens_unreal::{Geometry, UnpairedFile, Unreal, lens::Semantic};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::dump::Serializable;
use crate::dump::array::{Array, Arrays, listed};

impl<'a> Serializable<'a> for Unreal<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let unreal = self;
        let (frames, vertices) = (unreal.frame_count(), unreal.vertex_count());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", meshlens_unreal::FORMAT)?;
        map.serialize_entry("encoding", unreal.vertex_encoding().as_str())?;
        map.serialize_entry("rule", &unreal.rule().number())?;
        map.serialize_entry("frames", &frames)?;
        map.serialize_entry("vertices", &vertices)?;
        map.serialize_entry("triangles", &TrianglesDump { geometry: &unreal.geometry(), arrays })?;
        let positions = || listed::<f32>(unreal.arrays(), Semantic::Position);
        map.serialize_entry("positions", &Array::new(arrays, &[frames, vertices, 3], positions))?;
        map.end()
    }
}

/// A single file: the encoding and everything in the other file are null.
impl<'a> Serializable<'a> for UnpairedFile<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", meshlens_unreal::FORMAT)?;
        map.serialize_entry("encoding", &())?;
        match self {
            UnpairedFile::Geometry(geometry) => {
                map.serialize_entry("frames", &())?;
                map.serialize_entry("vertices", &geometry.vertex_count())?;
                map.serialize_entry("triangles", &TrianglesDump { geometry, arrays })?;
            }
            UnpairedFile::Frames(frames) => {
                map.serialize_entry("frames", &frames.frame_count())?;
                map.serialize_entry("frame_size", &frames.frame_size())?;
                map.serialize_entry("vertices", &())?;
                map.serialize_entry("triangles", &())?;
            }
        }
        map.serialize_entry("positions", &())?;
        map.end()
    }
}

struct TrianglesDump<'d, 'a> {
    geometry: &'d Geometry<'a>,
    arrays: Arrays,
}

impl Serialize for TrianglesDump<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let TrianglesDump { geometry, arrays } = *self;
        let count = geometry.triangle_count();
        let mut map = serializer.serialize_map(None)?;
        let vertices = || listed::<u16>(geometry.arrays(), Semantic::Triangles);
        map.serialize_entry("vertices", &Array::new(arrays, &[count, 3], vertices))?;
        // The texture coordinates are listed as bytes, corner by corner. The arrays are normalized, with one array for
        // each corner.
        let texcoords = || geometry.records().flat_map(|triangle| triangle.texcoords).flatten();
        map.serialize_entry("texcoords", &Array::new(arrays, &[count, 3, 2], texcoords))?;
        for (name, semantic) in [("type", Semantic::TriangleType), ("texture", Semantic::Materials)] {
            let values = || listed::<u8>(geometry.arrays(), semantic);
            map.serialize_entry(name, &Array::new(arrays, &[count], values))?;
        }
        map.end()
    }
}
