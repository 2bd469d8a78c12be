//! What is said of bones.

use alloc::collections::BTreeSet;

use meshlens_wire::Severity::{Error, Info, Warning};

use super::Validator;
use crate::Skeleton;

/// How far the length of a stored rotation may be from 1.
pub(super) const ROTATION_SLACK: f32 = 0.01;

impl Validator<'_> {
    pub(super) fn skeleton(&mut self, skeleton: Skeleton<'_, '_>) {
        let mut names = BTreeSet::new();
        for (index, bone) in skeleton.bones().enumerate() {
            let pointer = format_args!("/bones/{index}");
            self.name(bone.name, bone.offset, format_args!("/bones/{index}/name"));
            if !names.insert(bone.name.as_bytes()) {
                let message =
                    format_args!("the name \"{}\" stands before; animations move the first", bone.name);
                self.add(Warning, "DUPLICATE_BONE_NAME", bone.offset, pointer, message);
            }
            if bone.parent.is_some_and(|parent| parent > index) {
                let message = format_args!("the parent of \"{}\" comes after it", bone.name);
                self.add(Info, "PARENT_AFTER_CHILD", bone.offset, pointer, message);
            }
            let record = (index as u64).saturating_mul(40);
            let offset = skeleton.transforms_offset().saturating_add(record);
            if !bone.transform.is_finite() {
                let message = format_args!("the transform of \"{}\" is not finite", bone.name);
                self.add(Error, "BONE_NOT_FINITE", offset, pointer, message);
                continue;
            }
            let length = libm::sqrtf(bone.transform.rotation.iter().map(|v| v * v).sum());
            if (length - 1.0).abs() > ROTATION_SLACK {
                let message = format_args!("the rotation of \"{}\" has a length of {length}", bone.name);
                self.add(Warning, "BONE_ROTATION_NOT_UNIT", offset, pointer, message);
            }
        }
    }
}
