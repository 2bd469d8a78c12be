//! Poses: the vertex frames and joints of the nodes of a scene at one time.

use alloc::vec::Vec;

use super::Scene;
use crate::model::{Blend, Clip, Model, Sample, Transform, world_into};
use crate::{Error, Result};
use meshlens_wire::ErrorKind;

/// The vertex frames and joints of each node of a scene at one time. A pose belongs to the scene that made it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pose {
    pub(super) nodes: Vec<NodePose>,
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
    /// A vertex frame, and the joints at rest.
    fn at_rest(model: &Model<'_>, frame: usize) -> NodePose {
        let rest: Vec<_> = model.joints.iter().map(|joint| joint.rest).collect();
        NodePose::new(model, frame.into(), &rest)
    }

    /// Vertex frames, and a pose of the joints relative to their parents, such as the result of
    /// [`JointAnimation::apply`]. A joint without a transform has the matrix of its parent. O(joints).
    ///
    /// [`JointAnimation::apply`]: crate::model::JointAnimation::apply
    pub fn new(model: &Model<'_>, frames: Blend, joints: &[Transform]) -> NodePose {
        let mut world = Vec::new();
        world_into(&model.joints, joints, &mut world);
        NodePose { frames, joints: world }
    }

    /// A clip of the model, `time` seconds after its start.
    fn of_clip(model: &Model<'_>, clip: &Clip, time: f32, rest_frame: usize) -> NodePose {
        let mut local = Vec::new();
        match model.sample(clip, time, &mut local) {
            Sample::Frames(frames) => NodePose { frames, ..NodePose::at_rest(model, rest_frame) },
            Sample::Pose => NodePose::new(model, rest_frame.into(), &local),
        }
    }
}

impl Pose {
    pub(super) fn at_rest(scene: &Scene<'_>) -> Pose {
        let nodes = scene.nodes.iter().map(|node| NodePose::at_rest(&node.model, node.rest_frame));
        Pose { nodes: nodes.collect() }
    }

    /// The pose of a node; `None` if its index is out of range.
    pub fn node(&self, node: usize) -> Option<&NodePose> {
        self.nodes.get(node)
    }

    /// The mutable pose of a node, for poses that the caller computes. `None` if its index is out of range.
    pub fn node_mut(&mut self, node: usize) -> Option<&mut NodePose> {
        self.nodes.get_mut(node)
    }

    /// Shows a clip, `time` seconds after its start, on every node that has one with this name, ignoring ASCII case. Other
    /// nodes are unchanged. O(clips), and the cost of [`Model::sample`] for each of these nodes.
    ///
    /// # Errors
    ///
    /// No node of the scene has a clip with this name.
    pub fn play(&mut self, scene: &Scene<'_>, name: &str, time: f32) -> Result<()> {
        let mut is_found = false;
        for (node, shown) in scene.nodes.iter().zip(&mut self.nodes) {
            if let Some(clip) = node.model.find_clip(name) {
                *shown = NodePose::of_clip(&node.model, clip, time, node.rest_frame);
                is_found = true;
            }
        }
        if is_found {
            Ok(())
        } else {
            Err(Error::of_call("scene", ErrorKind::Missing { what: "clip of this name" }))
        }
    }

    /// Shows a clip on a single node, `time` seconds after its start. Has no effect if the node is out of range.
    pub fn play_on(&mut self, scene: &Scene<'_>, node: usize, clip: &Clip, time: f32) {
        if let (Some(of), Some(shown)) = (scene.nodes.get(node), self.nodes.get_mut(node)) {
            *shown = NodePose::of_clip(&of.model, clip, time, of.rest_frame);
        }
    }
}
