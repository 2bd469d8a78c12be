//! The probes of models whose plans are needed.

use meshlens::part::FileRange;

use super::first_step::{First, copied};
use super::kept::Kept;
use super::loads::LoadState;
use super::models::{ModelState, Probing, Round};
use super::reads::{Prepared, Target, is_held, memory_of_read, memory_of_round};
use super::{BackendId, Job, Scheduler, Start, id_of};
use crate::backend::{Answer, Mark, ReadMemory};
use crate::event::Event;
use crate::pool::Charge;
use crate::probe::{FrontRead, Stepped};
use crate::queue::Queue;
use crate::slab::Key;
use crate::streamed;
use crate::{Error, Few, Part, PartialModel, Priority, Probe, Step, helping};

impl Scheduler {
    /// The priority of the most urgent load that waits for a plan.
    pub(super) fn probe_priority(&self, model: Key) -> Priority {
        let loads = self.models.get(model).map(|state| state.loads.as_slice()).unwrap_or_default();
        let waiting = loads.iter().filter_map(|(_, load)| self.loads.get(*load));
        let waiting = waiting.filter(|load| load.state == LoadState::Planning);
        waiting.map(|load| load.priority).max().unwrap_or(Priority::LOWEST)
    }

    /// Queues the probe of a model, unless it is already in progress.
    pub(super) fn want_plan(&mut self, model: Key) {
        let last = self.last_place();
        let Some(state) = self.models.get_mut(model).filter(|state| state.probing == Probing::No) else {
            return;
        };
        state.probing = Probing::Queued;
        let (inner, place) = (state.inner.clone(), *state.place.get_or_insert(last));
        let priority = self.probe_priority(model);
        self.enqueue(&inner, Job::Probe(model), priority, place);
    }

    /// Starts the reads that a probe requests.
    pub(super) fn start_probe(&mut self, backend: BackendId, id: Key) -> Start {
        let Some(state) = self.models.get(id) else { return Start::Gone };
        let inner = state.inner.clone();
        self.begin_known(id, &inner);
        let Some(state) = self.models.get(id) else { return Start::Gone };
        let len = state.len().unwrap_or(u64::MAX);
        let options = state.has_probe().then(|| self.probe_options(id, &inner, len));
        let mut wants = match (options, self.models.get_mut(id).map(ModelState::round)) {
            (Some(options), Some(Round { probe: Some(probe), wants, .. })) => {
                // The first step was taken before the time of its read was known.
                if let Some(further) = probe.read_ahead_now(options) {
                    *wants = further;
                }
                wants.clone()
            }
            _ => self.first_reads(id, &inner),
        };
        let mut needed = memory_of_round(&inner, &wants);
        // What is read ahead must not take the memory of what was requested first.
        let room = self.room_ahead();
        if needed > room
            && let Some(Round { probe: Some(probe), wants: next, .. }) =
                self.models.get_mut(id).map(ModelState::round)
        {
            wants = probe.limit_round((room / 2) as u64);
            needed = memory_of_round(&inner, &wants);
            next.clone_from(&wants);
        }
        let Some(state) = self.models.get(id) else { return Start::Gone };
        let bytes = state.memory().saturating_add(needed);
        if bytes > self.pool.limit() {
            let (bytes, limit) = (bytes as u64, self.pool.limit());
            self.fail_probe(id, &Error::OverBudget { file: inner.file(0), bytes, limit });
            return Start::Gone;
        }
        let Some(mut charge) = self.pool.charge(needed) else { return Start::NoMemory };
        self.unqueue(backend, Job::Probe(id), Queue::take);
        let priority = self.probe_priority(id);
        let first = match wants[..] {
            // The threads of clients of servers have other work.
            [range] if inner.files.len() == 1 && !inner.described(0).is_remote => {
                let options = self.probe_options(id, &inner, u64::MAX);
                let (wants_whole, is_for_bounds) = (self.wants_whole(id), self.wants_bounds_only(id));
                let (is_held, memory) = (is_held(&inner, &range), memory_of_read(&inner, &range));
                Some(First { range, options, wants_whole, is_held, memory, is_for_bounds })
            }
            _ => None,
        };
        let Some(state) = self.models.get_mut(id) else { return Start::Gone };
        state.probing = Probing::Reading(wants.len());
        let buffers: Few<Charge> =
            wants.iter().map(|want| charge.split(memory_of_read(&inner, want))).collect();
        let (generation, is_first) = (state.generation, !state.has_probe());
        match &mut state.round().charge {
            Some(all) => all.add(charge),
            all => *all = Some(charge),
        }
        let mut firsts = first.filter(|_| is_first).into_iter();
        self.probing.insert(id);
        if wants.is_empty() {
            self.end_round(id);
        }
        for (range, buffer) in wants.into_iter().zip(buffers) {
            let prepared = Prepared {
                priority,
                memory: ReadMemory::Reserved(buffer),
                mark: Mark::Probe(inner.clone(), generation),
                first: firsts.next(),
            };
            self.prepare(backend, inner.clone(), range, prepared, Target::Probe(id, generation));
        }
        self.begin_pending(backend);
        Start::Started
    }

