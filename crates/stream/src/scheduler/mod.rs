//! Decides what is read next. One thread at a time does that: see `turns`. The scheduler owns all state of a streamer. Callers, backends and workers send it
//! [events](Event), so that none of them waits for a lock.
//!
//! A request waits for a load; requests for the same part of a model share one. A load waits for the plan of its model,
//! which a probe finds, and then for its turn. When its bytes are complete, its requests go to the workers.

mod ahead;
mod first_step;
mod kept;
mod latency;
mod loads;
mod models;
mod probes;
mod reads;
mod requests;

use std::cmp::Reverse;
use std::task::Waker;
use std::time::{Duration, Instant};

use crate::backend::{Backend, Receive, max_reads};
use crate::event::Event;
use crate::numbers::{HashMap, HashSet};
use crate::pieces::Discard;
use crate::pool::Pool;
use crate::queue::{Queue, QueuePosition, Urgency};
use crate::slab::{Key, Slab};
use crate::statistics::Counters;
use crate::streamed;
use crate::sync::{Arc, Receiver, Sender};
use crate::ticket::CompletedList;
use crate::workers::{Work, Workers};
use crate::{Error, Priority, StreamerOptions};

pub(crate) use first_step::Reply;
use loads::Load;
use models::ModelState;
use reads::ReadState;
use requests::Active;

/// A job that waits for its turn: the probe of a model, or a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Job {
    Probe(Key),
    Load(Key),
}

/// The result of starting a job.
enum Start {
    Started,
    /// The job is no longer wanted.
    Gone,
    NoMemory,
    /// The memory is for a request that was made first, and whose bytes are not known yet.
    NotYet,
}

/// The identity of a backend in use.
type BackendId = usize;

fn id_of(backend: &std::sync::Arc<dyn Backend>) -> BackendId {
    std::sync::Arc::as_ptr(backend).cast::<()>().addr()
}

struct BackendState {
    backend: std::sync::Arc<dyn Backend>,
    queue: Queue<Job>,
    /// Reads that wait until fewer are in progress.
    pending: std::collections::VecDeque<(Key, reads::Prepared)>,
    in_flight: usize,
}

pub(crate) struct Scheduler {
    options: StreamerOptions,
    pool: Pool,
    workers: Workers<Work>,
    counters: Arc<Counters>,
    /// Frees the bytes of models.
    discard: Arc<dyn Discard>,
    events: Sender<Event>,
    answers: Arc<dyn Receive>,
    completed: Option<Arc<CompletedList>>,
    started: Instant,
    /// The time since then, when the last events were taken.
    now: Duration,
    requests: Slab<Active>,
    loads: Slab<Load>,
    /// The models with wanted parts.
    models: Slab<ModelState>,
    reads: Slab<ReadState>,
    backends: HashMap<BackendId, BackendState>,
    latencies: latency::Latencies,
    kept: kept::KeptProbes,
    /// The models whose probes read or are at the workers.
    probing: HashSet<Key>,
    next_number: u64,
    /// The number of requests and probes at the workers.
    at_work: usize,
    /// Whether a job waits for memory.
    is_starved: bool,
}

impl Scheduler {
    pub(crate) fn new(
        options: StreamerOptions,
        pool: Pool,
        workers: Workers<Work>,
        counters: Arc<Counters>,
        events: Sender<Event>,
        completed: Option<Arc<CompletedList>>,
    ) -> Self {
        Scheduler {
            options,
            pool,
            workers,
            kept: kept::KeptProbes::new(counters.clone()),
            counters,
            discard: Arc::new(events.clone()),
            answers: Arc::new(events.clone()),
            events,
            completed,
            started: Instant::now(),
            now: Duration::ZERO,
            requests: Slab::new(),
            loads: Slab::new(),
            models: Slab::new(),
            reads: Slab::new(),
            backends: HashMap::default(),
            latencies: latency::Latencies::default(),
            probing: HashSet::default(),
            next_number: 0,
            at_work: 0,
            is_starved: false,
        }
    }

    /// Handles all events, and calls `waker` for the next one. Returns false once the streamer was dropped.
    pub(crate) fn turn(&mut self, events: &mut Receiver<Event>, waker: &Waker) -> bool {
        while let Some(event) = events.recv_or_wake(waker) {
            self.now = self.started.elapsed();
            if !self.handle(event) {
                return false;
            }
            // All events so far are handled before anything is started.
            while let Some(event) = events.try_recv() {
                if !self.handle(event) {
                    return false;
                }
            }
            self.dispatch();
        }
        true
    }

    /// Ends all requests and all threads.
    pub(crate) fn shut_down(mut self) {
        // This happens before waiting for the workers, so that no caller waits for a running function.
        self.end_requests();
        // Whoever waits for the thread that calls this also waits for all other threads of the streamer.
        self.workers.close();
    }

