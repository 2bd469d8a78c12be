//! Materials and their textures.

use meshlens_wire::Name;
use meshlens_wire::Severity::{Error, Hint, Info, Warning};

use super::Validator;
use crate::layout::STAGES;
use crate::{Material, Texture};

/// Extensions of textures the engine loads.
const EXTENSIONS: [&str; 7] = ["bmp", "jpg", "tga", "png", "dds", "ppm", "dib"];

impl Validator<'_, '_> {
    pub(super) fn materials(&mut self) {
        let u3d = self.u3d;
        for (number, material) in (0u32..).zip(u3d.materials()) {
            let pointer = format_args!("/materials/{number}");
            let offset = material.offset();
            self.name(material.name(), material.parts().name.offset, pointer);
            if material.index() != number {
                let message = format_args!("number {} where {number} is expected", material.index());
                self.add(Error, "MATERIAL_INDEX", offset, pointer, message);
            }
            let colors = [material.ambient(), material.diffuse(), material.specular(), material.emissive()];
            let others = [
                material.specular_power(),
                material.depth().unwrap_or_default(),
                material.parallax_quality().unwrap_or_default(),
            ];
            if !colors.as_flattened().iter().chain(&others).all(|value| value.is_finite()) {
                let message = format_args!("colors, depth or quality are not finite numbers");
                self.add(Error, "MATERIAL_NOT_FINITE", offset, pointer, message);
            }
            if material.is_opaque() {
                let message = format_args!("what follows the texture stages is not documented");
                self.add(Info, "MATERIAL_OPAQUE", offset, pointer, message);
            }
            if material.texture_count().is_some_and(|count| usize::from(count) > STAGES) {
                let message = format_args!("more than {STAGES} textures");
                self.add(Error, "TEXTURE_COUNT", offset, pointer, message);
            }
            if material.texture_count().is_none() {
                self.boolean(material.parts().used.saturating_sub(1), pointer);
            }
            for texture in material.textures() {
                self.texture(number, &material, &texture);
            }
        }
    }

    fn texture(&mut self, number: u32, material: &Material<'_>, texture: &Texture<'_>) {
        let pointer = format_args!("/materials/{number}/textures/{}", texture.stage);
        let offset = texture.offset;
        if texture.is_cube && texture.is_normal_map {
            let message = format_args!("a cube texture cannot be a height map");
            self.add(Error, "CUBE_NORMAL_MAP", offset, pointer, message);
        }
        if !texture.height_scalar.is_finite() {
            let message = format_args!("the height is not a finite number");
            self.add(Warning, "TEXTURE_NOT_FINITE", offset, pointer, message);
        }
        if material.texture_count().is_none() {
            // The chunk's header has 17 bytes; HoldsTexture, Width and Height stand before the other two.
            for skip in [17, 26, 27] {
                self.boolean(offset.saturating_add(skip), pointer);
            }
        }
        for file in texture.files() {
            self.path(file.relative(), offset, pointer);
        }
    }

    fn path(&mut self, path: Name<'_>, offset: u64, pointer: core::fmt::Arguments<'_>) {
        let text = path.to_text();
        if text.is_empty() {
            self.add(Warning, "TEXTURE_PATH_EMPTY", offset, pointer, format_args!("the texture has no path"));
            return;
        }
        if text.starts_with(['/', '\\']) || text.get(1..2) == Some(":") {
            let message = format_args!("\"{text}\" is a path of the author's machine");
            self.add(Warning, "TEXTURE_PATH_ABSOLUTE", offset, pointer, message);
        }
        let file = text.rsplit(['/', '\\']).next().unwrap_or_default();
        let extension = file.rsplit_once('.').map(|(_, extension)| extension).unwrap_or_default();
        if !EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)) {
            let message = format_args!("\"{text}\" is no kind of texture the engine loads");
            self.add(Hint, "TEXTURE_EXTENSION", offset, pointer, message);
        }
    }
}
