//! Content of a document that no model keeps.

use std::collections::BTreeSet;

use meshlens::Report;

use super::document::animation_name;
use super::instances;
use super::scene::Scene;
use crate::codes;
use crate::json::Float;

/// Adds the content of the document that no model keeps.
pub(super) fn losses(scene: &Scene<'_>, losses: &mut Report) {
    let Scene { document, shown, .. } = scene;
    let cameras = document.cameras.len() as u64;
    losses.lose(&codes::CAMERA_LOST, cameras, format_args!(""), format_args!("{cameras} cameras"));
    let scenes = document.scenes.len().saturating_sub(1);
    let coarser = document.coarser();
    let nodes = document.nodes.iter().zip(shown.iter().zip(&coarser));
    let hidden =
        nodes.filter(|(node, (is_shown, is_coarser))| node.mesh.is_some() && !(**is_shown || **is_coarser));
    let hidden = hidden.count();
    if scenes > 0 || hidden > 0 {
        let message =
            format_args!("{scenes} other scenes; {hidden} nodes with meshes are not in the default one");
        losses.lose(&codes::SCENE_LOST, scenes.max(1) as u64, format_args!(""), message);
    }
    let scaled = document.materials.iter().filter(|material| {
        let scale = material.normal_texture.as_ref().and_then(|normals| normals.scale);
        document.normal_image(material).is_some() && scale.is_some_and(|Float(scale)| scale != 1.0)
    });
    let scaled = scaled.count() as u64;
    let message = format_args!("{scaled} materials whose normals are scaled");
    losses.lose(&codes::NORMAL_SCALE_LOST, scaled, format_args!(""), message);
    let lights = document.extensions.lights.lights.len();
    losses.lose(&codes::LIGHT_LOST, lights as u64, format_args!(""), format_args!("{lights} lights"));
    let primitives = || document.meshes.iter().flat_map(|mesh| &mesh.primitives);
    let mappings = primitives().flat_map(|primitive| &primitive.extensions.variants.mappings);
    let mut used = vec![false; document.extensions.variants.variants.len()];
    mappings.flat_map(|mapping| &mapping.variants).for_each(|variant| used[*variant] = true);
    let unused = used.iter().filter(|used| !**used).count();
    let message = format_args!("{unused} variants of materials that no mesh has");
    losses.lose(&meshlens::codes::VARIANT_LOST, unused as u64, format_args!(""), message);
    let attributes = primitives().flat_map(|primitive| &primitive.attributes);
    let own: BTreeSet<&str> =
        attributes.map(|(name, _)| name.as_str()).filter(|name| name.starts_with('_')).collect();
    for name in &own {
        let message = format_args!("the vertex attribute {name}");
        losses.lose(&codes::ATTRIBUTE_LOST, 1, format_args!("attribute {name}"), message);
    }
    for (index, animation) in document.animations.iter().enumerate() {
        let name = animation_name(animation, index);
        let others = animation.channels.len() - animation.tracks().count();
        let message = format_args!("animation {name}: {others} channels that move no node");
        losses.lose(&codes::CHANNEL_LOST, others as u64, format_args!("animation {name}"), message);
    }
    instances::losses(document, &scene.animations, shown, losses);
    scene.animations.iter().for_each(|animation| animation.losses(losses));
}
