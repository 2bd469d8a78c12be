//! The requests of callers, from start to end.

use super::loads::LoadState;
use super::{Job, LoadId, Scheduler};
use crate::event::Event;
use crate::pool::Charge;
use crate::streamed;
use crate::sync::{Arc, lock};
use crate::ticket::{CompletedList, Ticket};
use crate::{Completed, Error, Failed, Loaded, Part, Priority, Request, RequestId, State, helping};

/// A request that has not ended.
pub(super) struct Active {
    ticket: Ticket,
    /// The load for which the request waits; `None` while a worker has the request.
    pub(super) load: Option<LoadId>,
    pub(super) priority: Priority,
    /// `None` while a worker has it.
    pub(super) request: Option<Box<Request>>,
    pub(super) streamed: Arc<streamed::Inner>,
}

impl Active {
    pub(super) fn advance(&self, state: State) {
        self.ticket.shared.advance(state);
    }

    /// Ends the request.
    pub(super) fn finish(
        mut self,
        outcome: Result<Loaded, (Error, Option<Box<Request>>)>,
        completed: Option<&CompletedList>,
    ) {
        let end = match &outcome {
            Ok(_) => State::Ready,
            Err((Error::Cancelled, _)) => State::Cancelled,
            Err(_) => State::Failed,
        };
        // The request may have been cancelled in the meantime.
        let outcome = match (self.ticket.shared.advance(end), outcome) {
            (true, Ok(loaded)) => Ok(loaded),
            (true, Err((error, request))) => Err(Failed { error, request: request.or(self.request) }),
            (false, Ok(loaded)) => {
                Err(Failed { error: Error::Cancelled, request: Some(Box::new(Request::again(loaded))) })
            }
            (false, Err((_, request))) => {
                Err(Failed { error: Error::Cancelled, request: request.or(self.request) })
            }
        };
        let shared = &self.ticket.shared;
        let report = Completed { id: shared.id, part: shared.part, state: shared.state() };
        self.ticket.finish(outcome);
        if let Some(completed) = completed {
            lock(completed).push_back(report);
        }
    }
}

impl Scheduler {
    pub(super) fn on_request(
        &mut self,
        ticket: Ticket,
        streamed: Arc<streamed::Inner>,
        request: Box<Request>,
    ) {
        let (id, part, priority) = (ticket.shared.id, request.part, ticket.shared.priority());
        let active =
            Active { ticket, load: None, priority, request: Some(request), streamed: streamed.clone() };
        if active.ticket.shared.state().is_final() {
            return active.finish(Err((Error::Cancelled, None)), self.completed.as_deref());
        }
        self.requests.insert(id, active);
        if part == Part::Bounds && streamed.bounds().is_some() {
            return self.hand_over(id, None, None);
        }
        self.want(streamed, part, id, priority);
    }

    /// Makes a request wait for a part.
    pub(super) fn want(
        &mut self,
        streamed: Arc<streamed::Inner>,
        part: Part,
        id: RequestId,
        priority: Priority,
    ) {
        if let Some(load) = self.by_part.get(&(streamed.id, part)).copied() {
            self.join(load, id);
            return self.update_priority(load);
        }
        let load = self.add_load(streamed.clone(), part, priority);
        self.join(load, id);
        if let Some(plan) = streamed.plan() {
            self.plan_load(load, plan);
        }
    }

    /// Makes a request wait for a load.
    fn join(&mut self, load: LoadId, id: RequestId) {
        let Some(active) = self.requests.get_mut(&id) else { return };
        let Some(found) = self.loads.get_mut(&load) else { return };
        active.load = Some(load);
        found.waiters.push(id);
        if found.state == LoadState::Reading {
            active.advance(State::Loading);
        }
    }

    pub(super) fn on_priority(&mut self, id: RequestId) {
        if let Some(active) = self.requests.get_mut(&id) {
            active.priority = active.ticket.shared.take_priority();
            if let Some(load) = active.load {
                self.update_priority(load);
            }
        }
    }

    /// Gives a load the priority of its most urgent request, and the probe the priority of the most urgent
    /// load.
    pub(super) fn update_priority(&mut self, id: LoadId) {
        let requests = &self.requests;
        let Some(load) = self.loads.get_mut(&id) else { return };
        let priorities = load.waiters.iter().filter_map(|id| requests.get(id)).map(|active| active.priority);
        let Some(priority) = priorities.max() else { return };
        load.priority = priority;
        let (streamed, state) = (load.streamed.clone(), load.state);
        let (job, priority) = match state {
            LoadState::Queued => (Job::Load(id), priority),
            LoadState::Planning => (Job::Probe(streamed.id), self.probe_priority(streamed.id)),
            LoadState::Reading => return,
        };
        let (_, backend) = self.backend(&streamed.backend);
        backend.queue.set_priority(job, priority);
    }

    pub(super) fn on_cancel(&mut self, id: RequestId) {
        let Some(active) = self.requests.get(&id) else { return };
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
    fn leave(&mut self, load: LoadId, id: RequestId) {
        let Some(found) = self.loads.get_mut(&load) else { return };
        found.waiters.retain(|waiter| *waiter != id);
        if found.waiters.is_empty() {
            self.abandon(load);
        } else {
            self.update_priority(load);
        }
    }

    /// Ends a request.
    pub(super) fn end(&mut self, id: RequestId, outcome: Result<Loaded, (Error, Option<Box<Request>>)>) {
        if let Some(active) = self.requests.remove(&id) {
            active.finish(outcome, self.completed.as_deref());
        }
    }

    /// Ends a load and all its requests with an error.
    pub(super) fn fail(&mut self, load: LoadId, error: &Error) {
        let waiters = self.remove_load(load).map(|load| load.waiters).unwrap_or_default();
        for id in waiters {
            self.end(id, Err((error.clone(), None)));
        }
    }

    /// Passes a request with complete bytes to a worker, or ends it if there is no work.
    pub(super) fn hand_over(
        &mut self,
        id: RequestId,
        model: Option<crate::PartialModel>,
        scratch: Option<Charge>,
    ) {
        let Some(active) = self.requests.get_mut(&id) else { return };
        active.load = None;
        let Some(request) = active.request.take() else { return };
        let model = model.map(|model| model.freed_by(self.discard.clone()));
        let known = active.streamed.bounds().filter(|_| request.part == Part::Bounds);
        let is_computed = request.part == Part::Bounds && known.is_none();
        if !request.has_work() && !is_computed {
            let mut loaded = Loaded::new(request.part, request.space, active.streamed.file(0), known, model);
            loaded.request = Some(request);
            return self.end(id, Ok(loaded));
        }
        active.advance(State::Decoding);
        self.at_work += 1;
        let (streamed, events) = (active.streamed.clone(), self.events.clone());
        let work = move || {
            let outcome = Box::new(crate::decode::run(request, model, known, &streamed));
            helping::send_last(&events, Event::Decoded { id, outcome, scratch });
        };
        self.workers.add(active.priority, Box::new(work));
    }

    pub(super) fn on_decoded(
        &mut self,
        id: RequestId,
        outcome: Result<Loaded, (Error, Box<Request>)>,
        scratch: Option<Charge>,
    ) {
        self.at_work -= 1;
        drop(scratch);
        if let (Ok(Loaded { bounds: Some(bounds), .. }), Some(active)) = (&outcome, self.requests.get(&id)) {
            active.streamed.set_bounds(*bounds);
        }
        self.end(id, outcome.map_err(|(error, request)| (error, Some(request))));
    }
}
