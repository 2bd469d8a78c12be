//! Dumps Unreal meshes with the names of their document: positions as the stored integers, texture coordinates as
//! bytes.

use meshlens_unreal::{Geometry, UnpairedFile, Unreal, lens::Semantic};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::dump::array::{Array, Arrays, listed};
use crate::dump::{Serializable, With, object, objects};

impl<'a> Serializable<'a> for Unreal<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let unreal = self;
        let (frames, vertices) = (unreal.frame_count(), unreal.vertex_count());
        let positions = || listed::<f32>(unreal.arrays(), Semantic::Position);
        object! { serializer;
            "format": meshlens_unreal::FORMAT,
            "encoding": unreal.vertex_encoding().as_str(),
            "rule": unreal.rule().number(),
            "frames": frames,
            "vertices": vertices,
            "triangles": With(&unreal.geometry(), arrays),
            "positions": Array::new(arrays, &[frames, vertices, 3], positions),
        }
    }
}

/// A single file: the encoding and everything in the other file are null.
impl<'a> Serializable<'a> for UnpairedFile<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let (geometry, frames) = match self {
            UnpairedFile::Geometry(geometry) => (Some(geometry), None),
            UnpairedFile::Frames(frames) => (None, Some(frames)),
        };
        object! { serializer;
            "format": meshlens_unreal::FORMAT,
            "encoding": (),
            "frames": frames.map(|frames| frames.frame_count()),
            ..frames.map(|frames| ("frame_size", frames.frame_size())),
            "vertices": geometry.map(|geometry| geometry.vertex_count()),
            "triangles": geometry.map(|geometry| With(geometry, arrays)),
            "positions": (),
        }
    }
}

// The triangles of a file.
objects! {
    impl[] With<&Geometry<'_>>, &With(geometry, arrays) => {
        "vertices": Array::new(arrays, &[geometry.triangle_count(), 3], || {
            listed::<u16>(geometry.arrays(), Semantic::Triangles)
        }),
        // The texture coordinates are listed as bytes, corner by corner. The arrays are normalized, with one array for
        // each corner.
        "texcoords": Array::new(arrays, &[geometry.triangle_count(), 3, 2], || {
            geometry.records().flat_map(|triangle| triangle.texcoords).flatten()
        }),
        ..[("type", Semantic::TriangleType), ("texture", Semantic::Materials)].map(|(name, semantic)| {
            let values = move || listed::<u8>(geometry.arrays(), semantic);
            (name, Array::new(arrays, &[geometry.triangle_count()], values))
        }),
    }
}
