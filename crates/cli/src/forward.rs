//! Scenes whose models look along another axis than their format says.

use std::borrow::Cow;

use meshlens::model::Axis;
use meshlens::scene::Scene;

use crate::failure::Failure;

/// The scene, with models that look along `forward`.
pub(crate) fn turned<'s, 'a>(
    scene: &'s Scene<'a>,
    forward: Option<Axis>,
) -> Result<Cow<'s, Scene<'a>>, Failure> {
    let Some(forward) = forward else { return Ok(Cow::Borrowed(scene)) };
    let mut scene = scene.clone();
    for model in
        scene.nodes.iter_mut().flat_map(|node| std::iter::once(&mut node.model).chain(&mut node.lods))
    {
        model.space = model.space.facing(forward).ok_or_else(|| {
            let (name, up) = (forward.name(), model.space.up.name());
            Failure::system(format!("--forward {name}: up is {up} in the file"))
        })?;
    }
    Ok(Cow::Owned(scene))
}
