//! Assets that another thread makes. Handles are reserved there, and the assets are added to the world in a frame.

use std::any::TypeId;
use std::collections::HashMap;
use std::sync::Arc;

use bevy::animation::AnimationClip;
use bevy::animation::graph::AnimationGraph;
use bevy::asset::{Asset, AssetHandleProvider, Assets, Handle};
use bevy::ecs::prelude::*;
use bevy::image::Image;
use bevy::log::error;
use bevy::mesh::Mesh;
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::pbr::StandardMaterial;

use crate::MeshlensModel;
use crate::template::Labelled;

/// The providers that reserve handles.
#[derive(Resource, Clone)]
pub(super) struct Reserve(Arc<HashMap<TypeId, AssetHandleProvider>>);

impl FromWorld for Reserve {
    fn from_world(world: &mut World) -> Self {
        let mut providers = HashMap::new();
        provide::<MeshlensModel>(world, &mut providers);
        provide::<Image>(world, &mut providers);
        provide::<StandardMaterial>(world, &mut providers);
        provide::<AnimationClip>(world, &mut providers);
        provide::<AnimationGraph>(world, &mut providers);
        provide::<Mesh>(world, &mut providers);
        provide::<SkinnedMeshInverseBindposes>(world, &mut providers);
        Reserve(Arc::new(providers))
    }
}

fn provide<A: Asset>(world: &World, providers: &mut HashMap<TypeId, AssetHandleProvider>) {
    if let Some(assets) = world.get_resource::<Assets<A>>() {
        providers.insert(TypeId::of::<A>(), assets.get_handle_provider());
    }
}

/// Adds an asset to the world.
type Add = Box<dyn FnOnce(&mut World) + Send + Sync>;

/// The assets of a scene that have not been added to the world yet.
pub(super) struct Reserved {
    reserve: Reserve,
    assets: Vec<Add>,
}

impl Reserved {
    pub(super) fn new(reserve: &Reserve) -> Self {
        Reserved { reserve: reserve.clone(), assets: Vec::new() }
    }

    /// Adds the assets to the world.
    pub(super) fn add_to(self, world: &mut World) {
        self.assets.into_iter().for_each(|add| add(world));
    }
}

impl Labelled for Reserved {
    /// Assets without a path do not have labels.
    fn add<A: Asset>(&mut self, label: String, asset: A) -> Handle<A> {
        let Some(provider) = self.reserve.0.get(&TypeId::of::<A>()) else {
            error!("{label}: the app has no assets of this type; add the plug-in of Bevy that has them");
            return Handle::default();
        };
        let handle = provider.reserve_handle().typed::<A>();
        let id = handle.id();
        self.assets.push(Box::new(move |world| {
            // Inserting cannot fail, because the handle keeps its index reserved.
            let _ = world.resource_mut::<Assets<A>>().insert(id, asset);
        }));
        handle
    }
}
