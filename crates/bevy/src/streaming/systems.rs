//! The systems of a frame.

use bevy::asset::AssetServer;
use bevy::camera::Camera;
use bevy::camera::primitives::{Aabb, Frustum, Sphere};
use bevy::ecs::prelude::*;
use bevy::math::{Vec3, Vec3A};
use bevy::platform::time::Instant;
use bevy::render::renderer::RenderDevice;
use bevy::transform::components::GlobalTransform;
use bevy::world_serialization::WorldAssetRoot;

use super::{MeshStreamer, Streamed};
use crate::limits::DeviceLimits;

/// The bounds of a streamed model, in the space of its entity. They are there before the mesh, also as an `Aabb`. The bounds of a
/// player are those of its legs.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct StreamedBounds {
    /// The smallest coordinates.
    pub min: Vec3,
    /// The largest coordinates.
    pub max: Vec3,
}

/// The level of detail that an entity shows.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown(usize);

/// Forgets models that nobody wants. Their requests are cancelled here.
pub(super) fn drop_unwanted(mut streamer: ResMut<MeshStreamer>) {
    streamer.models.retain(|_, model| model.is_wanted());
}

/// Gives each model the distance of its nearest entity, and the scheduler the priorities.
pub(super) fn rank(
    mut streamer: ResMut<MeshStreamer>,
    cameras: Query<(&GlobalTransform, Option<&Frustum>), With<Camera>>,
    entities: Query<(&Streamed, &GlobalTransform, Option<&StreamedBounds>)>,
) {
    let MeshStreamer { streamer, models, options, .. } = &mut *streamer;
    models.values_mut().for_each(|model| model.distance = f32::INFINITY);
    for (Streamed(handle), at, bounds) in &entities {
        let Some(model) = models.get_mut(handle.name()) else { continue };
        let size =
            bounds.map_or(0.0, |bounds| (bounds.max - bounds.min).length() / 2.0 * at.scale().max_element());
        for (eye, frustum) in &cameras {
            let distance = (eye.translation().distance(at.translation()) - size).max(0.0);
            let sphere = Sphere { center: Vec3A::from(at.translation()), radius: size.max(f32::EPSILON) };
            let is_seen = frustum.is_none_or(|frustum| frustum.intersects_sphere(&sphere, false));
            let ranked = if is_seen { distance } else { distance * options.unseen };
            if ranked < model.distance {
                (model.distance, model.lod) = (ranked, level(distance, options.lod_distance));
            }
        }
    }
    streamer.set_priorities(models.values().flat_map(|model| model.requests()));
}

/// The level of detail at a distance: the next one begins at twice the distance.
fn level(distance: f32, first: f32) -> usize {
    let ratio = distance / first.max(f32::MIN_POSITIVE);
    if ratio < 1.0 { 0 } else { (ratio.log2().floor() as usize).saturating_add(1) }
}

/// Takes what has arrived, and shows models within the budget of the frame, the nearest first.
pub(super) fn advance(
    mut streamer: ResMut<MeshStreamer>,
    server: Res<AssetServer>,
    device: Option<Res<RenderDevice>>,
) {
    let MeshStreamer { streamer, models, options, .. } = &mut *streamer;
    let (settings, limits) = (&options.settings, DeviceLimits::of(device.as_deref()));
    for (name, model) in models.iter_mut() {
        model.advance(name, streamer, settings);
    }
    // Those that can be shown in this frame and in the next: more would only take the processor from other work.
    let on_the_way = models.values().filter(|model| model.is_making() || model.is_made()).count();
    let mut loaded: Vec<_> = models.iter_mut().filter(|(_, model)| model.is_loaded()).collect();
    loaded.sort_by(|(_, a), (_, b)| a.distance.total_cmp(&b.distance));
    let next = options.models_per_frame.saturating_mul(2).saturating_sub(on_the_way);
    loaded.into_iter().take(next).for_each(|(name, model)| model.make(name, settings, limits));
    let mut ready: Vec<_> = models.values_mut().filter(|model| model.is_made()).collect();
    ready.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let (mut spent, started) = (0, Instant::now());
    for (number, model) in ready.into_iter().take(options.models_per_frame).enumerate() {
        if number > 0 && (spent >= options.upload_budget || started.elapsed() >= options.time_budget) {
            break;
        }
        spent += model.show(&server);
    }
}

/// Shows bounds as soon as they are known, and the entities of the level nearest to the wanted one.
pub(super) fn show(
    mut commands: Commands,
    streamer: Res<MeshStreamer>,
    entities: Query<(Entity, &Streamed, Option<&StreamedBounds>, Option<&Shown>)>,
) {
    for (entity, Streamed(handle), bounds, shown) in &entities {
        let Some(model) = streamer.models.get(handle.name()) else { continue };
        if let (Some([min, max]), None) = (model.bounds, bounds) {
            commands.entity(entity).insert((StreamedBounds { min, max }, Aabb::from_min_max(min, max)));
        }
        if let Some((lod, scene)) = model.scene(model.lod)
            && shown != Some(&Shown(lod))
        {
            commands.entity(entity).insert((WorldAssetRoot(scene), Shown(lod)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn levels_begin_at_twice_the_distance_of_the_one_before() {
        assert_eq!(
            [0.0, 99.0, 100.0, 199.0, 200.0, 400.0].map(|distance| level(distance, 100.0)),
            [0, 0, 1, 1, 2, 3]
        );
    }
}
