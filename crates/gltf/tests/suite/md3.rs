//! MD3 to glTF, read back by another reader: positions, normals, texture coordinates, indices, and the vertices that
//! animations show.

use std::collections::HashMap;

use glam::{Quat, Vec3};
use gltf::animation::util::ReadOutputs;
use gltf::mesh::util::ReadIndices;
use meshlens::Model;
use meshlens::md3::Md3;
use meshlens::model::{Mesh, Space};
use meshlens::scene::Scene;
use meshlens_gltf::{Error, Export, Frames, Options};
use meshlens_testkit::real;

use super::one_node;

pub(super) fn corpus_file(name: &str) -> Vec<u8> {
    std::fs::read(real::workspace_root().join("corpus").join(name)).unwrap()
}

pub(super) fn glb(scene: &Scene<'_>, options: &Options<'_>) -> Vec<u8> {
    let export = Export::plan(scene, options).unwrap();
    let mut glb = Vec::new();
    let written = export.write_glb(&mut glb).unwrap();
    assert_eq!((glb.len() as u64, written), (export.glb_len(), export.glb_len()));
    glb
}

/// A document that is read and validated by the `gltf` crate.
pub(super) struct Read {
    pub(super) document: gltf::Document,
    pub(super) bin: Vec<u8>,
}

impl Read {
    pub(super) fn new(glb: &[u8]) -> Read {
        let read = gltf::Gltf::from_slice(glb).unwrap();
        Read { bin: read.blob.clone().unwrap_or_default(), document: read.document }
    }

    pub(super) fn node(&self, name: &str) -> gltf::Node<'_> {
        self.document
            .nodes()
            .find(|node| node.name() == Some(name))
            .unwrap_or_else(|| panic!("no node {name}"))
    }

    pub(super) fn mesh_nodes(&self) -> impl Iterator<Item = gltf::Node<'_>> {
        self.document.nodes().filter(|node| node.mesh().is_some())
    }
}

/// The content of a primitive. Vectors are transformed by the node, which quantized primitives need.
pub(super) struct Primitive {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) texcoords: Vec<[f32; 2]>,
    pub(super) indices: Vec<u32>,
    /// Displacements of positions and normals, for each target.
    pub(super) targets: Vec<(Vec<Vec3>, Vec<Vec3>)>,
}

pub(super) fn primitive(read: &Read, node: &gltf::Node<'_>) -> Primitive {
    let (_, rotation, scale) = node.transform().decomposed();
    let (turn, scale) = (Quat::from_array(rotation), Vec3::from(scale));
    let primitive = node.mesh().unwrap().primitives().next().unwrap();
    // The reader of the crate only supports floats, so quantized accessors are read by hand.
    let vectors = |accessor: gltf::Accessor<'_>| -> Vec<Vec3> {
        let view = accessor.view().unwrap();
        let start = view.offset() + accessor.offset();
        let stride = view.stride().unwrap();
        let element = |index: usize| &read.bin[start + index * stride..];
        let component = |bytes: &[u8], axis: usize| match accessor.data_type() {
            gltf::accessor::DataType::F32 => f32::from_le_bytes(bytes[axis * 4..][..4].try_into().unwrap()),
            gltf::accessor::DataType::I16 => {
                f32::from(i16::from_le_bytes(bytes[axis * 2..][..2].try_into().unwrap()))
            }
            gltf::accessor::DataType::I8 => f32::from(bytes[axis] as i8) / 127.0,
            other => panic!("{other:?}"),
        };
        (0..accessor.count())
            .map(|index| Vec3::from([0, 1, 2].map(|axis| component(element(index), axis))))
            .collect()
    };
    let place = |values: Vec<Vec3>| values.into_iter().map(|value| turn * (value * scale)).collect();
    let spin = |values: Vec<Vec3>| values.into_iter().map(|value| turn * value).collect::<Vec<Vec3>>();
    let reader = primitive.reader(|_| Some(&read.bin));
    Primitive {
        positions: place(vectors(primitive.get(&gltf::Semantic::Positions).unwrap())),
        normals: spin(vectors(primitive.get(&gltf::Semantic::Normals).unwrap())),
        texcoords: reader.read_tex_coords(0).unwrap().into_f32().collect(),
        indices: match reader.read_indices().unwrap() {
            ReadIndices::U16(indices) => indices.map(u32::from).collect(),
            ReadIndices::U32(indices) => indices.collect(),
            ReadIndices::U8(_) => panic!("bytes are discouraged"),
        },
        targets: primitive
            .morph_targets()
            .map(|target| {
                (place(vectors(target.positions().unwrap())), spin(vectors(target.normals().unwrap())))
            })
            .collect(),
    }
}

