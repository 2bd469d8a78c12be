//! Findings about bones.

use alloc::collections::BTreeSet;

use glam::Vec4;

use super::Validator;
use crate::Skeleton;
use crate::codes;
use crate::tolerance::ROTATION_SLACK;

impl Validator<'_> {
    pub(super) fn skeleton(&mut self, skeleton: Skeleton<'_, '_>) {
        let mut names = BTreeSet::new();
        for (index, bone) in skeleton.bones().enumerate() {
            let pointer = format_args!("/bones/{index}");
            self.name(bone.name, bone.offset, format_args!("/bones/{index}/name"));
            if !names.insert(bone.name.as_bytes()) {
                let message = format_args!(
                    "the name \"{}\" is the name of an earlier bone, which animations move",
                    bone.name
                );
                self.report.add(&codes::DUPLICATE_BONE_NAME, bone.offset, pointer, message);
            }
            if bone.parent.is_some_and(|parent| parent > index) {
                let message = format_args!("the parent of \"{}\" comes after it", bone.name);
                self.report.add(&codes::PARENT_AFTER_CHILD, bone.offset, pointer, message);
            }
            let offset = skeleton.parts().transforms().offset() + 40 * index as u64;
            if !bone.transform.is_finite() {
                let message = format_args!("the transform of \"{}\" is not finite", bone.name);
                self.report.add(&codes::BONE_NOT_FINITE, offset, pointer, message);
                continue;
            }
            let length = Vec4::from(bone.transform.rotation).length();
            if (length - 1.0).abs() > ROTATION_SLACK {
                let message = format_args!("the rotation of \"{}\" has a length of {length}", bone.name);
                self.report.add(&codes::BONE_ROTATION_NOT_UNIT, offset, pointer, message);
            }
        }
    }
}
