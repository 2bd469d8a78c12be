//! The memory of an import, from the counts of a document: it is reserved before anything is decoded.

use std::fmt;

use meshlens::wire::{Budget, OverBudget, Reservation};

use super::document::{Document, Mesh};
use crate::Error;

/// Bytes of a primitive of a node that do not depend on its vertices: its records, here and in the model.
const PRIMITIVE: usize = 1024;
/// Bytes of a node: its state at rest and at one time.
const NODE: usize = 768;
/// Bytes of a frame of a mesh that do not depend on its vertices.
const FRAME: usize = 160;
/// Bytes of a vertex at rest or in a morph target, with its joints and weights.
const SHAPE: usize = 64;
/// Bytes of a parsed JSON object: its value, and the record that is made of it.
const RECORD: usize = 1536;
/// Bytes of a parsed JSON member or element. A list that grows has room for up to three times its elements.
const ELEMENT: usize = 128;

/// The memory of one import. It is reserved in advance from counts, and drawn when arrays are made.
pub(super) struct Memory {
    /// From the limit of one file.
    file: Reservation,
    /// From the budget that several calls share.
    shared: Reservation,
    drawn: usize,
}

impl Memory {
    pub(super) fn new(limit: usize, budget: &Budget) -> Memory {
        Memory { file: Budget::new(limit).empty(), shared: budget.empty(), drawn: 0 }
    }

    /// Reserves bytes that will be drawn.
    pub(super) fn ahead(&mut self, bytes: usize, what: fmt::Arguments<'_>) -> Result<(), Error> {
        let missing = self.drawn.saturating_add(bytes).saturating_sub(self.file.bytes());
        if missing > 0 {
            self.file.grow(missing, what).map_err(|over| {
                // No other call uses the limit of this file: the file needs all of it.
                let bytes = over.bytes.saturating_add(over.reserved);
                Error::Memory(OverBudget { bytes, reserved: 0, ..over })
            })?;
            self.shared.grow(missing, what).map_err(Error::Memory)?;
        }
        Ok(())
    }

    /// Counts bytes that are allocated now, and reserves those that were not reserved in advance.
    pub(super) fn draw(&mut self, bytes: usize, what: fmt::Arguments<'_>) -> Result<(), Error> {
        self.ahead(bytes, what)?;
        self.drawn = self.drawn.saturating_add(bytes);
        Ok(())
    }

    /// The reservation of the model.
    pub(super) fn into_shared(self) -> Reservation {
        self.shared
    }
}

/// Bytes of a parsed document, from the number of objects, members and elements in its text.
pub(super) fn document(text: &[u8]) -> usize {
    let (mut records, mut elements) = (1usize, 1usize);
    for byte in text {
        records += usize::from(*byte == b'{');
        elements += usize::from(matches!(byte, b',' | b'['));
    }
    let sizes =
        [text.len().saturating_mul(2), records.saturating_mul(RECORD), elements.saturating_mul(ELEMENT)];
    sizes.into_iter().fold(0, usize::saturating_add)
}

/// Reserves the memory of nodes and their tracks.
pub(super) fn scene(memory: &mut Memory, document: &Document) -> Result<(), Error> {
    let nodes = document.nodes.len();
    memory.draw(nodes.saturating_mul(NODE), format_args!("{nodes} nodes x {NODE} bytes"))?;
    let (mut tracks, mut keys, mut bytes) = (0usize, 0usize, 0usize);
    for (.., sampler) in document.animations.iter().flat_map(|animation| animation.tracks()) {
        tracks += 1;
        keys = keys.saturating_add(document.accessors[sampler.input].count);
        let both = [sampler.input, sampler.output].map(|accessor| floats(document, accessor));
        bytes = both.into_iter().fold(bytes, usize::saturating_add);
    }
    memory.ahead(bytes, format_args!("{tracks} tracks with {keys} keys"))
}

/// Bytes of an accessor's elements as floats.
fn floats(document: &Document, accessor: usize) -> usize {
    let accessor = &document.accessors[accessor];
    accessor.count.saturating_mul(accessor.kind.components()).saturating_mul(size_of::<f32>())
}

/// The counts of a mesh, from which the memory of its nodes and frames follows.
#[derive(Clone, Copy, Default)]
struct Cost {
    primitives: usize,
    vertices: usize,
    targets: usize,
    /// Vertices at rest and in each morph target.
    shapes: usize,
    /// Bytes for each node.
    fixed: usize,
}