/// The keys of an animation's channel: times and values.
pub(super) fn keys(read: &Read, channel: &gltf::animation::Channel<'_>) -> (Vec<f32>, Vec<f32>) {
    let reader = channel.reader(|_| Some(&read.bin));
    let times = reader.read_inputs().unwrap().collect();
    let values = match reader.read_outputs().unwrap() {
        ReadOutputs::Translations(values) | ReadOutputs::Scales(values) => values.flatten().collect(),
        ReadOutputs::Rotations(values) => values.into_f32().flatten().collect(),
        ReadOutputs::MorphTargetWeights(values) => values.into_f32().collect(),
    };
    (times, values)
}

/// A frame of a mesh in glTF's space.
pub(super) fn frame(model: &Model<'_>, mesh: &Mesh<'_>, frame: usize) -> (Vec<Vec3>, Vec<Vec3>) {
    let to_gltf = model.space.to(&Space::GLTF);
    let positions = mesh.positions(frame).unwrap().to_vec();
    let normals = mesh.normals(frame).unwrap().unwrap().to_vec();
    (
        positions.into_iter().map(|value| to_gltf.position(value).into()).collect(),
        normals.into_iter().map(|value| to_gltf.direction(value).into()).collect(),
    )
}

fn assert_close(found: &[Vec3], expected: &[Vec3], tolerance: f32, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(found.abs_diff_eq(*expected, tolerance), "{what} {index}: {found} {expected}");
    }
}

/// Compares every mesh of a single model, at rest and with each target active.
fn assert_same_shapes(read: &Read, model: &Model<'_>, quantized: bool) {
    // Integers divided by 64 are exact after the scale of the node. Its rotation is applied in floats, which rounds.
    let (exact, normal) = if quantized { (1e-4, 0.03) } else { (0.0, 1e-6) };
    let drawn: Vec<&Mesh<'_>> = model.meshes.iter().filter(|mesh| mesh.triangle_count() > 0).collect();
    assert_eq!(read.mesh_nodes().count(), drawn.len());
    for (node, mesh) in read.mesh_nodes().zip(drawn) {
        assert_eq!(node.name().unwrap_or_default(), mesh.name);
        let primitive = primitive(read, &node);
        let (positions, normals) = frame(model, mesh, 0);
        assert_close(&primitive.positions, &positions, exact, "position");
        assert_close(&primitive.normals, &normals, normal, "normal");
        assert_eq!(primitive.texcoords, mesh.texcoords(0).unwrap().unwrap().to_vec());
        let topology = mesh.topology().unwrap();
        // MD3 winds triangles clockwise, so two corners are exchanged.
        let flipped = topology.triangles().iter().flat_map(|[a, b, c]| [*a, *c, *b]);
        assert!(primitive.indices.iter().copied().eq(flipped));
        assert_eq!(primitive.targets.len(), mesh.frame_count() - 1);
        for (target, (moves, turns)) in primitive.targets.iter().enumerate() {
            let (positions, normals) = frame(model, mesh, target + 1);
            let moved: Vec<Vec3> = primitive.positions.iter().zip(moves).map(|(a, b)| *a + *b).collect();
            let turned: Vec<Vec3> = primitive.normals.iter().zip(turns).map(|(a, b)| *a + *b).collect();
            assert_close(&moved, &positions, exact, "moved position");
            assert_close(&turned, &normals, normal, "turned normal");
        }
    }
}

