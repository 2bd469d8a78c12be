//! A skeleton, weights and rigid keys from vertex frames.
//!
//! ```no_run
//! # fn f(scene: &meshlens::scene::Scene<'_>) -> Result<(), meshlens_carriers::Error> {
//! use meshlens_carriers::skeleton::{Options, skeleton};
//!
//! // All parts of a player get one skeleton. It is the only node of the new scene.
//! let rigged = skeleton(scene, &Options::default())?;
//! for report in &rigged.reports {
//!     println!("{report}");
//! }
//! let model = &rigged.scene.nodes[0].model;
//! println!("{} joints, {} clips", model.joints.len(), model.clips.len());
//! # Ok(())
//! # }
//! ```
//!
//! This is skinning decomposition after Binh Huy Le and Zhigang Deng, "Smooth Skinning Decomposition with Rigid Bones",
//! ACM Transactions on Graphics 31 (6), 2012, and "Robust and Accurate Skeletal Rigging from Mesh Sequences", ACM
//! Transactions on Graphics 33 (4), 2014:
//!
//! 1. Joints are added where the distances are largest, in the frames that differ most. After each, positions at rest,
//!    weights (at most four for a point, not negative) and rigid transforms are improved in turns. The transforms follow
//!    from sums over the points of each pair of joints, so that a turn takes little more time than the weights.
//! 2. The same is done in all frames, where each joint starts from the best transform of its own points, until the distances
//!    are within the bound. Points that stay outside count more.
//! 3. Joints become a tree: each one has the parent and the pivot that both joints move most alike.
//! 4. Joints are tied to their parents while the distances stay within the bound, those first that move apart least in all
//!    frames together: a tied joint turns around its pivot and does not slide, so it needs no keys of its translation. Each
//!    step is exact: the best turn of a joint with those that are tied to it, the best pivot, the best weights and positions.
//!
//! Every tag becomes a joint, below the joint that it follows best.

mod build;
mod fit;
mod free;
mod motion;
mod part;
mod points;
mod report;
mod rigid;
mod solve;
mod sums;
mod tied;
mod tree;
mod weights;

use meshlens::Model;
use meshlens::model::Space;
use meshlens::scene::{Node, Scene};
use meshlens::wire::Budget;

use crate::{DEFAULT_MEMORY, Error};
use fit::Bound;
use part::Part;

pub use report::Report;

/// The largest root mean square of the distances for an MD3, in its units: four of the steps in which it stores positions.
const MD3_RMS: f64 = 1.0 / 16.0;
/// The largest root mean square for other models, in heights of the model.
const HEIGHT_RMS: f64 = 0.0025;
/// The largest distance, in largest root mean squares.
pub const MAX: f64 = 8.0;

/// Options of a skeleton.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'o> {
    /// The largest root mean square of the distances between points and where the frames have them, in units of the model as
    /// displayed. No distance is more than eight times as large. The default is 1/16 for MD3, and 0.25 % of the height
    /// for other models.
    pub error: Option<f64>,
    /// The budget to which memory is charged as it grows. If `None`, at most 1 GiB is used.
    pub budget: Option<&'o Budget>,
}

/// A scene whose models became one model with a skeleton.
#[derive(Clone, Debug)]
pub struct Rigged {
    /// The scene: one node, whose model has joints, skins and clips of joints.
    pub scene: Scene<'static>,
    /// How well the skeleton moves each model with vertex frames.
    pub reports: Vec<Report>,
}

/// Makes one model with a skeleton from models with vertex frames. Frames that no clip shows are left out, and so are levels
/// of detail except the finest. O(points x frames x joints) for each of some hundred steps: a few seconds for a
/// player of Quake 3.
///
/// # Errors
///
/// - [`Error::NoSkeleton`] if too few points move alike, as those of cloth or water. It says which bound is met.
/// - [`Error::NothingMoves`] if no clip shows frames that differ; [`Error::HasJoints`] if a model has a skeleton.
/// - [`Error::TooManyPositions`], [`Error::TooManyJoints`], [`Error::NotFinite`], [`Error::Memory`], [`Error::Model`].
pub fn skeleton(scene: &Scene<'_>, options: &Options<'_>) -> Result<Rigged, Error> {
    let budget = options.budget.cloned().unwrap_or_else(|| Budget::new(DEFAULT_MEMORY));
    let mut memory = budget.empty();
    let asked = |model: &Model<'_>, height: f64| {
        let usual = if model.space == Space::MD3 { MD3_RMS } else { (height * HEIGHT_RMS).max(1e-9) };
        let rms = options.error.filter(|error| error.is_finite() && *error > 0.0).unwrap_or(usual);
        Bound { rms, max: rms * MAX }
    };
    let parts = scene.nodes.iter().map(|node| Part::new(node, asked, &mut memory));
    let parts = parts.collect::<Result<Vec<Part>, Error>>()?;
    // A single frame has poses that differ from the rest by rounding.
    let moves = |part: &Part| part.columns.len() > 1 && (0..part.joints.len()).any(|joint| part.moves(joint));
    if !parts.iter().any(moves) {
        return Err(Error::NothingMoves);
    }
    let mut reports = Vec::new();
    for (node, part) in scene.nodes.iter().zip(&parts).filter(|(_, part)| part.columns.len() > 1) {
        let report = Report::new(&node.name, part);
        let asked = part.bound;
        if report.rms > asked.rms || report.max > asked.max {
            let met = Bound { rms: report.rms, max: report.max };
            return Err(asked.missed(&report.name, report.joints, &met, part.is_stopped));
        }
        reports.push(report);
    }
    let mut model = build::join(scene, &parts, &mut memory)?;
    if model.clips.is_empty() {
        return Err(Error::NothingMoves);
    }
    model.hold(memory);
    let name = scene.nodes.first().map_or_else(String::new, |node| node.name.clone());
    Ok(Rigged { scene: Scene::from(Node::new(name, model)), reports })
}

/// The first index with the largest value; 0 if there are none.
fn largest(count: usize, value: impl Fn(usize) -> f64) -> usize {
    (1..count).fold(0, |largest, index| if value(index) > value(largest) { index } else { largest })
}
