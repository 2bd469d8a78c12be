//! The list of a model's arrays, for code that treats all arrays alike.

use meshlens_lens::{Array, ArrayFormat, ArrayParts, Described, Presence, Semantic};
use meshlens_wire::Span;

use crate::encoding::{F32, IndexU16, U3dNormal8, U3dNormal16, U8, U16, U32};
use crate::layout::{KEY_VALUE, POSITION_SIZE, STAGES, shadow_vertex_size, triangle_size};
use crate::parts::{BoneParts, MeshParts, NormalEncoding, Parts};
use crate::{Mesh, U3d};

impl Parts {
    /// The locations of all arrays, as listed by [`U3d::arrays`]. O(1) memory.
    pub fn arrays(&self) -> impl Iterator<Item = ArrayParts> + '_ {
        let is_v1 = self.header.version.is_v1();
        let meshes = self.meshes.iter().enumerate().flat_map(move |(index, mesh)| mesh.arrays(index, is_v1));
        let bones = self.bones.iter().enumerate().flat_map(move |(index, bone)| bone.arrays(index, is_v1));
        meshes.chain(bones)
    }
}

/// The number of arrays that a mesh may own besides its texture coordinates.
const OTHERS: usize = 9;

impl MeshParts {
    fn arrays(&self, index: usize, is_v1: bool) -> impl Iterator<Item = ArrayParts> + '_ {
        let lod = self.lod_index.unwrap_or(0) as usize;
        (0..OTHERS + STAGES).filter_map(move |number| {
            Some(self.array(number, is_v1)?.in_mesh(index).in_frame(self.frame as usize).in_lod(lod))
        })
    }

    /// Array `number` of the arrays that a mesh may own; `None` if the mesh does not own it.
    fn array(&self, number: usize, is_v1: bool) -> Option<ArrayParts> {
        let array = |semantic, span, format| Some(ArrayParts::new(semantic, span, format));
        match number {
            0 if self.triangles_owned => {
                array(Semantic::Triangles, self.triangles(), triangle_format(self.triangles()))
            }
            1 if self.triangles_owned => {
                array(Semantic::Materials, self.triangle_materials(), U16::<1>::FORMAT)
            }
            2 => array(Semantic::Position, self.positions(), F32::<3>::FORMAT),
            3 => array(Semantic::Normal, self.normals(), normal_format(self.normals)),
            4 if self.skin_weights > 0 => array(Semantic::Joints, self.skin_bones(), U8::<4>::FORMAT),
            5 => array(Semantic::Weights, self.skin_weights(), float_format(self.skin_weights)?),
            6 if self.shadow.is_some() => {
                array(Semantic::ShadowPosition, self.shadow_vertices(), F32::<3>::FORMAT)
            }
            7 if self.shadow.is_some() => {
                let skip = shadow_normal_offset(self.skin_weights, is_v1);
                let normals =
                    ArrayParts::new(Semantic::ShadowNormal, self.shadow_vertices(), F32::<3>::FORMAT);
                Some(normals.skipping(skip))
            }
            8 if self.shadow.is_some() => {
                let triangles = self.shadow_triangles();
                array(Semantic::ShadowTriangles, triangles, triangle_format(triangles))
            }
            _ => {
                let set = number.checked_sub(OTHERS)?;
                let format = float_format(*self.dimensions.get(set)?)?;
                Some(ArrayParts::new(Semantic::Texcoord, self.texcoords(set)?, format).in_set(set))
            }
        }
    }
}

/// The format of the triangles of a table, by their size.
fn triangle_format(triangles: Span) -> &'static ArrayFormat {
    if triangles.stride() == triangle_size(true) { U32::<3>::FORMAT } else { IndexU16::<3>::FORMAT }
}

const fn normal_format(encoding: NormalEncoding) -> &'static ArrayFormat {
    match encoding {
        NormalEncoding::Bytes | NormalEncoding::LegacyBytes => U3dNormal8::FORMAT,
        NormalEncoding::Shorts => U3dNormal16::FORMAT,
    }
}

