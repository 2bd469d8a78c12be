//! Scenes that are opened by name and streamed.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use meshlens::lens::VertexFormat;
use meshlens::model::{Mesh, Semantic, Space, VertexLayout};
use meshlens::scene::{Node, Pose, Scene, ViewMesh};
use meshlens_assets::{AssetPath, Assets, FindOptions, OpenOptions};
use meshlens_stream::backend::{AssetsBackend, Throttle, Throttled};
use meshlens_stream::{Error, Part, Priority, Request, StreamedScene, Streamer, StreamerOptions};

use meshlens_testkit::files::Files;
use meshlens_testkit::{doors, mutate, targets};

use crate::common::{until, wait};

/// The number of damaged copies of each tree.
const ROUNDS: u32 = 8;

fn corpus() -> Assets {
    let mut assets = Assets::new();
    assets.mount_folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")).unwrap();
    assets
}

pub(crate) fn streamer(assets: &Assets) -> (Streamer, Arc<AssetsBackend>) {
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    (streamer, Arc::new(AssetsBackend::new(assets.clone(), 2).unwrap()))
}

/// A layout of the attributes of a mesh. Joints and weights are left out, so that a pose moves the vertices.
fn layout(mesh: &Mesh<'_>) -> VertexLayout {
    let layout = VertexLayout::new(32).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
        Semantic::Normal,
        12,
        VertexFormat::Float32x3,
    );
    match mesh.texcoord_sets() {
        0 => layout,
        _ => layout.with(Semantic::Texcoord, 24, VertexFormat::Float32x2),
    }
}

/// The vertex and the index buffer of a mesh.
fn buffers(mesh: &ViewMesh<'_, '_>, pose: &Pose, layout: &VertexLayout) -> [Vec<u8>; 2] {
    let mut vertices = vec![0; mesh.buffer_len(layout)];
    mesh.fill_vertex_buffer(pose, layout, &mut vertices).unwrap();
    let mut indices = vec![0; mesh.index_buffer_len(mesh.index_format())];
    mesh.write_indices(mesh.index_format(), &mut indices).unwrap();
    [vertices, indices]
}

/// Asserts that two scenes have the same nodes, and the same buffers at rest and in their first clip. Returns the number of
/// meshes.
fn assert_same(name: &str, streamed: &Scene<'_>, opened: &Scene<'_>) -> usize {
    let nodes = |scene: &Scene<'_>| -> Vec<_> {
        let nodes = scene.nodes.iter();
        nodes.map(|node| (node.name.clone(), node.attachment, node.model.clips.clone())).collect()
    };
    assert_eq!(nodes(streamed), nodes(opened), "{name}");
    let materials = |scene: &Scene<'_>| format!("{:?}", scene.nodes[0].model.materials);
    assert_eq!(materials(streamed), materials(opened), "{name}");
    let clips: Vec<_> = opened.clips().iter().take(1).map(|clip| (clip.name.to_owned(), 0.07)).collect();
    let clips: Vec<(&str, f32)> = clips.iter().map(|(name, time)| (name.as_str(), *time)).collect();
    let mut meshes = 0;
    for clips in [&[], &clips[..]] {
        let [streamed_pose, opened_pose] = [streamed, opened].map(|scene| scene.pose(clips).unwrap());
        let views = [streamed, opened].map(|scene| scene.view(&Space::GLTF));
        assert_eq!(views[0].meshes().count(), views[1].meshes().count(), "{name}");
        for (streamed, opened) in views[0].meshes().zip(views[1].meshes()) {
            let (streamed, opened) = (streamed.unwrap(), opened.unwrap());
            if opened.mesh().point_count() == 0 || opened.mesh().frame_count() == 0 {
                continue;
            }
            let layout = layout(opened.mesh());
            let is_same =
                buffers(&streamed, &streamed_pose, &layout) == buffers(&opened, &opened_pose, &layout);
            assert!(is_same, "{name}, {}, {clips:?}", opened.mesh().name);
            meshes += 1;
        }
    }
    meshes
}

