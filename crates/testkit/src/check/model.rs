//! Checks the model view of any format: every getter, frame, pose and companion.

use std::sync::LazyLock;

use glam::Quat;
use meshlens::lens::{Bounds, VertexFormat};
use meshlens::md3::animation::BodyPart;
use meshlens::md3::{AnimationConfig, Skin};
use meshlens::model::{Blend, Clip, Mesh, Model, Semantic, Space, Topology, VertexLayout, world_into};
use meshlens::unigine::Anim;
use meshlens::unreal::Script;
use meshlens::{Document, Format};
use meshlens_unreal::Unreal;

use super::{checked, explained, split_pair};
use crate::corpus;

/// Checks the model view of bytes of any format, with and without companions from the corpus.
pub fn model(bytes: &[u8]) {
    with_document(bytes, |document| {
        let unreal = document.as_unreal().copied();
        if let Some(model) = checked(Model::new(document), bytes) {
            view(&model);
            let mut dressed = model.clone();
            dress(&mut dressed, unreal.as_ref());
            view(&dressed);
        }
    });
}

/// Calls `run` with the model of the bytes, like [`with_document`].
pub(super) fn with_model(bytes: &[u8], run: impl FnOnce(&Model<'_>)) {
    with_document(bytes, |document| {
        if let Some(model) = checked(Model::new(document), bytes) {
            run(&model);
        }
    });
}

/// Calls `run` with the document of the bytes. They are of any format; for a mesh of two files they contain both.
pub(super) fn with_document<'a>(bytes: &'a [u8], run: impl FnOnce(Document<'a>)) {
    let (geometry, frames) = split_pair(bytes);
    let pair = |_| Unreal::parse(geometry, frames).map(Document::from);
    if let Ok(document) = Document::parse(bytes).or_else(pair) {
        run(document);
    }
}

/// Checks the invariants of a model of any origin.
pub(super) fn view(model: &Model<'_>) {
    let frames = model.frame_count();
    for (number, mesh) in model.meshes.iter().enumerate() {
        assert!(mesh.frame_count() <= frames);
        self::mesh(mesh, model);
        buffer(model, number, mesh);
    }
    for frame in [0, frames / 2, frames] {
        if let Some(Bounds { min, max }) = model.compute_bounds(frame) {
            assert!((0..3).all(|axis| min[axis] <= max[axis] || max[axis].is_nan() || min[axis].is_nan()));
        }
        let _ = model.frame_name(frame);
    }
    tags(model);
    for clip in &model.clips {
        self::clip(clip, model);
    }
    assert!(model.find_clip("no clip of this name \u{1f}").is_none());
    for animation in &model.animations {
        assert!(animation.joints.iter().all(|joint| *joint < model.joints.len()));
        let (frames, mut transforms) = (animation.frame_count(), Vec::new());
        for first in [0, frames / 2, frames.saturating_sub(1)] {
            animation.frames_into(first..first + 1, &mut transforms);
            assert_eq!(transforms.len(), if first < frames { animation.joints.len() } else { 0 });
        }
        animation.frames_into(frames..usize::MAX, &mut transforms);
        assert!(transforms.is_empty());
    }
    let to_gltf = model.space.to(&Space::GLTF);
    let back = Space::GLTF.to(&model.space);
    let there = back.direction(to_gltf.direction([1.0, 2.0, 3.0]));
    assert!((0..3).all(|axis| (there[axis] - [1.0, 2.0, 3.0][axis]).abs() < 1e-5), "{there:?}");
}

/// An array of corners or points has one element for each of them, if it exists.
fn filled(is_there: bool, len: usize, count: usize, what: &str) {
    assert!(!is_there || len == count, "{len} {what} for {count}");
}

fn mesh(mesh: &Mesh<'_>, model: &Model<'_>) {
    let (points, corners, frames) = (mesh.point_count(), mesh.corner_count(), mesh.frame_count());
    let (mut normals, mut tangents) = (Vec::new(), Vec::new());
    for frame in 0..frames {
        let positions = mesh.positions(frame).expect("the frame is below the count");
        assert_eq!((positions.len(), positions.to_vec().len()), (points, points));
        assert_eq!(positions.get(0).is_some(), points > 0);
        assert!(positions.get(points).is_none());
        assert!(positions.decode_into(&mut vec![[0.0; 3]; points + 1]).is_err());
        let there = mesh.normals_into(frame, &mut normals).expect("the frame is below the count");
        filled(there, normals.len(), corners, "normals");
        if let Some(normals) = mesh.normals(frame).expect("the frame is below the count") {
            assert!(there && normals.len() == corners);
        }
        let there = mesh.tangents_into(frame, &mut tangents).expect("the frame is below the count");
        filled(there, tangents.len(), corners, "tangents");
        let _ = mesh.frame_name(frame);
    }
    for frame in [frames, usize::MAX] {
        assert!(mesh.positions(frame).is_err() && mesh.normals(frame).is_err());
        let mut out = Vec::new();
        let blend = Blend { a: 0, b: frame, weight: 0.5 };
        assert!(mesh.blend_positions_into(blend, &mut out).is_err());
        assert!(mesh.blend_normals_into(blend, &mut out).is_err());
    }
    texcoords_and_colors(mesh);
    influences(mesh, model);
    if let Some(last) = frames.checked_sub(1) {
        let mut out = Vec::new();
        let blend = Blend { a: 0, b: last, weight: 0.25 };
        mesh.blend_positions_into(blend, &mut out).expect("both frames are there");
        assert_eq!(out.len(), points);
        if mesh.blend_normals_into(blend, &mut out).expect("both frames are there") {
            assert_eq!(out.len(), corners);
        }
    }
    if let Some(topology) = explained(mesh.topology()) {
        self::topology(&topology, mesh);
        skinned(&topology, mesh, model);
    }
}

fn texcoords_and_colors(mesh: &Mesh<'_>) {
    let corners = mesh.corner_count();
    let mut texcoords = Vec::new();
    for set in 0..=mesh.texcoord_sets() {
        let there = mesh.texcoords_into(set, &mut texcoords).expect("the arrays lie in the file");
        filled(there, texcoords.len(), corners, "texture coordinates");
        if let Some(lens) = mesh.texcoords(set).expect("the set is there") {
            assert!(lens.len() == corners && set < mesh.texcoord_sets());
        }
    }
    let mut colors = Vec::new();
    let there = mesh.colors_into(0, &mut colors).expect("the arrays lie in the file");
    filled(there, colors.len(), corners, "colors");
}

/// There is a position for each vertex and for each point of a mesh in the rest pose, and the same number of normals or
/// none, even if the mesh has no skin or no vertices.
fn skinned(topology: &Topology, mesh: &Mesh<'_>, model: &Model<'_>) {
    if mesh.frame_count() == 0 {
        return;
    }
    let (mut world, mut out, mut normals) = (Vec::new(), Vec::new(), vec![[9.0; 3]; 7]);
    let pose: Vec<_> = model.joints.iter().map(|joint| joint.rest).collect();
    world_into(&model.joints, &pose, &mut world);
    assert_eq!(world.len(), model.joints.len());
    mesh.skin_positions_into(0, &world, &mut out).expect("the frame is there");
    assert_eq!(out.len(), mesh.point_count());
    mesh.skin_vertices_into(topology, 0, &world, &mut out, &mut normals).expect("the frame is there");
    assert_eq!(out.len(), topology.vertex_count());
    let has_normals = mesh.normals_into(0, &mut Vec::new()).expect("the frame is there");
    assert_eq!(normals.len(), if has_normals { out.len() } else { 0 });
}

/// A vertex buffer contains the positions of the topology's points.
fn buffer(model: &Model<'_>, number: usize, mesh: &Mesh<'_>) {
    let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    assert!(model.fill_vertex_buffer(number, mesh.frame_count(), &layout, &mut []).is_err());
    let topology = if mesh.is_welded() { Ok(Topology::default()) } else { mesh.topology() };
    let (Ok(topology), true) = (topology, mesh.frame_count() > 0) else { return };
    let points = topology.points();
    let count = points.map_or(mesh.point_count(), <[u32]>::len);
    let mut out = vec![0; count * 12];
    model.fill_vertex_buffer(number, 0, &layout, &mut out).expect("a buffer for all vertices");
    let positions = mesh.positions(0).expect("a frame that is there");
    for (vertex, found) in out.chunks_exact(12).enumerate() {
        let point = points.map_or(vertex, |points| points[vertex] as usize);
        let wanted = positions.get(point).expect("a point that is there");
        assert_eq!(found, wanted.map(f32::to_ne_bytes).as_flattened(), "vertex {vertex}");
    }
}

fn influences(mesh: &Mesh<'_>, model: &Model<'_>) {
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    if mesh.influences_into(&mut joints, &mut weights).expect("the arrays lie in the file") {
        assert_eq!((joints.len(), weights.len()), (mesh.point_count(), mesh.point_count()));
        for (joints, weights) in joints.iter().zip(&weights) {
            assert!(joints.iter().all(|joint| usize::from(*joint) < model.joints.len()), "{joints:?}");
            let sum: f32 = weights.iter().sum();
            assert!((sum - 1.0).abs() < 1e-3 && weights.iter().all(|weight| *weight >= 0.0), "{weights:?}");
        }
    }
    assert!(mesh.skin.as_ref().is_none_or(|skin| skin.len() == model.joints.len()));
}

fn topology(topology: &Topology, mesh: &Mesh<'_>) {
    let vertices = topology.vertex_count();
    assert!(topology.triangles().iter().flatten().all(|vertex| (*vertex as usize) < vertices));
    assert!(topology.triangles().len() + topology.dropped_triangles() <= mesh.triangle_count());
    let maps = [(topology.points(), mesh.point_count()), (topology.corners(), mesh.corner_count())];
    for (map, count) in maps {
        match map {
            Some(map) => assert!(map.len() == vertices && map.iter().all(|index| (*index as usize) < count)),
            None => assert_eq!(vertices, count, "vertices that are numbered like points or corners"),
        }
    }
    assert!(!mesh.is_welded() || topology.points().is_none() && topology.corners().is_none());
    let mut end = 0;
    for submesh in topology.submeshes() {
        assert_eq!(submesh.triangles.start, end, "submeshes follow each other");
        end = submesh.triangles.end;
        assert_eq!(topology.submesh_triangles(submesh).len(), submesh.triangles.len());
    }
    assert_eq!(end, topology.triangles().len(), "submeshes cover all triangles");
}

fn tags(model: &Model<'_>) {
    let frames = model.tag_frame_count();
    for tag in &model.tags {
        assert!(model.find_tag(&tag.name).is_some_and(|first| first <= tag.index));
        for frame in (0..frames).take(32) {
            let Some(pose) = model.tag_pose(tag.index, frame) else { continue };
            let rotation = pose.rotation();
            if pose.is_finite() && model.placement.as_flattened().iter().all(|value| value.is_finite()) {
                assert!(Quat::from_array(rotation).is_normalized(), "{pose:?}");
            }
            let _ = pose.is_left_handed();
        }
        assert!(model.tag_pose(tag.index, frames).is_none());
    }
    assert!(model.tag_pose(model.tags.len(), 0).is_none());
}

fn clip(clip: &Clip, model: &Model<'_>) {
    assert!(clip.rate.get() > 0.0 && clip.rate.get().is_finite() && clip.count > 0, "{clip:?}");
    assert!(clip.duration() >= 0.0 && clip.frames().len() == clip.count);
    let frames = match clip.animation {
        Some(animation) => model.animations[animation].frame_count(),
        None => model.frame_count(),
    };
    assert!(clip.first + clip.count <= frames, "{clip:?} of {frames} frames");
    let mut pose = Vec::new();
    for time in [0.0, 0.04, -1.0, clip.duration() / 2.0, clip.duration(), 1e30, f32::NAN, f32::INFINITY] {
        let blend = clip.sample(time);
        let inside = clip.first..clip.first + clip.count;
        assert!(inside.contains(&blend.a) && inside.contains(&blend.b), "{clip:?} at {time}: {blend:?}");
        assert!((0.0..=1.0).contains(&blend.weight), "{clip:?} at {time}: {blend:?}");
        model.pose_into(clip, time, &mut pose);
        assert_eq!(pose.len(), model.joints.len());
    }
}

/// Companions from the corpus, like the ones that the command finds in the folder of a model.
static COMPANIONS: LazyLock<[Vec<u8>; 4]> = LazyLock::new(|| {
    let names = ["animation.cfg", "upper_red.skin", "Figure.uc", "wave_an10.anim"];
    names.map(|name| corpus::with_extension(&[name]).remove(0).1)
});

fn dress<'a>(model: &mut Model<'a>, unreal: Option<&Unreal<'a>>) {
    let [config, skin, script, anim] = &*COMPANIONS;
    match model.format {
        Some(Format::Md3) => {
            let config = AnimationConfig::parse(config).expect("a file of the corpus");
            model.set_animation_config(&config, BodyPart::Torso);
            model.set_skin(&Skin::parse(skin).expect("a file of the corpus"));
        }
        Some(Format::Unreal) => {
            let unreal = unreal.expect("the document of the model");
            let script = Script::parse(script).expect("a file of the corpus");
            let names: Vec<_> = script.meshes().map(|mesh| mesh.name().to_text().into_owned()).collect();
            for name in names {
                assert!(model.set_script(unreal, &script, &name).is_some());
            }
        }
        Some(Format::Unigine) => {
            let anim = Anim::parse(anim).expect("a file of the corpus");
            model.add_anim(&anim, "wave");
        }
        _ => model.set_rate(24.0),
    }
}
