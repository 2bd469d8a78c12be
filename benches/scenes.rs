//! Vertex buffers of scenes, as programs fill them: nodes at the root, attached, mirrored, scaled, placed by a script and moved
//! by joints, for one frame and for two blended ones.
//!
//! Each row stands beside a copy of the same shape, and beside the same buffer without the matrix or the joints. Both are
//! measured in turns with it. The level is the best one, or that in `MESHLENS_SIMD`. `-- --table` prints the table alone.

use std::cell::RefCell;
use std::hint::black_box;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput};
use meshlens::Model;
use meshlens::lens::{Level, VertexFormat};
use meshlens::model::{Joint, PlainFrame, PlainMesh, Semantic, Space, Tag, TagPose, Transform, VertexLayout};
use meshlens::scene::{Attachment, Node, Pose, Scene, Socket, ViewMesh};
use meshlens_benches::copy::copy_sizes;
use meshlens_benches::has;
use meshlens_benches::large::{generated_md3, largest_unreal};
use meshlens_benches::ratio::{Run, Table, in_turns, machine, touched};

/// The attributes of a layout.
type Attributes = &'static [(Semantic, usize, VertexFormat)];

/// The layouts, by name.
const LAYOUTS: [(&str, Attributes); 4] = {
    use Semantic::{Normal, Position, Texcoord};
    use VertexFormat::{Float16x2, Float32x3, Octahedral16x2};
    [
        ("f32x3", &[(Position, 0, Float32x3)]),
        ("f32x3 + f32x3", &[(Position, 0, Float32x3), (Normal, 0, Float32x3)]),
        ("f32x3 + octahedral16x2", &[(Position, 0, Float32x3), (Normal, 0, Octahedral16x2)]),
        (
            "f32x3 + octahedral16x2 + f16x2",
            &[(Position, 0, Float32x3), (Normal, 0, Octahedral16x2), (Texcoord, 0, Float16x2)],
        ),
    ]
};

/// A scene whose last node is measured, and the same node without the matrix or the joints.
struct Case<'a> {
    name: &'static str,
    scene: Scene<'a>,
    without: Scene<'a>,
}

/// A quarter of a right angle around X.
const TURN: Transform =
    Transform { translation: [8.0, -2.0, 1.0], rotation: [0.19509, 0.0, 0.0, 0.980785], scale: [1.0; 3] };

fn placed(model: &Model<'static>, scale: [f32; 3]) -> Scene<'static> {
    let placement = Transform { scale, ..TURN }.to_matrix();
    let mut model = model.clone();
    model.placement = placement;
    Scene::from(model)
}

/// A skinned mesh with the vertices of an MD3 model, 60 joints, and four influences for each vertex.
fn skinned(md3: &Model<'_>) -> Scene<'static> {
    const JOINTS: usize = 60;
    let mesh = &md3.meshes[0];
    let topology = mesh.topology().expect("a mesh");
    let frame = |frame: usize| {
        let positions = mesh.positions(frame).expect("a frame").iter().collect();
        let mut made = PlainFrame { positions, ..PlainFrame::default() };
        mesh.normals_into(frame, &mut made.normals).expect("a frame");
        made
    };
    let mut texcoords = Vec::new();
    mesh.texcoords_into(0, &mut texcoords).expect("a set");
    let count = mesh.point_count();
    let joint = |at: usize| (at % JOINTS) as u16;
    let plain = PlainMesh {
        frames: vec![frame(0), frame(1)],
        triangles: topology.triangles().to_vec(),
        texcoords: vec![texcoords],
        joints: (0..count).map(|at| [joint(at / 40), joint(at / 40 + 1), joint(at / 7), joint(at)]).collect(),
        weights: vec![[0.4, 0.3, 0.2, 0.1]; count],
        ..PlainMesh::default()
    };
    let mut model = Model::empty(None, Space::MD3);
    let parent = |at: usize| at.checked_sub(1);
    model.joints.extend((0..JOINTS).map(|at| Joint { name: String::new(), parent: parent(at), rest: TURN }));
    let mut mesh = plain.into_mesh("skinned").expect("a mesh");
    mesh.skin = Some(vec![Transform::IDENTITY.to_matrix(); JOINTS].into());
    model.meshes.push(mesh);
    Scene::from(model)
}

fn cases() -> Vec<Case<'static>> {
    let md3 = Model::parse(generated_md3(2, 1, 63, 31).leak()).expect("a model");
    let (_, pair) = largest_unreal();
    let pair: &'static _ = Box::leak(Box::new(pair));
    let unreal = meshlens::unreal::Unreal::parse(&pair.geometry, &pair.frames).expect("a pair");
    let unreal = Model::new(unreal.into()).expect("a model");
    let root = || Scene::from(md3.clone());
    let mut attached = Scene::from({
        let mut body = Model::empty(None, Space::MD3);
        body.joints.push(Joint { name: String::new(), parent: None, rest: TURN });
        Node::new("body", body)
    });
    attached.attach(root(), Attachment { node: 0, socket: Socket::Joint(0) });
    let moved = skinned(&md3);
    let mut still = moved.clone();
    still.nodes[0].model.meshes[0].skin = None;
    let case = |name, scene, without| Case { name, scene, without };
    vec![
        case("root", root(), root()),
        case("attached", attached, root()),
        case("mirrored", placed(&md3, [1.0, -1.0, 1.0]), root()),
        case("scaled", placed(&md3, [1.0, 2.0, 0.5]), root()),
        case("scripted Unreal", placed(&unreal, [0.1, 0.2, 0.1]), Scene::from(unreal.clone())),
        case("skinned, 4 of 60 joints", moved, still),
    ]
}

/// The legs, the torso and the head of a player, attached to tags, with a clip for each of the first two.
fn player() -> Scene<'static> {
    let part = |clip: &str| {
        let mut model = Model::parse(generated_md3(2, 1, 63, 31).leak()).expect("a model");
        let pose = |x| TagPose {
            origin: [x, 0.0, 24.0],
            axes: [[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]],
        };
        model.tags.push(Tag { name: "tag".into(), index: 0 });
        model.set_tag_poses(vec![vec![pose(0.0)], vec![pose(1.0)]]);
        model.clips[0].name = clip.into();
        Node::new(clip, model)
    };
    let mut scene = Scene::from(part("LEGS_RUN"));
    for (node, clip) in [(0, "TORSO_ATTACK"), (1, "HEAD")] {
        scene.attach(part(clip), Attachment { node, socket: Socket::Tag(0) });
    }
    scene
}