#[test]
fn every_streamed_scene_equals_the_opened_scene() {
    let assets = corpus();
    let (streamer, backend) = streamer(&assets);
    let (mut meshes, mut placed, mut players) = (0, 0, 0);
    for found in
        assets.each_model(&AssetPath::root(), &FindOptions { players: true, ..FindOptions::default() })
    {
        let name = found.unwrap().path().to_string();
        let Ok(opened) = assets.open(&name) else { continue };
        let streamed = streamer.open_scene(&backend, &name, &OpenOptions::default()).unwrap();
        let loaded = streamed.request_all(&streamer, 0, Priority::NORMAL).wait();
        let loaded = loaded.unwrap_or_else(|error| panic!("{name}: {error}"));
        meshes += assert_same(&name, loaded.scene(), opened.scene());
        let nodes = &opened.scene().nodes;
        players += usize::from(nodes.len() > 1);
        placed +=
            usize::from(nodes[0].model.placement != meshlens::Model::empty(None, Space::GLTF).placement);
    }
    assert!(meshes > 60 && placed > 2 && players == 1, "{meshes} meshes, {placed} placed, {players} players");
}

/// Compares the buffers of a mesh that is requested separately with the buffers of the opened scene.
fn assert_buffers(streamer: &Streamer, streamed: &StreamedScene, opened: &Scene<'_>) {
    let mut bound = opened.clone();
    // A single mesh has no skeleton, so its vertices keep their bind pose.
    bound.nodes[0].model.meshes[0].skin = None;
    let (view, pose) = (bound.view(&Space::GLTF), bound.rest_pose());
    let mesh = view.mesh(0, 0).unwrap();
    let layout = layout(mesh.mesh());
    let frame = opened.nodes[0].rest_frame as u32;
    let request = Request::new(Part::Mesh { mesh: 0, frame })
        .vertices(layout.clone(), Vec::new())
        .indices(Vec::new())
        .space(Space::GLTF);
    let mut loaded = wait(streamer.request(streamed.nodes()[0].model(), request, Priority::NORMAL)).unwrap();
    let found = [loaded.take_vertices::<Vec<u8>>().unwrap(), loaded.take_indices().unwrap()];
    assert!(found == buffers(&mesh, &pose, &layout), "{}", opened.nodes[0].name);
}

#[test]
fn a_single_mesh_is_placed_by_its_script() {
    let assets = corpus();
    let (streamer, backend) = streamer(&assets);
    for name in ["flag.md3", "flag.mesh", "walker.mesh", "flag.u3d", "flag_d.3d", "crate_d.3d", "walker_d.3d"]
    {
        let name = format!("gallery/{name}");
        let opened = assets.open(&name).unwrap();
        let streamed = streamer.open_scene(&backend, &name, &OpenOptions::default()).unwrap();
        assert_buffers(&streamer, &streamed, opened.scene());
    }
}

#[test]
fn bounds_are_placed_by_the_script() {
    let assets = corpus();
    let (streamer, backend) = streamer(&assets);
    for name in ["unreal/Classes/Figure.uc", "gallery/crate_d.3d", "gallery/walker_d.3d"] {
        let opened = assets.open(name).unwrap();
        let scene = opened.scene();
        let model = &scene.nodes[0].model;
        assert_ne!(model.placement, meshlens::Model::empty(None, model.space).placement, "{name}");
        let expected = scene.view(&model.space).bounds(&scene.rest_pose()).unwrap().unwrap();
        let streamed = streamer.open_scene(&backend, name, &OpenOptions::default()).unwrap();
        let streamed = streamed.nodes()[0].model();
        let found = wait(streamer.request(streamed, Part::Bounds, Priority::NORMAL)).unwrap().bounds();
        assert_eq!(streamed.bounds(), found, "{name}");
        let found = found.unwrap();
        let corners = [(found.min, expected.min), (found.max, expected.max)];
        let is_near = |(a, b): ([f32; 3], [f32; 3])| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3);
        assert!(corners.into_iter().all(is_near), "{name}: {found:?}, expected {expected:?}");
    }
}