/// Compares the channels of every clip with the model, at the keys and between them.
fn assert_same_animation(read: &Read, model: &Model<'_>) {
    assert_eq!(read.document.animations().count(), model.clips.len());
    for (animation, clip) in read.document.animations().zip(&model.clips) {
        assert_eq!(animation.name(), Some(clip.name.as_str()));
        let moving: Vec<usize> = read
            .mesh_nodes()
            .filter(|node| node.mesh().unwrap().primitives().next().unwrap().morph_targets().len() > 0)
            .map(|node| node.index())
            .collect();
        let mut moved = Vec::new();
        for channel in animation.channels() {
            let (times, values) = keys(read, &channel);
            let cycle = usize::from(clip.is_cycle());
            assert_eq!(times.len(), clip.count + cycle);
            for (key, time) in times.iter().enumerate() {
                assert!((time - key as f32 / clip.rate.get()).abs() < 1e-5);
            }
            let width = values.len() / times.len();
            if channel.target().property() != gltf::animation::Property::MorphTargetWeights {
                continue;
            }
            moved.push(channel.target().node().index());
            // Halfway between two keys, the weights that readers interpolate must equal the model's own blend.
            for step in 0..times.len() - 1 {
                let time = (times[step] + times[step + 1]) / 2.0;
                let blend = clip.sample(time);
                let mut weights: HashMap<usize, f32> = HashMap::new();
                *weights.entry(blend.a).or_default() += 1.0 - blend.weight;
                *weights.entry(blend.b).or_default() += blend.weight;
                for target in 0..width {
                    let found = (values[step * width + target] + values[(step + 1) * width + target]) / 2.0;
                    let expected = weights.get(&(target + 1)).copied().unwrap_or_default();
                    assert!((found - expected).abs() < 1e-3, "{} at {time}: target {target}", clip.name);
                }
            }
        }
        assert_eq!(moved, moving, "every surface moves in every clip");
    }
}

fn md3_files() -> Vec<(String, Vec<u8>)> {
    real::chosen_files_and_corpus("md3", &[".md3"])
}

#[test]
fn written_files_read_back_equal() {
    for (name, bytes) in md3_files() {
        let model = Model::parse(&bytes).unwrap();
        let read = Read::new(&glb(&one_node("model", &model), &Options::default()));
        assert_same_shapes(&read, &model, false);
        assert_same_animation(&read, &model);
        assert_eq!(read.document.nodes().len(), 1 + read.mesh_nodes().count() + model.tags.len(), "{name}");
    }
}

#[test]
fn quantized_vertices_are_the_stored_integers() {
    for (name, bytes) in md3_files() {
        let model = Model::parse(&bytes).unwrap();
        let options = Options { quantize: true, ..Options::default() };
        let written = glb(&one_node("model", &model), &options);
        // The crate does not support the extension and refuses files that require it.
        let read = gltf::Gltf::from_slice_without_validation(&written).unwrap();
        let read = Read { bin: read.blob.clone().unwrap_or_default(), document: read.document };
        assert_same_shapes(&read, &model, true);
        let md3 = Md3::parse(&bytes).unwrap();
        let surface = md3.surfaces().find(|surface| surface.triangle_count() > 0);
        if let Some(surface) = surface {
            // Positions are stored in the file unchanged, with zeros in place of the encoded normal.
            let vertices = surface.vertex_bytes(0).unwrap().as_chunks().0.iter();
            let vertices: Vec<u8> =
                vertices.flat_map(|[a, b, c, d, e, f, _, _]| [*a, *b, *c, *d, *e, *f, 0, 0]).collect();
            assert!(read.bin.windows(vertices.len()).any(|window| window == vertices), "{name}");
        }
    }
}

