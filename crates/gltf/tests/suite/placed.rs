//! Scenes whose nodes are attached, and models that a script mirrors.

use glam::{Mat4, Vec3};
use gltf::mesh::util::ReadIndices;
use meshlens::Model;
use meshlens::model::Space;
use meshlens::scene::{Node, Scene, Socket};
use meshlens::unreal::{Script, Triangle, Unreal, VertexEncoding, write};
use meshlens_gltf::{Export, Options};
use meshlens_testkit::real;

/// Writes a scene and reads it with another reader.
fn written(scene: &Scene<'_>, options: &Options<'_>) -> (gltf::Document, Vec<u8>) {
    let mut glb = Vec::new();
    Export::plan(scene, options).unwrap().write_glb(&mut glb).unwrap();
    let read = gltf::Gltf::from_slice_without_validation(&glb).unwrap();
    (read.document, read.blob.unwrap_or_default())
}

/// The nodes, and the transform of each from the node to the scene.
fn world(document: &gltf::Document) -> Vec<Mat4> {
    let mut world = vec![Mat4::NAN; document.nodes().len()];
    let mut rest: Vec<_> =
        document.scenes().next().unwrap().nodes().map(|node| (node, Mat4::IDENTITY)).collect();
    while let Some((node, above)) = rest.pop() {
        let own = above * Mat4::from_cols_array_2d(&node.transform().matrix());
        world[node.index()] = own;
        rest.extend(node.children().map(|child| (child, own)));
    }
    world
}

#[test]
fn nodes_are_below_the_tags_and_joints_that_they_are_attached_to() {
    let file = |name: &str| std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap();
    let (tagged, skinned) = (file("md3/tagged.md3"), file("unigine/skinned_ms11.mesh"));
    let (tagged, skinned) = (Model::parse(&tagged).unwrap(), Model::parse(&skinned).unwrap());
    let scene = Scene {
        nodes: vec![
            Node::new("before", tagged.clone()).attached_to(4, Socket::Joint(1)),
            // Two nodes that are attached to each other, and a node attached to one of them: all three are at the origin.
            Node::new("first", tagged.clone()).attached_to(2, Socket::Tag(0)),
            Node::new("second", tagged.clone()).attached_to(1, Socket::Tag(0)),
            Node::new("third", tagged.clone()).attached_to(1, Socket::Tag(0)),
            Node::new("arm", skinned.clone()),
            Node::new("after", tagged.clone()).attached_to(0, Socket::Tag(0)),
            // The tag does not exist, so the node is at the origin of its parent.
            Node::new("beside", tagged.clone()).attached_to(0, Socket::Tag(99)),
        ],
    };
    let (document, _) = written(&scene, &Options::default());
    let parent = |name: &str| {
        let found = document.nodes().find(|node| node.children().any(|child| child.name() == Some(name)));
        found.map(|node| node.name().unwrap().to_owned())
    };
    assert_eq!(parent("before").as_ref(), Some(&skinned.joints[1].name));
    assert_eq!(parent("after").as_ref(), Some(&tagged.tags[0].name));
    assert_eq!(parent("beside").as_deref(), Some("before"));
    assert_eq!(["first", "second", "third", "arm"].map(parent), [const { None }; 4]);
    let (view, pose, world) = (scene.view(&Space::GLTF), scene.rest_pose(), world(&document));
    for (index, of) in scene.nodes.iter().enumerate() {
        let node = document.nodes().find(|node| node.name() == Some(&of.name)).unwrap();
        let (found, expected) = (world[node.index()].w_axis, view.matrix(index, &pose).unwrap()[3]);
        assert!(found.abs_diff_eq(expected.into(), 1e-4), "{}: {found} {expected:?}", of.name);
    }
}

/// The volume in glTF of a tetrahedron with edges of 24 units along the axes, placed by a script with these words.
fn volume(import: &str, scale: &str, quantize: bool) -> f32 {
    let mut file = write::Model::new(VertexEncoding::Packed, 4);
    for vertices in [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] {
        file.triangles.push(Triangle { vertices, ..Triangle::default() });
    }
    file.add_integer_frame(&[[0, 0, 0], [24, 0, 0], [0, 24, 0], [0, 0, 24]]).unwrap();
    let files = file.write().unwrap();
    let unreal = Unreal::parse(&files.geometry, &files.frames).unwrap();
    let mut model = Model::new(unreal.into()).unwrap();
    let text = format!(
        "#exec MESH IMPORT MESH=m ANIVFILE=m_a.3d DATAFILE=m_d.3d {import}\n\
         #exec MESH ORIGIN MESH=m X=5 Y=0 Z=-3 YAW=32 ROLL=-64\n\
         #exec MESHMAP NEW MESHMAP=m MESH=m\n#exec MESHMAP SCALE MESHMAP=m {scale}\n"
    );
    model.set_script(&unreal, &Script::parse(text.as_bytes()).unwrap(), "m").unwrap();
    let (document, bin) = written(&Scene::from(model), &Options { quantize, ..Options::default() });
    let world = world(&document);
    let node = document.nodes().find(|node| node.mesh().is_some()).unwrap();
    let primitive = node.mesh().unwrap().primitives().next().unwrap();
    let (to_world, reader) = (world[node.index()], primitive.reader(|_| Some(&bin)));
    let positions: Vec<Vec3> = match primitive.get(&gltf::Semantic::Positions).unwrap() {
        accessor if accessor.data_type() == gltf::accessor::DataType::F32 => {
            reader.read_positions().unwrap().map(Vec3::from).collect()
        }
        accessor => {
            let view = accessor.view().unwrap();
            let start = view.offset() + accessor.offset();
            let at = |place: usize| f32::from(i16::from_le_bytes([bin[place], bin[place + 1]]));
            let vertices = (0..accessor.count()).map(|vertex| start + vertex * view.stride().unwrap());
            vertices.map(|place| Vec3::new(at(place), at(place + 2), at(place + 4))).collect()
        }
    };
    let positions: Vec<Vec3> = positions.into_iter().map(|point| to_world.transform_point3(point)).collect();
    let Some(ReadIndices::U16(indices)) = reader.read_indices() else { panic!("16-bit indices") };
    let corners: Vec<Vec3> = indices.map(|index| positions[usize::from(index)]).collect();
    let volumes = corners.as_chunks().0.iter().map(|[a, b, c]| a.dot(b.cross(*c)) / 6.0);
    // Readers reverse the triangles of a node with a mirroring transform (glTF 2.0: 3.7.4).
    volumes.sum::<f32>() * to_world.determinant().signum()
}

#[test]
fn front_faces_point_outward_with_and_without_unmirror() {
    // 24^3 / 6 = 2304 cubic units, times the scales 0.1, 0.1 and 0.2.
    for import in ["", "UNMIRROR=1", "UNMIRROR=1 UNMIRRORTEX=4"] {
        for quantize in [false, true] {
            let found = volume(import, "X=0.1 Y=0.1 Z=0.2", quantize);
            assert!((found - 4.608).abs() < 1e-3, "{import} {quantize}: {found}");
            let found = volume(import, "X=0.1 Y=-0.1 Z=0.2", quantize);
            assert!((found - 4.608).abs() < 1e-3, "{import} mirrored {quantize}: {found}");
        }
    }
}