#[test]
fn a_node_that_is_loaded_alone_equals_the_node_of_its_scene() {
    let assets = corpus();
    let (streamer, backend) = streamer(&assets);
    let mut meshes = 0;
    for name in ["md3/player", "unreal/Classes/Figure.uc", "md3/static.md3", "gallery/walker.mesh"] {
        let opened = assets.open(name).unwrap();
        let streamed = streamer.open_scene(&backend, name, &OpenOptions::default()).unwrap();
        for (number, (node, opened)) in streamed.nodes().iter().zip(&opened.scene().nodes).enumerate() {
            let load = |part| {
                let loaded = wait(streamer.request(node.model(), part, Priority::NORMAL)).unwrap();
                loaded.into_model().unwrap()
            };
            let whole = load(Part::Whole);
            let (found, _) = streamed.node(number, &whole).unwrap().unwrap();
            let opened = Node { attachment: None, lods: Vec::new(), ..opened.clone() };
            assert_eq!(found.rest_frame, opened.rest_frame, "{name}");
            assert_eq!(found.model.placement, opened.model.placement, "{name}");
            meshes += assert_same(name, &found.into(), &opened.into());
            assert!(streamed.node(number, &load(Part::Indices { mesh: 0 })).is_err(), "{name}");
            assert!(streamed.node(streamed.nodes().len(), &whole).unwrap().is_none());
        }
    }
    assert!(meshes > 8, "{meshes}");
}

