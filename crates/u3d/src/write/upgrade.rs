//! Models of version 1.0 as version 2.0.

use glam::Vec2;
use meshlens_lens::{Encode, Encoding};
use meshlens_wire::Report;

use super::{Model, codes};
use crate::Version;
use crate::encoding::{U3dNormal8, U3dNormal16};

impl Model {
    /// Makes a model of version 1.0 one of version 2.0, as the document of version 1.0 recommends. Adds a finding for what
    /// version 2.0 cannot store: the outline, and undocumented parts of materials. Does nothing to other versions.
    /// O(vertices).
    ///
    /// Meshes with different sets of texture coordinates cannot be [written](Self::write) as version 2.0.
    ///
    /// ```
    /// use meshlens_u3d::{U3d, Version, write};
    /// use meshlens_wire::Report;
    ///
    /// # let bytes = write::Model { lods: vec![], ..write::Model::new(Version::V1) }.write()?;
    /// let mut model = write::Model::try_from(&U3d::parse(&bytes)?)?;
    /// let mut losses = Report::default();
    /// model.upgrade(&mut losses);
    /// assert_eq!(U3d::parse(&model.write()?)?.version(), Version::V2_0_0);
    /// assert!(losses.is_empty());
    /// # Ok::<(), meshlens_u3d::Error>(())
    /// ```
    pub fn upgrade(&mut self, losses: &mut Report) {
        if !self.version.is_v1() {
            return;
        }
        self.version = Version::V2_0_0;
        if self.v1.cel_shading_strength > 0.0 {
            losses.lose(&codes::CEL_SHADING_LOST, 1, format_args!("/header"), format_args!("the outline"));
        }
        // Version 1.0 stores the square of the distance at which a level begins, version 2.0 the distance at which it ends.
        let begin = self.lods.iter().skip(1).map(|lod| Vec2::splat(lod.distance).powf(0.5).x);
        let ends: alloc::vec::Vec<f32> = begin.chain([f32::MAX]).collect();
        for (lod, end) in self.lods.iter_mut().zip(ends) {
            (lod.fraction, lod.distance) = (1.0, end);
        }
        self.upgrade_meshes();
        for (index, material) in self.materials.iter_mut().enumerate() {
            if material.opaque.take().is_some() {
                let message = format_args!("material {index}: what only its engine can read");
                losses.lose(&codes::MATERIAL_OPAQUE_LOST, 1, format_args!("/materials/{index}"), message);
            }
            if let ([.., alpha], false) = (&mut material.diffuse, self.v1.alpha_blending) {
                *alpha = 1.0;
            }
            for path in material.textures.iter_mut().flatten().flat_map(|texture| &mut texture.files) {
                // Version 1.0 looks for a name without a folder in the folder of textures, which is `*` in version 2.0.
                if !path.is_empty() && !path.iter().any(|byte| matches!(byte, b'/' | b'\\' | b'*')) {
                    path.insert(0, b'*');
                }
            }
        }
    }

    fn upgrade_meshes(&mut self) {
        // A mesh that borrows triangles comes after the mesh that has them. Bones refer to meshes by their place.
        if self.bones.is_empty() {
            self.meshes.sort_by_key(|mesh| mesh.frame);
        }
        for index in 0..self.meshes.len() {
            let (earlier, rest) = self.meshes.split_at_mut(index);
            let Some(mesh) = rest.first_mut() else { continue };
            for normal in &mut mesh.normals {
                // Version 1.0 has angles of one byte.
                let direction = U3dNormal8.decode(normal.map(|angle| angle as u8));
                *normal = U3dNormal16.encode(direction).map(|angle| angle.get());
            }
            if mesh.texcoords.is_none() {
                let place = (mesh.lod_index, mesh.mesh_in_frame);
                let first = earlier.iter().find(|first| (first.lod_index, first.mesh_in_frame) == place);
                mesh.texcoords = first.and_then(|first| first.texcoords.clone());
            }
        }
        if let Some(mesh) = self.meshes.first() {
            (self.texcoord_dimensions, self.skin_weights) =
                (mesh.texcoord_dimensions, mesh.skin_weight_count);
        }
    }
}
