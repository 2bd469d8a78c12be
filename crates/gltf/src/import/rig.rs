//! The skeleton of a document: nodes as joints, meshes bound to them at rest, and animations sampled as frames of joints.

use std::sync::Arc;

use glam::Mat4;
use meshlens::model::{Joint, JointAnimation, JointScales, Transform, world_into};

use super::broken;
use super::joint_nodes::joint_nodes;
use super::primitive::{Base, Skin};
use super::scene::Scene;
use super::state::State;
use crate::Error;
use crate::memory::ROOM;

/// The greatest difference of equal matrices, relative to their largest component.
const TOLERANCE: f32 = 1e-4;

/// The skeleton of a document.
pub(super) struct Rig {
    /// The node of each joint.
    nodes: Vec<usize>,
    /// The joint of each node.
    joint_of: Vec<Option<usize>>,
    /// For joints without a parent: the transform of the ancestors of their node at rest.
    above: Vec<Transform>,
    /// The scales at rest, which are moved into translations.
    scales: JointScales,
    /// The reciprocals of the scales at rest that the extras state.
    given_back: JointScales,
    pub(super) joints: Vec<Joint>,
    /// The transform of each joint at rest, from the joint to the model.
    world: Vec<Mat4>,
    /// The inverses of `world`, which most meshes use as inverse bind matrices.
    rest: Arc<[[[f32; 4]; 4]]>,
    /// The inverse bind matrices of the last mesh that is not bound to the pose at rest.
    other: Option<Arc<[[[f32; 4]; 4]]>>,
    /// The number of ancestors of each node.
    depth: Vec<usize>,
}

/// The binding of a mesh to the joints.
pub(super) struct Binding {
    /// The transform of the primitive's vertices to the model at rest.
    pub(super) place: Mat4,
    /// The inverse bind matrices of the transformed mesh.
    pub(super) skin: Arc<[[[f32; 4]; 4]]>,
    pub(super) joints: Vec<[u16; 4]>,
    pub(super) weights: Vec<[f32; 4]>,
    /// The number of vertices that more than four joints move: the other joints are ignored.
    pub(super) cut: usize,
}

impl Rig {
    /// Bytes of each node of the document.
    pub(super) const NODE: usize = size_of::<(Option<usize>, Transform, usize, [bool; 16])>();
    /// Bytes of each joint.
    pub(super) const JOINT: usize = ROOM * size_of::<(usize, [Joint; 2], [Transform; 2], [Mat4; 3])>();
    /// Bytes of each joint of a mesh while it is bound.
    pub(super) const BOUND: usize = ROOM * size_of::<(usize, bool, Mat4, Mat4)>();

    /// The skeleton of a document; `None` if it has neither skins nor joints without meshes.
    pub(super) fn new(scene: &Scene<'_>) -> Result<Option<Rig>, Error> {
        let rest = &scene.rest;
        let nodes = joint_nodes(scene);
        if nodes.is_empty() {
            return Ok(None);
        }
        if nodes.len() > usize::from(u16::MAX) {
            return Err(broken(format_args!("{} joints, more than {}", nodes.len(), u16::MAX)));
        }
        let mut joint_of = vec![None; rest.len()];
        nodes.iter().enumerate().for_each(|(joint, node)| joint_of[*node] = Some(joint));
        let mut above = vec![Transform::IDENTITY; rest.len()];
        let mut depth = vec![0; rest.len()];
        for node in &scene.order {
            if let Some(parent) = scene.parents[*node] {
                depth[*node] = depth[parent] + 1;
                above[*node] = above[parent].compose(&rest[parent].transform());
            }
        }
        let mut rig = Rig {
            nodes,
            joint_of,
            above,
            scales: JointScales::default(),
            given_back: JointScales::default(),
            joints: Vec::new(),
            world: Vec::new(),
            rest: Arc::new([]),
            other: None,
            depth,
        };
        for (joint, node) in rig.nodes.iter().enumerate() {
            let parent = scene.parents[*node].and_then(|parent| rig.joint_of[parent]);
            let name = scene.node(*node).name.clone().unwrap_or_else(|| format!("joint {joint}"));
            let rest = rig.with_above(*node, parent, &rest[*node]);
            rig.joints.push(Joint { name, parent, rest });
        }
        rig.scales = JointScales::at_rest(&rig.joints);
        rig.given_back = given_back(scene, &rig.nodes, &rig.joints);
        for (index, joint) in rig.joints.iter_mut().enumerate() {
            joint.rest = rig.given_back.unscale(index, &rig.scales.unscale(index, &joint.rest));
        }
        let pose: Vec<Transform> = rig.joints.iter().map(|joint| joint.rest).collect();
        let mut world = Vec::new();
        world_into(&rig.joints, &pose, &mut world);
        rig.world = world.iter().map(Mat4::from_cols_array_2d).collect();
        let inverse = rig.world.iter().map(|world| invertible(world).unwrap_or_default());
        rig.rest = inverse.map(|inverse| inverse.to_cols_array_2d()).collect();
        Ok(Some(rig))
    }

