//! Vertex and index buffers of models: two frames blended and converted in one pass, and indices of the smallest type.

use std::collections::BTreeMap;

use meshlens::lens::VertexFormat;
use meshlens::model::{
    Blend, IndexFormat, Mesh, PlainFrame, PlainMesh, Semantic, Space, Submesh, Topology, VertexLayout, gather,
};
use meshlens::unreal::Unreal;
use meshlens::{Format, Model};
use meshlens_testkit::corpus;

fn floats(bytes: &[u8]) -> Vec<[f32; 3]> {
    numbers(bytes).as_chunks().0.to_vec()
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect()
}

/// The expected buffer: values are blended by separate calls, gathered, and then converted one by one.
fn expected(mesh: &Mesh<'_>, topology: &Topology, blend: Blend) -> [Vec<[f32; 3]>; 2] {
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    mesh.blend_positions_into(blend, &mut positions).unwrap();
    assert!(mesh.blend_normals_into(blend, &mut normals).unwrap());
    let count = topology.points().map_or(positions.len(), <[u32]>::len);
    let [mut points, mut corners] = [(); 2].map(|()| vec![[0.0; 3]; count]);
    gather(&positions, topology.points(), &mut points);
    gather(&normals, topology.corners(), &mut corners);
    [points, corners]
}

#[test]
fn two_frames_are_blended_in_one_pass() {
    let mut formats = std::collections::BTreeSet::new();
    for (name, bytes) in corpus::with_extension(&[".md3", ".u3d", ".mesh"]) {
        let Ok(model) = Model::parse(&bytes) else { continue };
        let three = VertexFormat::Float32x3;
        let layout = VertexLayout::packed(&[(Semantic::Position, 0, three), (Semantic::Normal, 0, three)]);
        for (index, mesh) in model.meshes.iter().enumerate().filter(|(_, mesh)| mesh.frame_count() > 1) {
            let blend = Blend { a: 0, b: mesh.frame_count() - 1, weight: 0.25 };
            let topology = if mesh.is_welded() { Topology::default() } else { mesh.topology().unwrap() };
            let wanted = expected(mesh, &topology, blend);
            let mut out = vec![0; wanted[0].len() * 24];
            model.fill_vertex_buffer(index, blend, &layout, &mut out).unwrap();
            for (vertex, found) in out.chunks_exact(24).enumerate() {
                let found = floats(found);
                assert_eq!(found, [wanted[0][vertex], wanted[1][vertex]], "{name}: vertex {vertex}");
            }
            assert!(
                model.fill_vertex_buffer(index, Blend { b: usize::MAX, ..blend }, &layout, &mut out).is_err()
            );
            formats.insert(model.format);
        }
    }
    assert_eq!(formats.len(), 3, "{formats:?}");
}

/// One value for each vertex.
fn of_vertices<V: Copy>(values: &[V], map: Option<&[u32]>) -> Vec<V> {
    let map = map.filter(|_| !values.is_empty());
    map.map_or(values.to_vec(), |map| map.iter().map(|index| values[*index as usize]).collect())
}

/// The size of a vertex with every attribute, and with bytes that belong to no attribute.
const STRIDE: usize = 96;

/// The values of an attribute from its own call, as floats, one for each vertex. Empty if the mesh does not have it.
fn own_values(mesh: &Mesh<'_>, topology: &Topology, frame: usize, semantic: Semantic) -> Vec<f32> {
    let (corners, points) = (topology.corners(), topology.points());
    let (mut threes, mut fours, mut twos) = (Vec::new(), Vec::new(), Vec::new());
    let there = match semantic {
        Semantic::Normal => mesh.normals_into(frame, &mut threes),
        Semantic::Tangent => mesh.tangents_into(frame, &mut fours),
        Semantic::Color => mesh.colors_into(0, &mut fours),
        Semantic::Texcoord => mesh.texcoords_into(0, &mut twos),
        Semantic::Weights => mesh.influences_into(&mut Vec::new(), &mut fours),
        _ => {
            threes = mesh.positions(frame).unwrap().to_vec();
            Ok(true)
        }
    };
    if !there.unwrap() {
        return Vec::new();
    }
    let map = if matches!(semantic, Semantic::Position | Semantic::Weights) { points } else { corners };
    let (threes, fours, twos) =
        (of_vertices(&threes, map), of_vertices(&fours, map), of_vertices(&twos, map));
    [threes.as_flattened(), fours.as_flattened(), twos.as_flattened()].concat()
}

