//! Spawned scenes: the event when they are ready, and clips that play from the start.

use bevy::animation::AnimationPlayer;
use bevy::animation::graph::AnimationNodeIndex;
use bevy::camera::visibility::NoAutoAabb;
use bevy::ecs::prelude::*;
use bevy::log::warn;
use bevy::world_serialization::WorldInstanceReady;

use crate::{MeshlensRoot, MeshlensSubmesh};

/// The entities of a scene are spawned. It is triggered on every entity of the scene, children before their parents, and
/// last on the entity with the `WorldAssetRoot`.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_meshlens::Ready;
///
/// fn spawn(mut commands: Commands, asset_server: Res<AssetServer>) {
///     commands
///         .spawn(WorldAssetRoot(asset_server.load("models/players/sarge.player#Scene")))
///         .observe(|ready: On<Ready>| info!("{} is there", ready.entity));
/// }
/// ```
#[derive(Clone, Copy, Debug, EntityEvent)]
pub struct Ready {
    /// The entity.
    pub entity: Entity,
}

/// Plays clips by their names as soon as the scene of this entity is spawned. Clips that repeat are repeated.
///
/// ```no_run
/// use bevy::prelude::*;
/// use bevy_meshlens::Play;
///
/// fn spawn(mut commands: Commands, asset_server: Res<AssetServer>) {
///     commands.spawn((
///         WorldAssetRoot(asset_server.load("models/players/sarge.player#Scene")),
///         Play::new(["LEGS_RUN", "TORSO_STAND"]),
///     ));
/// }
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Eq)]
pub struct Play(pub Vec<String>);

impl Play {
    /// Plays these clips.
    pub fn new<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        Play(names.into_iter().map(Into::into).collect())
    }
}

/// Starts the clips of [`Play`], and tells the observers of [`Ready`].
pub(crate) fn on_spawned(
    spawned: On<WorldInstanceReady>,
    mut commands: Commands,
    children: Query<&Children>,
    roots: Query<&MeshlensRoot>,
    play: Query<&Play>,
    submeshes: Query<&MeshlensSubmesh>,
    mut players: Query<&mut AnimationPlayer>,
) {
    let entity = spawned.entity;
    let Ok(own) = children.get(entity) else { return };
    for root in own.iter().filter(|child| roots.contains(*child)) {
        if let (Ok(of), Ok(play), Ok(mut player)) = (roots.get(root), play.get(entity), players.get_mut(root))
        {
            for name in &play.0 {
                start(of, name, &mut player);
            }
        }
        let mut order = vec![root];
        order.extend(children.iter_descendants(root));
        // Ancestors come before their descendants in this order.
        order.reverse();
        for entity in order {
            if submeshes.get(entity).is_ok_and(|submesh| submesh.frame_count > 1) {
                // Its bounds are those of all frames.
                commands.entity(entity).insert(NoAutoAabb);
            }
            commands.trigger(Ready { entity });
        }
        commands.trigger(Ready { entity });
    }
}

fn start(root: &MeshlensRoot, name: &str, player: &mut AnimationPlayer) {
    let Some((_, index, is_cycle)) = root.clips.iter().find(|(own, ..)| own.eq_ignore_ascii_case(name))
    else {
        let names: Vec<&str> = root.clips.iter().map(|(name, ..)| name.as_str()).collect();
        warn!("no clip is called {name}; there are {}", names.join(", "));
        return;
    };
    let playing = player.play(AnimationNodeIndex::new(*index as usize));
    if *is_cycle {
        playing.repeat();
    }
}
