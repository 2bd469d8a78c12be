//! The textures of scenes, for writers and pictures that look them up by their materials.

use std::iter;

use bytes::Bytes;
use meshlens::model::{Alpha, ImageBytes, ImageSource, Material, TextureCoordinates};
use meshlens::scene::Scene;
use meshlens::wire::{Budget, OverBudget, Reservation};
use meshlens_assets::material::ImageLimits;
use meshlens_assets::{Assets, FoundFile};
use meshlens_gltf::Texture;

use crate::content::Content;

/// The largest textures of pictures. Larger ones would not show more detail.
const PICTURE_IMAGES: ImageLimits = ImageLimits { side: 1 << 13, pixels: 1 << 24 };

/// Stands before and after the node in a mark. No path has it.
const MARK: char = '\0';

/// The image with a mark. An image that the file of the model contains is the same in every search path.
fn mark(node: usize, image: Option<&ImageSource>) -> Option<ImageSource> {
    match image {
        None => Some(ImageSource::File(format!("{MARK}{node}{MARK}"))),
        Some(ImageSource::File(path)) => Some(ImageSource::File(format!("{MARK}{node}{MARK}={path}"))),
        Some(embedded) => Some(embedded.clone()),
    }
}

/// The node and the path of a marked image.
fn marked(material: &Material) -> Option<(usize, &str)> {
    let Some(ImageSource::File(image)) = &material.image else { return None };
    let (node, path) = image.strip_prefix(MARK)?.split_once(MARK)?;
    Some((node.parse().ok()?, path))
}

/// Whether two search paths have found the same file, or none. Files of object stores are taken for different ones, because
/// their mounts have one name.
fn is_same_file(one: Option<&FoundFile>, two: Option<&FoundFile>) -> bool {
    let Some((one, two)) = one.zip(two) else { return one.is_none() && two.is_none() };
    (one.os_path().is_some() || one.archive().is_some()) && one.to_string() == two.to_string()
}

impl Content {
    /// The search path of each node.
    fn search_paths(&self) -> impl Iterator<Item = &Assets> {
        (0..self.scene().nodes.len()).filter_map(|node| self.0.node_assets(node))
    }

    /// Marks the materials of a copy of the scene whose textures are other files in the search path of their node than in the
    /// first one that has them. [`texture`](Self::texture) reads the marks: what it is given has no node.
    pub(crate) fn mark(&self, scene: &mut Scene<'_>) {
        if scene.nodes.len() < 2 {
            return;
        }
        for (index, node) in scene.nodes.iter_mut().enumerate() {
            let Some(assets) = self.0.node_assets(index) else { continue };
            let is_other = |material: &Material| {
                let first = self.search_paths().find_map(|assets| assets.find_texture(material));
                !is_same_file(assets.find_texture(material).as_ref(), first.as_ref())
            };
            let models = iter::once(&mut node.model).chain(&mut node.lods);
            for material in models.flat_map(|model| model.materials.iter_mut()) {
                if is_other(material) {
                    material.image = mark(index, material.image.as_ref());
                }
                if let Some(map) = material.normal_map.as_mut().filter(|map| is_other(&map.material(false)))
                    && let Some(image) = mark(index, Some(&map.image))
                {
                    map.image = image;
                }
            }
        }
    }

    /// The texture of a material of a scene that was [marked](Self::mark), found in the search path of its node. Other
    /// materials, and height maps, which have no image to mark, are looked up in those of all nodes.
    pub(crate) fn texture<T>(
        &self,
        material: &Material,
        find: impl Fn(&Assets, &Material) -> Option<T>,
    ) -> Option<T> {
        let Some((node, path)) = marked(material) else {
            return self.search_paths().find_map(|assets| find(assets, material));
        };
        let image = path.strip_prefix('=').map(|path| ImageSource::File(path.to_owned()));
        find(self.0.node_assets(node)?, &Material { image, ..material.clone() })
    }
}

/// The bytes of a texture, and their memory.
struct Held {
    bytes: Bytes,
    _held: Reservation,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The texture of a material, embedded.
pub(crate) fn embedded(
    assets: &Assets,
    material: &Material,
    budget: &Budget,
) -> Result<Option<Texture>, OverBudget> {
    if material.texture_coordinates == TextureCoordinates::Environment {
        let image = assets.texture_image(material, &ImageLimits::DEFAULT).ok().flatten();
        return Ok(image.map(|image| Texture::Reflection(image.average(material.alpha == Alpha::Opaque))));
    }
    let Ok(Some(file)) = assets.texture_file(material, &ImageLimits::DEFAULT) else { return Ok(None) };
    let (bytes, mime_type) = (file.bytes, file.mime_type);
    let held = budget.reserve(bytes.len(), format_args!("the {} bytes of a texture", bytes.len()))?;
    Ok(Some(Texture::Embedded { mime_type, bytes: ImageBytes::new(Held { bytes, _held: held }) }))
}

/// A texture for a picture.
pub(crate) fn pixels(assets: &Assets, material: &Material) -> Option<meshlens_thumb::Texture> {
    let image = assets.texture_pixels(material, &PICTURE_IMAGES).ok()??;
    meshlens_thumb::Texture::new(image.width, image.height, &image.rgba)
}
