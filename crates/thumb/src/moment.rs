//! The frames that are shown: one frame of every node, or the frames of a clip.

use meshlens::Model;
use meshlens::model::Clip;
use meshlens::scene::{Node, NodePose, Pose, Scene};

use crate::Error;

/// The frames to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frames<'o> {
    /// The frame that each node shows at rest, and joints at rest.
    #[default]
    Rest,
    /// One frame: of the vertices, or of the joint animation of a model whose vertices have no frames.
    One(usize),
    /// The frames of the clip with this name, in the order in which they play. Nodes without such a clip are at rest.
    Clip(&'o str),
    /// The frames of the first clip that moves; without clips, the frame at rest.
    Moving,
}

/// The state of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeState {
    /// The frame of the vertices and of the tags.
    pub(crate) frame: usize,
    /// The joint animation and its frame; joints are at rest without one.
    pub(crate) joints: Option<(usize, usize)>,
}

/// The state of each node at one time.
pub(crate) type Moment = Vec<NodeState>;

/// The pose of a scene at a moment.
pub(crate) fn pose(scene: &Scene<'_>, moment: &Moment) -> Pose {
    let mut pose = scene.rest_pose();
    for (index, (node, shown)) in scene.nodes.iter().zip(moment).enumerate() {
        let Some(own) = pose.node_mut(index) else { continue };
        own.frames = shown.frame.into();
        if let Some((animation, frame)) = shown.joints
            && let Some(animation) = node.model.animations.get(animation)
        {
            let mut joints: Vec<_> = node.model.joints.iter().map(|joint| joint.rest).collect();
            animation.apply(frame, &mut joints);
            *own = NodePose::new(&node.model, own.frames, &joints);
        }
    }
    pose
}

/// The moments to show, in order, and their number per second.
pub(crate) struct Timeline {
    pub(crate) moments: Vec<Moment>,
    pub(crate) rate: f32,
}

impl Timeline {
    pub(crate) fn new(scene: &Scene<'_>, frames: Frames<'_>, limit: usize) -> Result<Timeline, Error> {
        let nodes = &scene.nodes;
        let rest = || nodes.iter().map(rest).collect::<Moment>();
        let still = |moment| Timeline { moments: vec![moment], rate: meshlens::model::DEFAULT_RATE };
        match frames {
            Frames::Rest => Ok(still(rest())),
            Frames::One(frame) => one(nodes, frame).map(still),
            Frames::Clip(name) => {
                let clips: Vec<Option<&Clip>> = nodes.iter().map(|node| node.model.find_clip(name)).collect();
                if clips.iter().all(Option::is_none) {
                    return Err(Error::NoClip(name.into()));
                }
                play(nodes, &clips, limit)
            }
            Frames::Moving => {
                let moving = |node: &Node<'_>| {
                    node.model.clips.iter().find(|clip| clip.count > 1).map(|clip| clip.name.clone())
                };
                // The torso and the legs of a player share the names of the clips that use both.
                let Some(name) = nodes.iter().find_map(moving) else { return Ok(still(rest())) };
                Timeline::new(scene, Frames::Clip(&name), limit)
            }
        }
    }

    /// At most `count` moments, evenly spread.
    pub(crate) fn spread(&mut self, count: usize) {
        let there = self.moments.len();
        if there > count && count > 0 {
            self.moments =
                (0..count).filter_map(|at| self.moments.get(at * there / count).cloned()).collect();
        }
    }
}

fn rest(node: &Node<'_>) -> NodeState {
    NodeState { frame: node.rest_frame, joints: None }
}

/// The number of frames of the longest joint animation.
fn joint_frames(model: &Model<'_>) -> usize {
    model.animations.iter().map(|animation| animation.frame_count()).max().unwrap_or(0)
}

fn one(nodes: &[Node<'_>], frame: usize) -> Result<Moment, Error> {
    let frames = |node: &Node<'_>| node.model.frame_count().max(joint_frames(&node.model));
    let count = nodes.iter().map(frames).max().unwrap_or(0);
    if frame >= count {
        return Err(Error::NoFrame { frame, count });
    }
    let shown = |node: &Node<'_>| {
        let animation = node.model.animations.iter().position(|animation| frame < animation.frame_count());
        let frame_count = node.model.frame_count();
        let own = if frame < frame_count { frame } else { node.rest_frame };
        NodeState { frame: own, joints: animation.map(|index| (index, frame)) }
    };
    Ok(nodes.iter().map(shown).collect())
}

/// The moments of clips that play together. The longest one determines their number; shorter ones stop or repeat.
fn play(nodes: &[Node<'_>], clips: &[Option<&Clip>], limit: usize) -> Result<Timeline, Error> {
    let playing = clips.iter().flatten();
    let count = playing.clone().map(|clip| clip.count).max().unwrap_or(1);
    if count > limit {
        let (limit, found) = (limit as u64, count as u64);
        return Err(Error::Limit { what: "frames of a clip", limit, found });
    }
    let rate = playing.map(|clip| clip.rate.get()).next().unwrap_or(meshlens::model::DEFAULT_RATE);
    let moment = |step: usize| {
        let shown = |(node, clip): (&Node<'_>, &Option<&Clip>)| {
            let Some(clip) = clip else { return rest(node) };
            let step = if clip.is_cycle() { step % clip.count.max(1) } else { step };
            let frame = clip.frame(step);
            match clip.animation {
                Some(animation) => NodeState { frame: node.rest_frame, joints: Some((animation, frame)) },
                None => NodeState { frame, joints: None },
            }
        };
        nodes.iter().zip(clips).map(shown).collect::<Moment>()
    };
    Ok(Timeline { moments: (0..count).map(moment).collect(), rate })
}
