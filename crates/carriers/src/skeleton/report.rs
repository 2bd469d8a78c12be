//! How far a skeleton moves the points from where the frames have them.

use std::fmt;

use glam::{DAffine3, DVec3};

use super::part::{Part, matrix};

/// How well a skeleton moves a model of a scene. Distances are in units of the model as displayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The name of the model's node.
    pub name: String,
    /// The number of vertex frames that its clips show.
    pub frames: usize,
    /// The number of points.
    pub points: usize,
    /// The number of joints, without those of tags.
    pub joints: usize,
    /// The height of the model at rest.
    pub height: f64,
    /// The largest root mean square of all distances that was asked for. No distance is to be more than eight times as large.
    pub asked: f64,
    /// The root mean square of all distances.
    pub rms: f64,
    /// The distance that 99 % of the points in all frames are within.
    pub percentile_99: f64,
    /// The largest distance.
    pub max: f64,
    /// The frame of the largest distance.
    pub worst_frame: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { name, frames, joints, rms, percentile_99, max, worst_frame, .. } = self;
        write!(
            f,
            "{name}: {joints} {} for {frames} frames; distances: RMS {rms:.4}, 99 % {percentile_99:.4}, maximum \
             {max:.4} (frame {worst_frame})",
            if *joints == 1 { "joint" } else { "joints" }
        )
    }
}

impl Report {
    /// Measures a part as it is written: with rounded transforms, weights and positions.
    pub(crate) fn new(name: &str, part: &Part) -> Report {
        let rest: Vec<DVec3> = part.rest.iter().map(|at| at.as_vec3().as_dvec3()).collect();
        let mut report = Report {
            name: name.to_owned(),
            frames: part.columns.len(),
            points: part.motion.meshes.iter().map(Vec::len).sum(),
            joints: part.own,
            height: part.height,
            asked: part.bound.rms,
            rms: 0.0,
            percentile_99: 0.0,
            max: 0.0,
            worst_frame: 0,
        };
        let mut bind: Vec<DAffine3> = Vec::new();
        for joint in &part.joints {
            let above = joint.parent.map_or(DAffine3::IDENTITY, |parent| bind[parent]);
            bind.push(above * matrix(&joint.rest));
        }
        let mut all: Vec<(f32, f32)> = Vec::new();
        let (mut sum, mut total) = (0.0, 0.0);
        for (frame, column) in &part.columns {
            let mut world: Vec<DAffine3> = Vec::new();
            for (joint, local) in part.joints.iter().zip(&part.local) {
                let above = joint.parent.map_or(DAffine3::IDENTITY, |parent| world[parent]);
                world.push(above * matrix(&local[*column]));
            }
            let moved: Vec<DAffine3> =
                world.iter().zip(&bind).map(|(world, bind)| *world * bind.inverse()).collect();
            for (point, copies) in part.motion.copies.iter().enumerate() {
                let influences = part.influences[point].iter();
                let at = influences.fold(DVec3::ZERO, |at, (joint, weight)| {
                    at + moved[joint].transform_point3(rest[point]) * f64::from(weight as f32)
                });
                let square = at.distance_squared(part.motion.path(point)[*column]);
                sum += square * copies;
                total += copies;
                let distance = square.sqrt();
                if distance > report.max {
                    (report.max, report.worst_frame) = (distance, *frame);
                }
                all.push((distance as f32, *copies as f32));
            }
        }
        if total > 0.0 {
            report.rms = (sum / total).sqrt();
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut below = 0.0;
            for (distance, copies) in all {
                below += f64::from(copies);
                if below >= 0.99 * total {
                    report.percentile_99 = f64::from(distance);
                    break;
                }
            }
        }
        report
    }
}
