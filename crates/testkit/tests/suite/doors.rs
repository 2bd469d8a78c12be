//! Every interface draws the same picture of a model: directly, from the buffers of an engine, and from its glTF file.

use meshlens::Model;
use meshlens::lens::VertexFormat;
use meshlens::model::{IndexFormat, Material, PlainFrame, PlainMesh, Semantic, Space, VertexLayout};
use meshlens::scene::{Node, Scene};
use meshlens_gltf::{Export, ImportOptions, Options, import};
use meshlens_testkit::share::few_or_all;
use meshlens_testkit::{doors, real};
use meshlens_thumb::{Background, Picture, Texture, picture, surface_color};

/// The buffers of a mesh, as an engine uploads them.
struct Buffers {
    vertices: Vec<u8>,
    indices: Vec<u8>,
    format: IndexFormat,
    material: Material,
}

/// The engine program of the README, for any scene and any clips. The lines between the marks must occur in the README.
fn program(scene: &Scene<'_>, clips: &[(&str, f32)]) -> Result<Vec<Buffers>, Box<dyn std::error::Error>> {
    let mut drawn = Vec::new();
    // [README
    let view = scene.view(&Space::GLTF); // Y is up; units stay those of the file
    let layout = VertexLayout::new(20)
        .with(Semantic::Position, 0, VertexFormat::Float32x3)
        .with(Semantic::Normal, 12, VertexFormat::Octahedral16x2)
        .with(Semantic::Texcoord, 16, VertexFormat::Float16x2);
    // ]
    let pose = scene.pose(clips)?;
    // [README
    for mesh in view.meshes() {
        let mesh = mesh?;
        let mut vertices = vec![0; mesh.buffer_len(&layout)];
        mesh.fill_vertex_buffer(&pose, &layout, &mut vertices)?; // one pass, straight from the file's bytes
        let mut indices = vec![0; mesh.index_buffer_len(mesh.index_format())];
        mesh.write_indices(mesh.index_format(), &mut indices)?;
        // ]
        let materials = [mesh.mesh().material, mesh.submeshes().first().and_then(|submesh| submesh.material)];
        let material = materials.iter().flatten().find_map(|index| mesh.model().materials.get(*index));
        let material = material.cloned().unwrap_or_else(|| Material::new(""));
        drawn.push(Buffers { vertices, indices, format: mesh.index_format(), material });
    }
    Ok(drawn)
}

#[test]
fn the_program_is_in_the_readme() {
    let lines = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join("\n");
    let readme = std::fs::read_to_string(real::workspace_root().join("README.md")).expect("the README");
    let (readme, source) = (lines(&readme), lines(include_str!("doors.rs")));
    let blocks: Vec<&str> =
        source.split("// [README\n").skip(1).filter_map(|block| block.split("\n// ]\n").next()).collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        assert!(readme.contains(block), "not in the README:\n{block}");
    }
}

/// A node with the vertices and normals of buffers, in the space of glTF.
fn drawn(buffers: &Buffers) -> Node<'static> {
    let mut frame = PlainFrame::default();
    for vertex in buffers.vertices.as_chunks::<20>().0 {
        let float = |at: usize| f32::from_ne_bytes(vertex[at..at + 4].try_into().expect("four bytes"));
        frame.positions.push([float(0), float(4), float(8)]);
        // An octahedral normal.
        let axis =
            |at: usize| f32::from(i16::from_ne_bytes([vertex[at], vertex[at + 1]])) / f32::from(i16::MAX);
        let [x, y] = [axis(12), axis(14)];
        let z = 1.0 - x.abs() - y.abs();
        let [x, y] = if z >= 0.0 {
            [x, y]
        } else {
            [(1.0 - y.abs()) * 1f32.copysign(x), (1.0 - x.abs()) * 1f32.copysign(y)]
        };
        let length = (x * x + y * y + z * z).sqrt();
        frame.normals.push([x, y, z].map(|axis| axis / length));
    }
    let indices: Vec<u32> = match buffers.format {
        IndexFormat::Uint16 => {
            buffers.indices.as_chunks().0.iter().map(|index| u16::from_ne_bytes(*index).into()).collect()
        }
        IndexFormat::Uint32 => {
            buffers.indices.as_chunks().0.iter().map(|index| u32::from_ne_bytes(*index)).collect()
        }
    };
    let texcoords = vec![vec![[0.0; 2]; frame.positions.len()]];
    let triangles = indices.as_chunks().0.to_vec();
    let plain = PlainMesh { frames: vec![frame], texcoords, triangles, ..PlainMesh::default() };
    let mut mesh = plain.into_mesh("buffers").expect("indices in range");
    mesh.material = Some(0);
    let mut model = Model::empty(None, Space::GLTF);
    model.meshes.push(mesh);
    model.materials.push(buffers.material.clone());
    Node::new("buffers", model)
}

