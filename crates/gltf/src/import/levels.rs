//! The coarser levels of detail of the models of a document (MSFT_lod, or the names of nodes). At each level, a node is replaced by
//! another one, and the models are read again.

use std::collections::HashMap;

use meshlens::Report;
use meshlens::import::ImportOptions;
use meshlens::model::{Material, Model};
use meshlens::scene::Scene as Models;

use super::buffers::Buffers;
use super::document::Document;
use super::memory::Memory;
use super::scene::Scene;
use super::{assemble, player};
use crate::Error;
use crate::memory::ROOM;

/// The largest number of coarser levels that are read. Games have two or three.
const MOST: usize = 8;

/// A coarser level by its name: the name of the finest one, the number of the level, and whether the name has `lod`.
type LevelName<'n> = (&'n str, usize, bool);

/// The level that a name ends with: `x_lod1`, or `x_1` without `lod`.
fn level_name(name: &str) -> Option<LevelName<'_>> {
    let (rest, digit) = name.split_at_checked(name.len().checked_sub(1)?)?;
    let number: usize = digit.parse().ok()?;
    let of_lod = rest.len().checked_sub(4).and_then(|at| rest.split_at_checked(at));
    match of_lod.filter(|(_, end)| ["_lod", "-lod", ".lod"].iter().any(|lod| end.eq_ignore_ascii_case(lod))) {
        Some((stem, _)) => Some((stem, number, true)),
        None => Some((rest.strip_suffix('_')?, number, false)),
    }
}

impl Document {
    /// Gives nodes the coarser levels that have their names with `_lod1` or `_1` and so on, unless nodes of the document state
    /// levels. `x_1` may be anything, so it is only a level of `x` in the same place, with fewer vertices than the one before it.
    pub(super) fn levels_by_names(&mut self, memory: &mut Memory) -> Result<(), Error> {
        let stated = self.nodes.iter().any(|node| !node.levels.is_empty() || node.frames.is_some());
        let Some(roots) = self.roots().filter(|_| !stated) else { return Ok(()) };
        let node = ROOM * size_of::<(LevelName<'_>, [usize; 4])>();
        memory.charge(self.nodes.len().saturating_mul(node), format_args!("names of levels"))?;
        let mut found: Vec<(usize, Vec<usize>)> = Vec::new();
        for family in std::iter::once(roots).chain(self.nodes.iter().map(|node| &node.children[..])) {
            let named = || {
                let with_mesh = family.iter().filter(|node| self.nodes[**node].mesh.is_some());
                with_mesh.filter_map(|node| Some((*node, self.nodes[*node].name.as_deref()?)))
            };
            let level = |(node, name)| level_name(name).map(|level| (level, node));
            let mut coarser: HashMap<LevelName<'_>, usize> = named().filter_map(level).collect();
            for (node, name) in named() {
                let stem =
                    level_name(name).filter(|(_, number, _)| *number == 0).map_or(name, |(stem, ..)| stem);
                let mut levels = Vec::new();
                for number in 1..=MOST {
                    let before = levels.last().copied().unwrap_or(node);
                    let by_number = |level: &usize| self.is_coarser_copy(*level, before);
                    let next = coarser.remove(&(stem, number, true)).or_else(|| {
                        let level = coarser.get(&(stem, number, false)).copied().filter(by_number)?;
                        coarser.remove(&(stem, number, false));
                        Some(level)
                    });
                    let Some(next) = next else { break };
                    levels.push(next);
                }
                if !levels.is_empty() {
                    found.push((node, levels));
                }
            }
        }
        let mut is_coarser = vec![false; self.nodes.len()];
        found.iter().flat_map(|(_, levels)| levels).for_each(|level| is_coarser[*level] = true);
        self.nodes.iter_mut().for_each(|node| node.children.retain(|child| !is_coarser[*child]));
        self.scenes.iter_mut().for_each(|scene| scene.nodes.retain(|root| !is_coarser[*root]));
        for (node, levels) in found {
            self.nodes[node].levels = levels;
        }
        Ok(())
    }

    /// Whether a node is in the place of another one, with fewer vertices.
    fn is_coarser_copy(&self, node: usize, finer: usize) -> bool {
        let [(place, count), (finer_place, finer_count)] = [node, finer].map(|node| {
            let node = &self.nodes[node];
            let primitives = node.mesh.iter().flat_map(|mesh| &self.meshes[*mesh].primitives);
            let positions = primitives.filter_map(|primitive| primitive.get("POSITION"));
            let count: u64 = positions.map(|accessor| self.accessors[accessor].count as u64).sum();
            ((node.translation, node.rotation, node.scale), count)
        });
        place == finer_place && count < finer_count
    }

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
    let parts = player::divide(whole, buffers, options)?;
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
