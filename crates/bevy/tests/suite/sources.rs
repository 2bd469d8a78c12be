//! Asset sources of archives and folders.

use bevy::asset::AssetServer;
use bevy::prelude::*;
use bevy_meshlens::{MeshlensLabel, MeshlensModel, MeshlensScene, MeshlensSourcePlugin};

use crate::app::{app_with, load, wait, workspace};

#[test]
fn a_model_loads_from_an_archive_with_its_companions() {
    let corpus = workspace().join("corpus/md3");
    let source = MeshlensSourcePlugin::new("pk3").archive(corpus.join("models.pk3")).expect("an archive");
    let mut app = app_with(&corpus, |app| {
        app.add_plugins(source.clone());
    });
    let found = source.assets().clone();
    let mut folders = vec![bevy_meshlens::meshlens_assets::AssetPath::root()];
    let mut loaded = 0;
    while let Some(folder) = folders.pop() {
        folders.extend(found.folders(&folder).iter().map(|name| folder.join(name).expect("a path")));
        for file in found.files(&folder).iter().filter(|name| name.ends_with(".md3")) {
            let path = format!("pk3://{}", folder.join(file).expect("a path"));
            load(&mut app, &path).unwrap_or_else(|error| panic!("{path}: {error}"));
            loaded += 1;
        }
    }
    assert!(loaded > 0);
}

#[test]
fn every_folder_of_a_player_has_a_player_file() {
    let source = MeshlensSourcePlugin::new("game").folder(workspace().join("corpus/md3")).expect("a folder");
    let mut app = app_with(&workspace().join("corpus"), |app| {
        app.add_plugins(source);
    });
    let scene = load(&mut app, "game://PLAYER.player").expect("a player, whatever the case of its name");
    let of = app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene");
    assert!(of.clip("LEGS_RUN").is_some());
    let model = app
        .world()
        .resource::<AssetServer>()
        .load::<MeshlensModel>(MeshlensLabel::Model.from_asset("game://PLAYER.player"));
    wait(&mut app, &model).expect("a model");
    let model = app.world().resource::<Assets<MeshlensModel>>().get(&model).expect("a model");
    assert_eq!(model.scene().nodes.len(), 3);
}

#[test]
fn a_folder_with_one_part_of_a_player_has_no_player_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let lone = folder.path().join("lone");
    std::fs::create_dir(&lone).expect("a folder");
    let player = workspace().join("corpus/md3/player");
    let add = |name: &str| std::fs::copy(player.join(name), lone.join(name)).expect("a copy");
    add("lower.md3");
    let load_player = || {
        let source = MeshlensSourcePlugin::new("game").folder(folder.path()).expect("a folder");
        let mut app = app_with(&workspace().join("corpus"), |app| {
            app.add_plugins(source);
        });
        load(&mut app, "game://lone.player").map(drop)
    };
    let error = load_player().expect_err("no player");
    assert!(error.contains("Path not found") && error.contains("lone.player"), "{error}");
    // The legs and their animations are a player.
    add("animation.cfg");
    load_player().expect("a player");
}

#[test]
fn a_folder_is_mapped() {
    // SAFETY: nobody changes the corpus while tests run.
    let source =
        unsafe { MeshlensSourcePlugin::new("mapped").mapped_folder(workspace().join("corpus/gallery")) };
    let mut app = app_with(&workspace().join("corpus"), |app| {
        app.add_plugins(source.expect("a folder"));
    });
    load(&mut app, "mapped://flag.md3").expect("a model");
    let error = load(&mut app, "mapped://missing.md3").expect_err("no file");
    assert!(error.contains("missing.md3"), "{error}");
}
