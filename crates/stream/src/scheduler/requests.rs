//! The requests of callers, from start to end.

use super::loads::LoadState;
use super::{Job, Scheduler, id_of};
use crate::event::Event;
use crate::pool::Charge;
use crate::slab::Key;
use crate::streamed;
use crate::sync::{Arc, lock};
use crate::ticket::{CompletedList, Ticket};
use crate::{Completed, Error, Failed, Loaded, Part, PartialModel, Priority, Request, State, helping};

/// A request that has not ended.
pub(super) struct Active {
    ticket: Ticket,
    /// The load for which the request waits; `None` while a worker has the request.
    pub(super) load: Option<Key>,
    pub(super) priority: Priority,
    /// `None` while a worker has it.
    pub(super) request: Option<Request>,
}

impl Active {
    pub(super) fn advance(&self, state: State) {
        self.ticket.0.advance(state);
    }

    /// Whether its buffers are to be filled.
    pub(super) fn needs_scratch(&self) -> bool {
        self.request.as_ref().is_some_and(Request::has_buffers)
    }

    /// Ends the request.
    pub(super) fn finish(
        mut self,
        outcome: Result<Loaded, (Error, Option<Request>)>,
        completed: Option<&CompletedList>,
    ) {
        let end = match &outcome {
            Ok(_) => State::Ready,
            Err((Error::Cancelled, _)) => State::Cancelled,
            Err(_) => State::Failed,
        };
        let shared = &self.ticket.0;
        // The request may have been cancelled in the meantime.
        let outcome = match (shared.advance(end), outcome) {
            (true, Ok(loaded)) => Ok(loaded),
            (true, Err((error, request))) => Err(Failed { error, request: request.or(self.request.take()) }),
            (false, Ok(loaded)) => {
                Err(Failed { error: Error::Cancelled, request: Some(Request::again(loaded)) })
            }
            (false, Err((_, request))) => {
                Err(Failed { error: Error::Cancelled, request: request.or(self.request.take()) })
            }
        };
        let report = Completed { id: shared.id, part: shared.part, state: shared.state() };
        self.ticket.finish(outcome);
        if let Some(completed) = completed {
            lock(completed).push_back(report);
        }
    }
}

impl Scheduler {
    pub(super) fn on_request(&mut self, ticket: Ticket) {
        let Some((streamed, request)) = ticket.take_asked() else { return };
        let (part, priority, request) = (request.part, Priority::NORMAL, Some(request));
        let id = self.requests.insert(Active { ticket, load: None, priority, request });
        let Some(active) = self.requests.get_mut(id) else { return };
        active.ticket.0.set_key(id);
        active.priority = active.ticket.0.take_priority();
        let priority = active.priority;
        if active.ticket.0.state().is_final() {
            return self.end(id, Err((Error::Cancelled, None)));
        }
        if part == Part::Bounds && streamed.bounds().is_some() {
            return self.hand_over(id, &streamed, None, None);
        }
        self.want(&streamed, part, id, priority);
    }

    /// Makes a request wait for a part.
    pub(super) fn want(&mut self, streamed: &Arc<streamed::Inner>, part: Part, id: Key, priority: Priority) {
        let model = self.state_of(streamed);
        if let Some(load) = self.load_of(model, part) {
            self.join(load, id);
            return self.update_priority(load);
        }
        let load = self.add_load(model, streamed, part, priority);
        self.join(load, id);
        if let Some(plan) = streamed.plan() {
            self.plan_load(load, plan);
        }
    }

    /// Makes a request wait for a load.
    fn join(&mut self, load: Key, id: Key) {
        let Some(active) = self.requests.get_mut(id) else { return };
        let Some(found) = self.loads.get_mut(load) else { return };
        active.load = Some(load);
        found.waiters.push(id);
        if found.state == LoadState::Reading {
            active.advance(State::Loading);
        }
    }

