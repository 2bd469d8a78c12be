//! `EXT_mesh_gpu_instancing`: a node with a mesh and the transforms of its instances. Each instance becomes a child of the
//! node, with the mesh.

use meshlens::Report;

use super::broken;
use super::buffers::Buffers;
use super::document::Document;
use super::memory::{Memory, NUMBER};
use super::node::{Instances, Node};
use super::tracks::Tracks;
use crate::memory::ROOM;
use crate::{Error, codes};

impl Instances {
    fn accessors(&self) -> impl Iterator<Item = usize> {
        [self.translation, self.rotation, self.scale].into_iter().flatten()
    }
}

/// Adds a node for each instance. The transforms are read later, by [`place`].
pub(super) fn expand(document: &mut Document, memory: &mut Memory) -> Result<(), Error> {
    for index in 0..document.nodes.len() {
        let node = &document.nodes[index];
        // A skinned mesh is placed by its joints, not by its node.
        let (Some(instances), Some(mesh), None) = (node.instances, node.mesh, node.skin) else { continue };
        let mut counts = instances.accessors().map(|accessor| document.accessors[accessor].count);
        let Some(count) = counts.next() else { continue };
        if let Some(other) = counts.find(|other| *other != count) {
            return Err(broken(format_args!("/nodes/{index}: {count} and {other} instances")));
        }
        let name = node.name.clone().or_else(|| document.meshes[mesh].name.clone()).unwrap_or_default();
        // The lists of nodes and of children grow.
        let size = ROOM * (size_of::<Node>() + size_of::<usize>()) + name.len() + NUMBER;
        memory.charge(count.saturating_mul(size), format_args!("{count} instances of node {index}"))?;
        let first = document.nodes.len();
        let weights = node.weights.clone();
        for number in 0..count {
            document.nodes.push(Node {
                name: Some(format!("{name} {number}")),
                mesh: Some(mesh),
                weights: weights.clone(),
                instance: Some((index, number)),
                ..Node::default()
            });
        }
        document.nodes[index].mesh = None;
        document.nodes[index].children.extend(first..first + count);
    }
    Ok(())
}

/// Sets the transforms of the instances.
pub(super) fn place(
    document: &Document,
    buffers: &Buffers<'_>,
    mut set: impl FnMut(usize, Option<[f32; 3]>, Option<[f32; 4]>, Option<[f32; 3]>),
) -> Result<(), Error> {
    let mut nodes =
        document.nodes.iter().enumerate().filter_map(|(at, node)| Some((at, node.instance?))).peekable();
    while let Some((_, (parent, _))) = nodes.peek().copied() {
        let Some(Instances { translation, rotation, scale }) = document.nodes[parent].instances else {
            break;
        };
        let vectors = |accessor: Option<usize>, what| {
            accessor.map(|accessor| buffers.floats::<3>(accessor, what)).transpose()
        };
        let translations = vectors(translation, "translations of instances")?;
        let rotations =
            rotation.map(|accessor| buffers.floats::<4>(accessor, "rotations of instances")).transpose()?;
        let scales = vectors(scale, "scales of instances")?;
        while let Some((node, (_, number))) = nodes.next_if(|(_, (own, _))| *own == parent) {
            let vector = |all: &Option<Vec<[f32; 3]>>| all.as_ref()?.get(number).copied();
            let rotation = rotations.as_ref().and_then(|all| all.get(number).copied());
            set(node, vector(&translations), rotation, vector(&scales));
        }
    }
    Ok(())
}

/// Lists the instances of skinned meshes, and the tracks of morph targets of other instances.
pub(super) fn losses(document: &Document, animations: &[Tracks], shown: &[bool], losses: &mut Report) {
    let nodes = document.nodes.iter().enumerate().filter(|(index, _)| shown[*index]);
    for (index, node) in nodes {
        let Some(instances) = node.instances else { continue };
        let name = node.name.as_deref().unwrap_or_default();
        let place = format_args!("/nodes/{index}");
        // A node with instances no longer has its own mesh.
        if node.mesh.is_some() {
            let count = instances.accessors().next().map_or(0, |accessor| document.accessors[accessor].count);
            let message = format_args!("node {name}: {count} instances of a mesh that joints move");
            losses.lose(&codes::INSTANCE_LOST, count as u64, place, message);
            continue;
        }
        let tracks = animations.iter().flat_map(|animation| &animation.tracks);
        let count = tracks.filter(|track| track.node == index && !track.moves_node()).count();
        let message = format_args!("node {name}: {count} tracks of morph targets of its instances");
        losses.lose(&codes::INSTANCE_TRACK_LOST, count as u64, place, message);
    }
}
