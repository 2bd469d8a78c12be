//! The systems that run in a frame.

use bevy::asset::AssetId;
use bevy::camera::Camera;
use bevy::camera::primitives::{Aabb, Frustum, Sphere};
use bevy::ecs::prelude::*;
use bevy::math::{Vec3, Vec3A};
use bevy::platform::time::Instant;
use bevy::render::renderer::RenderDevice;
use bevy::transform::components::GlobalTransform;

use super::reserved::Reserve;
use super::slots::Slots;
use super::{MeshStreamer, Streamed, StreamingOptions};
use crate::MeshlensModel;
use crate::limits::DeviceLimits;
use crate::play::StreamedReady;
use crate::template::SceneTemplate;

/// The bounds of a streamed model, in the space of its entity. They are available before the mesh, also as an `Aabb`.
/// The bounds of a player only include its legs.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct StreamedBounds {
    /// The smallest coordinates.
    pub min: Vec3,
    /// The largest coordinates.
    pub max: Vec3,
}

/// The level of detail that an entity shows, and the root of its entities.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntityLevel {
    model: AssetId<MeshlensModel>,
    root: Entity,
}

/// Drops models without handles. This cancels their requests.
pub(super) fn drop_unwanted(mut streamer: ResMut<MeshStreamer>) {
    streamer.models.drop_unwanted();
}

/// Updates the distance of each model to that of its nearest entity, and the priorities of the scheduler.
pub(super) fn rank(
    mut streamer: ResMut<MeshStreamer>,
    cameras: Query<(&GlobalTransform, Option<&Frustum>), With<Camera>>,
    entities: Query<(&Streamed, &GlobalTransform, Option<&StreamedBounds>)>,
) {
    let MeshStreamer { streamer, models, options, .. } = &mut *streamer;
    models.iter_mut().for_each(|model| model.distance = f32::INFINITY);
    for (Streamed(handle), at, bounds) in &entities {
        let Some(model) = models.get_mut(handle) else { continue };
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
    streamer.set_priorities(models.iter_mut().filter_map(|model| model.newly_ranked()).flatten());
}

/// The level of detail at a distance. Each further level begins at twice the distance.
fn level(distance: f32, first: f32) -> usize {
    let ratio = distance / first.max(f32::MIN_POSITIVE);
    if ratio < 1.0 { 0 } else { (ratio.log2().floor() as usize).saturating_add(1) }
}

/// Takes results that have arrived, and requests what is missing, nearest models first.
pub(super) fn advance(mut streamer: ResMut<MeshStreamer>) {
    let MeshStreamer { streamer, source, models, options, open } = &mut *streamer;
    let mut new: Vec<_> = models.iter_mut().filter(|model| model.is_new()).collect();
    new.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    new.into_iter().for_each(|model| model.open(streamer, source, open));
    models.iter_mut().for_each(|model| model.advance(streamer, &options.settings));
}

/// Starts tasks for the models that can be shown in the next frame, nearest models first. More tasks would only take
/// processor time from other work.
pub(super) fn make(
    mut streamer: ResMut<MeshStreamer>,
    device: Option<Res<RenderDevice>>,
    reserve: Option<Res<Reserve>>,
) {
    let Some(reserve) = reserve else { return };
    let MeshStreamer { models, options, .. } = &mut *streamer;
    let limits = DeviceLimits::of(device.as_deref());
    let on_the_way = models.iter().filter(|(_, model)| model.is_making() || model.is_made()).count();
    let mut loaded: Vec<_> = models.iter_mut().filter(|model| model.is_loaded()).collect();
    loaded.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let next = options.models_per_frame.saturating_sub(on_the_way);
    loaded.into_iter().take(next).for_each(|model| model.make(&options.settings, limits, &reserve));
}

/// Shows bounds as soon as they are known.
pub(super) fn show_bounds(
    mut commands: Commands,
    streamer: Res<MeshStreamer>,
    entities: Query<(Entity, &Streamed), Without<StreamedBounds>>,
) {
    let known = entities.iter().filter_map(|(entity, Streamed(handle))| {
        let [min, max] = streamer.models.get(handle)?.bounds?;
        Some((entity, (StreamedBounds { min, max }, Aabb::from_min_max(min, max))))
    });
    let known: Vec<_> = known.collect();
    if !known.is_empty() {
        commands.try_insert_batch(known);
    }
}

type Entities = QueryState<(Entity, &'static Streamed, Option<&'static EntityLevel>)>;

/// Adds assets to the world and spawns entities within the budget of the frame, nearest models first.
pub(super) fn show(world: &mut World, entities: &mut Entities) {
    let started = Instant::now();
    let streamer = world.resource::<MeshStreamer>();
    let StreamingOptions { upload_budget, time_budget, models_per_frame, .. } = streamer.options;
    let [mut added, mut spawned, mut bytes] = [0; 3];
    for (_, slot, entity) in waiting(&streamer.models, entities, world) {
        let is_spent = bytes >= upload_budget || started.elapsed() >= time_budget;
        let count = if entity.is_some() { spawned } else { added };
        if added + spawned > 0 && (is_spent || count >= models_per_frame) {
            break;
        }
        // The resource stays in the world while observers run.
        let mut streamer = world.resource_mut::<MeshStreamer>();
        let Some(model) = streamer.models.at_mut(slot) else { continue };
        match entity {
            None => {
                let Some((assets, of_level)) = model.take_made() else { continue };
                assets.add_to(world);
                (added, bytes) = (added + 1, bytes + of_level);
            }
            Some(entity) => {
                let Some(template) = model.shown().cloned() else { continue };
                if world.get_entity(entity).is_err() {
                    continue;
                }
                spawn(world, entity, &template);
                spawned += 1;
            }
        }
    }
}

/// Spawns the entities of a level below an entity, replacing the entities of another level.
fn spawn(world: &mut World, entity: Entity, template: &SceneTemplate) {
    let before = world.get::<EntityLevel>(entity).map(|shown| shown.root);
    if let Some(before) = before.and_then(|root| world.get_entity_mut(root).ok()) {
        before.despawn();
    }
    let (model, root) = (template.handle.id(), template.spawn(world, Some(entity)));
    if let Ok(mut entity) = world.get_entity_mut(entity) {
        entity.insert(EntityLevel { model, root });
    }
    world.trigger(StreamedReady { entity });
}

/// Everything that is waiting to be shown, with the distance and the slot of its model. The nearest models come first, and
/// the assets of a model come before its entities.
fn waiting(models: &Slots, entities: &mut Entities, world: &World) -> Vec<(f32, usize, Option<Entity>)> {
    let made = models.iter().filter(|(_, model)| model.is_made());
    let mut waiting: Vec<_> = made.map(|(slot, model)| (model.distance, slot, None)).collect();
    for (entity, Streamed(handle), shown) in entities.iter(world) {
        let Some(model) = models.get(handle) else { continue };
        if let Some(next) = model.next()
            && shown.is_none_or(|shown| shown.model != next)
        {
            waiting.push((model.distance, handle.slot(), Some(entity)));
        }
    }
    waiting.sort_by(|a, b| a.0.total_cmp(&b.0).then_with(|| (a.1, a.2).cmp(&(b.1, b.2))));
    waiting
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn each_level_begins_at_twice_the_previous_distance() {
        assert_eq!(
            [0.0, 99.0, 100.0, 199.0, 200.0, 400.0].map(|distance| level(distance, 100.0)),
            [0, 0, 1, 1, 2, 3]
        );
    }
}