    pub(super) fn on_priority(&mut self, id: Key) {
        if let Some(active) = self.requests.get_mut(id) {
            active.priority = active.ticket.0.take_priority();
            if let Some(load) = active.load {
                self.update_priority(load);
            }
        }
    }

    /// Gives a load the priority of its most urgent request, and the probe the priority of the most urgent
    /// load.
    pub(super) fn update_priority(&mut self, id: Key) {
        let requests = &self.requests;
        let Some(load) = self.loads.get_mut(id) else { return };
        let priorities = load.waiters.iter().filter_map(|id| requests.get(*id)).map(|active| active.priority);
        let Some(priority) = priorities.max() else { return };
        load.priority = priority;
        let (model, backend) = (load.of, id_of(&load.streamed.backend));
        let (job, priority) = match load.state {
            LoadState::Queued => (Job::Load(id), priority),
            LoadState::Planning => (Job::Probe(model), self.probe_priority(model)),
            LoadState::Reading => return,
        };
        if let Some(Some(key)) = self.queued(job).copied()
            && let Some(backend) = self.backends.get_mut(&backend)
        {
            backend.queue.set_priority(key, priority);
        }
    }

    pub(super) fn on_cancel(&mut self, id: Key) {
        let Some(active) = self.requests.get(id) else { return };
        if active.request.is_none() {
            // A worker has the request, and will return it.
            return;
        }
        // Backends are informed before the caller.
        if let Some(load) = active.load {
            self.leave(load, id);
        }
        self.end(id, Err((Error::Cancelled, None)));
    }

    /// Removes a request from a load. The load ends if it was the last one.
    fn leave(&mut self, load: Key, id: Key) {
        let Some(found) = self.loads.get_mut(load) else { return };
        found.waiters.retain(|waiter| *waiter != id);
        if !found.waiters.is_empty() {
            self.update_priority(load);
        } else if let Some(load) = self.remove_load(load) {
            load.cancel();
        }
    }

    /// Ends a request.
    pub(super) fn end(&mut self, id: Key, outcome: Result<Loaded, (Error, Option<Request>)>) {
        if let Some(active) = self.requests.remove(id) {
            active.finish(outcome, self.completed.as_deref());
        }
    }

    /// Ends a load and all its requests with an error.
    pub(super) fn fail(&mut self, load: Key, error: &Error) {
        let waiters = self.remove_load(load).map(|load| load.waiters).unwrap_or_default();
        for id in waiters {
            self.end(id, Err((error.clone(), None)));
        }
    }

    /// Passes a request with complete bytes to a worker, or ends it if there is no work.
    pub(super) fn hand_over(
        &mut self,
        id: Key,
        streamed: &Arc<streamed::Inner>,
        model: Option<PartialModel>,
        scratch: Option<Charge>,
    ) {
        let Some(active) = self.requests.get_mut(id) else { return };
        active.load = None;
        let Some(Request { part, space, work }) = active.request.take() else { return };
        let bounds = streamed.bounds().filter(|_| part == Part::Bounds);
        let is_done = work.is_none() && (part != Part::Bounds || bounds.is_some());
        let loaded = Loaded { part, space, streamed: streamed.clone(), bounds, model, work };
        if is_done {
            return self.end(id, Ok(loaded));
        }
        active.advance(State::Decoding);
        self.at_work += 1;
        let events = self.events.clone();
        let work = move || {
            let outcome = Box::new(crate::decode::run(loaded));
            helping::send_last(&events, Event::Decoded { request: id, outcome, scratch });
        };
        self.workers.add(active.priority, Box::new(work));
    }

    pub(super) fn on_decoded(
        &mut self,
        id: Key,
        outcome: Result<Loaded, (Error, Request)>,
        scratch: Option<Charge>,
    ) {
        self.at_work -= 1;
        drop(scratch);
        if let Ok(Loaded { bounds: Some(bounds), streamed, .. }) = &outcome {
            streamed.set_bounds(*bounds);
        }
        self.end(id, outcome.map_err(|(error, request)| (error, Some(request))));
    }
}