#[test]
fn imported_files_are_not_streamed() {
    let (streamer, backend) = streamer(&doors::assets());
    for name in ["player.glb", "walk.gltf"] {
        let error = streamer.open_scene(&backend, name, &OpenOptions::default()).unwrap_err();
        assert!(matches!(error, meshlens_assets::Error::Imported { format: "gltf", .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
    }
    // The content counts, not the extension.
    let flag = std::fs::read(doors::path("gallery/flag.md3")).unwrap();
    let mut assets = doors::assets();
    assets.mount("", Files::new().with("flag.glb", flag));
    let (streamer, backend) = self::streamer(&assets);
    let scene = streamer.open_scene(&backend, "flag.glb", &OpenOptions::default()).unwrap();
    scene.request_all(&streamer, 0, Priority::NORMAL).wait().unwrap();
}

#[test]
fn levels_in_other_files_are_streamed() {
    let assets = corpus();
    let (streamer, backend) = streamer(&assets);
    let opened = assets.open("md3/static.md3").unwrap();
    let streamed = streamer.open_scene(&backend, "md3/static.md3", &OpenOptions::default()).unwrap();
    assert_eq!(streamed.nodes()[0].lods().len(), 2);
    // The scene has no level 2, so the coarsest level is used.
    for lod in [1, 2] {
        let loaded = streamed.request_all(&streamer, lod, Priority::NORMAL).wait().unwrap();
        let coarse = opened.scene().nodes[0].lods[0].clone();
        assert_eq!(loaded.scene().nodes[0].model.meshes[0].point_count(), coarse.meshes[0].point_count());
        let space = Space::GLTF;
        let [streamed, expected] = [loaded.scene().view(&space), opened.scene().view(&space).lod(1)];
        let [streamed, expected] = [streamed, expected].map(|view| {
            let mesh = view.meshes().next().unwrap().unwrap();
            buffers(&mesh, &view.scene().rest_pose(), &layout(mesh.mesh()))
        });
        assert!(streamed == expected);
    }
}

#[test]
fn a_level_is_read_in_one_round_after_its_plan() {
    let assets = corpus();
    let (streamer, backend) = streamer(&assets);
    let streamed = streamer.open_scene(&backend, "u3d/v2_levels.u3d", &OpenOptions::default()).unwrap();
    let streamed = streamed.nodes()[0].model();
    let loaded = wait(streamer.request(streamed, Part::Model { lod: 1 }, Priority::NORMAL)).unwrap();
    let (plan, model) = (streamed.plan().unwrap(), loaded.model().unwrap());
    for part in plan.parts() {
        let is_shown = part.mesh().is_none_or(|mesh| plan.located().lod(mesh as usize) == 1);
        assert!(model.has(part) || !is_shown, "{part}");
    }
    assert!(!model.has(Part::Lod { lod: 0 }) && model.has(Part::Lod { lod: 1 }));
    assert!(model.model().is_ok());
}

#[test]
fn an_archive_has_scenes_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pak0.pk3");
    let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    for (name, bytes) in meshlens_testkit::corpus::files() {
        if let Some(name) = name.strip_prefix("md3/player/") {
            let options = zip::write::SimpleFileOptions::default();
            zip.start_file(format!("models/players/sarge/{name}"), options).unwrap();
            zip.write_all(&bytes).unwrap();
        }
    }
    zip.finish().unwrap();
    let mut assets = Assets::new();
    assets.mount_archive(&path).unwrap();
    let (streamer, backend) = streamer(&assets);
    let streamed = streamer.open_scene(&backend, "models/players/sarge", &OpenOptions::default()).unwrap();
    let mut request = streamed.request_all(&streamer, 0, Priority::NORMAL);
    request.set_priority(Priority::HIGHEST);
    let loaded = loop {
        match request.take() {
            Some(outcome) => break outcome.unwrap(),
            None => std::thread::yield_now(),
        }
    };
    let opened = assets.open("models/players/sarge").unwrap();
    assert!(assert_same("sarge", loaded.scene(), opened.scene()) > 2);
    assert!(opened.scene().find_tag("tag_torso").is_some());
    assert!(request.take().is_none(), "it was taken");
}

#[test]
fn a_scene_is_read_through_another_backend() {
    let assets = corpus();
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let throttle = Throttle { latency: Duration::ZERO, bandwidth: None, max_reads: 4 };
    let files = AssetsBackend::new(assets.clone(), 2).unwrap();
    let backend = Arc::new(Throttled::new(files, throttle).unwrap());
    let streamed = streamer.open_scene(&backend, "md3/player", &OpenOptions::default()).unwrap();
    let loaded = streamed.request_all(&streamer, 0, Priority::NORMAL).wait().unwrap();
    assert!(assert_same("player", loaded.scene(), assets.open("md3/player").unwrap().scene()) > 2);
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("broken.md3"), b"IDP3, and no more").unwrap();
    std::fs::write(folder.path().join("flag.md3"), crate::common::file("gallery/flag.md3")).unwrap();
    let mut assets = Assets::new();
    assets.mount_folder(folder.path()).unwrap();
    let (streamer, backend) = streamer(&assets);
    let options = OpenOptions::default();
    assert!(streamer.open_scene(&backend, "missing.md3", &options).is_err());
    let broken = streamer.open_scene(&backend, "broken.md3", &options).unwrap();
    let error = broken.request_all(&streamer, 0, Priority::NORMAL).wait().unwrap_err();
    assert!(matches!(error, Error::Format { .. }) && error.to_string().contains("broken.md3"), "{error}");
    // The file grows after the scene was found.
    let flag = streamer.open_scene(&backend, "flag.md3", &options).unwrap();
    let mut longer = std::fs::OpenOptions::new().append(true).open(folder.path().join("flag.md3")).unwrap();
    longer.write_all(&[0]).unwrap();
    let error = flag.request_all(&streamer, 0, Priority::NORMAL).wait().unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
}

/// A player, and more files of it. A file system panics if a file is read that it did not list.
pub(crate) fn player(more: &[(&str, String)]) -> Files {
    let names = ["lower.md3", "upper.md3", "head.md3", "animation.cfg"];
    let own = |name: &str| (format!("p/{name}"), crate::common::file(&format!("md3/player/{name}")));
    let own = names.map(own).into_iter();
    let files = own.fold(Files::new(), |files, (name, bytes)| files.with(&name, bytes));
    more.iter().fold(files, |files, (name, text)| files.with(name, text.clone()))
}

#[test]
fn hostile_companions_give_what_opening_gives() {
    let skin = |texture: &str| [("p/lower_default.skin", format!("l_legs,{texture}\ntag_torso,\n"))];
    let clips = |line: &str, count| [("p/animation.cfg", line.repeat(count))];
    let level = String::from_utf8_lossy(b"IDP3").into_owned();
    let cases = [
        player(&skin("../../../../etc/passwd")),
        player(&skin("/etc/passwd")),
        player(&skin("p/lower_default.skin")),
        player(&skin(&"a/".repeat(5000))),
        player(&skin("p/\u{feff}\u{202e}.tga")),
        player(&clips("0 4294967295 4294967295 4294967295\n", 25)),
        player(&clips("4294967295 1 0 0.00000001\n", 25)),
        player(&clips("0 1 0 20\n", 20_000)),
        player(&clips("sex ../../x\nheadoffset nan inf 1e999\n0 1 0 nan\n", 1000)),
        player(&[("p/lower_1.md3", level.clone()), ("p/lower_2.md3", level)]),
        player(&[("p/p/lower.md3", "p".into()), ("p.md3", "p".into())]),
    ];
    for (number, files) in cases.into_iter().enumerate() {
        let assets = files.mounted();
        let (streamer, backend) = streamer(&assets);
        let options = OpenOptions { lods: false, ..OpenOptions::default() };
        let opened = assets.locate("p").unwrap().open(&options).map_err(|error| error.to_string());
        let streamed = streamer.open_scene(&backend, "p", &options).unwrap();
        let loaded = streamed.request_all(&streamer, 0, Priority::NORMAL).wait();
        match (loaded, opened) {
            (Ok(loaded), Ok(opened)) => {
                let (streamed, opened) = (loaded.scene(), opened.scene());
                assert!(assert_same(&number.to_string(), streamed, opened) > 2);
            }
            (Err(error), Err(_)) => assert!(!matches!(error, Error::Panicked { .. }), "{number}: {error}"),
            (loaded, opened) => panic!("{number}: {loaded:?}, {:?}", opened.err()),
        }
    }
}

#[test]
fn damaged_trees_give_what_opening_gives() {
    let options = OpenOptions { lods: false, ..OpenOptions::default() };
    let trees = targets::find("assets").unwrap();
    for (tree, bytes) in (trees.seeds)() {
        mutate::random(&bytes, ROUNDS, |damaged| {
            let files = Files::unpack(damaged);
            let assets = files.mounted();
            let (streamer, backend) = streamer(&assets);
            for name in files.names() {
                let opened = assets.locate(name).and_then(|located| located.open(&options));
                let streamed =
                    streamer.open_scene(&backend, name, &options).map_err(|error| error.to_string());
                let loaded = streamed.and_then(|scene| {
                    let loaded = scene.request_all(&streamer, 0, Priority::NORMAL).wait();
                    loaded.map_err(|error| {
                        assert!(!matches!(error, Error::Panicked { .. }), "{tree}: {name:?}: {error}");
                        error.to_string()
                    })
                });
                assert_eq!(loaded.is_ok(), opened.is_ok(), "{tree}: {name:?}: {loaded:?}, {opened:?}");
            }
            until("all memory is released", || streamer.statistics().memory_used == 0);
        });
    }
}

#[test]
fn names_that_lead_out_are_refused() {
    let assets =
        player(&[("p/Classes/Gun.uc", r"#exec MESH IMPORT MESH=Gun ANIVFILE=Gun.uc DATAFILE=Gun.uc".into())]);
    let assets = assets.mounted();
    let (streamer, backend) = streamer(&assets);
    for name in ["../p", "/p", "p/../../p", r"C:\p", "a\0b", "", "."] {
        assert!(streamer.open_scene(&backend, name, &OpenOptions::default()).is_err(), "{name:?}");
    }
    // The script imports itself.
    let gun = streamer.open_scene(&backend, "p/Classes/Gun.uc", &OpenOptions::default()).unwrap();
    assert!(gun.request_all(&streamer, 0, Priority::NORMAL).wait().is_err());
}
