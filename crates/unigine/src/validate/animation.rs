//! Findings about animations.

use alloc::collections::BTreeSet;

use meshlens_wire::OutOfRange;

use super::Validator;
use crate::codes;
use crate::layout::{SCALE, TRANSLATION, Version};
use crate::{Animation, Transform};

impl Validator<'_> {
    pub(super) fn animation(&mut self, animation: &Animation<'_, '_>) {
        let index = animation.index();
        if animation.version() != Version::An11 {
            // Names are in the header of the file, far from the data. Findings about them refer to the data.
            self.name(animation.name(), animation.offset(), format_args!("/animations/{index}/name"));
        }
        if animation.frame_count() == 0 {
            let message = format_args!("the animation \"{}\" has no frames", animation.name());
            let pointer = format_args!("/animations/{index}");
            self.report.add(&codes::ANIMATION_EMPTY, animation.frame_count_offset(), pointer, message);
        }
        self.animation_bones(animation);
        self.mask_and_ranges(animation);
        self.records(animation);
    }

    fn animation_bones(&mut self, animation: &Animation<'_, '_>) {
        let (index, count) = (animation.index(), animation.skeleton().len());
        let bones = animation.bones();
        let mut seen = BTreeSet::new();
        let start = bones.byte_range().start;
        for (number, bone) in (0u64..).zip(bones) {
            let offset = start + 2 * number;
            let pointer = format_args!("/animations/{index}/bones/{number}");
            if !usize::try_from(bone).is_ok_and(|bone| bone < count) {
                let message = format_args!("{}", OutOfRange::new("bone", bone, count));
                self.report.add(&codes::ANIMATION_BONE, offset, pointer, message);
            } else if !seen.insert(bone) {
                let message = format_args!("bone {bone} is moved twice");
                self.report.add(&codes::ANIMATION_BONE_TWICE, offset, pointer, message);
            }
        }
    }

    fn mask_and_ranges(&mut self, animation: &Animation<'_, '_>) {
        let (index, mask) = (animation.index(), animation.mask());
        let offset = animation.mask_offset().unwrap_or(animation.offset());
        if mask & !animation.version().known_flags() != 0 {
            let message = format_args!("the mask {mask:#010b} has bits that name no component");
            let pointer = format_args!("/animations/{index}/mask");
            self.report.add(&codes::MASK_UNKNOWN_BITS, offset, pointer, message);
        }
        let Some(ranges) = animation.ranges() else { return };
        let tracks = [
            (TRANSLATION, ranges.translation_min, ranges.translation_size),
            (SCALE, ranges.scale_min, ranges.scale_size),
        ];
        for (track, min, size) in tracks {
            // A range has no meaning if no track uses it.
            let is_odd = |value: &f32| !value.is_finite();
            if mask & track != 0 && (min.iter().any(is_odd) || size.iter().any(is_odd)) {
                let message = format_args!("the range from {min:?} of size {size:?} is not finite");
                let pointer = format_args!("/animations/{index}/ranges");
                self.report.add(&codes::RANGE_NOT_FINITE, offset, pointer, message);
            }
        }
    }

    fn records(&mut self, animation: &Animation<'_, '_>) {
        let (index, mask, bones) = (animation.index(), animation.mask(), animation.bone_count());
        let known = animation.version().known_flags();
        // In an11, frame 0 leaves out components that equal the bind pose.
        let first_must = if animation.version() == Version::An11 { 0 } else { mask & known };
        for (number, record) in animation.records().enumerate() {
            // Without bones, there are no records.
            let (frame, bone) = (number / bones, number % bones);
            let pointer = format_args!("/animations/{index}/frames/{frame}/{bone}");
            let flags = record.flags;
            if flags & !known != 0 {
                let message = format_args!("the flags {flags:#010b} have bits that name no component");
                self.report.add(&codes::RECORD_UNKNOWN_BITS, record.offset, pointer, message);
            }
            if flags & known & !mask != 0 {
                let message = format_args!("components are stored that the mask {mask:#010b} leaves out");
                self.report.add(&codes::RECORD_OUTSIDE_MASK, record.offset, pointer, message);
            }
            if frame == 0 && first_must & !flags != 0 {
                let message = format_args!("the first frame leaves out components of the mask {mask:#010b}");
                self.report.add(&codes::FIRST_FRAME_INCOMPLETE, record.offset, pointer, message);
            }
            let mut transform = Transform::IDENTITY;
            animation.apply(&record, &mut transform);
            if !transform.is_finite() {
                let message = format_args!("a component is not finite");
                self.report.add(&codes::RECORD_NOT_FINITE, record.offset, pointer, message);
            }
        }
    }
}
