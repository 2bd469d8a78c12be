//! One node of a scene: its joints, and where they are in each frame.

use std::collections::BTreeMap;

use glam::{DAffine3, DMat4, DQuat, DVec3};
use meshlens::model::{Joint, Mesh, Model, Transform};
use meshlens::scene::Node;
use meshlens::wire::Reservation;

use super::fit::{Bound, affine};
use super::motion::Motion;
use super::rigid::Moments;
use super::solve::{most_joints, solve};
use super::tied::Link;
use super::weights::Influences;
use crate::Error;

/// A node whose points are moved by joints.
pub(crate) struct Part {
    /// The column of each frame that is used. The frame at rest is column 0.
    pub(crate) columns: BTreeMap<usize, usize>,
    pub(crate) motion: Motion,
    pub(crate) rest: Vec<DVec3>,
    pub(crate) influences: Vec<Influences>,
    /// The joints of the points, then the joints of the tags. A parent is a joint of the part, and comes first.
    pub(crate) joints: Vec<Joint>,
    /// For each joint, its transform relative to its parent in each column.
    pub(crate) local: Vec<Vec<Transform>>,
    /// The number of joints that move points; the others are tags.
    pub(crate) own: usize,
    pub(crate) bound: Bound,
    /// Whether more joints were not tried, because that takes long.
    pub(crate) is_stopped: bool,
    pub(crate) height: f64,
}

/// The finest meshes of a model.
pub(crate) fn finest<'m, 'a>(model: &'m Model<'a>) -> Vec<&'m Mesh<'a>> {
    let finest = model.meshes.iter().map(|mesh| mesh.lod).min();
    model.meshes.iter().filter(|mesh| Some(mesh.lod) == finest && mesh.frame_count() > 0).collect()
}

/// The frames that a node shows: the one at rest first, then those of its clips.
fn frames(node: &Node<'_>) -> Vec<usize> {
    let count = node.model.frame_count();
    let rest = node.rest_frame.min(count.saturating_sub(1));
    let mut used = vec![false; count];
    for clip in node.model.clips.iter().filter(|clip| clip.animation.is_none()) {
        let end = clip.first.saturating_add(clip.count).min(count);
        used[clip.first.min(end)..end].fill(true);
    }
    let others = (0..count).filter(|frame| *frame != rest && used[*frame]);
    [rest].into_iter().chain(others).collect()
}

/// A rotation and a translation as the transform of a joint.
pub(crate) fn transform(of: &DAffine3) -> Transform {
    let rotation = DQuat::from_mat3(&of.matrix3).normalize();
    Transform {
        translation: of.translation.as_vec3().into(),
        rotation: rotation.to_array().map(|value| value as f32),
        ..Transform::IDENTITY
    }
}

/// The transform of a joint as a matrix.
pub(crate) fn matrix(of: &Transform) -> DAffine3 {
    let rotation = DQuat::from_array(of.rotation.map(f64::from)).normalize();
    let (scale, translation) = (of.scale.map(f64::from), of.translation.map(f64::from));
    DAffine3::from_scale_rotation_translation(scale.into(), rotation, translation.into())
}

