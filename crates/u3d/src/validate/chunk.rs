//! Version 2.0: which chunks there are, in which order, and how long.

use meshlens_wire::Severity::{Error, Hint, Info, Warning};

use super::Validator;
use crate::layout::v2;
use crate::{Section, Version};

impl Validator<'_, '_> {
    pub(super) fn chunks(&mut self) {
        let u3d = self.u3d;
        if u3d.version() != Version::V2_0_0 {
            let message = format_args!("version {}; 2.0.0 is the one that is known", u3d.version());
            self.add(Info, "VERSION_NEWER", 21, format_args!(""), message);
        }
        let (mut has_header, mut has_actions) = (false, false);
        for (index, section) in u3d.sections().filter(|section| section.depth == 0).enumerate() {
            let pointer = format_args!("/chunks/{index}");
            let is = |identifier: &str| section.identifier == identifier;
            let offset = section.offset;
            if !section.is_known() {
                let (code, message) = match section.is_custom() {
                    true => ("CHUNK_CUSTOM", "the chunk is another program's"),
                    false => ("CHUNK_UNKNOWN", "the format has no such chunk"),
                };
                let message = format_args!("\"{}\": {message}", section.identifier);
                let severity = if section.is_custom() { Hint } else { Info };
                self.add(severity, code, offset, pointer, message);
            } else if is(v2::FILE_HEADER) && index == 0 {
                self.extra(&section, section.body_offset().saturating_add(20));
            } else if is(v2::MODEL_HEADER) && !has_header {
                has_header = true;
                self.extra(&section, u3d.header().used);
            } else if is(v2::MODEL_HEADER) {
                let message = format_args!("a second model header; the first one counts");
                self.add(Error, "MODEL_HEADER_DUPLICATE", offset, pointer, message);
            } else if is(v2::FILE_HEADER) || is(v2::SHADER_PACK) || is(v2::SHADOW_GEOMETRY) || is(v2::TEXTURE)
            {
                let message = format_args!("\"{}\" has no meaning in this place", section.identifier);
                self.add(Warning, "CHUNK_MISPLACED", offset, pointer, message);
            } else if !has_header {
                let message = format_args!("\"{}\" stands before the model header", section.identifier);
                self.add(Error, "CHUNK_BEFORE_MODEL_HEADER", offset, pointer, message);
            }
            if is(v2::ACTION_RANGE) {
                if has_actions {
                    let message = format_args!("a second action range; the first one counts");
                    self.add(Error, "ACTION_RANGE_DUPLICATE", offset, pointer, message);
                } else {
                    self.extra(&section, u3d.parts().actions.used);
                }
                has_actions = true;
            }
        }
        let parts = u3d.parts();
        let meshes = parts.meshes().iter().map(|mesh| (mesh.offset, mesh.used, mesh.end));
        let materials =
            parts.materials().iter().map(|material| (material.offset, material.used, material.end));
        let bones = parts.bones().iter().map(|bone| (bone.offset, bone.used, bone.end));
        for (offset, used, end) in meshes.chain(materials).chain(bones) {
            self.extra_bytes(offset, used, end);
        }
    }

    fn extra(&mut self, section: &Section<'_>, used: u64) {
        self.extra_bytes(section.offset, used, section.end());
    }

    /// Bytes behind what is documented of a chunk: newer versions may add them.
    fn extra_bytes(&mut self, offset: u64, used: u64, end: u64) {
        if used < end {
            let severity = if self.u3d.version() == Version::V2_0_0 { Warning } else { Hint };
            let extra = end.saturating_sub(used);
            let message = format_args!("{extra} bytes of the chunk at {offset:#x} are not documented");
            self.add(severity, "CHUNK_EXTRA_BYTES", used, format_args!(""), message);
        }
    }
}
