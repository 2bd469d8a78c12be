//! The state of a model at one time: the transform, the frames and the pose of each part.

use glam::{Mat4, Vec3};
use meshlens::Model;
use meshlens::lens::Bounds;
use meshlens::model::{Blend, Sample, Space, TagPose, world_into};
use meshlens_assets::Part;

use crate::opened::Opened;
use crate::playback::{Playback, Track};

/// The axis of the model that points up in the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// The axis that the format defines.
    #[default]
    Format,
    /// +Y.
    Y,
    /// +Z.
    Z,
}

impl UpAxis {
    /// Every variant.
    pub const ALL: [UpAxis; 3] = [UpAxis::Format, UpAxis::Y, UpAxis::Z];

    /// The name for people.
    pub const fn name(self) -> &'static str {
        match self {
            UpAxis::Format => "of the format",
            UpAxis::Y => "+Y",
            UpAxis::Z => "+Z",
        }
    }

    /// The transform from the space of a model to the world, which is right-handed and whose Y points up.
    pub fn transform(self, space: &Space) -> Mat4 {
        let format = space.to(&Space::GLTF).linear();
        match self {
            UpAxis::Format => format,
            UpAxis::Y => Mat4::IDENTITY,
            UpAxis::Z => Mat4::from_rotation_x(-core::f32::consts::FRAC_PI_2),
        }
    }
}

/// The state of one part at one time.
#[derive(Clone, Debug)]
pub struct PartPose {
    /// The transform from the space of the model to the world.
    pub transform: Mat4,
    /// The two frames and the weight of the second.
    pub blend: Blend,
    /// The matrix of each joint in the space of the model.
    pub joints: Vec<Mat4>,
}

/// Computes the state of each part of a model.
pub fn poses(opened: &Opened, tracks: &[Track], playback: &Playback, up: UpAxis) -> Vec<PartPose> {
    let mut poses: Vec<PartPose> = Vec::new();
    for (part, track) in opened.parts().iter().zip(tracks) {
        let mut pose = pose(&part.model, track, playback);
        let attached = part.attach.and_then(|(number, tag)| {
            let (parent, pose) = (opened.parts().get(number)?, poses.get(number)?);
            Some(pose.transform * tag_matrix(&parent.model, tag, pose.blend)?)
        });
        pose.transform = attached.unwrap_or_else(|| up.transform(&part.model.space));
        poses.push(pose);
    }
    poses
}

/// What one model shows, without a transform.
fn pose(model: &Model<'_>, track: &Track, playback: &Playback) -> PartPose {
    let mut local = Vec::new();
    let (blend, is_still) = match track.sample(model, playback, &mut local) {
        Sample::Frames(blend) => (blend, true),
        Sample::Pose => (Blend::from(0), false),
    };
    if is_still {
        local = model.joints.iter().map(|joint| joint.rest).collect();
    }
    let mut joints = Vec::new();
    world_into(&model.joints, &local, &mut joints);
    PartPose { transform: Mat4::IDENTITY, blend, joints }
}

/// The matrix of a tag in the space of its model. `None` if the model does not have it.
pub fn tag_matrix(model: &Model<'_>, tag: usize, blend: Blend) -> Option<Mat4> {
    let last = model.tag_frame_count().checked_sub(1)?;
    let blend = Blend { a: blend.a.min(last), b: blend.b.min(last), ..blend };
    let pose = model.blend_tag_pose(tag, blend).filter(TagPose::is_finite)?;
    let [x, y, z] = [pose.axes.x_axis, pose.axes.y_axis, pose.axes.z_axis];
    Some(Mat4::from_cols(x.extend(0.0), y.extend(0.0), z.extend(0.0), pose.origin.extend(1.0)))
}

/// The bounding box of the parts in the world. `None` if nothing is visible. O(points).
pub fn bounds(parts: &[Part<'_>], poses: &[PartPose]) -> Option<Bounds> {
    let boxes = parts.iter().zip(poses).filter_map(|(part, pose)| part_bounds(&part.model, pose));
    boxes.reduce(|a, b| a.union(&b))
}

/// The bounding box of one part in the world. If the part has no points, the bounding box of its joints and tags.
pub fn part_bounds(model: &Model<'_>, pose: &PartPose) -> Option<Bounds> {
    let place = |transform: Mat4, point: [f32; 3]| transform.transform_point3(Vec3::from(point));
    let mut all = Vec::new();
    let mut points = Vec::new();
    let finest = model.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or(0);
    for mesh in model.meshes.iter().filter(|mesh| mesh.lod == finest) {
        let frame = pose.blend.a.min(mesh.frame_count().saturating_sub(1));
        if mesh.skin_positions_into(frame, &pose.joints, &mut points).is_ok() {
            let transform = pose.transform * model.placement;
            all.extend(points.iter().map(|point| place(transform, *point)));
        }
    }
    if all.is_empty() {
        all.extend(pose.joints.iter().map(|joint| place(pose.transform, joint.w_axis.truncate().into())));
        let tags = 0..model.tags.len();
        let tags = tags.filter_map(|tag| Some(tag_matrix(model, tag, pose.blend)?.w_axis.truncate()));
        all.extend(tags.map(|origin| place(pose.transform, origin.into())));
    }
    Bounds::around(all.into_iter().filter(|point| point.is_finite()).map(Vec3::into))
}
