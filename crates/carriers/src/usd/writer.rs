//! The file that is being written. Other modules write skeletons, meshes and materials to it.

use meshlens::Report;
use meshlens::model::Material;
use meshlens::scene::{Scene, View};
use meshlens::wire::Budget;

use super::skeleton::Skeleton;
use super::text::{Names, Text};
use crate::timeline::Timeline;

/// A function that finds the texture of a material: a path relative to the file that is written, with slashes.
pub type FindTexture<'o> = &'o dyn Fn(&Material) -> Option<String>;

/// Writes a file. Every frame is decoded once for positions and once for normals; neither frames nor text are held in memory.
pub(super) struct Writer<'w, 's, 'a> {
    pub(super) text: Text<'w>,
    pub(super) scene: &'s Scene<'a>,
    pub(super) view: View<'s, 'a>,
    pub(super) scale: f32,
    pub(super) timeline: Timeline<'s, 'a>,
    pub(super) skeleton: Option<Skeleton>,
    /// The name of the prim of the scene, and the names below it.
    pub(super) root: String,
    pub(super) names: Names,
    /// The paths of the materials of each node.
    pub(super) material_paths: Vec<Vec<String>>,
    pub(super) textures: Option<FindTexture<'w>>,
    pub(super) budget: Budget,
    pub(super) losses: Report,
}
