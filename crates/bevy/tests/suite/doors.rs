//! The scenes of models are those that every interface gives.

use bevy::prelude::*;
use bevy_meshlens::{MeshlensModel, MeshlensScene};
use meshlens_testkit::doors::{self, Bounds};

use crate::app::{app, load, player, spawn, workspace};

#[test]
fn every_model_is_what_other_interfaces_say() {
    let (folder, mut corpus) = (player(), app(&workspace().join("corpus")));
    let mut players = app(folder.path());
    let mut count = 0;
    for answer in doors::answers() {
        let is_player = answer.name == "md3/player";
        let (app, path) = match answer.files.first() {
            _ if is_player => (&mut players, "models/sarge.player"),
            // Bevy reads glTF itself, and one mesh of a script, or of an archive, has no path.
            Some(file) if answer.findings.is_some() && !answer.name.contains('!') && answer.name.contains('/') => {
                (&mut corpus, file.as_str())
            }
            _ => continue,
        };
        let scene = load(app, path).expect(path);
        spawn(app, &scene);
        let model =
            app.world().resource::<Assets<MeshlensScene>>().get(&scene).expect("a scene").model.clone();
        let model = app.world().resource::<Assets<MeshlensModel>>().get(&model).expect("a model");
        let nodes: Vec<_> = model.scene().nodes.iter().map(|node| &*node.name).collect();
        assert_eq!(nodes, answer.nodes, "{path}");
        let meshes: usize = model.scene().nodes.iter().map(|node| node.model.meshes.len()).sum();
        assert_eq!(meshes, answer.meshes, "{path}");
        answer.bounds.assert(&Bounds::of(model.scene()), path);
        count += 1;
    }
    assert_eq!(count, 6);
}
