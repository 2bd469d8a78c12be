//! A priority queue in which no job waits forever.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::time::Duration;

use crate::Priority;
use crate::slab::{Key, Slab};

/// The time and order in which a job started to wait. A job that waits again after a part of its work keeps its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueuePosition {
    /// Grows with time.
    pub(crate) number: u64,
    /// The time since the streamer was started.
    pub(crate) since: Duration,
}

/// The order in which jobs are served: the greatest first.
pub(crate) type Urgency = (Priority, Reverse<u64>);

/// The urgency of a job with a priority and a place.
pub(crate) const fn urgency(priority: Priority, place: QueuePosition) -> Urgency {
    (priority, Reverse(place.number))
}

/// Limits how long a request can be delayed by requests of higher priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ageing {
    /// A job that has waited at least this long is old.
    pub after: Duration,
    /// One turn in this number of turns goes to the oldest of the old jobs. The other turns go by priority. At least 2.
    pub turns: u32,
}

impl Default for Ageing {
    /// Jobs count as old after 5 seconds, and every eighth turn goes to the oldest of them.
    fn default() -> Self {
        Ageing { after: Duration::from_secs(5), turns: 8 }
    }
}

/// Jobs by priority, and by place within a priority. The next job is the one with the highest priority. In one of
/// several turns, it is the job that has waited longest, if that job is old. A job therefore waits at most until it is
/// old, and then at most a fixed number of turns for each older job.
///
/// Every operation takes O(log jobs) on average.
pub(crate) struct Queue<J> {
    waiting: Slab<Waiting<J>>,
    /// May contain keys that were removed or whose priority has changed.
    by_priority: Ranking,
    /// Keys by place. May contain keys that were removed.
    by_age: VecDeque<(u64, Key)>,
    ageing: Ageing,
    turn: u32,
}

#[derive(Clone, Copy)]
struct Waiting<J> {
    job: J,
    priority: Priority,
    place: QueuePosition,
}

/// Ordered by urgency: only entries of the same job have the same one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Ranked {
    urgency: Urgency,
    key: Key,
}

/// Keys by urgency.
#[derive(Default)]
struct Ranking {
    /// Those that were added in their order, such as jobs of the same priority: the front is the most urgent.
    in_order: VecDeque<Ranked>,
    others: BinaryHeap<Ranked>,
}

impl Ranking {
    fn len(&self) -> usize {
        self.in_order.len() + self.others.len()
    }

    fn push(&mut self, entry: Ranked) {
        if self.in_order.back().is_none_or(|last| entry <= *last) {
            self.in_order.push_back(entry);
        } else {
            self.others.push(entry);
        }
    }

    /// Whether the most urgent entry is one of those in order.
    fn is_in_order(&self) -> bool {
        self.in_order.front() >= self.others.peek()
    }

    /// The most urgent entry.
    fn first(&self) -> Option<&Ranked> {
        if self.is_in_order() { self.in_order.front() } else { self.others.peek() }
    }

    fn remove_first(&mut self) {
        if self.is_in_order() {
            self.in_order.pop_front();
        } else {
            self.others.pop();
        }
    }
}

