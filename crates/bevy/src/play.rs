//! Spawned scenes: the event when they are ready, and clips that play from the start.

use bevy::animation::AnimationPlayer;
use bevy::animation::graph::AnimationNodeIndex;
use bevy::camera::visibility::NoAutoAabb;
use bevy::ecs::prelude::*;
use bevy::ecs::system::SystemParam;
use bevy::log::warn;
use bevy::world_serialization::WorldInstanceReady;

use crate::{MeshlensRoot, MeshlensSubmesh};

/// The entities of a scene are spawned. This event is triggered on every entity of the scene, children before their
/// parents, and last on the entity with the `WorldAssetRoot`, or with the [`Streamed`](crate::Streamed).
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

/// Plays clips by their names as soon as the scene of this entity is spawned. Clips that loop are repeated.
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

/// The entities of a streamed model are spawned below this entity.
#[derive(Clone, Copy, Debug, EntityEvent)]
pub(crate) struct StreamedReady {
    pub(crate) entity: Entity,
}

/// The queries and commands for a spawned scene.
#[derive(SystemParam)]
pub(crate) struct Spawned<'w, 's> {
    commands: Commands<'w, 's>,
    children: Query<'w, 's, &'static Children>,
    roots: Query<'w, 's, &'static MeshlensRoot>,
    play: Query<'w, 's, &'static Play>,
    submeshes: Query<'w, 's, &'static MeshlensSubmesh>,
    players: Query<'w, 's, &'static mut AnimationPlayer>,
}

pub(crate) fn on_spawned(spawned: On<WorldInstanceReady>, mut of: Spawned) {
    of.start(spawned.entity);
}

pub(crate) fn on_streamed(spawned: On<StreamedReady>, mut of: Spawned) {
    of.start(spawned.entity);
}

impl Spawned<'_, '_> {
    /// Starts the clips of [`Play`], and triggers [`Ready`].
    fn start(&mut self, entity: Entity) {
        let Ok(own) = self.children.get(entity) else { return };
        for root in own.iter() {
            let Ok(of) = self.roots.get(root) else { continue };
            if let Ok(play) = self.play.get(entity) {
                let mut player = self.players.get_mut(root).ok();
                play.0.iter().for_each(|name| start(of, name, player.as_deref_mut()));
            }
            let mut order = vec![root];
            order.extend(self.children.iter_descendants(root));
            // Descendants are listed after their ancestors.
            order.reverse();
            for entity in order {
                if self.submeshes.get(entity).is_ok_and(|submesh| submesh.frame_count > 1) {
                    // Its bounds already include all frames.
                    self.commands.entity(entity).insert(NoAutoAabb);
                }
                self.commands.trigger(Ready { entity });
            }
            self.commands.trigger(Ready { entity });
        }
    }
}

/// Starts a clip. Without clips, there is no player.
fn start(root: &MeshlensRoot, name: &str, player: Option<&mut AnimationPlayer>) {
    let clip = root.clips.iter().find(|(own, ..)| own.eq_ignore_ascii_case(name));
    let Some(((_, index, is_cycle), player)) = clip.zip(player) else {
        let names: Vec<&str> = root.clips.iter().map(|(name, ..)| name.as_str()).collect();
        warn!("no clip is called {name}; there are {}", names.join(", "));
        return;
    };
    let playing = player.play(AnimationNodeIndex::new(*index as usize));
    if *is_cycle {
        playing.repeat();
    }
}