/// Compares a buffer with every attribute of the mesh, and counts the vertices by attribute.
fn compare(
    name: &str,
    model: &Model<'_>,
    mesh: &Mesh<'_>,
    found: &mut BTreeMap<(Option<Format>, Semantic), usize>,
) {
    let Ok(topology) = mesh.topology() else { return };
    let frame = mesh.frame_count() - 1;
    let attributes = [
        (Semantic::Position, 0, 3, VertexFormat::Float32x3),
        (Semantic::Normal, 12, 3, VertexFormat::Float32x3),
        (Semantic::Tangent, 24, 4, VertexFormat::Float32x4),
        (Semantic::Color, 40, 4, VertexFormat::Float32x4),
        (Semantic::Texcoord, 56, 2, VertexFormat::Float32x2),
        (Semantic::Weights, 72, 4, VertexFormat::Float32x4),
    ];
    let (mut joints, count) = (Vec::new(), topology.points().map_or(mesh.point_count(), <[u32]>::len));
    let has_joints = mesh.influences_into(&mut joints, &mut Vec::new()).unwrap();
    let joints = of_vertices(&joints, topology.points());
    let mut layout = VertexLayout::new(STRIDE);
    if has_joints {
        layout = layout.with(Semantic::Joints, 64, VertexFormat::Uint16x4);
    }
    let mut wanted = Vec::new();
    for (semantic, offset, components, format) in attributes {
        let values = own_values(mesh, &topology, frame, semantic);
        if semantic == Semantic::Position || !values.is_empty() {
            layout = layout.with(semantic, offset, format);
            *found.entry((model.format, semantic)).or_insert(0) += count;
            wanted.push((semantic, offset, components, values));
        }
    }
    let mut out = vec![0xee; count * STRIDE];
    mesh.fill_vertex_buffer(&topology, frame, &layout, &mut out).unwrap();
    for (vertex, bytes) in out.chunks_exact(STRIDE).enumerate() {
        for (semantic, offset, components, values) in &wanted {
            let stored = numbers(&bytes[*offset..][..4 * components]);
            assert_eq!(stored, values[components * vertex..][..*components], "{name}: {semantic:?} {vertex}");
        }
        if has_joints {
            assert_eq!(bytes[64..72], *bytemuck::bytes_of(&joints[vertex]), "{name}: joints");
        }
        assert_eq!(bytes[88..], [0xee; 8], "{name}: what belongs to no attribute");
    }
}

#[test]
fn interleaved_attributes_equal_separate_ones() {
    let mut found = BTreeMap::new();
    let pairs = corpus::unreal_pairs();
    let files = corpus::with_extension(&[".md3", ".u3d", ".mesh"]);
    let unreal = pairs.iter().map(|(name, geometry, frames)| {
        let model =
            meshlens::unreal::Unreal::parse(geometry, frames).and_then(|unreal| Model::new(unreal.into()));
        (name, model)
    });
    let models = files.iter().map(|(name, bytes)| (name, Model::parse(bytes))).chain(unreal);
    for (name, model) in models.filter_map(|(name, model)| Some((name, model.ok()?))) {
        for mesh in model.meshes.iter().filter(|mesh| mesh.frame_count() > 0) {
            compare(name, &model, mesh, &mut found);
        }
    }
    // The expected attributes of each format, which must all occur.
    use Semantic::{Color, Normal, Tangent, Texcoord, Weights};
    for (format, attributes) in [
        (Format::Md3, &[Normal, Texcoord][..]),
        (Format::U3d, &[Normal, Texcoord, Weights]),
        (Format::Unigine, &[Normal, Tangent, Color, Texcoord, Weights]),
        (Format::Unreal, &[Normal, Texcoord]),
    ] {
        for semantic in attributes {
            let count = found.get(&(Some(format), *semantic)).copied().unwrap_or(0);
            assert!(count > 0, "{format:?} {semantic:?}");
        }
    }
}

#[test]
fn joints_of_one_byte_are_less_than_256() {
    let files = corpus::with_extension(&[".mesh"]);
    let (_, bytes) = files.iter().find(|(name, _)| name.ends_with("skinned_ms11.mesh")).unwrap();
    let mut model = Model::parse(bytes).unwrap();
    let topology = model.meshes[0].topology().unwrap();
    let layout = VertexLayout::new(4).with(Semantic::Joints, 0, VertexFormat::Uint8x4);
    let mut out = vec![0; topology.vertex_count() * 4];
    model.meshes[0].fill_vertex_buffer(&topology, 0, &layout, &mut out).unwrap();
    let (mut joints, mut weights) = (Vec::new(), Vec::new());
    assert!(model.meshes[0].influences_into(&mut joints, &mut weights).unwrap());
    let wanted = of_vertices(&joints, topology.points());
    assert!(out.as_chunks::<4>().0.iter().map(|bytes| bytes.map(u16::from)).eq(wanted));
    model.meshes[0].skin = Some(vec![glam::Mat4::IDENTITY.to_cols_array_2d(); 257].into());
    let error = model.meshes[0].fill_vertex_buffer(&topology, 0, &layout, &mut out).unwrap_err();
    assert_eq!(error.to_string(), "mesh: joints of 8-bit indices: the limit is 256, found 257");
}

