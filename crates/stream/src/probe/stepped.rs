//! What the first step of a probe finds.

use meshlens::Format;
use meshlens::lens::Bounds;

use super::{Probe, ProbeFiles};

/// The result of the first step of a probe.
pub(crate) enum Stepped {
    /// The bounds, for a request that needs nothing else.
    Front(Box<FrontRead>),
    /// The probe after its step.
    Probe(Box<Probe>),
}

/// The front of a file, which has the bounds of the model.
pub(crate) struct FrontRead {
    pub(crate) files: ProbeFiles,
    pub(crate) bounds: Bounds,
    pub(crate) format: Option<Format>,
}