#[test]
fn frames_and_clips_can_be_chosen() {
    let bytes = corpus_file("md3/animated.md3");
    let model = Model::parse(&bytes).unwrap();
    let mut scene = one_node("model", &model);
    let counts = |frames: Frames<'_>| {
        let read = Read::new(&glb(&scene, &Options { frames, ..Options::default() }));
        let targets = primitive(&read, &read.node("ring")).targets.len();
        (targets, read.document.animations().count())
    };
    assert_eq!(counts(Frames::All), (4, 1));
    assert_eq!(counts(Frames::Range(1, 3)), (2, 1));
    assert_eq!(counts(Frames::Range(2, 99)), (2, 1));
    assert_eq!(counts(Frames::Clip("ALL")), (4, 1));
    assert_eq!(counts(Frames::One(3)), (0, 0));
    let error = |frames: Frames<'_>| {
        Export::plan(&scene, &Options { frames, ..Options::default() }).err().unwrap().to_string()
    };
    assert_eq!(error(Frames::One(5)), "there is no frame 5: there are 5");
    assert_eq!(error(Frames::Clip("run")), "there is no clip run");
    // The document has the requested frame.
    let read = Read::new(&glb(&scene, &Options { frames: Frames::One(3), ..Options::default() }));
    assert_close(
        &primitive(&read, &read.node("ring")).positions,
        &frame(&model, &model.meshes[0], 3).0,
        0.0,
        "position",
    );
    // Any frame can be the frame at rest.
    scene.nodes[0].rest_frame = 2;
    let read = Read::new(&glb(&scene, &Options::default()));
    let ring = primitive(&read, &read.node("ring"));
    assert_close(&ring.positions, &frame(&model, &model.meshes[0], 2).0, 0.0, "position");
    let moved: Vec<Vec3> = ring.positions.iter().zip(&ring.targets[2].0).map(|(a, b)| *a + *b).collect();
    assert_close(&moved, &frame(&model, &model.meshes[0], 3).0, 0.0, "the third target is frame 3");
}

#[test]
fn the_weights_of_many_frames_are_small_and_reported() {
    use meshlens::md3::write;
    let mut file = write::Model::new("long").unwrap();
    let mut surface = write::Surface::new("s").unwrap();
    surface.triangles.push([0, 1, 2]);
    surface.texcoords = vec![[0.0; 2]; 3];
    for frame in 0..1023 {
        file.frames.push(write::Frame::named("").unwrap());
        let x = frame as f32 / 64.0;
        surface.add_frame(&[[x, 0.0, 0.0], [x, 1.0, 0.0], [x, 0.0, 1.0]], &[[1.0, 0.0, 0.0]; 3]).unwrap();
    }
    file.surfaces.push(surface);
    let bytes = file.write().unwrap();
    let model = Model::parse(&bytes).unwrap();
    let scene = one_node("model", &model);
    let losses = |max_targets| {
        let export = Export::plan(&scene, &Options { max_targets, ..Options::default() }).unwrap();
        let losses = export.losses().findings();
        losses.map(|loss| (loss.code, loss.message.clone())).collect::<Vec<_>>()
    };
    let split = "model: 1022 morph targets, more than 256: 5 meshes in place of each, shown in turn";
    assert_eq!(losses(256), [("MORPH_TARGETS_SPLIT", split.to_owned())]);
    assert_eq!(losses(1022), [("MORPH_TARGETS_MANY", "model: 1022 morph targets, more than 256".to_owned())]);
    let export = Export::plan(&scene, &Options { max_targets: 1022, ..Options::default() }).unwrap();
    let mut written = Vec::new();
    export.write_glb(&mut written).unwrap();
    // 1,023 frames of 3 positions and 3 normals, 1,022 sparse weights of 5 bytes each, times, and the document that
    // describes them.
    assert!(written.len() < 1_000_000, "{}", written.len());
    let read = Read::new(&written);
    assert_same_animation(&read, &model);
    // A vertex index that is out of range is an error, and no file is written.
    let mut broken = bytes.clone();
    let at = broken.windows(12).position(|w| w == [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]).unwrap();
    broken[at + 8] = 3;
    let model = Model::parse(&broken).unwrap();
    let error = Export::plan(&one_node("model", &model), &Options::default()).err().unwrap();
    assert!(matches!(error, Error::Model(_)), "{error}");
}
