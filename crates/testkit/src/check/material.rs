//! Checkers for `meshlens-assets`: shader scripts and images.

use meshlens::Report;
use meshlens_assets::material::{
    Alpha, Image, ImageFormat, ImageLimits, MAX_FAULTS, MAX_STAGES, Material, ShaderScript, TextureAlpha,
};

use crate::meter::{bounded_by, within};

use super::{checked, error, explained};

/// A shader of four bytes (`a{}` and a space) becomes a record, and lists double their capacity.
const MEMORY_PER_BYTE: u64 = 256;

/// Parses a shader script, and makes a material from each of its shaders.
pub fn shader(bytes: &[u8]) {
    let parse = || ShaderScript::parse(bytes);
    let script = bounded_by(MEMORY_PER_BYTE, bytes.len(), "parse", parse);
    let Some(script) = checked(script, bytes) else { return };
    assert!(script.faults.len() as u64 == script.fault_count.min(MAX_FAULTS as u64));
    script.faults.iter().for_each(|fault| error(fault, bytes));
    for shader in script.shaders.iter().take(256) {
        assert!(shader.offset < bytes.len() as u64 && !shader.name.is_empty());
        assert!(shader.stages.len() == shader.stage_count.min(MAX_STAGES));
        assert!(script.shader(&shader.name).is_some());
        let (mut material, mut losses) = (Material::new(shader.name.as_str()), Report::default());
        shader.apply(&mut material, &mut losses);
        super::report_of(&losses, |_| bytes);
        assert!(material.color.iter().all(|value| (0.0..=1.0).contains(value)), "{material:?}");
        assert!(material.alpha != Alpha::Mask || material.cutoff > 0.0);
        assert!(!material.hidden || shader.image().is_none());
    }
}

/// The largest images that are decoded. Decoding may use memory for several copies of the pixels, and for the tables of
/// the decoders.
const LIMITS: ImageLimits = ImageLimits { side: 1024, pixels: 1 << 14 };
const MEMORY: usize = 4 << 20;

/// Decodes an image of any format, with every source of alpha; the decoded image is written and read back.
pub fn image(bytes: &[u8]) {
    let all = [
        TextureAlpha::Stored,
        TextureAlpha::FirstColor,
        TextureAlpha::Add,
        TextureAlpha::AddAlpha,
        TextureAlpha::Multiply,
        TextureAlpha::Multiply2x,
        TextureAlpha::MultiplyInverse,
    ];
    // TGA files are recognized only by their names.
    for extension in ["tga", "png"] {
        let alpha = all[bytes.len() % all.len()];
        let decode = || Image::decode(bytes, extension, alpha, &LIMITS);
        let image = within(MEMORY + bytes.len(), "decode", decode);
        let Some(image) = explained(image) else { continue };
        assert!(ImageFormat::detect(bytes, extension).is_some());
        let pixels = u64::from(image.width) * u64::from(image.height);
        assert!(pixels > 0 && pixels <= LIMITS.pixels && image.rgba.len() as u64 == pixels * 4);
        let again = Image::decode(&image.to_png(), "png", TextureAlpha::Stored, &LIMITS);
        assert_eq!(again.expect("what was written is read"), image);
    }
}
