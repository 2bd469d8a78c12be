//! Marks of reads that are no longer needed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::streamed;

/// Whether a read is no longer needed.
#[derive(Clone)]
pub(crate) enum Mark {
    /// Once it is set.
    Flag(Arc<AtomicBool>),
    /// Once the model has another probe.
    Probe(crate::sync::Arc<streamed::Inner>, u64),
}

impl Mark {
    pub(crate) fn is_set(&self) -> bool {
        match self {
            Mark::Flag(flag) => flag.load(Ordering::Relaxed),
            Mark::Probe(model, probe) => model.probe.load(crate::sync::Ordering::Relaxed) != *probe,
        }
    }
}