impl Cost {
    fn of(document: &Document, mesh: &Mesh) -> Cost {
        let mut cost = Cost::default();
        // Each primitive has its own names of targets.
        let names =
            mesh.extras.target_names.iter().map(|name| name.len().saturating_add(4).saturating_mul(16));
        let names = names.fold(0, usize::saturating_add);
        let count = |accessor: usize| document.accessors[accessor].count;
        for primitive in &mesh.primitives {
            let vertices = primitive.get("POSITION").map_or(0, count);
            let indices = primitive.indices.map_or(vertices, count);
            let targets = &primitive.targets;
            cost.targets = cost.targets.saturating_add(targets.len());
            let shapes = vertices.saturating_mul(targets.len().saturating_add(1));
            cost.shapes = cost.shapes.saturating_add(shapes);
            let targets = targets.iter().flat_map(|target| [target.position, target.normal]).flatten();
            // Missing normals are computed, colors get an alpha, and a triangle of a strip is three indices for one.
            let attributes = primitive.attributes.iter();
            let attributes = attributes.map(|(_, accessor)| floats(document, *accessor).saturating_mul(2));
            let sizes =
                [PRIMITIVE, names, vertices.saturating_mul(12), indices.saturating_mul(16)].into_iter();
            let sizes = sizes.chain(attributes).chain(targets.map(|accessor| floats(document, accessor)));
            cost.fixed = sizes.fold(cost.fixed, usize::saturating_add);
            cost.vertices = cost.vertices.saturating_add(vertices);
            cost.primitives += 1;
        }
        cost
    }
}

/// The number of visible nodes with a mesh, and the sum of their counts.
fn instances(document: &Document, shown: &[bool]) -> (usize, Cost) {
    let mut costs: Vec<Option<Cost>> = vec![None; document.meshes.len()];
    let mut all = Cost::default();
    let mut nodes = 0usize;
    for (node, _) in document.nodes.iter().zip(shown).filter(|(_, shown)| **shown) {
        let Some((index, mesh)) = node.mesh.and_then(|index| Some((index, document.meshes.get(index)?)))
        else {
            continue;
        };
        let cost = *costs[index].get_or_insert_with(|| Cost::of(document, mesh));
        let skin = node.skin.map_or(0, |skin| {
            let skin = &document.skins[skin];
            let binds = skin.inverse_bind_matrices.map_or(0, |matrices| floats(document, matrices));
            binds.saturating_add(skin.joints.len().saturating_mul(144))
        });
        let name = node.name.as_ref().or(mesh.name.as_ref()).map_or(0, String::len);
        let own = skin.saturating_add(name.saturating_mul(3)).saturating_mul(cost.primitives);
        nodes += 1;
        all.primitives = all.primitives.saturating_add(cost.primitives);
        all.vertices = all.vertices.saturating_add(cost.vertices);
        all.targets = all.targets.saturating_add(cost.targets);
        all.shapes = all.shapes.saturating_add(cost.shapes);
        all.fixed = all.fixed.saturating_add(cost.fixed).saturating_add(own);
    }
    (nodes, all)
}

/// Reserves the memory of all meshes in all frames, whose names have `names` bytes in all. Returns the number of vertices of
/// one frame.
pub(super) fn geometry(
    memory: &mut Memory,
    document: &Document,
    shown: &[bool],
    frames: usize,
    names: usize,
) -> Result<usize, Error> {
    let all = instances(document, shown);
    reserve(memory, all, all.1.fixed, frames, names)?;
    Ok(all.1.vertices)
}

/// Like [`geometry`], after the meshes were read.
pub(super) fn frames(
    memory: &mut Memory,
    document: &Document,
    shown: &[bool],
    frames: usize,
    names: usize,
) -> Result<(), Error> {
    reserve(memory, instances(document, shown), 0, frames, names)
}

fn reserve(
    memory: &mut Memory,
    (nodes, cost): (usize, Cost),
    fixed: usize,
    frames: usize,
    names: usize,
) -> Result<(), Error> {
    let Cost { primitives, vertices, targets, .. } = cost;
    // A frame is a position and a normal for each vertex, and a name in each mesh.
    let moved = vertices.saturating_mul(frames).saturating_mul(24);
    let named =
        frames.saturating_mul(FRAME).saturating_add(names).saturating_mul(primitives.saturating_add(1));
    memory.ahead(
        fixed.saturating_add(moved).saturating_add(named),
        format_args!(
            "{nodes} nodes with {primitives} primitives: {vertices} vertices x {frames} frames, and {targets} targets,"
        ),
    )
}

/// Reserves the memory of all meshes if their morph targets become frames, and joints move them.
pub(super) fn targets(
    memory: &mut Memory,
    document: &Document,
    shown: &[bool],
    joints: usize,
) -> Result<(), Error> {
    let (nodes, Cost { primitives, shapes, targets, fixed, .. }) = instances(document, shown);
    let binds = primitives.saturating_mul(joints).saturating_mul(size_of::<glam::Mat4>());
    let made = shapes.saturating_mul(SHAPE).saturating_add(targets.saturating_mul(FRAME));
    memory.ahead(
        fixed.saturating_add(binds).saturating_add(made),
        format_args!(
            "{nodes} nodes with {primitives} primitives x {joints} joints: {shapes} vertices at rest and in {targets} targets"
        ),
    )
}
