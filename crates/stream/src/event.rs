//! The events of a streamer. Callers, backends and workers send them to the scheduler.

use crate::backend::Answer;
use crate::pieces::{Discard, FilePieces};
use crate::pool::{Charge, Dropped};
use crate::probe::Stepped;
use crate::slab::Key;
use crate::sync::Sender;
use crate::ticket::Ticket;
use crate::{Error, Few, Loaded, Probe, Request};

/// The events of a streamer.
pub(crate) enum Event {
    /// A new request.
    Request(Ticket),
    /// New requests.
    Requests(Vec<Ticket>),
    /// The priority of a request has changed.
    Priority(Key),
    /// The priorities of these requests have changed.
    Priorities(Vec<Key>),
    /// A cancellation.
    Cancel(Key),
    /// The answer of a backend, and the probe that receives it after its first step.
    Read { read: Key, stepped: Option<Stepped>, answer: Result<Answer, Error> },
    /// A probe after a step.
    Probed { model: Key, generation: u64, probe: Box<Probe> },
    /// The result of the work of a request.
    Decoded { request: Key, outcome: Box<Result<Loaded, (Error, Request)>>, scratch: Option<Charge> },
    /// Memory was released, or must be freed.
    Released(Option<Dropped>),
    /// A caller has dropped a model with these bytes.
    Discarded(Few<FilePieces>),
    /// The streamer was dropped.
    Close,
}

impl Discard for Sender<Event> {
    fn discard(&self, files: Few<FilePieces>) {
        self.send(Event::Discarded(files));
    }
}

/// The largest allocation that glibc frees on another thread without the lock of the allocating thread. A caller that allocates
/// events and requests does not wait for a thread that frees them and was preempted.
pub(crate) const LARGEST_LOCK_FREE: usize = 120;

// A channel adds a pointer.
const _: () = assert!(size_of::<(usize, Option<Event>)>() <= LARGEST_LOCK_FREE);