/// Sets the poses of `poses.len()` players, each at its own time.
fn set_poses(scene: &Scene<'_>, poses: &mut [Pose]) {
    for (index, pose) in poses.iter_mut().enumerate() {
        let time = index as f32 * 0.001;
        scene.pose_into([("LEGS_RUN", time), ("TORSO_ATTACK", time)], pose).expect("clips");
    }
}

/// The number of players in a crowd.
const CROWD: usize = 10_000;

/// The mesh of the last node.
fn mesh<'s>(scene: &'s Scene<'static>) -> ViewMesh<'s, 'static> {
    scene.view(&Space::GLTF).mesh(scene.nodes.len() - 1, 0).expect("a mesh")
}

fn pose(scene: &Scene<'_>, frames: usize) -> Pose {
    let mut pose = scene.rest_pose();
    let shown = pose.node_mut(scene.nodes.len() - 1).expect("a node");
    (shown.frames.b, shown.frames.weight) = if frames == 2 { (1, 0.25) } else { (0, 0.0) };
    pose
}

fn benches(c: &mut Criterion) {
    for case in cases() {
        let mesh = mesh(&case.scene);
        let mut group = c.benchmark_group(format!("scenes/{}", case.name));
        group.throughput(Throughput::Elements(mesh.vertex_count() as u64));
        for (name, attributes) in LAYOUTS {
            let layout = VertexLayout::packed(attributes);
            let mut out = vec![0; mesh.buffer_len(&layout)];
            for frames in [1, 2] {
                let pose = pose(&case.scene, frames);
                group.bench_function(BenchmarkId::new(name, frames), |b| {
                    b.iter(|| {
                        mesh.fill_vertex_buffer(&pose, &layout, black_box(&mut out)).expect("a buffer")
                    });
                });
            }
        }
        group.finish();
    }
    let scene = player();
    let mut poses = vec![scene.rest_pose(); CROWD];
    let mut group = c.benchmark_group("scenes/poses of players");
    group.throughput(Throughput::Elements(CROWD as u64));
    group.bench_function("two clips", |b| b.iter(|| set_poses(&scene, black_box(&mut poses))));
    group.finish();
}

