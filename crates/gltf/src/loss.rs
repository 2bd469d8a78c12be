//! The content of a model that glTF does not store.

use meshlens::Model;
use meshlens::model::{Clip, TagPose};

use crate::builder::Builder;
use crate::codes;
use crate::selection::Frames;

impl Builder<'_, '_, '_> {
    /// Lists the content of a model that is not written: the data of its format that [`Model`] does not have, tags
    /// whose axes are not a rotation, and frames of joints without a clip.
    pub(crate) fn model_losses(&mut self, model: &Model<'_>) {
        model.losses(&mut self.losses);
        let conversion = self.conversion(model);
        for tag in &model.tags {
            let poses = (0..model.tag_frame_count()).filter_map(|frame| model.tag_pose(tag.index, frame));
            // A large scale may overflow.
            let overflows =
                |pose: &TagPose| !conversion.position(pose.origin).iter().all(|axis| axis.is_finite());
            let odd = poses.filter(|pose| pose.is_left_handed() || !pose.is_finite() || overflows(pose));
            let odd = odd.count() as u64;
            let message = format_args!(
                "tag {}: left-handed or not finite axes in {odd} frames; the nearest rotation was stored",
                tag.name
            );
            self.losses.lose(&codes::TAG_AXES_REPAIRED, odd, format_args!("tag {}", tag.name), message);
        }
        if self.options.frames == Frames::All {
            self.unplayed_frames(model);
        }
    }

    /// Lists the frames of joints that no clip plays.
    fn unplayed_frames(&mut self, model: &Model<'_>) {
        for (index, animation) in model.animations.iter().enumerate() {
            let count = animation.frame_count();
            let clips = model.clips.iter().filter(|clip| clip.animation == Some(index));
            let mut ranges: Vec<(usize, usize)> =
                clips.map(|Clip { first, count, .. }| (*first, first.saturating_add(*count))).collect();
            ranges.sort_unstable();
            let (mut played, mut end) = (0, 0);
            for (first, last) in ranges {
                let last = last.min(count);
                played += last.saturating_sub(first.max(end));
                end = end.max(last);
            }
            let (name, lost) = (&animation.name, count.saturating_sub(played));
            let message = format_args!("animation {name}: {lost} of {count} frames, which no clip plays");
            let place = format_args!("animation {name}");
            self.losses.lose(&codes::JOINT_FRAME_LOST, lost as u64, place, message);
        }
    }
}
