//! Export to glTF and import from glTF.

mod back;
mod clips;
mod compressed;
mod documents;
mod files;
mod formats;
mod frames;
mod joints_back;
mod materials;
mod md3;
mod memory;
mod merged;
mod meshopt;
mod models;
mod nodes;
mod placed;
mod quantize;
mod rigs;
mod sampling;
mod scales;
mod scenes;
mod size;
mod skins;
mod small;
mod split;
mod tags;
mod values;

use meshlens::Model;
use meshlens::scene::{Node, Scene};

/// A scene of one model.
fn one_node<'a>(name: &str, model: &Model<'a>) -> Scene<'a> {
    Scene::from(Node::new(name, model.clone()))
}