    /// Handles an event. Returns false once the streamer was dropped.
    fn handle(&mut self, event: Event) -> bool {
        // Memory may be available now, nothing may be waiting for it, or something more urgent may need less.
        self.is_starved = false;
        match event {
            Event::Request(ticket) => self.on_request(ticket),
            Event::Requests(tickets) => tickets.into_iter().for_each(|ticket| self.on_request(ticket)),
            Event::Priority(request) => self.on_priority(request),
            Event::Priorities(requests) => requests.into_iter().for_each(|request| self.on_priority(request)),
            Event::Cancel(request) => self.on_cancel(request),
            Event::Read { read, stepped, answer } => self.on_read(read, stepped, answer),
            Event::Probed { model, generation, probe } => self.on_probed(model, generation, probe),
            Event::Decoded { request, outcome, scratch } => self.on_decoded(request, *outcome, scratch),
            Event::Released(dropped) => drop(dropped),
            Event::Discarded(files) => drop(files),
            Event::Close => return false,
        }
        true
    }

    fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// Starts all jobs that can start, the most urgent first.
    fn dispatch(&mut self) {
        while !self.is_starved {
            let mut best: Option<(Urgency, BackendId)> = None;
            let is_only = self.backends.len() == 1;
            for (id, state) in &mut self.backends {
                let is_free = state.in_flight + state.pending.len() < max_reads(&*state.backend);
                if is_free && is_only {
                    best = Some(((Priority::LOWEST, Reverse(0)), *id));
                } else if is_free
                    && let Some(urgency) = state.queue.highest()
                    && best.is_none_or(|best| urgency > best.0)
                {
                    best = Some((urgency, *id));
                }
            }
            let next = best.and_then(|(_, id)| Some((id, self.backends.get_mut(&id)?.queue.next(self.now)?)));
            let Some((backend, (key, job))) = next else { break };
            match self.start(backend, job) {
                Start::Started => {}
                Start::Gone => {
                    self.queued(job).map(Option::take);
                    if let Some(state) = self.backends.get_mut(&backend) {
                        state.queue.remove(key);
                    }
                }
                Start::NoMemory if self.kept.drop_one() => {}
                Start::NoMemory | Start::NotYet => {
                    // The next release will be reported, unless one happened in the meantime.
                    self.is_starved = true;
                    self.pool.wait();
                    if matches!(self.start(backend, job), Start::Started) || self.evict(job) {
                        self.is_starved = false;
                    }
                }
            }
        }
        // Backends without users are dropped.
        self.backends
            .retain(|_, state| state.in_flight > 0 || state.queue.len() > 0 || !state.pending.is_empty());
    }

    fn start(&mut self, backend: BackendId, job: Job) -> Start {
        match job {
            Job::Probe(model) => self.start_probe(backend, model),
            Job::Load(load) => self.start_load(backend, load),
        }
    }

    /// A place in a queue after all others.
    fn last_place(&mut self) -> QueuePosition {
        QueuePosition { number: self.number(), since: self.now }
    }

    /// Adds a job to the queue of a model's backend.
    fn enqueue(&mut self, streamed: &streamed::Inner, job: Job, priority: Priority, place: QueuePosition) {
        // The state keeps the backend alive, so no other backend has the same address.
        let (backend, ageing) = (&streamed.backend, self.options.ageing);
        let state = self.backends.entry(id_of(backend)).or_insert_with(|| BackendState {
            backend: backend.clone(),
            queue: Queue::new(ageing),
            pending: std::collections::VecDeque::new(),
            in_flight: 0,
        });
        let key = state.queue.push(job, priority, place);
        if let Some(queued) = self.queued(job) {
            *queued = Some(key);
        }
    }

    /// The key of a job in the queue of its backend.
    fn queued(&mut self, job: Job) -> Option<&mut Option<Key>> {
        match job {
            Job::Probe(model) => self.models.get_mut(model).map(|state| &mut state.queued),
            Job::Load(load) => self.loads.get_mut(load).map(|load| &mut load.queued),
        }
    }

    /// Removes a job from the queue of a backend, by [`Queue::remove`], or by [`Queue::take`] if it was its turn.
    fn unqueue(&mut self, backend: BackendId, job: Job, remove: fn(&mut Queue<Job>, Key)) {
        if let Some(key) = self.queued(job).and_then(Option::take)
            && let Some(state) = self.backends.get_mut(&backend)
        {
            remove(&mut state.queue, key);
        }
    }

    /// Ends all requests with [`Error::Closed`].
    fn end_requests(&mut self) {
        self.models.iter().for_each(|(_, state)| state.cancel());
        self.loads.iter().for_each(|(_, load)| load.cancel());
        for active in self.requests.drain() {
            active.finish(Err((Error::Closed, None)), None);
        }
    }
}

impl Drop for Scheduler {
    /// Ends all requests in every case, so that no caller waits forever.
    fn drop(&mut self) {
        self.end_requests();
    }
}