    fn with_above(&self, node: usize, parent: Option<usize>, state: &State) -> Transform {
        let own = state.transform();
        if parent.is_some() { own } else { self.above[node].compose(&own) }
    }

    /// The joint of a node.
    pub(super) fn joint(&self, node: usize) -> Option<usize> {
        self.joint_of[node]
    }

    /// The number of joints whose uniform scale at rest is moved into translations.
    pub(super) fn scaled(&self) -> usize {
        self.scales.count()
    }

    /// The transform of a joint relative to its parent.
    fn local(&self, joint: usize, states: &[State]) -> Transform {
        let node = self.nodes[joint];
        let local = self.with_above(node, self.joints[joint].parent, &states[node]);
        self.given_back.unscale(joint, &self.scales.unscale(joint, &local))
    }

    /// An animation of the document, sampled at `times`, each with its slack; `None` if the animation moves no joint.
    pub(super) fn animation(
        &self,
        scene: &Scene<'_>,
        index: usize,
        times: impl Iterator<Item = (f32, f32)>,
    ) -> Option<JointAnimation<'static>> {
        let found = scene.animations.get(index)?;
        let moved = self.moved(scene, index);
        let mut transforms = Vec::new();
        for (time, slack) in times.take(if moved.is_empty() { 0 } else { usize::MAX }) {
            let states = scene.states(Some(index), time, slack);
            transforms.extend(moved.iter().map(|joint| self.local(*joint, &states)));
        }
        (!moved.is_empty()).then(|| JointAnimation::new(found.name.clone(), moved, transforms))
    }

    /// The joints that an animation moves, in the order of its channels.
    pub(super) fn moved(&self, scene: &Scene<'_>, index: usize) -> Vec<usize> {
        let mut known = vec![false; self.nodes.len()];
        let tracks = scene.animations.get(index).into_iter().flat_map(|found| &found.tracks);
        let moved = tracks.filter(|track| track.moves_node()).filter_map(|track| self.joint(track.node));
        moved.filter(|joint| !std::mem::replace(&mut known[*joint], true)).collect()
    }

    /// Binds the vertices of a primitive to the joints of its skin.
    pub(super) fn bind(&mut self, base: &Base, skin: &Skin) -> Binding {
        let joints: Vec<usize> = skin.joints.iter().map(|node| self.joint_of[*node].unwrap_or(0)).collect();
        let mut binding = self.influences(base, &joints);
        let mut used = vec![false; joints.len()];
        (0..base.len()).flat_map(|vertex| base.influences(vertex)).for_each(|(joint, _)| {
            if let Some(used) = used.get_mut(joint) {
                *used = true;
            }
        });
        let inverse: Vec<Mat4> = skin
            .inverse
            .iter()
            .zip(&joints)
            .map(|(bind, joint)| {
                let unscaled = self.scales.unscale_bind(*joint, bind.to_cols_array_2d());
                Mat4::from_cols_array_2d(&self.given_back.unscale_bind(*joint, unscaled))
            })
            .collect();
        // The transform of the mesh by each joint at rest. They are equal if the mesh is bound to the pose at rest.
        let places = (0..joints.len())
            .filter(|number| used[*number])
            .map(|number| (joints[number], self.world[joints[number]] * inverse[number]))
            .filter(|(_, place)| invertible(place).is_some());
        let places: Vec<(usize, Mat4)> = places.collect();
        let Some((_, place)) = places.iter().min_by_key(|(joint, _)| self.depth[self.nodes[*joint]]).copied()
        else {
            return binding;
        };
        let near = |a: &Mat4, b: &Mat4, reach: f32| {
            let size = a.to_cols_array().into_iter().chain([reach]).fold(0.0f32, |size, v| size.max(v.abs()));
            a.abs_diff_eq(*b, size * TOLERANCE)
        };
        let reach = |joint: usize| self.world[joint].w_axis.truncate().abs().max_element();
        binding.place = if near(&place, &Mat4::IDENTITY, 1.0) && place.abs_diff_eq(Mat4::IDENTITY, 1e-5) {
            Mat4::IDENTITY
        } else {
            place
        };
        if places.iter().all(|(joint, other)| near(&place, other, reach(*joint))) {
            return binding;
        }
        let back = binding.place.inverse();
        let mut own = self.rest.to_vec();
        for (joint, inverse) in joints.iter().zip(&inverse) {
            own[*joint] = (*inverse * back).to_cols_array_2d();
        }
        // Consecutive meshes often have the same skin.
        let known = self.other.take().filter(|other| **other == own[..]);
        binding.skin = known.unwrap_or_else(|| own.into());
        self.other = Some(binding.skin.clone());
        binding
    }

    /// Binds a mesh without a skin to the joint above its node; `None` if there is none.
    pub(super) fn carry(&self, scene: &Scene<'_>, node: usize, world: Mat4, count: usize) -> Option<Binding> {
        let mut carrier = Some(node);
        while let Some(node) = carrier.filter(|node| self.joint_of[*node].is_none()) {
            carrier = scene.parents[node];
        }
        let joint = self.joint_of[carrier?]? as u16;
        Some(Binding {
            place: world,
            skin: self.rest.clone(),
            joints: vec![[joint, 0, 0, 0]; count],
            weights: vec![[1.0, 0.0, 0.0, 0.0]; count],
            cut: 0,
        })
    }

    /// The four joints of each vertex with the greatest weights, whose sum is 1. A vertex without weights is bound to the
    /// first joint of the skin.
    fn influences(&self, base: &Base, joints: &[usize]) -> Binding {
        let first = joints.first().copied().unwrap_or_default() as u16;
        let mut binding = Binding {
            place: Mat4::IDENTITY,
            skin: self.rest.clone(),
            joints: Vec::with_capacity(base.len()),
            weights: Vec::with_capacity(base.len()),
            cut: 0,
        };
        let mut moving: Vec<(u16, f32)> = Vec::new();
        for vertex in 0..base.len() {
            moving.clear();
            for (number, weight) in base.influences(vertex) {
                let Some(joint) = joints.get(number).map(|joint| *joint as u16) else { continue };
                match moving.iter_mut().find(|(known, _)| *known == joint) {
                    Some((_, sum)) => *sum += weight,
                    None => moving.push((joint, weight)),
                }
            }
            moving.sort_by(|(_, a), (_, b)| b.total_cmp(a));
            binding.cut += usize::from(moving.len() > 4);
            moving.truncate(4);
            if moving.is_empty() {
                moving.push((first, 1.0));
            }
            let sum: f32 = moving.iter().map(|(_, weight)| weight).sum();
            let divisor = if (sum - 1.0).abs() > 1e-6 { sum } else { 1.0 };
            let (mut named, mut weights) = ([0; 4], [0.0; 4]);
            for ((joint, weight), (slot, part)) in moving.iter().zip(named.iter_mut().zip(&mut weights)) {
                (*slot, *part) = (*joint, weight / divisor);
            }
            binding.joints.push(named);
            binding.weights.push(weights);
        }
        binding
    }
}

/// The reciprocals of the scales at rest in the extras of the joints' nodes. Moving them into translations restores the
/// scales, and vertices do not move.
fn given_back(scene: &Scene<'_>, nodes: &[usize], joints: &[Joint]) -> JointScales {
    let scaled = nodes.iter().zip(joints).map(|(node, joint)| {
        let scale = [1.0 / scene.node(*node).joint_scale; 3];
        Joint { rest: Transform { scale, ..Transform::IDENTITY }, ..joint.clone() }
    });
    JointScales::at_rest(&scaled.collect::<Vec<_>>())
}

fn invertible(matrix: &Mat4) -> Option<Mat4> {
    let inverse = matrix.inverse();
    (matrix.determinant().abs() > 1e-30 && inverse.is_finite()).then_some(inverse)
}