/// A picture in which all surfaces have the same color.
fn plain_picture(scene: &Scene<'_>) -> Picture {
    let mut scene = scene.clone();
    for material in scene.nodes.iter_mut().flat_map(|node| &mut node.model.materials) {
        let two_sided = material.two_sided;
        *material = Material { texture: Some("plain".into()), two_sided, ..Material::new("") };
    }
    let [red, green, blue] = surface_color(0).map(|channel| (channel * 255.0).round() as u8);
    let textures = |_: &Material| Texture::new(1, 1, &[red, green, blue, 255]);
    let options = meshlens_thumb::Options {
        size: 128,
        background: Background::Transparent,
        textures: Some(&textures),
        ..Default::default()
    };
    picture(&scene, &options).expect("a model of the corpus")
}

#[test]
fn the_answers_are_those_of_the_library() {
    for (name, bytes) in doors::made() {
        let found = std::fs::read(doors::folder().join(name)).expect(name);
        if !name.ends_with(".json") {
            assert!(found == bytes, "{name}: `cargo run -p meshlens-testkit -- doors` writes it");
        }
    }
    let made = doors::made().pop().expect("the answers").1;
    let made: Vec<doors::Answer> = serde_json::from_slice(&made).expect("answers");
    for (answer, made) in doors::answers().iter().zip(&made) {
        answer.bounds.assert(&made.bounds, &made.name);
        let bounds = answer.bounds;
        assert_eq!(format!("{answer:?}"), format!("{:?}", doors::Answer { bounds, ..made.clone() }));
    }
    assert_eq!(doors::answers().len(), doors::MODELS.len());
    let [player, cube] = ["md3/player", "Box.uc"]
        .map(|name| doors::answers().into_iter().find(|answer| answer.name == name).expect(name));
    assert_eq!(player.nodes, ["lower", "upper", "head"]);
    assert_eq!(player.files, ["lower", "upper", "head"].map(|part| format!("md3/player/{part}.md3")));
    // The crate is 12 high, its origin is at 3, and its script scales it to an eighth.
    assert_eq!([cube.bounds.min[1], cube.bounds.max[1]], [(0.0 - 3.0) / 8.0, (12.0 - 3.0) / 8.0]);
    assert_eq!(cube.counts["triangles"], 12);
}

#[test]
fn every_interface_draws_the_same_picture() {
    let assets = doors::assets();
    let player = assets.open("md3/player").expect("the player of the corpus");
    for (number, name) in doors::MODELS.into_iter().enumerate() {
        let asset = assets.open(name).expect(name);
        let in_hand = doors::in_hand(player.scene(), asset.scene());
        let places = [(asset.scene(), "alone"), (&in_hand, "in a hand")];
        let held = number % few_or_all(3, 1) == 0;
        for (scene, place) in places.into_iter().take(if held { 2 } else { 1 }) {
            let wanted = plain_picture(scene);
            let buffers = program(scene, &[]).expect(name);
            let mut engine = Scene::default();
            engine.nodes.extend(buffers.iter().map(drawn));
            let found = doors::Difference::new(&plain_picture(&engine).rgba, &wanted.rgba);
            println!("{name} {place}, by the program: {found:?}");
            let mut glb = Vec::new();
            Export::plan(scene, &Options::default()).expect(name).write_glb(&mut glb).expect("memory");
            let options = ImportOptions { at_rest: true, ..ImportOptions::default() };
            let imported = import(&glb, &options, &|_, _| None).expect(name).0;
            let back = doors::Difference::new(&plain_picture(&imported).rgba, &wanted.rgba);
            println!("{name} {place}, by its glTF: {back:?}");
            found.assert(0.1, name);
            back.assert(0.1, name);
        }
    }
}
