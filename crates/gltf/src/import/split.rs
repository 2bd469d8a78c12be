//! Joins the meshes that an export has split because of their number of morph targets, and the tracks that show them in turn.

use super::buffers::Buffers;
use super::document::{Document, Joined, Mesh};
use super::memory::Memory;
use super::tracks::Tracks;
use crate::Error;
use crate::json::{MeshPart, Target};

/// Joins all parts whose nodes follow each other. Others stay meshes of their own.
pub(super) fn join(document: &mut Document, memory: &mut Memory) -> Result<Vec<Joined>, Error> {
    let mut all = Vec::new();
    for node in 0..document.nodes.len() {
        let children = document.nodes[node].children.clone();
        for start in 0..children.len() {
            let Some(parts) = part(document, children[start]).map(|part| part.parts) else { continue };
            let run = children.get(start..start.saturating_add(parts)).unwrap_or_default();
            let is_run = run.iter().enumerate().all(|(number, child)| {
                part(document, *child).is_some_and(|part| part.part == number && part.parts == parts)
            });
            if is_run && !run.is_empty() {
                memory
                    .charge(size_of_val(run) + size_of::<[Joined; 4]>(), format_args!("parts of a mesh"))?;
                all.extend(joined(document, run, memory)?);
            }
        }
    }
    Ok(all)
}

fn part(document: &Document, node: usize) -> Option<&MeshPart> {
    let node = &document.nodes[node];
    document.meshes[node.mesh.filter(|_| node.skin.is_none())?].extras.meshlens.as_ref()
}

/// Joins the meshes of these nodes; `None` if they do not fit together.
fn joined(document: &mut Document, nodes: &[usize], memory: &mut Memory) -> Result<Option<Joined>, Error> {
    let meshes: Vec<usize> = nodes.iter().filter_map(|node| document.nodes[*node].mesh).collect();
    let parts: Vec<&Mesh> = meshes.iter().map(|mesh| &document.meshes[*mesh]).collect();
    let targets: Vec<Vec<usize>> = parts
        .iter()
        .filter_map(|mesh| mesh.extras.meshlens.as_ref().map(|part| part.targets.clone()))
        .collect();
    let count = targets.iter().flatten().max().map_or(0, |last| last.saturating_add(1));
    // Every target is in a part, so a part of a few bytes cannot describe many.
    let stored: usize = targets.iter().map(Vec::len).sum();
    let primitives = parts[0].primitives.len();
    memory.charge(
        stored.saturating_mul(size_of::<(Option<Target>, String)>()).saturating_mul(primitives + 1),
        format_args!("{stored} morph targets"),
    )?;
    let fits = |mesh: &Mesh, targets: &Vec<usize>| {
        mesh.primitives.len() == primitives
            && mesh.primitives.iter().all(|primitive| primitive.targets.len() == targets.len())
    };
    if count > stored || !parts.iter().zip(&targets).all(|(mesh, targets)| fits(mesh, targets)) {
        return Ok(None);
    }
    let mut names = vec![String::new(); count];
    let mut all: Vec<Vec<Option<Target>>> = vec![vec![None; count]; primitives];
    for (mesh, targets) in parts.iter().zip(&targets) {
        for (name, target) in mesh.extras.target_names.iter().zip(targets) {
            names[*target].clone_from(name);
        }
        for (all, primitive) in all.iter_mut().zip(&mesh.primitives) {
            for (found, target) in primitive.targets.iter().zip(targets) {
                all[*target] = Some(found.clone());
            }
        }
    }
    if all.iter().flatten().any(Option::is_none) {
        return Ok(None);
    }
    let mesh = &mut document.meshes[meshes[0]];
    for (primitive, targets) in mesh.primitives.iter_mut().zip(all) {
        primitive.targets = targets.into_iter().flatten().collect();
    }
    mesh.weights = vec![0.0; count];
    mesh.extras.target_names = names;
    mesh.extras.meshlens = None;
    for node in nodes {
        document.nodes[*node].weights = None;
    }
    for node in &nodes[1..] {
        document.nodes[*node].mesh = None;
    }
    Ok(Some(Joined { nodes: nodes.to_vec(), targets, count }))
}

/// Joins the weights of the parts in an animation. Tracks of scale, which show one part at a time, are removed.
pub(super) fn join_tracks(all: &[Joined], tracks: &mut Tracks, buffers: &Buffers<'_>) -> Result<(), Error> {
    for Joined { nodes, targets, count } in all {
        let mut weights: Option<Vec<f32>> = None;
        for (node, targets) in nodes.iter().zip(targets) {
            let Some((keys, part)) = tracks.weights(*node) else { continue };
            if part.len() != keys * targets.len() {
                continue;
            }
            if weights.is_none() {
                buffers.spend(keys.saturating_mul(*count), size_of::<f32>())?;
            }
            let weights = weights.get_or_insert_with(|| vec![0.0; keys * count]);
            for (whole, part) in weights.chunks_exact_mut(*count).zip(part.chunks_exact(targets.len().max(1)))
            {
                for (target, weight) in targets.iter().zip(part) {
                    // Every part has the weights of its own targets, shown or not.
                    whole[*target] = whole[*target].max(*weight);
                }
            }
        }
        tracks.join(nodes, weights);
    }
    Ok(())
}
