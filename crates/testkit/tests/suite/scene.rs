//! The vertices of a scene equal those of its glTF file, for every model of the corpus.

use meshlens::Model;
use meshlens::lens::{Bounds, VertexFormat};
use meshlens::model::{Semantic, Space, VertexLayout};
use meshlens_assets::{AssetPath, Assets, FindOptions, OpenOptions};
use meshlens_gltf::{Export, ImportOptions, Options};
use meshlens_testkit::real;

fn corpus() -> Assets {
    let mut assets = Assets::new();
    assets.mount_folder(real::workspace_root().join("corpus")).expect("the corpus");
    assets
}

/// The box around the vertices that `interleave` writes.
fn drawn(scene: &meshlens::scene::Scene<'_>, nodes: &[usize]) -> Option<Bounds> {
    let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    let pose = scene.rest_pose();
    let meshes = scene.view(&Space::GLTF).meshes().map(|mesh| mesh.expect("a mesh of the corpus"));
    let points = meshes.filter(|mesh| nodes.contains(&mesh.node())).flat_map(|mesh| {
        let mut vertices = vec![0; mesh.buffer_len(&layout)];
        mesh.fill_vertex_buffer(&pose, &layout, &mut vertices).expect("a mesh of the corpus");
        let numbers: Vec<f32> =
            vertices.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect();
        numbers.as_chunks().0.to_vec()
    });
    Bounds::around(points)
}

fn is_near(a: Bounds, b: Bounds) -> bool {
    let size = a.max.iter().chain(&a.min).fold(1.0f32, |size, value| size.max(value.abs()));
    a.min.iter().chain(&a.max).zip(b.min.iter().chain(&b.max)).all(|(a, b)| (a - b).abs() <= 1e-4 * size)
}

#[test]
fn vertices_of_scenes_equal_those_of_their_gltf() {
    let (mut compared, mut placed) = (0, 0);
    for located in corpus().find_models(&AssetPath::root(), &FindOptions::default()).models {
        // Broken files and single files of a pair.
        let Ok(asset) = located.open(&OpenOptions::default()) else { continue };
        let (scene, path) = (asset.scene(), asset.path());
        let [node] = &scene.nodes[..] else { continue };
        let Some(drawn) = drawn(scene, &[0]) else { continue };
        let mut glb = Vec::new();
        let export = Export::plan(scene, &Options::default()).expect("an export");
        export.write_glb(&mut glb).expect("memory takes everything");
        let (back, _) =
            meshlens_gltf::import(&glb, &ImportOptions::default(), &|_, _| None).expect("our own file");
        let [held] = &back.nodes[..] else { panic!("{path}: {} nodes", back.nodes.len()) };
        assert_eq!((&held.name, held.rest_frame), (&node.name, node.rest_frame), "{path}");
        let held = Bounds::around(held.model.points_at_rest(held.rest_frame)).expect("points");
        assert!(is_near(drawn, held), "{path}: {drawn:?} and {held:?}");
        let bounds = scene.view(&Space::GLTF).bounds(&scene.rest_pose()).expect("a mesh of the corpus");
        assert!(bounds.is_some_and(|bounds| is_near(drawn, bounds)), "{path}: {drawn:?} and {bounds:?}");
        compared += 1;
        placed += usize::from(node.model.placement != Model::empty(None, Space::GLTF).placement);
    }
    assert!(compared >= 40 && placed >= 3, "{compared} models, {placed} of them placed by a script");
}

#[test]
fn the_parts_of_a_player_are_joined() {
    let player = corpus().open("md3/player").expect("the player of the corpus");
    let scene = player.scene();
    let names: Vec<&str> = scene.nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["lower", "upper", "head"]);
    let [legs, torso, head] = [0, 1, 2].map(|node| drawn(scene, &[node]).expect("vertices"));
    let middle = |bounds: Bounds| (bounds.min[1] + bounds.max[1]) / 2.0;
    assert!(middle(legs) < middle(torso) && middle(torso) < middle(head), "{legs:?} {torso:?} {head:?}");
    let clips = scene.clips();
    let clip = |name: &str| clips.iter().find(|clip| clip.name == name).map(|clip| clip.tracks.len());
    assert_eq!((clip("BOTH_DEATH1"), clip("LEGS_RUN"), clip("TORSO_ATTACK")), (Some(2), Some(1), Some(1)));
    scene.pose(&[("LEGS_RUN", 0.25), ("TORSO_ATTACK", 0.25)]).expect("clips of a player");
}