fn table() {
    let columns = ["scene", "vertex buffer", "ns a vertex", "Mvertices/s", "share", "times without"];
    let mut table = Table::new(&columns);
    for case in cases() {
        let (found, without) = (mesh(&case.scene), mesh(&case.without));
        let count = found.vertex_count();
        for (frames, (name, attributes)) in
            [1, 2].into_iter().flat_map(|frames| LAYOUTS.map(|layout| (frames, layout)))
        {
            let layout = VertexLayout::packed(attributes);
            let bytes = vec![1; 16 * count + 64];
            let len = found.buffer_len(&layout);
            let mut out = touched(len);
            let out: &mut [u8] = bytemuck::cast_slice_mut(&mut out);
            let out = RefCell::new(&mut out[..len]);
            let poses = [pose(&case.scene, frames), pose(&case.without, frames)];
            let fill = |mesh: &ViewMesh<'_, '_>, pose: &Pose| {
                mesh.fill_vertex_buffer(pose, &layout, black_box(&mut out.borrow_mut())).expect("a buffer");
            };
            // A copy of the same shape: eight bytes of each frame for each vertex.
            let sizes = (8 * frames, layout.stride());
            let copy = || copy_sizes(sizes, black_box(&bytes), black_box(&mut out.borrow_mut()));
            let runs: &mut [Run<'_>] = &mut [
                Box::new(|| fill(&found, &poses[0])),
                Box::new(copy),
                Box::new(|| fill(&without, &poses[1])),
            ];
            let measured = in_turns(count, Duration::from_micros(300), 101, runs);
            table.row(vec![
                format!("{}{}", case.name, if frames == 2 { ", two frames" } else { "" }),
                name.into(),
                format!("{:.1}", 1e9 / measured.rates[0]),
                format!("{:.0}", measured.rates[0] / 1e6),
                format!("{:.2}", measured.shares[1]),
                format!("{:.2}", 1.0 / measured.shares[2]),
            ]);
        }
    }
    table.print();
    let scene = player();
    let mut poses = vec![scene.rest_pose(); CROWD];
    let measured = in_turns(
        CROWD,
        Duration::from_millis(5),
        31,
        &mut [Box::new(|| set_poses(&scene, black_box(&mut poses)))],
    );
    println!(
        "\nPoses of 10,000 players, two clips each, without buffers: {:.0} ns a pose",
        1e9 / measured.rates[0]
    );
    beside_plain_loop();
}

/// The options of the compiler for the plain loop.
const OPTIONS: [&[&str]; 3] =
    [&["-O2", "-mf16c"], &["-O3", "-march=native"], &["-O3", "-march=native", "-ffast-math"]];

/// The last column of a skinned mesh beside the same work in a plain loop of C, `benches/c/skin.c`. Both run in turns, and the best
/// run of each is compared. Prints nothing without a C compiler.
fn beside_plain_loop() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = cases().pop().expect("the skinned case").scene;
    let (mesh, pose, layout) = (mesh(&scene), pose(&scene, 1), VertexLayout::packed(LAYOUTS[3].1));
    let mut out = vec![0; mesh.buffer_len(&layout)];
    let mut table = Table::new(&["plain loop in C", "ns a vertex", "skinned ns a vertex", "times"]);
    for options in OPTIONS {
        let program = folder.path().join("skin");
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/c/skin.c");
        let mut compiler = Command::new("gcc");
        compiler.args(options).arg(source).arg("-o").arg(&program).arg("-lm");
        if !compiler.output().is_ok_and(|output| output.status.success()) {
            return;
        }
        let (mut plain, mut own) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..9 {
            let printed = Command::new(&program).output().expect("the program");
            let printed = String::from_utf8(printed.stdout).expect("text");
            let nanoseconds = printed.split(' ').next().and_then(|text| text.parse().ok());
            plain = plain.min(nanoseconds.expect("a number"));
            for _ in 0..2_000 {
                let start = Instant::now();
                mesh.fill_vertex_buffer(&pose, &layout, black_box(&mut out)).expect("a buffer");
                own = own.min(1e9 * start.elapsed().as_secs_f64() / mesh.vertex_count() as f64);
            }
        }
        let numbers = [format!("{plain:.1}"), format!("{own:.1}"), format!("{:.2}", plain / own)];
        table.row([format!("gcc {}", options.join(" "))].into_iter().chain(numbers).collect());
    }
    println!();
    table.print();
}

fn main() {
    if has("--table") {
        println!("\n{}, level {}\n", machine(), Level::current());
        return table();
    }
    let criterion = Criterion::default().warm_up_time(Duration::from_millis(200));
    let mut criterion =
        criterion.measurement_time(Duration::from_millis(500)).sample_size(30).configure_from_args();
    benches(&mut criterion);
    criterion.final_summary();
}
