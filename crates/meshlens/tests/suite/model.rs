//! `Model` for every format: values equal the values of the format, and left stays left.

use glam::Mat4;
use meshlens::lens::{Bounds, VertexFormat};
use meshlens::md3::Md3;
use meshlens::model::{Model, Semantic, Space, VertexLayout};
use meshlens::unigine;
use meshlens::unreal::{Script, TriangleType, Unreal};
use meshlens_testkit::real;
use meshlens_testkit::shapes::Shape;

pub(super) fn corpus(name: &str) -> Vec<u8> {
    std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

pub(super) fn messages(losses: &meshlens::Report) -> Vec<&str> {
    losses.findings().map(|finding| finding.message.as_str()).collect()
}

/// The extent of the first frame to its own left, to its own right, forward and up, in glTF's axes.
pub(super) fn reach(model: &Model<'_>) -> [f32; 4] {
    let to_gltf = model.space.to(&Space::GLTF);
    let mut reach = [0.0f32; 4];
    for mesh in &model.meshes {
        for point in mesh.positions(0).unwrap().to_vec() {
            // glTF: +X is the left, +Y the top and +Z the front of a model.
            let [x, y, z] = to_gltf.position(
                Mat4::from_cols_array_2d(&model.placement).transform_point3(point.into()).to_array(),
            );
            for (reach, value) in reach.iter_mut().zip([x, -x, z, y]) {
                *reach = reach.max(value);
            }
        }
    }
    reach
}

/// The fraction of triangles whose front, counter-clockwise in glTF, agrees with the normals of their corners.
pub(super) fn agreement(model: &Model<'_>) -> f64 {
    let to_gltf = model.space.to(&Space::GLTF);
    let (mut agree, mut all) = (0, 0);
    for mesh in &model.meshes {
        let topology = mesh.topology().unwrap();
        let positions = mesh.positions(0).unwrap().to_vec();
        let mut normals = Vec::new();
        if !mesh.normals_into(0, &mut normals).unwrap() {
            continue;
        }
        let point = |vertex: u32| topology.points().map_or(vertex, |map| map[vertex as usize]) as usize;
        let corner = |vertex: u32| topology.corners().map_or(vertex, |map| map[vertex as usize]) as usize;
        for triangle in topology.triangles() {
            let corners = to_gltf.corners(*triangle);
            let [a, b, c] =
                corners.map(|vertex| glam::Vec3::from(to_gltf.position(positions[point(vertex)])));
            let face = (b - a).cross(c - a);
            if face.length() < 1e-6 {
                continue;
            }
            let sum: glam::Vec3 = corners
                .iter()
                .map(|vertex| glam::Vec3::from(to_gltf.direction(normals[corner(*vertex)])))
                .sum();
            agree += u32::from(face.dot(sum) > 0.0);
            all += 1;
        }
    }
    f64::from(agree) / f64::from(all)
}

#[test]
fn the_one_armed_figure_of_md3_keeps_its_left_arm() {
    let bytes = corpus("md3/static.md3");
    let model = Model::parse(&bytes).unwrap();
    // The left arm is 10 long, and the right side extends to 3. The nose extends 3 forward, and the head is 16 high.
    assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
    assert_eq!(agreement(&model), 1.0);
}

#[test]
fn the_one_armed_figure_of_unreal_keeps_its_left_arm() {
    let files = ["figure_d.3d", "figure_a.3d"].map(|name| corpus(&format!("unreal/Models/{name}")));
    let unreal = Unreal::parse(&files[0], &files[1]).unwrap();
    let mut model = Model::new(unreal.into()).unwrap();
    assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
    assert_eq!(agreement(&model), 1.0);
    let weapon = model.tag_pose(0, 0).unwrap();
    assert_eq!(model.space.to(&Space::GLTF).position(weapon.origin), [10.0, 14.0, 0.0], "in the left hand");

    // The script rotates the model by 90 degrees to the right, so that its left side is forward, and moves it up.
    let text = corpus("unreal/Classes/Figure.uc");
    let script = Script::parse(&text).unwrap();
    let lost = model.set_script(&unreal, &script, "FIGURE").unwrap();
    assert_eq!(messages(&lost), ["notify PlayTurn of sequence Turn"]);
    let close = reach(&model).map(|value| (value * 1000.0).round() / 1000.0);
    // X and Y are stored times 8 and scaled by 0.1, and Z times 4 and scaled by 0.2, so all are scaled by 0.8. A stored
    // Z of 64 is 16 units, which becomes 12.8.
    assert_eq!(close, [1.6, 2.4, 8.0, 0.0]);
    let clips: Vec<_> = model
        .clips
        .iter()
        .map(|clip| (clip.name.as_str(), clip.first, clip.count, clip.rate.get()))
        .collect();
    assert_eq!(clips, [("All", 0, 3, 30.0), ("Turn", 1, 2, 7.5)]);
    assert!(model.materials.iter().all(|material| !material.name.is_empty()));
    let weapon = glam::Vec3::from(model.tag_pose(0, 0).unwrap().origin);
    assert!(weapon.abs_diff_eq(glam::Vec3::new(8.0, 0.0, -1.6), 1e-4), "{weapon}");
}

#[test]
fn unreal_corners_are_welded_by_vertex_and_texture_coordinate() {
    let files = ["ring_d.3d", "ring_a.3d"].map(|name| corpus(&format!("unreal/Models/{name}")));
    let unreal = Unreal::parse(&files[0], &files[1]).unwrap();
    let model = Model::new(unreal.into()).unwrap();
    let mesh = &model.meshes[0];
    let topology = mesh.topology().unwrap();
    // Each vertex of the torus has one texture coordinate, except for rounding to bytes. Flat triangles share no vertex.
    let types = unreal.triangles().iter().zip(unreal.geometry().types());
    let (flat, smooth): (Vec<_>, Vec<_>) = types.partition(|(_, bits)| TriangleType(*bits).is_flat());
    let shared: std::collections::BTreeSet<u16> = smooth.iter().flat_map(|(corners, _)| *corners).collect();
    assert!(!flat.is_empty() && topology.vertex_count() == shared.len() + 3 * flat.len());
    assert_eq!(topology.triangles().len(), unreal.triangle_count());
    let (points, corners) = (topology.points().unwrap(), topology.corners().unwrap());
    let mut texcoords = Vec::new();
    assert!(mesh.texcoords_into(0, &mut texcoords).unwrap());
    // They are computed and kept, which must not pass for an array of the file.
    assert!(mesh.texcoords(0).unwrap().is_none());
    let mut seen = std::collections::BTreeMap::new();
    for submesh in topology.submeshes() {
        let material = &model.materials[submesh.material.unwrap()];
        for triangle in topology.submesh_triangles(submesh) {
            // The triangle of the file with these three vertices.
            let vertices = triangle.map(|vertex| points[vertex as usize] as u16);
            let number = unreal.triangles().iter().position(|known| known == vertices).unwrap();
            let record = unreal.geometry().triangle(number).unwrap();
            assert_eq!(material.two_sided, record.triangle_type.is_two_sided());
            assert_eq!(material.unlit, record.triangle_type.is_unlit());
            for (corner, vertex) in triangle.iter().enumerate() {
                let uv = record.texcoords[corner].map(|byte| f32::from(byte) / 255.0);
                assert_eq!(texcoords[corners[*vertex as usize] as usize], uv);
            }
            *seen.entry(number).or_insert(0) += 1;
        }
    }
    assert!(seen.len() == unreal.triangle_count() && seen.values().all(|count| *count == 1));
}

/// The figure in the space of UNIGINE: it faces Y, and its left is -X.
fn unigine_figure(version: unigine::Version, pack: bool) -> Vec<u8> {
    let shape = Shape::one_armed();
    let turn = |[x, y, z]: [f32; 3]| [-y, x, z];
    let mut mesh = unigine::write::Model::new(version);
    mesh.pack = pack;
    let mut surface = unigine::write::Surface::new("figure").unwrap();
    surface.targets[0].positions = shape.positions.iter().map(|point| turn(*point)).collect();
    let spaces: Vec<[f32; 4]> = shape
        .normals
        .iter()
        .map(|normal| {
            let turn = glam::Quat::from_rotation_arc(glam::Vec3::Z, turn(*normal).into());
            // The sign of w would be lost if w were 0.
            turn.to_array()
        })
        .collect();
    surface.targets[0].add_tangents(version, &spaces);
    surface.texcoords0.clone_from(&shape.texcoords);
    for triangle in &shape.triangles {
        surface.add_triangle(triangle.map(|corner| [corner, corner]));
    }
    mesh.surfaces.push(surface);
    mesh.recompute_bounds();
    mesh.write().unwrap()
}

#[test]
fn the_one_armed_figure_of_unigine_keeps_its_left_arm() {
    for (version, pack) in [
        (unigine::Version::Ms10, false),
        (unigine::Version::Ms11, false),
        (unigine::Version::Ms14, false),
        (unigine::Version::Ms14, true),
    ] {
        let bytes = unigine_figure(version, pack);
        let model = Model::parse(&bytes).unwrap();
        assert_eq!(reach(&model), [10.0, 3.0, 3.0, 16.0]);
        assert_eq!(agreement(&model), 1.0, "{version:?} {pack}");
        let mesh = &model.meshes[0];
        let (mut normals, mut tangents) = (Vec::new(), Vec::new());
        assert!(mesh.normals_into(0, &mut normals).unwrap() && mesh.tangents_into(0, &mut tangents).unwrap());
        for (normal, tangent) in normals.iter().zip(&tangents) {
            let dot: f32 = normal.iter().zip(tangent).map(|(a, b)| a * b).sum();
            assert!(dot.abs() < 1e-3 && tangent[3].abs() == 1.0);
        }
    }
}

/// Positions, normals and texture coordinates, and the joints that move them.
fn layout(joints: bool) -> VertexLayout {
    let layout = VertexLayout::new(if joints { 36 } else { 20 })
        .with(Semantic::Position, 0, VertexFormat::Float32x3)
        .with(Semantic::Normal, 16, VertexFormat::Snorm8x4)
        .with(Semantic::Texcoord, 12, VertexFormat::Unorm16x2);
    if !joints {
        return layout;
    }
    let layout = layout.with(Semantic::Weights, 20, VertexFormat::Unorm16x4);
    layout.with(Semantic::Joints, 28, VertexFormat::Uint16x4)
}

#[test]
fn vertex_buffers_are_filled_in_the_callers_layout() {
    let float = |bytes: &[u8]| f32::from_ne_bytes(bytes[..4].try_into().unwrap());
    let short = |bytes: &[u8]| u16::from_ne_bytes(bytes[..2].try_into().unwrap());
    // MD3 vertices are copied as stored. UNIGINE vertices with bones are welded.
    for (name, joints) in [("md3/animated.md3", false), ("unigine/skinned_ms11.mesh", true)] {
        let bytes = corpus(name);
        let model = Model::parse(&bytes).unwrap();
        let mesh = &model.meshes[0];
        let frame = mesh.frame_count() - 1;
        let (layout, topology) = (layout(joints), mesh.topology().unwrap());
        let mut out = vec![0xee; topology.vertex_count() * layout.stride()];
        model.fill_vertex_buffer(0, frame, &layout, &mut out).unwrap();
        let positions = mesh.positions(frame).unwrap().to_vec();
        let (mut normals, mut texcoords) = (Vec::new(), Vec::new());
        assert!(mesh.normals_into(frame, &mut normals).unwrap());
        assert!(mesh.texcoords_into(0, &mut texcoords).unwrap());
        let (mut named, mut weights) = (Vec::new(), Vec::new());
        assert_eq!(mesh.influences_into(&mut named, &mut weights), Ok(joints));
        for (vertex, bytes) in out.chunks(layout.stride()).enumerate() {
            let point = topology.points().map_or(vertex, |map| map[vertex] as usize);
            let corner = topology.corners().map_or(vertex, |map| map[vertex] as usize);
            assert_eq!([0, 4, 8].map(|at| float(&bytes[at..])), positions[point], "{name}");
            for axis in 0..3 {
                let stored = f32::from(bytes[16 + axis] as i8) / 127.0;
                assert!((stored - normals[corner][axis]).abs() < 0.005);
                if axis < 2 {
                    let stored = f32::from(short(&bytes[12 + axis * 2..])) / 65535.0;
                    assert!((stored - texcoords[corner][axis].clamp(0.0, 1.0)).abs() < 1e-4);
                }
            }
            if joints {
                let stored = [20, 22, 24, 26].map(|at| f32::from(short(&bytes[at..])) / 65535.0);
                assert!(stored.iter().zip(weights[point]).all(|(a, b)| (a - b).abs() < 1e-4));
                assert_eq!([28, 30, 32, 34].map(|at| short(&bytes[at..])), named[point]);
            }
        }
    }
}

#[test]
fn a_layout_or_a_buffer_that_does_not_fit_is_an_error() {
    let bytes = corpus("md3/animated.md3");
    let model = Model::parse(&bytes).unwrap();
    let layout = layout(false);
    let mut out = vec![0; model.meshes[0].topology().unwrap().vertex_count() * layout.stride()];
    let mut untouched = vec![7; out.len() + 1];
    let error = model.fill_vertex_buffer(0, 0, &layout, &mut untouched).unwrap_err();
    assert!(error.code() == "LENGTH" && untouched.iter().all(|byte| *byte == 7));
    assert_eq!(model.fill_vertex_buffer(9, 0, &layout, &mut out).unwrap_err().code(), "INDEX_OUT_OF_RANGE");
    assert_eq!(model.fill_vertex_buffer(0, 99, &layout, &mut out).unwrap_err().code(), "INDEX_OUT_OF_RANGE");
    let color = VertexLayout::new(16).with(Semantic::Color, 0, VertexFormat::Float32x4);
    let error = model.fill_vertex_buffer(0, 0, &color, &mut out).unwrap_err();
    assert_eq!(error.to_string(), "mesh: there is no color");
    let bytes = corpus("unigine/skinned_ms11.mesh");
    let model = Model::parse(&bytes).unwrap();
    for (place, stride) in [(4, 24), (20, 24), (19, 28)] {
        let wrong = VertexLayout::new(stride).with(Semantic::Position, 0, VertexFormat::Float32x3).with(
            Semantic::Joints,
            place,
            VertexFormat::Uint16x4,
        );
        let mut out = vec![0; model.meshes[0].topology().unwrap().vertex_count() * stride];
        let error = model.fill_vertex_buffer(0, 0, &wrong, &mut out).unwrap_err();
        assert_eq!(error.code(), "VALUE", "{error}");
    }
}

#[test]
fn attributes_of_md3_are_read() {
    let bytes = corpus("md3/multi_surface.md3");
    let (model, md3) = (Model::parse(&bytes).unwrap(), Md3::parse(&bytes).unwrap());
    assert_eq!(
        (model.meshes.len(), model.frame_count(), model.name.as_str()),
        (3, 2, "models/multi_surface.md3")
    );
    for (mesh, surface) in model.meshes.iter().zip(md3.surfaces()) {
        assert_eq!(mesh.name, surface.name().to_text());
        assert!(mesh.is_welded() && mesh.point_count() == mesh.corner_count());
        for frame in 0..mesh.frame_count() {
            let positions = mesh.positions(frame).unwrap();
            let lens = surface.positions(frame).unwrap();
            assert_eq!(positions.byte_range(), lens.byte_range());
            assert_eq!(positions.to_vec(), lens.iter().collect::<Vec<_>>());
            let normals = mesh.normals(frame).unwrap().unwrap();
            assert_eq!(normals.get(7), surface.normals(frame).unwrap().get(7));
        }
        assert_eq!(mesh.positions(2).unwrap_err().code(), "INDEX_OUT_OF_RANGE");
        let texcoords = mesh.texcoords(0).unwrap().unwrap().to_vec();
        assert_eq!(texcoords, surface.texcoords().iter().collect::<Vec<_>>());
        assert!(mesh.texcoords(1).unwrap().is_none());
        assert_eq!(mesh.topology().unwrap().triangles().len(), surface.triangle_count());
    }
    let names: Vec<&str> = model.materials.iter().map(|material| material.name.as_str()).collect();
    assert_eq!(names, ["textures/ring.tga", "textures/figure", "textures\\box.jpg"]);
    assert_eq!(model.meshes[2].material, Some(2));
    assert_eq!(
        (model.clips[0].name.as_str(), model.clips[0].count, model.clips[0].rate.get()),
        ("all", 2, 10.0)
    );
    let Bounds { min, max } = model.compute_bounds(0).unwrap();
    assert!(min[0] <= -11.0 && max[2] >= 16.0);
}

#[test]
fn front_faces_agree_with_normals_in_real_files() {
    let Some(folder) = real::folder() else { return };
    for (format, extension) in [("md3", "md3"), ("unigine", "mesh")] {
        let (mut sum, mut files) = (0.0, 0);
        for path in real::files_below(&folder.join(format)) {
            if path.extension().is_none_or(|found| found != extension) {
                continue;
            }
            let bytes = std::fs::read(&path).unwrap();
            let model = Model::parse(&bytes).unwrap();
            if model.meshes.iter().any(|mesh| mesh.triangle_count() > 0) {
                sum += agreement(&model);
                files += 1;
            }
        }
        assert!(files > 0 && sum / f64::from(files) > 0.9, "{format} {}", sum / f64::from(files));
    }
}

/// Targets have different sizes, so that the place of each follows from those before it.
#[test]
fn frames_from_a_morph_target_that_is_not_loaded_on_have_its_error() {
    use meshlens::Parts;
    use meshlens::wire::{Piece, PieceList};

    let bytes = corpus("unigine/morph.mesh");
    let mesh = unigine::Mesh::parse(&bytes).unwrap();
    let geometry = mesh.surface(0).unwrap().geometry_in_place().unwrap();
    let targets: Vec<_> = geometry.targets().collect();
    // Without the number of vertices of the second target.
    let hole = targets[0].tangents.byte_range().end..targets[1].positions.byte_range().start;
    let piece = |range: std::ops::Range<u64>| Piece {
        offset: range.start,
        bytes: &bytes[range.start as usize..range.end as usize],
    };
    let len = bytes.len() as u64;
    let pieces = [piece(0..hole.start), piece(hole.end..len)];
    let pieces = PieceList::new(&pieces, len).unwrap();
    let parts = Parts::locate(&bytes, len).unwrap();
    let model = Model::new(parts.bind_pieces(&[&pieces]).unwrap()).unwrap();
    let whole = Model::parse(&bytes).unwrap();
    assert_eq!((model.frame_count(), whole.frame_count()), (3, 3));
    let position = |model: &Model<'_>, frame| model.meshes[0].positions(frame).map(|all| all.to_vec());
    assert_eq!(position(&model, 0), position(&whole, 0));
    for frame in [1, 2] {
        let error = position(&model, frame).unwrap_err();
        assert_eq!((error.code(), error.offset()), ("INCOMPLETE", hole.start), "{frame}");
    }
    assert_eq!(position(&model, 3).unwrap_err(), position(&whole, 3).unwrap_err());
}
