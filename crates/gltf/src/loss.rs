//! What a format holds and glTF does not.

use meshlens::{Document, Model};

use crate::builder::Builder;

impl Builder<'_, '_, '_> {
    /// Lists what of a model is not written, format by format.
    pub(crate) fn model_losses(&mut self, model: &Model<'_>) {
        match model.document() {
            Some(Document::Md3(md3)) => self.md3_losses(md3),
            Some(Document::Unreal(unreal)) => self.unreal_losses(unreal),
            Some(Document::UnigineMesh(mesh)) => self.unigine_losses(mesh),
            Some(Document::U3d(u3d)) => self.u3d_losses(u3d, model),
            _ => {}
        }
        let left_handed = model.tags.iter().filter(|tag| {
            (0..model.tag_frame_count())
                .filter_map(|frame| model.tag_pose(tag.index, frame))
                .any(|pose| pose.is_left_handed() || !pose.is_finite())
        });
        for tag in left_handed {
            self.loss(format!("tag {}: left-handed or not finite axes, brought to a rotation", tag.name));
        }
    }

    fn md3_losses(&mut self, md3: &meshlens::md3::Md3<'_>) {
        if md3.flags() != 0 {
            self.loss(format!("the model's flags {:#x}", md3.flags()));
        }
        if md3.frame_count() > 0 {
            self.loss("the bounds, origins and radii stored with frames".into());
        }
        for surface in md3.surfaces() {
            if surface.flags() != 0 {
                self.loss(format!("surface {}: flags {:#x}", surface.name(), surface.flags()));
            }
            for shader in surface.shaders().skip(1) {
                self.loss(format!("surface {}: shader {} after the first", surface.name(), shader.name));
            }
        }
    }

    fn unreal_losses(&mut self, unreal: &meshlens::unreal::Unreal<'_>) {
        let geometry = unreal.geometry();
        if geometry.unused_header().iter().any(|byte| *byte != 0) || geometry.trailing_bytes() > 0 {
            self.loss("the unused bytes of the geometry file".into());
        }
        if geometry.flags().into_iter().any(|flags| flags != 0) {
            self.loss("the triangles' flags".into());
        }
        if geometry.colors().into_iter().any(|color| color != 0) {
            self.loss("the triangles' colour bytes".into());
        }
        let types = || geometry.types().into_iter().map(meshlens::unreal::TriangleType);
        let effects: [(&str, bool); 4] = [
            ("modulated triangles, which are blended by alpha", types().any(|bits| bits.0 & 15 == 4)),
            ("flat triangles, which are smooth", types().any(|bits| bits.is_flat())),
            ("environment maps, which are plain textures", types().any(|bits| bits.is_environment_mapped())),
            ("textures without filtering", types().any(|bits| bits.is_not_smoothed())),
        ];
        for (effect, _) in effects.into_iter().filter(|(_, occurs)| *occurs) {
            self.loss(effect.into());
        }
    }

    fn unigine_losses(&mut self, mesh: &meshlens::unigine::Mesh<'_>) {
        for surface in mesh.surfaces() {
            if surface.lightmap().is_some_and(|lightmap| lightmap != [0; 2]) {
                self.loss(format!("surface {}: its lightmap's channel and resolution", surface.name()));
            }
            if surface.edge_block().is_some() {
                self.loss("the edges and the spatial tree of surfaces, which engines compute".into());
            }
        }
    }

    fn u3d_losses(&mut self, u3d: &meshlens::u3d::U3d<'_>, model: &Model<'_>) {
        let shown: usize = model.meshes.iter().map(meshlens::model::Mesh::frame_count).sum();
        if shown < u3d.mesh_count() {
            self.loss(format!(
                "{} meshes of later frames, whose vertices are not as many as before",
                u3d.mesh_count() - shown
            ));
        }
        if u3d.meshes().any(|mesh| mesh.shadow().is_some()) {
            self.loss("the geometry of shadow volumes".into());
        }
        let sets = u3d.meshes().flat_map(|mesh| mesh.texcoord_dimensions());
        if sets.into_iter().any(|dimension| dimension > 0 && dimension != 2) {
            self.loss("numbers of texture coordinates that are not two, such as tangents".into());
        }
        if u3d.unknown_chunks().next().is_some() {
            self.loss("the chunks of other programs".into());
        }
        if u3d.lod_count() > 1 {
            self.loss("the distances of levels of detail".into());
        }
        for material in u3d.materials() {
            let name = material.name().to_text().into_owned();
            if material.is_opaque() {
                self.loss(format!("material {name}: all of it, which only its engine can read"));
            } else {
                if material.textures().count() > 1 {
                    self.loss(format!("material {name}: textures after the first"));
                }
                self.loss("ambient and specular colours, and how textures are mixed".into());
            }
        }
    }
}