    pub(super) fn on_probe_read(
        &mut self,
        id: Key,
        generation: u64,
        inner: &streamed::Inner,
        range: FileRange,
        answer: Result<Answer, Error>,
        stepped: Option<Stepped>,
    ) {
        let Some(state) = self.models.get_mut(id).filter(|state| state.generation == generation) else {
            return;
        };
        if let (Some(stepped), Ok(answer)) = (stepped, &answer) {
            state.round().len = Some(answer.file_len);
            match stepped {
                Stepped::Front(front) => self.on_front(id, inner, *front),
                Stepped::Probe(probe) => {
                    if probe.files.holds_all() {
                        state.round().charge = None;
                    }
                    self.at_work += 1;
                    self.on_probed(id, generation, probe);
                }
            }
            return;
        }
        match answer {
            Ok(answer) => state.round().answers.push((range, answer)),
            Err(error) => {
                state.round().error.get_or_insert(error);
            }
        }
        let Probing::Reading(left) = state.probing else { return };
        state.probing = Probing::Reading(left.saturating_sub(1));
        if left <= 1 {
            self.end_round(id);
        }
    }

    /// Ends a round: all reads of the probe have succeeded or failed.
    fn end_round(&mut self, id: Key) {
        let Some(state) = self.models.get_mut(id) else { return };
        let (generation, inner) = (state.generation, state.inner.clone());
        let round = state.round();
        if let Some(error) = round.error.take() {
            return self.fail_probe(id, &error);
        }
        let mut answers = std::mem::take(&mut round.answers);
        answers.sort_by_key(|(range, _)| *range);
        let lens: Vec<u64> = (0..inner.files.len())
            .map(|file| {
                answers.iter().find(|(range, _)| range.file == file).map_or(0, |(_, answer)| answer.file_len)
            })
            .collect();
        let known = round.probe.as_ref().map(|probe| probe.files.len());
        let len = known.unwrap_or_else(|| lens.iter().copied().fold(0, u64::saturating_add));
        round.len = Some(len);
        let options = self.probe_options(id, &inner, len);
        let Some(state) = self.models.get_mut(id) else { return };
        let first = answers.iter().map(|(range, _)| *range);
        let probe = state.round().probe.get_or_insert_with(|| Box::new(Probe::begun(&lens, options, first)));
        probe.read_ahead(options);
        for (range, answer) in answers {
            if probe.file_len(range.file) != Some(answer.file_len) {
                let error = Error::Changed { file: state.inner.file(range.file) };
                return self.fail_probe(id, &error);
            }
            if is_held(&inner, &range) {
                probe.files.hold(range.file, answer.bytes, memory_of_read(&inner, &range));
                continue;
            }
            let Some(copy) = copied(&answer.bytes) else {
                let bytes = answer.bytes.len() as u64;
                let error = Error::NoMemory { file: state.inner.file(range.file), bytes };
                return self.fail_probe(id, &error);
            };
            probe.feed(range.file, range.start, copy);
        }
        let Some(mut probe) = state.round().probe.take() else { return };
        state.probing = Probing::AtWork;
        self.at_work += 1;
        let (priority, events) = (self.probe_priority(id), self.events.clone());
        let work = move || {
            probe.stepped = Some(probe.step());
            helping::send_last(&events, Event::Probed { model: id, generation, probe });
        };
        self.workers.add(priority, Box::new(work));
    }

