//! Marks of reads that are no longer needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A model with the number of its probe.
pub(crate) trait Probed: Send + Sync {
    fn probe(&self) -> u64;
}

/// Whether a read is no longer needed.
#[derive(Clone)]
pub(crate) enum Mark {
    /// Once it is set.
    Flag(Arc<AtomicBool>),
    /// Once the model has another probe.
    Probe(crate::sync::Arc<dyn Probed>, u64),
}

impl Mark {
    pub(crate) fn is_set(&self) -> bool {
        match self {
            Mark::Flag(flag) => flag.load(Ordering::Relaxed),
            Mark::Probe(model, probe) => model.probe() != *probe,
        }
    }
}
