//! Converts a model of any format to GLB and to MD3, and the GLB back to a model.
//!
//! ```sh
//! cargo run -p meshlens-gltf --example convert -- corpus/unreal/Models/ring_d.3d corpus/unreal/Models/ring_a.3d
//! ```

use std::error::Error;

use meshlens::model::export::to_md3;
use meshlens::scene::{Node, Scene};
use meshlens::{Document, Model, Report};
use meshlens_gltf::{Export, ImportOptions, Options, import};

fn print(what: &str, losses: &Report) {
    for group in losses.groups() {
        println!("  not in the {what}: {} {} [{}]", group.count, group.code.plural, group.code);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    // One file, or the two files of an Unreal mesh, the geometry first.
    let files = match &paths[..] {
        [] => vec![std::fs::read("corpus/md3/tagged.md3")?],
        paths => paths.iter().map(std::fs::read).collect::<Result<_, _>>()?,
    };
    let model = match &files[..] {
        [geometry, frames] => Model::new(Document::parse_pair(geometry, frames)?)?,
        files => Model::parse(&files[0])?,
    };

    let scene = Scene::from(Node::new("model", model.clone()));
    let export = Export::plan(&scene, &Options { quantize: true, ..Options::default() })?;
    let mut glb = Vec::new();
    export.write_glb(&mut glb)?;
    println!("GLB: {} bytes", glb.len());
    print("GLB", export.losses());

    let (md3, losses) = to_md3(&model, "model", 1.0)?;
    println!("MD3: {} bytes", md3.len());
    print("MD3", &losses);

    // A GLB has no other files, so nothing is read.
    let (again, losses) = import(&glb, &ImportOptions::default(), &|_, _| None)?;
    print("scene", &losses);
    for node in &again.nodes {
        let (name, model) = (&node.name, &node.model);
        println!("imported {name}: {} meshes, {} frames", model.meshes.len(), model.frame_count());
    }
    Ok(())
}
