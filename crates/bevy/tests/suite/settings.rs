//! Settings in `.meta` files, and the effect of each setting.

use std::fs;

use bevy::asset::RenderAssetUsages;
use bevy::asset::meta::{AssetAction, AssetMeta, AssetMetaDyn};
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use bevy::reflect::TypePath;
use bevy_meshlens::{
    Axes, Clips, MeshlensLoader, MeshlensModel, MeshlensScene, MeshlensSettings, VertexAnimationMode,
    load_scene,
};

use crate::app::{app, load, wait, workspace};

/// Settings that all differ from the defaults.
fn unusual() -> MeshlensSettings {
    let settings = MeshlensSettings {
        load_meshes: RenderAssetUsages::MAIN_WORLD,
        load_materials: RenderAssetUsages::empty(),
        axes: Axes::Forward,
        scale: 2.0,
        clips: Clips::Frames,
        vertex_animation: VertexAnimationMode::Morph,
        compress: true,
        skin: Some("red".into()),
        lods: false,
        password: Some("secret".into()),
        companions: vec!["models/lower_red.skin".into()],
        memory_limit: 1 << 20,
    };
    let MeshlensSettings {
        load_meshes,
        load_materials,
        axes,
        clips,
        vertex_animation,
        lods,
        memory_limit,
        ..
    } = MeshlensSettings::default();
    assert_eq!(memory_limit, MeshlensSettings::DEFAULT_MEMORY);
    assert!(settings.load_meshes != load_meshes && settings.load_materials != load_materials);
    assert!(settings.axes != axes && settings.clips != clips && settings.lods != lods);
    assert!(settings.vertex_animation != vertex_animation);
    settings
}

/// Loads the legs of the corpus with the text of a `.meta` file.
fn with_meta(meta: &[u8]) -> (App, Handle<MeshlensScene>) {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["lower.md3", "lower_red.skin"] {
        fs::copy(workspace().join("corpus/md3/player").join(name), folder.path().join(name)).expect("a copy");
    }
    fs::write(folder.path().join("lower.md3.meta"), meta).expect("a file");
    let mut app = app(folder.path());
    let scene = load(&mut app, "lower.md3").expect("a model");
    (app, scene)
}

/// The settings that a scene was loaded with.
fn settings(app: &App, scene: &Handle<MeshlensScene>) -> MeshlensSettings {
    let of = app.world().resource::<Assets<MeshlensScene>>().get(scene).expect("a scene");
    let models = app.world().resource::<Assets<MeshlensModel>>();
    models.get(&of.model).expect("a model").settings().clone()
}

#[test]
fn every_setting_survives_a_meta_file() {
    let action = AssetAction::Load { loader: MeshlensLoader::type_path().into(), settings: unusual() };
    let meta = AssetMeta::<MeshlensLoader, ()>::new(action);
    let (app, scene) = with_meta(&meta.serialize());
    assert_eq!(settings(&app, &scene), unusual());
}

#[test]
fn a_meta_file_may_contain_only_some_settings() {
    let meta = "(meta_format_version: \"1.0\", asset: Load(loader: \"bevy_meshlens::loader::MeshlensLoader\", \
                settings: (scale: 2.0, clips: Frames)))";
    let (app, scene) = with_meta(meta.as_bytes());
    let expected = MeshlensSettings { scale: 2.0, clips: Clips::Frames, ..MeshlensSettings::default() };
    assert_eq!(settings(&app, &scene), expected);
    let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene");
    assert_eq!(of.clips.iter().map(|clip| clip.name.as_str()).collect::<Vec<_>>(), ["frames"]);
}

/// The first mesh of a file of the corpus.
fn mesh(path: &str, settings: &MeshlensSettings) -> Mesh {
    let bytes = fs::read(workspace().join("corpus").join(path)).expect("a file");
    load_scene(path, bytes, settings).expect("a model").meshes.swap_remove(0).mesh
}