/// A fan of `vertices` vertices.
fn fan(vertices: u32) -> Topology {
    let positions = (0..vertices).map(|vertex| [vertex as f32, 0.0, 0.0]).collect();
    let mesh = PlainMesh {
        frames: vec![PlainFrame { positions, ..PlainFrame::default() }],
        triangles: vec![[0, 1, 2], [0, vertices - 2, vertices - 1]],
        ..PlainMesh::default()
    };
    mesh.into_mesh("fan").unwrap().topology().unwrap()
}

#[test]
fn indices_have_16_bits_if_they_fit() {
    let small = fan(65535);
    assert_eq!(small.index_format(), IndexFormat::Uint16);
    let mut out = [0; 12];
    small.write_indices(IndexFormat::Uint16, None, &mut out).unwrap();
    assert_eq!(out, [0u16, 1, 2, 0, 65533, 65534].map(u16::to_ne_bytes).as_flattened());
    assert!(small.write_indices(IndexFormat::Uint16, None, &mut out[1..]).is_err(), "one byte too few");
    // GPUs restart strips at index 65535.
    let large = fan(65536);
    assert_eq!(large.index_format(), IndexFormat::Uint32);
    assert!(large.write_indices(IndexFormat::Uint16, None, &mut out).is_err());
    let mut out = [0; 24];
    let turned = Space::MD3.to(&Space::GLTF);
    large.write_indices(IndexFormat::Uint32, Some(&turned), &mut out).unwrap();
    assert_eq!(out, [0u32, 2, 1, 0, 65535, 65534].map(u32::to_ne_bytes).as_flattened());
}

