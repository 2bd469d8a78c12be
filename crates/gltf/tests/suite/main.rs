//! glTF out and in.

mod back;
mod clips;
mod compressed;
mod formats;
mod frames;
mod materials;
mod md3;
mod memory;
mod placed;
mod quantize;
mod rigs;
mod sampling;
mod scenes;
mod size;
mod skins;
mod small;
mod values;

use meshlens::Model;
use meshlens::scene::{Node, Scene};

/// A scene of one model.
fn one_node<'a>(name: &str, model: &Model<'a>) -> Scene<'a> {
    Scene::from(Node::new(name, model.clone()))
}
