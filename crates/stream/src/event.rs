//! The events of a streamer. Callers, backends and workers send them to the scheduler.

use crate::backend::Answer;
use crate::pieces::{Discard, FilePieces};
use crate::pool::{Charge, Dropped};
use crate::scheduler::FirstStep;
use crate::streamed::{self, ModelId};
use crate::sync::{Arc, Sender};
use crate::ticket::Ticket;
use crate::{Error, Loaded, Probe, Request, RequestId, Step};

/// The number of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ReadId(pub(crate) u64);

/// The events of a streamer.
pub(crate) enum Event {
    /// A new request.
    Request { ticket: Ticket, model: Arc<streamed::Inner>, request: Box<Request> },
    /// The priority of a request has changed.
    Priority(RequestId),
    /// The priorities of these requests have changed.
    Priorities(Vec<RequestId>),
    /// A cancellation.
    Cancel { id: RequestId },
    /// The answer of a backend, and the first step of the probe that receives it.
    Read { id: ReadId, probed: Option<Box<FirstStep>>, answer: Result<Answer, Error> },
    /// The result of a step of a probe.
    Probed { model: ModelId, generation: u64, probe: Box<Probe>, step: Box<meshlens::Result<Step>> },
    /// The result of the work of a request.
    Decoded { id: RequestId, outcome: Box<Result<Loaded, (Error, Box<Request>)>>, scratch: Option<Charge> },
    /// Memory was released, or must be freed.
    Released(Option<Dropped>),
    /// A caller has dropped a model with these bytes.
    Discarded(Vec<FilePieces>),
    /// The streamer was dropped.
    Close,
}

impl Discard for Sender<Event> {
    fn discard(&self, files: Vec<FilePieces>) {
        self.send(Event::Discarded(files));
    }
}

/// The largest allocation that glibc frees on another thread without the lock of the allocating thread. A caller that allocates
/// events and requests does not wait for a thread that frees them and was preempted.
pub(crate) const LARGEST_LOCK_FREE: usize = 120;

// A channel adds a pointer.
const _: () = assert!(size_of::<(usize, Option<Event>)>() <= LARGEST_LOCK_FREE);