/// The positions of a mesh.
fn positions(mesh: &Mesh) -> Vec<[f32; 3]> {
    match mesh.attribute(Mesh::ATTRIBUTE_POSITION) {
        Some(VertexAttributeValues::Float32x3(positions)) => positions.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn models_face_forward_on_request() {
    let to_gltf = positions(&mesh("gallery/crate.md3", &MeshlensSettings::default()));
    let forward = MeshlensSettings { axes: Axes::Forward, ..MeshlensSettings::default() };
    let forward = positions(&mesh("gallery/crate.md3", &forward));
    // A rotation by 180 degrees around the vertical axis.
    assert_eq!(forward, to_gltf.iter().map(|[x, y, z]| [-x, *y, -z]).collect::<Vec<_>>());
}

#[test]
fn meshes_that_do_not_move_are_compressed_on_request() {
    let [plain, compressed] = [false, true].map(|compress| {
        mesh("gallery/crate.md3", &MeshlensSettings { compress, ..MeshlensSettings::default() })
    });
    assert_eq!(plain.count_vertices(), compressed.count_vertices());
    assert!(compressed.get_vertex_buffer_size() < plain.get_vertex_buffer_size());
}

#[test]
fn meshes_are_kept_in_the_worlds_of_the_settings() {
    for load_meshes in [RenderAssetUsages::RENDER_WORLD, RenderAssetUsages::MAIN_WORLD] {
        let settings = MeshlensSettings { load_meshes, ..MeshlensSettings::default() };
        assert_eq!(mesh("gallery/crate.md3", &settings).asset_usage, load_meshes);
        // The CPU may have to write this mesh.
        let moves = mesh("gallery/walker.md3", &settings).asset_usage;
        assert_eq!(moves, load_meshes | RenderAssetUsages::MAIN_WORLD);
    }
}

#[test]
fn a_skin_chooses_the_textures() {
    let folder = crate::app::player();
    let mut app = app(folder.path());
    let server = app.world().resource::<AssetServer>().clone();
    let red = |settings: &mut MeshlensSettings| settings.skin = Some("red".into());
    let scene = server.load_builder().with_settings(red).load::<MeshlensScene>("models/sarge/lower.md3");
    crate::app::wait(&mut app, &scene).expect("a skin");
    let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene");
    let materials = app.world().resource::<Assets<StandardMaterial>>();
    let painted =
        of.materials.iter().filter_map(|material| materials.get(material)?.base_color_texture.as_ref());
    assert!(painted.count() > 0, "{:?}", of.problems);
    let blue = |settings: &mut MeshlensSettings| settings.skin = Some("blue".into());
    let scene = server.load_builder().with_settings(blue).load::<MeshlensScene>("models/sarge/upper.md3");
    let error = crate::app::wait(&mut app, &scene).expect_err("no skin");
    assert!(
        error.contains("upper_blue.skin") && error.contains("red") && error.contains("load another skin"),
        "{error}"
    );
}

#[test]
fn a_height_map_becomes_a_normal_map_with_tangents() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = workspace().join("corpus");
    fs::copy(corpus.join("u3d/v2_static.u3d"), folder.path().join("sky.u3d")).expect("a copy");
    fs::copy(corpus.join("gallery/flag.tga"), folder.path().join("bumps.tga")).expect("a copy");
    let mut app = app(folder.path());
    let scene = load(&mut app, "sky.u3d").expect("a scene");
    let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene");
    let materials = app.world().resource::<Assets<StandardMaterial>>();
    let maps: Vec<bool> = of
        .materials
        .iter()
        .filter_map(|material| Some(materials.get(material)?.normal_map_texture.is_some()))
        .collect();
    assert_eq!(maps, [false, true], "{:?}", of.problems);
}

#[test]
fn a_model_that_needs_more_memory_than_the_limit_is_an_error() {
    let mut app = app(&workspace().join("corpus/md3"));
    let loaded = app
        .world()
        .resource::<AssetServer>()
        .load_builder()
        .with_settings(|settings: &mut MeshlensSettings| settings.memory_limit = 100)
        .load::<MeshlensScene>("animated.md3");
    let error = wait(&mut app, &loaded).expect_err("too little memory");
    assert!(error.contains("bytes of memory; the limit is 100"), "{error}");
}
