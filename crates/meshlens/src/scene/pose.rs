//! Poses: the vertex frames and joints of the nodes of a scene at one time.

use alloc::vec::Vec;

use super::prepared::Prepared;
use super::{Node, Scene};
use crate::model::{Blend, Clip, JointScratch, Model, Sample, Transform, world_into};
use crate::{Error, Result};
use meshlens_wire::ErrorKind;

/// The vertex frames and joints of each node of a scene at one time. A pose belongs to the scene that made it.
///
/// A pose keeps matrices that views and buffers need, so that they are computed once: those that move the vertices of skinned
/// meshes, and, from their first use, those of the tags and joints that nodes are attached to. After a change of the models
/// of the scene, set the pose again.
#[derive(Clone, Debug, Default)]
pub struct Pose {
    pub(super) nodes: Vec<NodePose>,
    pub(super) prepared: Prepared,
    scratch: Scratch,
}

impl PartialEq for Pose {
    fn eq(&self, other: &Self) -> bool {
        self.nodes == other.nodes
    }
}

/// Memory that poses are computed in, so that a pose that is changed allocates nothing.
#[derive(Debug, Default)]
struct Scratch {
    local: Vec<Transform>,
    joints: JointScratch,
}

impl Clone for Scratch {
    fn clone(&self) -> Self {
        Scratch::default()
    }
}

/// The vertex frames and joints of one node at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct NodePose {
    /// Two vertex frames and the weight of the second. A mesh with fewer frames shows its last one.
    pub frames: Blend,
    /// The matrix of each joint in the space of the model, column-major.
    pub joints: Vec<[[f32; 4]; 4]>,
}

impl NodePose {
    /// Vertex frames, and a pose of the joints relative to their parents, such as the result of
    /// [`JointAnimation::apply`]. A joint without a transform has the matrix of its parent. O(joints).
    ///
    /// [`JointAnimation::apply`]: crate::model::JointAnimation::apply
    pub fn new(model: &Model<'_>, frames: Blend, joints: &[Transform]) -> NodePose {
        let mut world = Vec::new();
        world_into(&model.joints, joints, &mut world);
        NodePose { frames, joints: world }
    }

    /// Shows a clip of the node, or the node at rest.
    fn show(&mut self, node: &Node<'_>, clip: Option<(&Clip, f32)>, scratch: &mut Scratch) {
        let (model, Scratch { local, joints }) = (&node.model, scratch);
        self.frames = node.rest_frame.into();
        match clip.map(|(clip, time)| model.sample_with(clip, time, local, joints)) {
            Some(Sample::Pose) => {}
            shown => {
                local.clear();
                local.extend(model.joints.iter().map(|joint| joint.rest));
                if let Some(Sample::Frames(frames)) = shown {
                    self.frames = frames;
                }
            }
        }
        joints.world_into(&model.joints, local, &mut self.joints);
    }
}

impl Pose {
    pub(super) fn at_rest(scene: &Scene<'_>) -> Pose {
        let mut pose = Pose::default();
        pose.rest(scene);
        pose.prepare(scene);
        pose
    }

    /// Shows every node at rest.
    pub(super) fn rest(&mut self, scene: &Scene<'_>) {
        self.prepared.clear();
        self.nodes.resize_with(scene.nodes.len(), || NodePose { frames: 0.into(), joints: Vec::new() });
        for (node, shown) in scene.nodes.iter().zip(&mut self.nodes) {
            shown.show(node, None, &mut self.scratch);
        }
    }

    /// The pose of a node; `None` if its index is out of range.
    pub fn node(&self, node: usize) -> Option<&NodePose> {
        self.nodes.get(node)
    }

    /// Computes the matrices that move the vertices of skinned meshes, after [`node_mut`](Self::node_mut),
    /// [`play`](Self::play) or [`play_on`](Self::play_on). Without it, each buffer computes them. Allocates nothing if they were
    /// computed before. O(nodes + meshes + joints).
    pub fn prepare(&mut self, scene: &Scene<'_>) {
        self.prepared.fill(scene, self.nodes.iter().map(|node| &*node.joints));
    }

    /// Whether the pose has not changed since it was made, set or [prepared](Self::prepare).
    pub const fn is_prepared(&self) -> bool {
        self.prepared.is_complete()
    }

    /// The mutable pose of a node, for poses that the caller computes. `None` if its index is out of range. After a change of
    /// joints, [`prepare`](Self::prepare) saves work if several buffers are filled.
    pub fn node_mut(&mut self, node: usize) -> Option<&mut NodePose> {
        self.prepared.clear();
        self.nodes.get_mut(node)
    }

    /// Shows a clip, `time` seconds after its start, on every node that has one with this name, ignoring ASCII case. Other
    /// nodes are unchanged. O(clips), and the cost of [`Model::sample`] for each of these nodes. Allocates nothing if the pose
    /// showed the clip before.
    ///
    /// # Errors
    ///
    /// No node of the scene has a clip with this name.
    pub fn play(&mut self, scene: &Scene<'_>, name: &str, time: f32) -> Result<()> {
        let mut is_found = false;
        for (node, shown) in scene.nodes.iter().zip(&mut self.nodes) {
            if let Some(clip) = node.model.find_clip(name) {
                if !is_found {
                    self.prepared.clear();
                }
                is_found = true;
                shown.show(node, Some((clip, time)), &mut self.scratch);
            }
        }
        if is_found { Ok(()) } else { Err(no_clip()) }
    }

    /// Shows a clip on a single node, `time` seconds after its start. Has no effect if the node is out of range.
    pub fn play_on(&mut self, scene: &Scene<'_>, node: usize, clip: &Clip, time: f32) {
        if let (Some(of), Some(shown)) = (scene.nodes.get(node), self.nodes.get_mut(node)) {
            self.prepared.clear();
            shown.show(of, Some((clip, time)), &mut self.scratch);
        }
    }
}

pub(super) fn no_clip() -> Error {
    Error::of_call("scene", ErrorKind::Missing { what: "clip of this name" })
}