/// The format of elements of one to four floats; `None` for another number.
pub(crate) const fn float_format(components: u8) -> Option<&'static ArrayFormat> {
    match components {
        1 => Some(F32::<1>::FORMAT),
        2 => Some(F32::<2>::FORMAT),
        3 => Some(F32::<3>::FORMAT),
        4 => Some(F32::<4>::FORMAT),
        _ => None,
    }
}

/// The offset of the normal in a vertex of shadow optimized geometry: after the position in version 1.0, at the end of the
/// vertex in version 2.0, as the documents describe.
pub(crate) const fn shadow_normal_offset(skin_weights: u8, is_v1: bool) -> u32 {
    if is_v1 { POSITION_SIZE } else { shadow_vertex_size(skin_weights) - POSITION_SIZE }
}

impl BoneParts {
    fn arrays(&self, index: usize, is_v1: bool) -> impl Iterator<Item = ArrayParts> + use<> {
        let frames = if is_v1 { IndexU16::<1>::FORMAT } else { U32::<1>::FORMAT };
        let kinds = [
            (Semantic::ScaleFrames, Semantic::Scales, self.scaling_keys(), F32::<3>::FORMAT),
            (Semantic::TranslationFrames, Semantic::Translations, self.translation_keys(), F32::<3>::FORMAT),
            (Semantic::RotationFrames, Semantic::Rotations, self.rotation_keys(), F32::<4>::FORMAT),
        ];
        let present = kinds.into_iter().filter(|(_, _, keys, _)| !keys.is_empty());
        present.flat_map(move |(at, what, keys, format)| {
            let values = ArrayParts::new(what, keys, format).skipping(KEY_VALUE as u32);
            [ArrayParts::new(at, keys, frames).of_bone(index), values.of_bone(index)]
        })
    }
}

impl<'a, P: Presence> U3d<'a, P> {
    /// The arrays in the file. First the arrays of the meshes, in file order: for each mesh, its triangles, their
    /// materials, positions, normals, skin, shadow optimized geometry and texture coordinates. Then, for each bone, the
    /// frames and the values of its animation keys.
    ///
    /// An array that other meshes borrow is listed once, for the mesh that owns it. A mesh whose level of detail is
    /// unknown is listed in level 0. O(1) memory.
    ///
    /// ```
    /// use meshlens_u3d::{U3d, Version, write, lens::Semantic};
    ///
    /// let mut mesh = write::Mesh::new("point");
    /// mesh.set_vertices(&[[1.0, 2.0, 3.0]], &[[0.0, 0.0, 1.0]], Version::V1)?;
    /// let mut model = write::Model::new(Version::V1);
    /// model.meshes.push(mesh);
    /// let bytes = model.write()?;
    ///
    /// let u3d = U3d::parse(&bytes)?;
    /// let positions = u3d.arrays().find(|array| array.semantic == Semantic::Position).ok_or("no positions")?;
    /// assert_eq!((positions.mesh, positions.frame), (0, 0));
    /// assert_eq!(positions.lens.get(0), Some([1f32, 2.0, 3.0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn arrays(&self) -> impl Iterator<Item = P::Of<Array<'a>>> + '_ {
        let data = self.data();
        self.parts().arrays().map(move |array| array.bind_in::<P>(data))
    }
}

impl<'d, 'a, P: Presence> Mesh<'d, 'a, P> {
    /// The arrays that the mesh owns, as [`U3d::arrays`] lists them.
    pub fn arrays(&self) -> impl Iterator<Item = P::Of<Array<'a>>> + use<'d, 'a, P> {
        let (data, is_v1) = (self.data(), self.version().is_v1());
        self.parts().arrays(self.index(), is_v1).map(move |array| array.bind_in::<P>(data))
    }
}
