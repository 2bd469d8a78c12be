//! Changed files are loaded again, and so are the scenes that use them.

use std::fs;

use bevy::prelude::*;
use bevy_meshlens::{MeshlensModel, MeshlensScene};

use crate::app::{app, load, player, spawn, update_until, workspace};

/// The first texture of a scene.
fn texture(app: &App, scene: &Handle<MeshlensScene>) -> Option<Vec<u8>> {
    let of = app.world().resource::<Assets<MeshlensScene>>().get(scene)?;
    let materials = app.world().resource::<Assets<StandardMaterial>>();
    let texture =
        of.materials.iter().find_map(|material| materials.get(material)?.base_color_texture.clone())?;
    app.world().resource::<Assets<Image>>().get(&texture)?.data.clone()
}

#[test]
fn a_changed_texture_is_loaded_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = workspace().join("corpus/gallery");
    for name in ["flag.md3", "flag.tga"] {
        fs::copy(corpus.join(name), folder.path().join(name)).expect("a copy");
    }
    let mut app = app(folder.path());
    let scene = load(&mut app, "flag.md3").expect("a model");
    spawn(&mut app, &scene);
    let before = texture(&app, &scene).expect("a texture");
    let mut bytes = fs::read(corpus.join("flag.tga")).expect("a file");
    let last = bytes.len() - 1;
    // The pixels after the header of 18 bytes.
    bytes[18..last].iter_mut().for_each(|byte| *byte = !*byte);
    fs::write(folder.path().join("flag.tga"), bytes).expect("a file");
    update_until(&mut app, "the texture is loaded again", |app| {
        texture(app, &scene).is_some_and(|texture| texture != before)
    });
    // The entities are spawned again with the new texture.
    let mut meshes = app.world_mut().query::<&Mesh3d>();
    update_until(&mut app, "entities", |app| meshes.iter(app.world()).count() > 0);
}

#[test]
fn a_changed_model_is_loaded_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let corpus = workspace().join("corpus");
    fs::copy(corpus.join("gallery/crate.md3"), folder.path().join("model.md3")).expect("a copy");
    let mut app = app(folder.path());
    let scene = load(&mut app, "model.md3").expect("a model");
    fs::copy(corpus.join("gallery/walker.md3"), folder.path().join("model.md3")).expect("a copy");
    update_until(&mut app, "the model is loaded again", |app| {
        let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene);
        of.is_some_and(|of| !of.clips.is_empty())
    });
}

#[test]
fn a_changed_meta_file_changes_the_settings() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(workspace().join("corpus/gallery/crate.md3"), folder.path().join("crate.md3")).expect("a copy");
    let meta = |scale: f32| {
        let text = format!(
            "(meta_format_version: \"1.0\", asset: Load(loader: \"bevy_meshlens::loader::MeshlensLoader\", \
             settings: (scale: {scale:?})))"
        );
        fs::write(folder.path().join("crate.md3.meta"), text).expect("a file");
    };
    meta(1.0);
    let mut app = app(folder.path());
    let scene = load(&mut app, "crate.md3").expect("a model");
    // The scale of the settings, and the largest height of the vertices.
    let loaded = |app: &App| {
        let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene)?;
        let model = app.world().resource::<Assets<MeshlensModel>>().get(&of.model)?;
        let mesh = app.world().resource::<Assets<Mesh>>().get(&of.meshes.first()?.mesh)?;
        let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION)?.as_float3()?;
        Some((model.settings().scale, positions.iter().map(|[_, y, _]| *y).fold(f32::MIN, f32::max)))
    };
    let (scale, height) = loaded(&app).expect("a mesh");
    assert_eq!(scale, 1.0);
    meta(2.0);
    update_until(&mut app, "the model is loaded with the new settings", |app| {
        loaded(app) == Some((2.0, height * 2.0))
    });
}

#[test]
fn a_changed_configuration_changes_the_clips() {
    let folder = player();
    let mut app = app(folder.path());
    let scene = load(&mut app, "models/sarge.player").expect("a player");
    let cycle = |app: &App| {
        let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene)?;
        let clips = app.world().resource::<Assets<AnimationClip>>();
        Some(clips.get(&of.clip("LEGS_RUN")?.clip)?.duration())
    };
    let before = cycle(&app).expect("a clip");
    let path = folder.path().join("models/sarge/animation.cfg");
    let text = fs::read_to_string(&path).expect("a file");
    // Two frames at 10 frames per second become two at 5.
    assert!(text.contains("8\t2\t2\t10\t\t// LEGS_RUN"));
    fs::write(&path, text.replace("8\t2\t2\t10\t\t// LEGS_RUN", "8\t2\t2\t5\t\t// LEGS_RUN"))
        .expect("a file");
    update_until(&mut app, "the clips are made again", |app| {
        cycle(app).is_some_and(|duration| duration == before * 2.0)
    });
}