impl Part {
    pub(crate) fn new(
        node: &Node<'_>,
        asked: impl Fn(&Model<'_>, f64) -> Bound,
        memory: &mut Reservation,
    ) -> Result<Part, Error> {
        let model = &node.model;
        if !model.joints.is_empty() {
            return Err(Error::HasJoints { name: node.name.clone() });
        }
        let frames = frames(node);
        let motion = Motion::read(model, &finest(model), &frames, memory)?;
        let poses = frames.len().saturating_mul(model.tags.len() + 4);
        memory.grow(poses.saturating_mul(512), format_args!("{poses} poses of tags and joints"))?;
        let joints = most_joints(motion.points());
        memory.grow(joints * joints * 4 * size_of::<DMat4>(), format_args!("pairs of {joints} joints"))?;
        let height = height(model, &motion);
        let bound = asked(model, height);
        let solved = solve(&motion, &bound);
        let met = solved.met;
        if motion.points() > 0 && !bound.contains(&met) {
            return Err(bound.missed(&node.name, solved.links.len(), &met, solved.is_stopped));
        }
        let is_stopped = solved.is_stopped;
        let (fit, links) = (solved.fit, solved.links);
        let mut part = Part {
            columns: frames.iter().enumerate().map(|(column, frame)| (*frame, column)).collect(),
            rest: fit.rest,
            influences: fit.influences,
            joints: Vec::new(),
            local: Vec::new(),
            own: links.len(),
            bound,
            is_stopped,
            height,
            motion: Motion::default(),
        };
        part.add_joints(&node.name, &links, &fit.joints);
        part.add_tags(model, &frames, &links, &fit.joints, bound.rms);
        part.motion = motion;
        Ok(part)
    }

    /// Adds the joints that move points.
    fn add_joints(&mut self, name: &str, links: &[Link], moved: &[Vec<DAffine3>]) {
        for (index, link) in links.iter().enumerate() {
            let above = link.parent.map_or(DVec3::ZERO, |parent| links[parent].pivot);
            let rest = transform(&DAffine3::from_translation(link.pivot - above));
            let name = if index == 0 { name.to_owned() } else { format!("{name}_{index}") };
            let local = moved[index].iter().enumerate().map(|(column, own)| {
                let world = *own * DAffine3::from_translation(link.pivot);
                let parent = link.parent.map(|parent| placed(links, moved, parent, column).inverse());
                let mut local = transform(&parent.map_or(world, |parent| parent * world));
                if !link.slides {
                    local.translation = rest.translation;
                }
                local
            });
            self.local.push(local.collect());
            self.joints.push(Joint { name, parent: link.parent, rest });
        }
    }

    /// Adds a joint for each tag, below the joint that it follows best.
    fn add_tags(
        &mut self,
        model: &Model<'_>,
        frames: &[usize],
        links: &[Link],
        moved: &[Vec<DAffine3>],
        tolerance: f64,
    ) {
        for tag in &model.tags {
            let poses: Vec<DAffine3> = frames
                .iter()
                .map(|frame| {
                    let last = model.tag_frame_count().saturating_sub(1);
                    let pose = model
                        .tag_pose(tag.index, (*frame).min(last))
                        .filter(meshlens::model::TagPose::is_finite);
                    pose.map_or(DAffine3::IDENTITY, |pose| {
                        let rotation = DQuat::from_array(pose.rotation().map(f64::from)).normalize();
                        DAffine3::from_rotation_translation(rotation, DVec3::from(pose.origin.map(f64::from)))
                    })
                })
                .collect();
            let follow = |parent: usize| {
                let local = poses.iter().enumerate();
                let local: Vec<DAffine3> = local
                    .map(|(column, pose)| placed(links, moved, parent, column).inverse() * *pose)
                    .collect();
                let still = Still::new(&local);
                (still, local)
            };
            let mut best = (0, follow(0));
            for parent in 1..links.len() {
                let found = follow(parent);
                if found.0.apart < best.1.0.apart {
                    best = (parent, found);
                }
            }
            let (parent, (still, local)) = best;
            let stays = transform(&still.transform);
            let local: Vec<Transform> = local
                .iter()
                .map(|local| {
                    let own = transform(local);
                    if still.apart <= tolerance {
                        stays
                    } else if still.origins <= 0.5 * tolerance {
                        Transform { translation: stays.translation, ..own }
                    } else {
                        own
                    }
                })
                .collect();
            let rest = local.first().copied().unwrap_or(Transform::IDENTITY);
            self.joints.push(Joint { name: tag.name.clone(), parent: Some(parent), rest });
            self.local.push(local);
        }
    }

    /// The columns in which a joint is not at rest.
    pub(crate) fn moves(&self, joint: usize) -> bool {
        self.local[joint].iter().any(|local| *local != self.joints[joint].rest)
    }
}

/// The matrix of a joint in a column.
fn placed(links: &[Link], moved: &[Vec<DAffine3>], joint: usize, column: usize) -> DAffine3 {
    moved[joint][column] * DAffine3::from_translation(links[joint].pivot)
}

/// The transform that is nearest to several ones.
struct Still {
    transform: DAffine3,
    /// The root mean square of the distances of points 8 units away.
    apart: f64,
    /// The root mean square of the distances of the origins.
    origins: f64,
}

impl Still {
    fn new(of: &[DAffine3]) -> Still {
        let points = [DVec3::ZERO, DVec3::X * 8.0, DVec3::Y * 8.0, DVec3::Z * 8.0];
        let mut sums = Moments::default();
        for transform in of {
            points.iter().for_each(|point| sums.add(*point, transform.transform_point3(*point), 1.0));
        }
        let transform = affine(&sums);
        let apart = |point: &DVec3| -> f64 {
            let still = transform.transform_point3(*point);
            let squares: f64 =
                of.iter().map(|other| other.transform_point3(*point).distance_squared(still)).sum();
            squares / of.len().max(1) as f64
        };
        let all: f64 = points.iter().map(apart).sum();
        Still { transform, apart: (all / 4.0).sqrt(), origins: apart(&DVec3::ZERO).sqrt() }
    }
}

/// The height of the points at rest; for flat models, the largest side of their box.
fn height(model: &Model<'_>, motion: &Motion) -> f64 {
    let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    for point in 0..motion.points() {
        let at = motion.path(point)[0];
        (low, high) = (low.min(at), high.max(at));
    }
    let size = high - low;
    let up = size.dot(DVec3::from(model.space.up.vector().map(f64::from))).abs();
    let height = if up > 0.0 { up } else { size.max_element() };
    if height.is_finite() { height } else { 0.0 }
}
