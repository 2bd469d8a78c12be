//! The coarser levels of detail of the models of a document (MSFT_lod). At each level, a node is replaced by another one, and the
//! models are read again.

use meshlens::Report;
use meshlens::import::ImportOptions;
use meshlens::model::{Material, Model};
use meshlens::scene::Scene as Models;

use super::buffers::Buffers;
use super::document::Document;
use super::scene::Scene;
use super::{assemble, parts};
use crate::Error;

/// The largest number of coarser levels that are read. Games have two or three.
const MOST: usize = 8;

impl Document {
    /// The number of coarser levels.
    fn level_count(&self) -> usize {
        self.nodes.iter().map(|node| node.levels.len()).max().unwrap_or(0)
    }

    /// The node that is shown in place of a node at a level, which is 0 for the finest one. A node with fewer levels shows its
    /// last one.
    pub(super) fn at_level(&self, node: usize, level: usize) -> usize {
        let levels = &self.nodes[node].levels;
        let coarser = level.checked_sub(1).and_then(|level| levels.get(level).or(levels.last()));
        coarser.copied().unwrap_or(node)
    }

    /// For each node, whether it is shown at a coarser level.
    pub(super) fn coarser(&self) -> Vec<bool> {
        let mut is_coarser = vec![false; self.nodes.len()];
        let mut next: Vec<usize> = self.nodes.iter().flat_map(|node| node.levels.iter().copied()).collect();
        while let Some(node) = next.pop() {
            if !std::mem::replace(&mut is_coarser[node], true) {
                next.extend(&self.nodes[node].children);
            }
        }
        is_coarser
    }
}

/// Adds the coarser levels to the models of a scene. Levels that cannot be read, or that have other models than the finest one,
/// are lost.
///
/// # Errors
///
/// [`Error::Memory`].
pub(super) fn add(
    document: &Document,
    buffers: &Buffers<'_>,
    mut options: ImportOptions,
    materials: &[Material],
    models: &mut Models<'static>,
    losses: &mut Report,
) -> Result<(), Error> {
    let count = document.level_count();
    options.limits.work /= count.max(1);
    let mut lost = count.saturating_sub(MOST);
    for level in 1..=count.min(MOST) {
        match read(document, buffers, options, materials, level) {
            Ok(coarser) if are_of_same_nodes(models, &coarser) => {
                for (node, other) in models.nodes.iter_mut().zip(coarser.nodes) {
                    // A model without this level is the same again.
                    let finer = node.lods.last().unwrap_or(&node.model);
                    if size(finer) != size(&other.model) {
                        node.lods.push(other.model);
                    }
                }
            }
            Err(error @ Error::Memory { .. }) => return Err(error),
            _ => lost += 1,
        }
    }
    let message = format_args!("{lost} coarser levels of detail");
    losses.lose(&meshlens::codes::LOD_LOST, lost as u64, format_args!(""), message);
    Ok(())
}

/// The models of a level, without the files that belong to them.
fn read(
    document: &Document,
    buffers: &Buffers<'_>,
    options: ImportOptions,
    materials: &[Material],
    level: usize,
) -> Result<Models<'static>, Error> {
    let whole = Scene::read(document, buffers, level)?;
    let parts = parts::divide(whole, buffers, options.roots)?;
    let losses = &mut Report::with_capacity(0);
    assemble::assemble(parts, buffers, options, materials, false, losses)
}

/// Whether two scenes have the same nodes. The name of a single node does not matter, because a root can be replaced.
fn are_of_same_nodes(models: &Models<'_>, coarser: &Models<'_>) -> bool {
    let names = |scene: &Models<'_>| scene.nodes.iter().map(|node| node.name.clone()).collect::<Vec<_>>();
    models.nodes.len() == coarser.nodes.len() && (models.nodes.len() == 1 || names(models) == names(coarser))
}

/// The number of meshes, vertices and triangles.
fn size(model: &Model<'_>) -> [usize; 3] {
    let sum = |of: fn(&meshlens::model::Mesh<'_>) -> usize| model.meshes.iter().map(of).sum();
    [model.meshes.len(), sum(|mesh| mesh.point_count()), sum(|mesh| mesh.triangle_count())]
}
