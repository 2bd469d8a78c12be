//! Materials and their textures.

use meshlens_wire::Name;

use super::Validator;
use crate::codes;
use crate::layout::STAGES;
use crate::write::{numbers, read_material};
use crate::{Material, Texture};

/// The extensions of textures that the engine loads.
const EXTENSIONS: [&str; 7] = ["bmp", "jpg", "tga", "png", "dds", "ppm", "dib"];

impl Validator<'_, '_> {
    pub(super) fn materials(&mut self) {
        let u3d = self.u3d;
        for (number, material) in (0u32..).zip(u3d.materials()) {
            let pointer = format_args!("/materials/{number}");
            let offset = material.offset();
            self.name(material.name(), material.parts().name.offset(), pointer);
            if material.index() != number {
                let message = format_args!("number {}, expected {number}", material.index());
                self.report.add(&codes::MATERIAL_INDEX, offset, pointer, message);
            }
            let colors = [material.ambient(), material.diffuse(), material.specular(), material.emissive()];
            let others = [
                material.specular_power(),
                material.depth().unwrap_or(0.0),
                material.parallax_quality().unwrap_or(1.0),
            ];
            if !colors.as_flattened().iter().chain(&others).all(|value| value.is_finite()) {
                let message =
                    format_args!("a color, the specular power, the depth or the quality is not finite");
                self.report.add(&codes::MATERIAL_NOT_FINITE, offset, pointer, message);
            }
            if material.is_opaque() {
                let message = format_args!("what follows the texture stages is not documented");
                self.report.add(&codes::MATERIAL_OPAQUE, offset, pointer, message);
            }
            if material.texture_count().is_some_and(|count| usize::from(count) > STAGES) {
                let message = format_args!("more than {STAGES} textures");
                self.report.add(&codes::TEXTURE_COUNT, offset, pointer, message);
            }
            if let (None, Some(textures)) = (material.texture_count(), material.parts().textures()) {
                // ShaderPackExists follows the textures.
                self.boolean(textures.byte_range().end, pointer);
            }
            for texture in material.textures() {
                self.texture(number, &material, &texture);
            }
        }
        self.repeated();
    }

    /// Materials that are equal to the one before them.
    fn repeated(&mut self) {
        let (u3d, version) = (self.u3d, self.u3d.version());
        let stored = u3d.materials().map(|material| read_material(u3d, &material).ok()?.stored(version));
        let numbers = numbers(stored);
        for (number, material) in u3d.materials().enumerate().skip(1) {
            if numbers.get(number) == numbers.get(number - 1) {
                let message = format_args!("the material is equal to material {}", number - 1);
                let pointer = format_args!("/materials/{number}");
                self.report.add(&codes::MATERIAL_REPEATED, material.offset(), pointer, message);
            }
        }
    }

    fn texture(&mut self, number: u32, material: &Material<'_>, texture: &Texture<'_>) {
        let pointer = format_args!("/materials/{number}/textures/{}", texture.stage);
        let offset = texture.offset;
        if texture.is_cube && texture.is_normal_map {
            let message = format_args!("a cube texture cannot be a height map");
            self.report.add(&codes::CUBE_NORMAL_MAP, offset, pointer, message);
        }
        if !texture.height_scalar.is_finite() {
            let message = format_args!("the height is not finite");
            self.report.add(&codes::TEXTURE_NOT_FINITE, offset, pointer, message);
        }
        if material.texture_count().is_none() {
            // The chunk's header has 17 bytes; HoldsTexture, Width and Height come before the other two.
            for skip in [17, 26, 27] {
                self.boolean(offset + skip, pointer);
            }
        }
        for file in texture.files() {
            self.path(file.relative(), offset, pointer);
        }
    }

    fn path(&mut self, path: Name<'_>, offset: u64, pointer: core::fmt::Arguments<'_>) {
        let text = path.to_text();
        if text.is_empty() {
            let message = format_args!("the texture has no path");
            self.report.add(&codes::TEXTURE_PATH_EMPTY, offset, pointer, message);
            return;
        }
        if text.starts_with(['/', '\\']) || text.get(1..2) == Some(":") {
            let message = format_args!("\"{text}\" is a path on the author's machine");
            self.report.add(&codes::TEXTURE_PATH_ABSOLUTE, offset, pointer, message);
        }
        let file = text.rsplit(['/', '\\']).next().unwrap_or("");
        let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
        if !EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known)) {
            let message = format_args!("\"{text}\" is not a kind of file that the engine loads");
            self.report.add(&codes::TEXTURE_EXTENSION, offset, pointer, message);
        }
    }
}