/// Two points in one frame. The first is drawn twice.
fn two_points() -> PlainMesh {
    let positions = vec![[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    PlainMesh {
        frames: vec![PlainFrame { positions, ..PlainFrame::default() }],
        points: vec![0, 1, 0],
        triangles: vec![[0, 1, 2]],
        ..PlainMesh::default()
    }
}

#[test]
fn plain_meshes_have_lists_of_indices_in_any_combination() {
    let drawn_set = |mesh: PlainMesh, semantic, set, format: VertexFormat| {
        let mesh = mesh.into_mesh("plain").unwrap();
        let topology = mesh.topology().unwrap();
        let layout = VertexLayout::new(format.size()).with_set(semantic, set, 0, format);
        let mut out = vec![0; topology.vertex_count() * layout.stride()];
        mesh.fill_vertex_buffer(&topology, 0, &layout, &mut out).unwrap();
        out.as_chunks::<4>().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect::<Vec<_>>()
    };
    let drawn = |mesh, semantic, format| drawn_set(mesh, semantic, 0, format);
    // Only points: three vertices without attributes of corners.
    let x = |mesh| {
        drawn(mesh, Semantic::Position, VertexFormat::Float32x3).into_iter().step_by(3).collect::<Vec<_>>()
    };
    assert_eq!(x(two_points()), [1.0, 2.0, 1.0]);
    assert_eq!(two_points().into_mesh("plain").unwrap().corner_count(), 3);
    // A point that no vertex uses, and a corner for each vertex.
    let mut mesh = two_points();
    mesh.frames[0].positions.extend([[3.0; 3]; 2]);
    mesh.texcoords = vec![Vec::new(), vec![[0.5, 0.25]; 3]];
    assert_eq!(x(mesh.clone()), [1.0, 2.0, 1.0]);
    assert_eq!(
        drawn_set(mesh.clone(), Semantic::Texcoord, 1, VertexFormat::Float32x2),
        [0.5, 0.25, 0.5, 0.25, 0.5, 0.25]
    );
    let mesh = mesh.into_mesh("plain").unwrap();
    assert!(!mesh.texcoords_into(0, &mut Vec::new()).unwrap(), "the list is empty");
    // Corners with only tangents.
    let mut mesh = two_points();
    mesh.frames[0].tangents = vec![[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, -1.0]];
    mesh.corners = vec![1, 1, 0];
    let tangents = drawn(mesh, Semantic::Tangent, VertexFormat::Float32x4);
    assert_eq!(tangents, [0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn plain_meshes_whose_arrays_do_not_fit_are_errors() {
    let error = |change: fn(&mut PlainMesh)| {
        let mut mesh = two_points();
        change(&mut mesh);
        mesh.into_mesh("plain").unwrap_err().to_string()
    };
    let corners = error(|mesh| {
        mesh.colors = vec![vec![[1.0; 4]]];
        mesh.corners = vec![0, 0];
    });
    assert_eq!(corners, "meshlens: corners of vertices: expected 3, found 2");
    let frame = error(|mesh| mesh.frames.push(PlainFrame::default()));
    assert_eq!(frame, "meshlens: positions: expected 2, found 0");
    let weights = error(|mesh| mesh.joints = vec![[0; 4]; 2]);
    assert_eq!(weights, "meshlens: weights: expected 2, found 0");
    let parts = |triangles: &[core::ops::Range<usize>]| {
        let mut mesh = two_points();
        mesh.triangles = vec![[0, 1, 2]; 4];
        mesh.submeshes = triangles
            .iter()
            .map(|triangles| Submesh { material: None, triangles: triangles.clone() })
            .collect();
        mesh.into_mesh("plain").map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(parts(&[0..1, 1..1, 1..4]), Ok(()));
    assert_eq!(
        parts(&[0..1, 1..usize::MAX]).unwrap_err(),
        format!("meshlens: triangles of all submeshes: expected 4, found {}", usize::MAX)
    );
    for hole in [[0..1, 2..4], [0..2, 1..4], [1..2, 2..4]] {
        assert!(
            parts(&hole)
                .unwrap_err()
                .starts_with("meshlens: start of a submesh: expected the end of the submesh before it")
        );
    }
    let points = error(|mesh| mesh.points.clear());
    assert_eq!(points, "meshlens: vertex 2; there are 2 (0 to 1)");
}

#[test]
fn a_mesh_without_triangles_left_has_no_vertices() {
    // One triangle with the vertices 0, 1 and 7 of 3 vertices, and one frame of 3 vertices of 4 bytes.
    let (mut geometry, mut frames) = ([0; 64], [0; 16]);
    [geometry[0], geometry[2], geometry[50], geometry[52]] = [1, 3, 1, 7];
    [frames[0], frames[2]] = [1, 12];
    let model = Model::new(Unreal::parse(&geometry, &frames).unwrap().into()).unwrap();
    let mesh = &model.meshes[0];
    let mut topology = Topology::default();
    for _ in 0..2 {
        mesh.topology_into(&mut topology).unwrap();
        assert_eq!((topology.vertex_count(), topology.dropped_triangles()), (0, 1));
        assert_eq!((topology.points(), topology.corners()), (Some(&[][..]), Some(&[][..])));
        assert_eq!(mesh.point_count(), 3);
    }
    let (mut positions, mut normals) = (vec![[1.0; 3]; 5], vec![[1.0; 3]; 5]);
    mesh.skin_vertices_into(&topology, 0, &[], &mut positions, &mut normals).unwrap();
    assert!(positions.is_empty() && normals.is_empty());
    let layout = VertexLayout::new(12).with(Semantic::Position, 0, VertexFormat::Float32x3);
    model.fill_vertex_buffer(0, 0, &layout, &mut []).unwrap();
    assert!(model.fill_vertex_buffer(0, 0, &layout, &mut [0; 36]).is_err());
    // The memory of one mesh is reused for the next.
    let other = corpus::with_extension(&["static.md3"]).remove(0).1;
    let welded = Model::parse(&other).unwrap();
    welded.meshes[0].topology_into(&mut topology).unwrap();
    assert_eq!((topology.points(), topology.corners()), (None, None));
    assert_eq!(topology.vertex_count(), welded.meshes[0].point_count());
}

#[test]
fn a_mesh_has_several_sets_of_colors() {
    let mut mesh = two_points();
    mesh.colors = vec![vec![[1.0, 0.0, 0.0, 1.0]; 3], vec![[0.0, 0.5, 0.0, 1.0]; 3]];
    let mesh = mesh.into_mesh("plain").unwrap();
    assert_eq!(mesh.color_sets(), 2);
    let layout = VertexLayout::new(8).with(Semantic::Color, 0, VertexFormat::Unorm8x4).with_set(
        Semantic::Color,
        1,
        4,
        VertexFormat::Unorm8x4,
    );
    let mut out = [0; 3 * 8];
    mesh.fill_vertex_buffer(&mesh.topology().unwrap(), 0, &layout, &mut out).unwrap();
    assert_eq!(out[16..], [255, 0, 0, 255, 0, 128, 0, 255]);
    let layout = VertexLayout::new(4).with_set(Semantic::Color, 2, 0, VertexFormat::Unorm8x4);
    let error = mesh.fill_vertex_buffer(&mesh.topology().unwrap(), 0, &layout, &mut out[..12]).unwrap_err();
    assert_eq!(error.to_string(), "mesh: set 2: there is no color");
}
