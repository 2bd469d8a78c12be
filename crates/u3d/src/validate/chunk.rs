//! Version 2.0: the chunks, their order and their sizes.

use super::Validator;
use crate::codes;
use crate::layout::v2;
use crate::{Section, Version};

impl Validator<'_, '_> {
    pub(super) fn chunks(&mut self) {
        let u3d = self.u3d;
        if u3d.version() != Version::V2_0_0 {
            let message = format_args!("version {}; only 2.0.0 is documented", u3d.version());
            self.report.add(&codes::VERSION_NEWER, 21, format_args!(""), message);
        }
        let (mut has_header, mut has_actions) = (false, false);
        for (index, section) in u3d.sections().filter(|section| section.depth == 0).enumerate() {
            let pointer = format_args!("/chunks/{index}");
            let is = |identifier: &str| section.identifier == identifier;
            let offset = section.offset;
            if !section.is_known() {
                let (code, message) = match section.is_custom() {
                    true => (&codes::CHUNK_CUSTOM, "the chunk belongs to another program"),
                    false => (&codes::CHUNK_UNKNOWN, "the format does not define this chunk"),
                };
                let message = format_args!("\"{}\": {message}", section.identifier);
                self.report.add(code, offset, pointer, message);
            } else if is(v2::FILE_HEADER) && index == 0 {
                self.extra(&section, section.body_offset() + 20);
            } else if is(v2::MODEL_HEADER) && !has_header {
                has_header = true;
                self.extra(&section, u3d.header().used);
            } else if is(v2::MODEL_HEADER) {
                let message = format_args!("a second model header; only the first one is read");
                self.report.add(&codes::MODEL_HEADER_DUPLICATE, offset, pointer, message);
            } else if is(v2::FILE_HEADER) || is(v2::SHADER_PACK) || is(v2::SHADOW_GEOMETRY) || is(v2::TEXTURE)
            {
                let message = format_args!("\"{}\" has no meaning at the top level", section.identifier);
                self.report.add(&codes::CHUNK_MISPLACED, offset, pointer, message);
            } else if !has_header {
                let message = format_args!("\"{}\" comes before the model header", section.identifier);
                self.report.add(&codes::CHUNK_BEFORE_MODEL_HEADER, offset, pointer, message);
            }
            if is(v2::ACTION_RANGE) {
                if has_actions {
                    let message = format_args!("a second action range; only the first one is read");
                    self.report.add(&codes::ACTION_RANGE_DUPLICATE, offset, pointer, message);
                } else if let Some(actions) = u3d.parts().actions {
                    self.extra(&section, actions.used);
                }
                has_actions = true;
            }
        }
        for (offset, used, end) in u3d.parts().sections() {
            self.extra_bytes(offset, used, end);
        }
    }

    fn extra(&mut self, section: &Section<'_>, used: u64) {
        self.extra_bytes(section.offset, used, section.end());
    }

    /// Reports bytes after the documented fields of a chunk, which newer versions may add.
    fn extra_bytes(&mut self, offset: u64, used: u64, end: u64) {
        if used < end {
            let is_known = self.u3d.version() == Version::V2_0_0;
            let code = if is_known { &codes::CHUNK_EXTRA_BYTES } else { &codes::CHUNK_NEWER_BYTES };
            let extra = end - used;
            let message = format_args!("{extra} bytes of the chunk at {offset:#x} are not documented");
            self.report.add(code, used, format_args!(""), message);
        }
    }
}
