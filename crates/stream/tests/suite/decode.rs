//! Vertex and index buffers, filled by the streamer.

use meshlens::Model;
use meshlens::lens::VertexFormat;
use meshlens::model::{Semantic, Space, VertexLayout};
use meshlens::scene::Scene;
use meshlens_stream::{Part, Priority, Request, Streamer, StreamerOptions};

use crate::common::{Memory, file, models, slices, wait};

#[test]
fn buffers_equal_those_of_the_whole_model() {
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let mut filled = 0;
    for (name, files) in models() {
        let names = ["first", "second"];
        let named: Vec<(&str, &[u8])> = names.into_iter().zip(slices(&files)).collect();
        let streamed = streamer.open(Memory::new(&named), names.into_iter().take(files.len()));
        let document = match &files[..] {
            [file] => meshlens::Document::parse(file).unwrap(),
            files => meshlens::Document::parse_pair(&files[0], &files[1]).unwrap(),
        };
        let Ok(model) = Model::new(document) else { continue };
        for (index, mesh) in model.meshes.iter().enumerate() {
            let (Ok(topology), frames) = (mesh.topology(), mesh.frame_count()) else { continue };
            if mesh.point_count() == 0 || frames == 0 {
                continue;
            }
            let frame = frames - 1;
            let mut layout = VertexLayout::new(32).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
                Semantic::Normal,
                12,
                VertexFormat::Float32x3,
            );
            if mesh.texcoord_sets() > 0 {
                layout = layout.with(Semantic::Texcoord, 24, VertexFormat::Float32x2);
            }
            let mut scene = Scene::from(model.clone());
            // A single mesh has no skeleton, so its vertices keep their bind pose.
            scene.nodes[0].model.meshes[index].skin = None;
            let mut pose = scene.rest_pose();
            pose.node_mut(0).unwrap().frames = frame.into();
            let shown = scene.view(&Space::GLTF).mesh(0, index).unwrap();
            let mut expected = vec![0; shown.buffer_len(&layout)];
            shown.fill_vertex_buffer(&pose, &layout, &mut expected).unwrap();
            let mut indices = vec![0; shown.index_buffer_len(topology.index_format())];
            shown.write_indices(topology.index_format(), &mut indices).unwrap();

            let request = Request::new(Part::Mesh { mesh: index as u32, frame: frame as u32 })
                .vertices(layout, Vec::new())
                .indices(Vec::new())
                .space(Space::GLTF);
            let mut loaded = wait(streamer.request(&streamed, request, Priority::NORMAL)).unwrap();
            let written = loaded.vertices().unwrap();
            assert_eq!((written.bytes, written.count), (expected.len(), topology.vertex_count()), "{name}");
            assert_eq!(loaded.indices().unwrap().index_format, Some(topology.index_format()));
            assert_eq!(loaded.take_vertices::<Vec<u8>>().unwrap(), expected, "{name}, mesh {index}");
            assert_eq!(loaded.take_indices::<Vec<u8>>().unwrap(), indices, "{name}, mesh {index}");
            filled += 1;
        }
    }
    assert!(filled > 20, "{filled} meshes");
}

#[test]
fn one_frame_is_enough_if_vertices_are_stored_as_they_are_drawn() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    let request = Request::new(Part::Frame { mesh: 0, frame: 2 })
        // The destination is larger than needed, like a staging buffer that is used for several meshes.
        .vertices(layout.clone(), vec![0xeeu8; 1 << 16].into_boxed_slice());
    let mut loaded = wait(streamer.request(&streamed, request, Priority::NORMAL)).unwrap();
    let model = Model::parse(&bytes).unwrap();
    let mut expected = vec![0; model.meshes[0].point_count() * 12];
    model.fill_vertex_buffer(0, 2, &layout, &mut expected).unwrap();
    let bytes = loaded.vertices().unwrap().bytes;
    let buffer = loaded.take_vertices::<Box<[u8]>>().unwrap();
    assert_eq!(buffer[..bytes], expected);
    assert!(buffer[bytes..].iter().all(|byte| *byte == 0xee), "the rest is left as it was");
}

#[test]
fn buffers_are_returned_in_their_original_type() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    let request = Request::new(Part::Mesh { mesh: 0, frame: 0 }).indices(vec![0u8; 4]);
    let mut loaded = wait(streamer.request(&streamed, request, Priority::NORMAL)).unwrap();
    assert!(loaded.take_vertices::<Vec<u8>>().is_none());
    assert!(loaded.take_indices::<Box<[u8]>>().is_none(), "it was a Vec");
}

#[test]
fn a_mesh_without_vertices_has_empty_buffers() {
    let bytes = file("md3/empty_surface.md3");
    let model = Model::parse(&bytes).unwrap();
    let empty = model.meshes.iter().position(|mesh| mesh.point_count() == 0).unwrap();
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    // The second request is made when the plan is known.
    for _ in 0..2 {
        let part = Part::Mesh { mesh: empty as u32, frame: 0 };
        let request = Request::new(part).vertices(layout.clone(), Vec::new()).indices(Vec::new());
        let loaded = wait(streamer.request(&streamed, request, Priority::NORMAL)).unwrap();
        assert_eq!(loaded.mesh().unwrap().point_count(), 0);
        assert_eq!((loaded.vertices().unwrap().bytes, loaded.indices().unwrap().count), (0, 0));
    }
    let missing = Part::Mesh { mesh: empty as u32, frame: 99 };
    let failed = wait(streamer.request(&streamed, missing, Priority::NORMAL)).unwrap_err();
    assert!(matches!(failed.error(), meshlens_stream::Error::NoPart { .. }), "{failed}");
}

#[test]
fn buffers_for_a_part_that_is_not_a_mesh_are_an_error() {
    let bytes = file("md3/animated.md3");
    let streamer = Streamer::new(StreamerOptions::default()).unwrap();
    let streamed = streamer.open(Memory::new(&[("a", &bytes)]), ["a"]);
    let loaded = wait(streamer.request(&streamed, Part::Names, Priority::NORMAL)).unwrap();
    assert_eq!(
        loaded.mesh().unwrap_err().to_string(),
        "a: names is not a mesh, which vertex and index buffers are made of"
    );
}
