//! What a format holds and glTF does not.

use meshlens::{Document, Model};

use crate::builder::Builder;

impl Builder<'_, '_, '_> {
    /// Lists what of a model is not written, format by format.
    pub(crate) fn model_losses(&mut self, model: &Model<'_>) {
        #[allow(clippy::single_match, reason = "one arm for each format")]
        match model.document() {
            Document::Md3(md3) => self.md3_losses(md3),
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
}
