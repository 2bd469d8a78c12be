//! Labels resolve to the parts of a scene.

use bevy::animation::AnimationClip;
use bevy::animation::graph::AnimationGraph;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::prelude::*;
use bevy::world_serialization::WorldAsset;
use bevy_meshlens::{
    MeshlensLabel, MeshlensModel, MeshlensNode, MeshlensScene, MeshlensSkeleton, MeshlensSubmesh,
    MeshlensTag, Play, Ready, VertexFrames,
};

use crate::app::{app, load, player, spawn, update_until, wait, workspace};

fn resolves<A: Asset>(app: &mut App, label: &MeshlensLabel, path: &'static str) -> Handle<A> {
    let handle = app.world().resource::<AssetServer>().load(label.from_asset(path));
    wait(app, &handle).unwrap_or_else(|error| panic!("{label}: {error}"));
    assert!(app.world().resource::<Assets<A>>().contains(&handle), "{label}");
    handle
}

#[test]
fn the_labels_of_a_player_resolve() {
    let folder = player();
    let mut app = app(folder.path());
    let path = "models/sarge.player";
    let scene = load(&mut app, path).expect("a player");
    resolves::<WorldAsset>(&mut app, &MeshlensLabel::Scene, path);
    resolves::<MeshlensModel>(&mut app, &MeshlensLabel::Model, path);
    resolves::<AnimationGraph>(&mut app, &MeshlensLabel::Graph, path);
    resolves::<Mesh>(&mut app, &MeshlensLabel::Mesh { node: 1, lod: 0, mesh: 0, submesh: 0 }, path);
    resolves::<StandardMaterial>(&mut app, &MeshlensLabel::Material(0), path);
    resolves::<Image>(&mut app, &MeshlensLabel::Texture(0), path);
    resolves::<AnimationClip>(&mut app, &MeshlensLabel::Clip("LEGS_RUN".into()), path);
    let tag = resolves::<MeshlensTag>(&mut app, &MeshlensLabel::Tag("tag_weapon".into()), path);
    assert_eq!(app.world().resource::<Assets<MeshlensTag>>().get(&tag).map(|tag| tag.node), Some(1));
    let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene");
    assert_eq!(of.clip("legs_run").map(|clip| clip.name.as_str()), Some("LEGS_RUN"));
    assert!(of.problems.is_empty(), "{:?}", of.problems);
}

#[test]
fn the_skeleton_of_a_skinned_mesh_has_entities() {
    let mut app = app(&workspace().join("corpus"));
    let path = "unigine/skinned_ms11.mesh";
    let scene = load(&mut app, path).expect("a mesh with joints");
    let skeleton = resolves::<MeshlensSkeleton>(&mut app, &MeshlensLabel::Skeleton(0), path);
    let joints =
        app.world().resource::<Assets<MeshlensSkeleton>>().get(&skeleton).expect("a skeleton").names.len();
    let bindposes = MeshlensLabel::InverseBindposes { node: 0, lod: 0, mesh: 0 };
    resolves::<SkinnedMeshInverseBindposes>(&mut app, &bindposes, path);
    spawn(&mut app, &scene);
    let mut skins = app.world_mut().query::<&SkinnedMesh>();
    let found: Vec<usize> = skins.iter(app.world()).map(|skin| skin.joints.len()).collect();
    assert!(!found.is_empty() && found.iter().all(|found| *found == joints), "{found:?} of {joints}");
}

#[test]
fn every_label_of_a_scene_has_its_text() {
    let mut app = app(&workspace().join("corpus"));
    let scene = load(&mut app, "md3/static.md3").expect("a model with a coarser level");
    let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene");
    let labels: Vec<String> = of.meshes.iter().map(|mesh| mesh.label.to_string()).collect();
    assert!(
        labels.contains(&"Node0/Mesh0".into()) && labels.contains(&"Node0/Lod1/Mesh0".into()),
        "{labels:?}"
    );
    for label in labels {
        let path = format!("md3/static.md3#{label}");
        let mesh: Handle<Mesh> = app.world().resource::<AssetServer>().load(path);
        wait(&mut app, &mesh).unwrap_or_else(|error| panic!("{label}: {error}"));
    }
    // A label that does not exist is an error with a clear message.
    let path = MeshlensLabel::Clip("LEGS_FLY".into()).from_asset("md3/static.md3");
    let clip: Handle<AnimationClip> = app.world().resource::<AssetServer>().load(path);
    let error = wait(&mut app, &clip).expect_err("no clip");
    assert!(error.contains("Clip:LEGS_FLY"), "{error}");
}

#[derive(Resource, Default)]
struct Order(Vec<Entity>);

#[test]
fn a_player_is_joined_plays_and_is_ready_after_its_descendants() {
    let folder = player();
    let mut app = app(folder.path());
    app.init_resource::<Order>();
    app.add_observer(|ready: On<Ready>, mut order: ResMut<Order>| order.0.push(ready.entity));
    let path = MeshlensLabel::Scene.from_asset("models/sarge.player");
    let scene = app.world().resource::<AssetServer>().load::<WorldAsset>(path);
    let root = app.world_mut().spawn((WorldAssetRoot(scene), Play::new(["LEGS_RUN", "TORSO_STAND"]))).id();
    update_until(&mut app, "the player is ready", |app| {
        app.world().resource::<Order>().0.last() == Some(&root)
    });
    let order = app.world().resource::<Order>().0.clone();
    for (place, entity) in order.iter().enumerate() {
        if let Some(ChildOf(parent)) = app.world().get::<ChildOf>(*entity) {
            let parent = order.iter().position(|other| other == parent);
            assert!(parent.is_some_and(|parent| parent > place), "{entity} is ready after its parent");
        }
    }
    // The torso is attached to a tag of the legs.
    let mut nodes = app.world_mut().query::<(&Name, &MeshlensNode, &ChildOf)>();
    let upper = nodes.iter(app.world()).find(|(name, ..)| name.as_str() == "upper").expect("a torso");
    let tag = app.world().get::<Name>(upper.2.parent()).expect("a tag");
    assert_eq!(tag.as_str(), "tag_torso");
    let mut frames = app.world_mut().query::<(&MeshlensNode, &VertexFrames)>();
    let shown = |app: &App, frames: &mut QueryState<(&MeshlensNode, &VertexFrames)>| {
        let mut all: Vec<_> = frames.iter(app.world()).map(|(of, frames)| (of.node, *frames)).collect();
        all.sort_by_key(|(node, _)| *node);
        all
    };
    let before = shown(&app, &mut frames);
    update_until(&mut app, "the legs move", |app| shown(app, &mut frames)[0].1 != before[0].1);
    let mut submeshes = app.world_mut().query::<&MeshlensSubmesh>();
    assert!(submeshes.iter(app.world()).count() >= 3);
}
