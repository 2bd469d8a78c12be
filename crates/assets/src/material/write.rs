//! Writes a material as a Quake 3 shader.

use std::fmt::Write as _;

use meshlens::Report;
use meshlens::model::{Alpha, Material, TextureAlpha, TextureCoordinates, Wrap};
use meshlens::wire::quote_token;

use super::ShaderScript;
use super::shader::key;

/// The text of a shader that draws the image `path` as a material is drawn, for a surface that names this image. `None` if the
/// image alone is drawn so, or if a script cannot name it. Engines look up a shader by the path without its extension before they
/// open an image.
///
/// ```
/// use meshlens::model::{Alpha, Material};
/// use meshlens_assets::material::shader_text;
///
/// let leaf = Material { alpha: Alpha::Mask, two_sided: true, ..Material::new("leaf") };
/// let text = shader_text("models/leaf.tga", &leaf).ok_or("no shader")?;
/// assert_eq!(text, "models/leaf
/// {
/// \tcull disable
/// \t{
/// \t\tmap models/leaf.tga
/// \t\talphaFunc GE128
/// \t\trgbGen lightingDiffuse
/// \t}
/// }
/// ");
/// assert_eq!(shader_text("models/leaf.tga", &Material::new("leaf")), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shader_text(path: &str, material: &Material) -> Option<String> {
    let name = stem(path);
    let is_clamped = material.wrap == [Wrap::Clamp; 2];
    let is_plain = material.alpha == Alpha::Opaque
        && !(material.two_sided || material.sprites || material.unlit || is_clamped)
        && material.texture_coordinates == TextureCoordinates::Stored;
    if is_plain || name.is_empty() || path.contains(['"', '\n', '\r', '\0']) {
        return None;
    }
    let mut text = format!("{}\n{{\n", quote_token(name));
    let mut line = |words: &str| _ = writeln!(text, "\t{words}");
    if material.two_sided {
        line("cull disable");
    }
    if material.sprites {
        line("deformVertexes autosprite");
    }
    line("{");
    let map = if is_clamped { "clampMap" } else { "map" };
    line(&format!("\t{map} {}", quote_token(path)));
    match material.alpha {
        Alpha::Opaque => {}
        // GE128 is alpha of one half and more, GT0 any alpha.
        Alpha::Mask if material.cutoff < 0.25 => line("\talphaFunc GT0"),
        Alpha::Mask => line("\talphaFunc GE128"),
        Alpha::Blend => line(match material.texture_alpha {
            TextureAlpha::Stored | TextureAlpha::FirstColor => "\tblendFunc blend",
            TextureAlpha::Add => "\tblendFunc add",
            TextureAlpha::AddAlpha => "\tblendFunc GL_SRC_ALPHA GL_ONE",
            TextureAlpha::Multiply => "\tblendFunc filter",
            TextureAlpha::Multiply2x => "\tblendFunc GL_DST_COLOR GL_SRC_COLOR",
            TextureAlpha::MultiplyInverse => "\tblendFunc GL_ZERO GL_ONE_MINUS_SRC_COLOR",
        }),
    }
    if material.texture_coordinates == TextureCoordinates::Environment {
        line("\ttcGen environment");
    }
    // Without lighting, a stage has full brightness.
    if !material.unlit {
        line("\trgbGen lightingDiffuse");
    }
    line("}");
    text.push_str("}\n");
    Some(text)
}

/// The material that a shader draws; `None` if the text is no shader.
pub(crate) fn drawn(text: &str) -> Option<Material> {
    let script = ShaderScript::parse(text.as_bytes()).ok()?;
    let mut material = Material::new("");
    script.shaders.first()?.apply(&mut material, &mut Report::default());
    Some(material)
}

/// The name without its extension.
fn stem(path: &str) -> &str {
    path.get(..key(path).len()).unwrap_or(path)
}
