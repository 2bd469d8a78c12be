//! Parts that are made without an app.

use bevy::mesh::Indices;
use bevy_meshlens::{LoadError, MeshlensSettings, VertexAnimationMode, load_scene};

use crate::app::workspace;

fn parts(path: &str, settings: &MeshlensSettings) -> bevy_meshlens::MeshlensParts {
    let bytes = std::fs::read(workspace().join("corpus").join(path)).expect("a file");
    load_scene(path, bytes, settings).expect("a model")
}

#[test]
fn triangles_are_counter_clockwise_and_lengths_are_scaled() {
    let meters = MeshlensSettings { scale: 0.0254, ..MeshlensSettings::default() };
    let (units, meters) =
        (parts("md3/player/lower.md3", &MeshlensSettings::default()), parts("md3/player/lower.md3", &meters));
    let height = |parts: &bevy_meshlens::MeshlensParts| parts.meshes[0].bounds.expect("bounds")[1][1];
    assert!((height(&meters) - height(&units) * 0.0254).abs() < 1e-5);
    let mesh = &units.meshes[0].mesh;
    assert!(matches!(mesh.indices(), Some(Indices::U16(_))));
    assert_eq!(units.meshes[0].frame_count, units.model.scene().nodes[0].model.frame_count());
}

#[test]
fn frames_are_morph_targets_on_request() {
    let morphs =
        MeshlensSettings { vertex_animation: VertexAnimationMode::Morph, ..MeshlensSettings::default() };
    let parts = parts("md3/player/lower.md3", &morphs);
    let part = &parts.meshes[0];
    let targets = part.mesh.morph_targets().expect("targets");
    assert_eq!(targets.len(), part.frame_count * part.mesh.count_vertices());
}

#[test]
fn too_many_morph_targets_are_an_error_with_a_remedy() {
    use bevy_meshlens::meshlens::md3::write::{Frame, Model, Surface};
    let mut file = Model::new("many").expect("a name");
    let mut surface = Surface::new("cloth").expect("a name");
    surface.triangles.push([0, 1, 2]);
    surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    for frame in 0..300u16 {
        file.frames.push(Frame::named("wave").expect("a name"));
        let up = f32::from(frame) / 64.0;
        let positions = [[0.0; 3], [0.0, 8.0, 0.0], [0.0, 0.0, up]];
        surface.add_frame(&positions, &[[1.0, 0.0, 0.0]; 3]).expect("a frame");
    }
    file.surfaces.push(surface);
    let bytes = file.write().expect("a file");
    let morphs =
        MeshlensSettings { vertex_animation: VertexAnimationMode::Morph, ..MeshlensSettings::default() };
    let parts = load_scene("many.md3", bytes, &morphs).expect("a model");
    assert!(parts.meshes.is_empty());
    let is_limit = |error: &&LoadError| matches!(error, LoadError::Limit { limit: 256, found: 300, .. });
    let shown = parts.problems.iter().find(is_limit).expect("a limit").to_string();
    // The positions follow a header of 108 bytes, 300 frames of 56 bytes, a surface header of 108 bytes, a triangle of
    // 12 bytes, and texture coordinates of 24 bytes.
    assert_eq!(
        shown,
        "many.md3: a mesh at 0x429c has 300 morph targets, but 256 are the most that can be shown; load it with `vertex_animation: Auto`"
    );
}