    pub(super) fn on_probed(&mut self, id: Key, generation: u64, mut probe: Box<Probe>) {
        self.at_work -= 1;
        let Some(state) = self.models.get_mut(id).filter(|state| state.generation == generation) else {
            return;
        };
        let Some(step) = probe.stepped.take() else { return };
        let inner = state.inner.clone();
        let charge = state.round().charge.take();
        self.probing.remove(&id);
        if let Some(format) = probe.format() {
            inner.set_format(format);
        }
        let priority = self.probe_priority(id);
        // Bounds that are answered now may be the only part that was requested.
        if let Ok(Step::Plan(plan)) = &step {
            inner.set_plan(plan.clone());
        }
        if let Some(bounds) = probe.front_bounds() {
            inner.set_bounds(bounds);
            self.answer_bounds(id);
        }
        let number = self.number();
        match (step, self.models.get_mut(id)) {
            (Ok(Step::Wants(wants)), _) => {
                let kept = Kept::of(probe, Some(wants), charge);
                self.interrupt(id, &inner, priority, kept);
            }
            (Ok(Step::Plan(plan)), state) => {
                let loads = state.map(|state| {
                    state.reset(number);
                    state.loads.clone()
                });
                let mut is_given = false;
                for (part, load) in loads.unwrap_or_default() {
                    match self.loads.get(load) {
                        Some(found) if found.state != LoadState::Planning => {}
                        Some(_) if probe.files.holds_all() && part == Part::Whole => {
                            is_given = true;
                            let whole = PartialModel::of_pieces(plan.clone(), probe.files.pieces.clone());
                            self.finish_load(load, Some(whole));
                        }
                        _ => self.plan_load(load, &plan),
                    }
                }
                // Those who have the whole file have its memory. Parts have the bytes of the files, not those of a table.
                if !is_given && !probe.is_known() {
                    self.keep(&inner, priority, Kept::of(probe, None, charge));
                }
            }
            (Err(_), Some(state)) if probe.is_known() => {
                // What was known does not fit the files.
                state.reset(number);
                self.want_plan(id);
            }
            (Err(error), _) => {
                let file = inner.file(meshlens::Parts::file_of(&error));
                self.fail_probe(id, &Error::format(&file, error));
            }
        }
    }

    /// Handles the front of a file, which has the bounds. More may have been requested since the read began.
    fn on_front(&mut self, id: Key, inner: &streamed::Inner, FrontRead { files, bounds, format }: FrontRead) {
        let priority = self.probe_priority(id);
        let Some(state) = self.models.get_mut(id) else { return };
        let charge = state.round().charge.take();
        self.probing.remove(&id);
        format.into_iter().for_each(|format| inner.set_format(format));
        inner.set_bounds(bounds);
        self.answer_bounds(id);
        self.interrupt(id, inner, priority, Kept { files, charge, unfinished: None });
    }

    /// Queues a probe again. Its model has been removed if nothing but the bounds was requested. Often, more is requested later.
    fn interrupt(&mut self, id: Key, inner: &streamed::Inner, priority: Priority, kept: Kept) {
        match self.models.get_mut(id) {
            Some(state) => {
                state.probing = Probing::No;
                self.go_on(id, kept);
                self.want_plan(id);
            }
            None => self.keep(inner, priority, kept),
        }
    }

    fn keep(&mut self, inner: &streamed::Inner, priority: Priority, kept: Kept) {
        let rank = (priority, self.number());
        self.kept.add(inner, rank, kept, self.pool.limit());
    }

    /// Answers requests for bounds that are known before the plan.
    fn answer_bounds(&mut self, model: Key) {
        let Some(load) = self.load_of(model, Part::Bounds) else { return };
        let Some(load) = self.remove_load(load) else { return };
        for waiter in load.waiters {
            self.hand_over(waiter, &load.streamed, None, None);
        }
    }

    /// Fails all loads that wait for a plan.
    fn fail_probe(&mut self, id: Key, error: &Error) {
        let next = self.number();
        let Some(state) = self.models.get_mut(id) else { return };
        state.reset(next);
        let (backend, loads) = (id_of(&state.inner.backend), state.loads.clone());
        self.probing.remove(&id);
        self.unqueue(backend, Job::Probe(id), Queue::remove);
        for (_, load) in loads {
            if self.loads.get(load).is_some_and(|load| load.state == LoadState::Planning) {
                self.fail(load, error);
            }
        }
    }
}
