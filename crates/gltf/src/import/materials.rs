//! Reads materials and textures from JSON (glTF 2.0: 5.19. Material, 5.29. Texture).

use meshlens::model::{Alpha, Material, Wrap};

use super::json::At;
use crate::Error;

/// A texture: its image, the name of the image, and its wrap modes.
pub(super) struct Texture<'i> {
    pub(super) image: Option<usize>,
    pub(super) name: Option<&'i str>,
    pub(super) wrap: [Wrap; 2],
}

/// The image of a texture: its own, or the one of an extension for another format of images.
pub(super) fn source(at: &At<'_>, images: usize) -> Result<Option<usize>, Error> {
    let mut source = at.index("source", images)?;
    if let (None, Some(extensions)) = (source, at.get("extensions")?) {
        extensions.members(|_, at| {
            source = source.or(at.index("source", images)?);
            Ok(())
        })?;
    }
    Ok(source)
}

pub(super) fn wrap(at: &At<'_>, name: &str) -> Result<Wrap, Error> {
    let Some(mode) = at.get(name)? else { return Ok(Wrap::Repeat) };
    match mode.unsigned()? {
        10497 => Ok(Wrap::Repeat),
        33648 => Ok(Wrap::Mirror),
        33071 => Ok(Wrap::Clamp),
        _ => Err(mode.fault("10497, 33071 or 33648")),
    }
}

/// A material, and the image of its color.
pub(super) fn material(at: &At<'_>, textures: &[Texture<'_>]) -> Result<(Material, Option<usize>), Error> {
    let mut image = None;
    let mut made = Material::new(at.text("name")?.unwrap_or_default());
    let texture = |at: &At<'_>, name| -> Result<Option<usize>, Error> {
        let Some(found) = at.get(name)? else { return Ok(None) };
        Ok(Some(found.required("index")?.index_below(textures.len())?))
    };
    let unused = ["normalTexture", "occlusionTexture", "emissiveTexture"];
    unused.into_iter().try_for_each(|name| texture(at, name).map(|_| ()))?;
    if let Some(pbr) = at.get("pbrMetallicRoughness")? {
        made.color = pbr.vector("baseColorFactor")?.unwrap_or(made.color);
        texture(&pbr, "metallicRoughnessTexture")?;
        if let Some(color) = texture(&pbr, "baseColorTexture")?.and_then(|index| textures.get(index)) {
            (made.texture, made.wrap, image) = (color.name.map(String::from), color.wrap, color.image);
        }
    }
    let extras =
        at.get("extras")?.and_then(|extras| extras.value().get("texture")?.as_str().map(String::from));
    made.texture = extras.or(made.texture);
    made.emissive = at.vector("emissiveFactor")?.unwrap_or_default();
    made.two_sided = at.flag("doubleSided")?;
    if let Some(mode) = at.get("alphaMode")? {
        made.alpha = match mode.as_text()? {
            "OPAQUE" => Alpha::Opaque,
            "MASK" => Alpha::Mask,
            "BLEND" => Alpha::Blend,
            _ => return Err(mode.fault("OPAQUE, MASK or BLEND")),
        };
    }
    made.cutoff = at.float("alphaCutoff")?.unwrap_or(made.cutoff);
    made.unlit = match at.get("extensions")? {
        Some(extensions) => extensions.get("KHR_materials_unlit")?.is_some(),
        None => false,
    };
    Ok((made, image))
}