impl<J: Copy> Queue<J> {
    pub(crate) fn new(ageing: Ageing) -> Self {
        Queue {
            waiting: Slab::new(),
            by_priority: Ranking::default(),
            by_age: VecDeque::new(),
            ageing: Ageing { turns: ageing.turns.max(2), ..ageing },
            turn: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds a job.
    pub(crate) fn push(&mut self, job: J, priority: Priority, place: QueuePosition) -> Key {
        let key = self.waiting.insert(Waiting { job, priority, place });
        self.by_priority.push(Ranked { urgency: urgency(priority, place), key });
        // Places are added in order, except when a job waits again.
        let at = match self.by_age.back() {
            Some((last, _)) if *last > place.number => {
                self.by_age.partition_point(|(number, _)| *number < place.number)
            }
            _ => self.by_age.len(),
        };
        self.by_age.insert(at, (place.number, key));
        key
    }

    /// Changes the priority of a job, if it is waiting. It keeps its place.
    pub(crate) fn set_priority(&mut self, key: Key, priority: Priority) {
        if let Some(waiting) = self.waiting.get_mut(key)
            && waiting.priority != priority
        {
            waiting.priority = priority;
            self.by_priority.push(Ranked { urgency: urgency(priority, waiting.place), key });
            self.tidy();
        }
    }

    /// Removes a job, if it is waiting.
    pub(crate) fn remove(&mut self, key: Key) {
        if self.waiting.remove(key).is_some() {
            self.tidy();
        }
    }

    /// Like [`remove`](Self::remove), for the job whose turn it was.
    pub(crate) fn take(&mut self, key: Key) {
        self.turn = (self.turn + 1) % self.ageing.turns;
        self.remove(key);
    }

    /// The highest urgency in the queue.
    pub(crate) fn highest(&mut self) -> Option<Urgency> {
        self.first().map(|(_, urgency)| urgency)
    }

    /// The job whose turn it is.
    pub(crate) fn next(&mut self, now: Duration) -> Option<(Key, J)> {
        let key = if self.turn + 1 == self.ageing.turns
            && let Some((key, waiting)) = self.oldest()
            && now.saturating_sub(waiting.place.since) >= self.ageing.after
        {
            key
        } else {
            self.first()?.0
        };
        Some((key, self.waiting.get(key)?.job))
    }

    fn first(&mut self) -> Option<(Key, Urgency)> {
        while let Some(entry) = self.by_priority.first() {
            if is_current(&self.waiting, entry) {
                return Some((entry.key, entry.urgency));
            }
            self.by_priority.remove_first();
        }
        None
    }

    fn oldest(&mut self) -> Option<(Key, Waiting<J>)> {
        while let Some((_, key)) = self.by_age.front() {
            if let Some(waiting) = self.waiting.get(*key) {
                return Some((*key, *waiting));
            }
            self.by_age.pop_front();
        }
        None
    }

    /// Drops outdated entries, once they are the majority.
    fn tidy(&mut self) {
        let most = 2 * self.waiting.len() + 64;
        if self.by_priority.len() > most {
            // Both keep their buffers: a new one would grow, and may then be one of a caller's thread, which waits for the allocator.
            let Ranking { in_order, others } = &mut self.by_priority;
            let mut entries = std::mem::take(others).into_vec();
            entries.extend(in_order.drain(..));
            entries.retain(|entry| is_current(&self.waiting, entry));
            entries.sort_unstable_by(|a, b| b.cmp(a));
            // A priority that was set again has two entries.
            entries.dedup();
            in_order.extend(entries.drain(..));
            *others = entries.into();
        }
        if self.by_age.len() > most {
            self.by_age.retain(|(_, key)| self.waiting.get(*key).is_some());
        }
    }
}

fn is_current<J>(waiting: &Slab<Waiting<J>>, entry: &Ranked) -> bool {
    waiting.get(entry.key).is_some_and(|waiting| waiting.priority == entry.urgency.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(after: u64, turns: u32) -> Queue<u32> {
        Queue::new(Ageing { after: Duration::from_secs(after), turns })
    }

    fn push(queue: &mut Queue<u32>, job: u32, priority: i32) -> Key {
        let number = queue.by_age.back().map_or(0, |(number, _)| number + 1);
        queue.push(job, Priority(priority), QueuePosition { number, since: Duration::ZERO })
    }

    fn drain(queue: &mut Queue<u32>, now: u64) -> Vec<u32> {
        std::iter::from_fn(|| {
            let (key, job) = queue.next(Duration::from_secs(now))?;
            queue.take(key);
            Some(job)
        })
        .collect()
    }

    #[test]
    fn jobs_are_ordered_by_priority_and_place() {
        let mut queue = queue(5, 8);
        for (job, priority) in [(1, 0), (2, 9), (3, 0), (4, 9), (5, -1)] {
            push(&mut queue, job, priority);
        }
        assert_eq!(queue.highest(), Some((Priority(9), Reverse(1))));
        assert_eq!(drain(&mut queue, 0), [2, 4, 1, 3, 5]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn entries_with_an_old_priority_have_no_effect() {
        let mut queue = queue(5, 8);
        let keys = [0, 1, 2, 3].map(|job| push(&mut queue, job, 0));
        queue.set_priority(keys[2], Priority(5));
        queue.set_priority(keys[3], Priority(7));
        queue.set_priority(keys[3], Priority(-7));
        queue.remove(keys[1]);
        queue.set_priority(keys[1], Priority(1));
        assert_eq!(drain(&mut queue, 0), [2, 0, 3]);
    }

    #[test]
    fn a_request_that_waits_again_keeps_its_place() {
        let mut queue = queue(5, 8);
        let first = push(&mut queue, 1, 0);
        push(&mut queue, 2, 0);
        queue.take(first);
        push(&mut queue, 3, 0);
        queue.push(1, Priority(0), QueuePosition { number: 0, since: Duration::ZERO });
        assert_eq!(drain(&mut queue, 0), [1, 2, 3]);
    }

    #[test]
    fn an_old_job_gets_every_fourth_turn() {
        let low: Vec<u32> = (100..103).collect();
        let order = |now| {
            let mut queue = queue(5, 4);
            low.iter().map(|job| (*job, 0)).chain((0..9).map(|job| (job, 1))).for_each(|(job, priority)| {
                push(&mut queue, job, priority);
            });
            drain(&mut queue, now)
        };
        assert_eq!(order(4)[..9], [0, 1, 2, 3, 4, 5, 6, 7, 8], "not yet old");
        assert_eq!(order(5), [0, 1, 2, 100, 3, 4, 5, 101, 6, 7, 8, 102]);
    }

    #[test]
    fn any_changes_keep_the_order() {
        let mut queue = queue(5, 8);
        // The key, the job and the priority of each job that waits, in the order of their places.
        let mut waiting: Vec<(Key, u32, i32)> = Vec::new();
        let mut state = 1_u32;
        let mut random = |below: usize| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as usize % below
        };
        for job in 0..20_000 {
            match random(8) {
                0..4 => {
                    let priority = random(4) as i32;
                    waiting.push((push(&mut queue, job, priority), job, priority));
                }
                4..6 if !waiting.is_empty() => {
                    let (at, priority) = (random(waiting.len()), random(4) as i32);
                    waiting[at].2 = priority;
                    queue.set_priority(waiting[at].0, Priority(priority));
                }
                6 if !waiting.is_empty() => {
                    let at = random(waiting.len());
                    queue.remove(waiting.remove(at).0);
                }
                _ => {
                    // Of equal maxima, the last one is returned: the first in the order of places.
                    let first = waiting.iter().enumerate().rev().max_by_key(|(_, (.., priority))| *priority);
                    let expected = first.map(|(at, (key, job, _))| (at, (*key, *job)));
                    assert_eq!(queue.next(Duration::ZERO), expected.map(|(_, next)| next));
                    expected.into_iter().for_each(|(at, (key, _))| {
                        queue.take(key);
                        waiting.remove(at);
                    });
                }
            }
        }
        assert_eq!(queue.len(), waiting.len());
    }

    #[test]
    fn many_changes_leave_no_entries() {
        let mut queue = queue(5, 8);
        let keys: Vec<Key> = (0..100).map(|job| push(&mut queue, job, 0)).collect();
        for round in 0..1000 {
            queue.set_priority(keys[round % 100], Priority(round as i32));
        }
        assert!(queue.by_priority.len() <= 2 * 100 + 65, "{}", queue.by_priority.len());
        keys.into_iter().for_each(|key| queue.remove(key));
        assert!(queue.by_age.len() <= 65 && queue.by_priority.len() <= 65);
        assert_eq!(queue.next(Duration::from_secs(60)), None);
    }
}
