//! A priority queue in which no key waits forever.

use std::cmp::{Ordering, Reverse};
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use crate::Priority;
use crate::numbers::HashMap;

/// The time and order in which a key started to wait. A key that waits again after a part of its work keeps its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QueuePosition {
    /// Grows with time.
    number: u64,
    /// The time since the streamer was started.
    since: Duration,
}

impl QueuePosition {
    /// A place after all places with smaller numbers.
    pub(crate) const fn new(number: u64, since: Duration) -> Self {
        QueuePosition { number, since }
    }
}

/// The order in which keys are served: the greatest first.
pub(crate) type Urgency = (Priority, Reverse<u64>);

/// The urgency of a key with a priority and a place.
pub(crate) const fn urgency(priority: Priority, place: QueuePosition) -> Urgency {
    (priority, Reverse(place.number))
}

/// Limits how long a request can be delayed by requests of higher priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ageing {
    /// A key that has waited at least this long is old.
    pub after: Duration,
    /// One turn in this number of turns goes to the oldest of the old keys. The other turns go by priority. At least 2.
    pub turns: u32,
}

impl Default for Ageing {
    /// Keys count as old after 5 seconds, and every eighth turn goes to the oldest of them.
    fn default() -> Self {
        Ageing { after: Duration::from_secs(5), turns: 8 }
    }
}

/// Keys by priority, and by place within a priority. The next key is the one with the highest priority. In one of
/// several turns, it is the key that has waited longest, if that key is old. A key therefore waits at most until it is
/// old, and then at most a fixed number of turns for each older key.
///
/// Every operation takes O(log keys) on average.
pub(crate) struct Queue<K> {
    waiting: HashMap<K, Waiting>,
    /// May contain keys that were removed or whose priority has changed.
    by_priority: BinaryHeap<Ranked<K>>,
    /// Keys by place. May contain keys that were removed.
    by_age: VecDeque<(u64, K)>,
    ageing: Ageing,
    turn: u32,
}

#[derive(Clone, Copy)]
struct Waiting {
    priority: Priority,
    place: QueuePosition,
}

struct Ranked<K> {
    priority: Priority,
    number: u64,
    key: K,
}

impl<K> PartialEq for Ranked<K> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<K> Eq for Ranked<K> {}

impl<K> PartialOrd for Ranked<K> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<K> Ord for Ranked<K> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.priority.cmp(&other.priority).then(other.number.cmp(&self.number))
    }
}

impl<K: Copy + Eq + Hash> Queue<K> {
    pub(crate) fn new(ageing: Ageing) -> Self {
        Queue {
            waiting: HashMap::default(),
            by_priority: BinaryHeap::new(),
            by_age: VecDeque::new(),
            ageing: Ageing { turns: ageing.turns.max(2), ..ageing },
            turn: 0,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Adds a key. A key that is already waiting keeps its place and gets the new priority.
    pub(crate) fn push(&mut self, key: K, priority: Priority, place: QueuePosition) {
        match self.waiting.entry(key) {
            Entry::Occupied(_) => return self.set_priority(key, priority),
            Entry::Vacant(entry) => entry.insert(Waiting { priority, place }),
        };
        self.by_priority.push(Ranked { priority, number: place.number, key });
        // Places are added in order, except when a key waits again.
        let at = match self.by_age.back() {
            Some((last, _)) if *last > place.number => {
                self.by_age.partition_point(|(number, _)| *number < place.number)
            }
            _ => self.by_age.len(),
        };
        self.by_age.insert(at, (place.number, key));
    }

    /// Changes the priority of a key, if it is waiting. It keeps its place.
    pub(crate) fn set_priority(&mut self, key: K, priority: Priority) {
        if let Some(waiting) = self.waiting.get_mut(&key)
            && waiting.priority != priority
        {
            waiting.priority = priority;
            self.by_priority.push(Ranked { priority, number: waiting.place.number, key });
            self.tidy();
        }
    }

    /// Removes a key and returns its place.
    pub(crate) fn remove(&mut self, key: K) -> Option<QueuePosition> {
        let place = self.waiting.remove(&key)?.place;
        self.tidy();
        Some(place)
    }

    /// Like [`remove`](Self::remove), for the key whose turn it was.
    pub(crate) fn take(&mut self, key: K) -> Option<QueuePosition> {
        self.turn = (self.turn + 1) % self.ageing.turns;
        self.remove(key)
    }

    /// The highest urgency in the queue.
    pub(crate) fn highest(&mut self) -> Option<Urgency> {
        self.first().map(|(_, urgency)| urgency)
    }

    /// The key whose turn it is.
    pub(crate) fn next(&mut self, now: Duration) -> Option<K> {
        if self.turn + 1 == self.ageing.turns
            && let Some((key, waiting)) = self.oldest()
            && now.saturating_sub(waiting.place.since) >= self.ageing.after
        {
            return Some(key);
        }
        self.first().map(|entry| entry.0)
    }

    fn first(&mut self) -> Option<(K, Urgency)> {
        while let Some(entry) = self.by_priority.peek() {
            if self.is_current(entry) {
                return Some((entry.key, (entry.priority, Reverse(entry.number))));
            }
            self.by_priority.pop();
        }
        None
    }

    fn is_current(&self, entry: &Ranked<K>) -> bool {
        let waiting = self.waiting.get(&entry.key);
        waiting
            .is_some_and(|waiting| waiting.priority == entry.priority && waiting.place.number == entry.number)
    }

    fn oldest(&mut self) -> Option<(K, Waiting)> {
        while let Some((number, key)) = self.by_age.front() {
            if let Some(waiting) = self.waiting.get(key).filter(|waiting| waiting.place.number == *number) {
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
            let mut entries = std::mem::take(&mut self.by_priority).into_vec();
            // A priority that was set again has two entries, one of which is dropped.
            entries.sort_unstable_by_key(|entry| entry.number);
            entries.retain(|entry| self.is_current(entry));
            entries.dedup_by_key(|entry| entry.number);
            self.by_priority = entries.into();
        }
        if self.by_age.len() > most {
            let waiting = &self.waiting;
            let is_current = |(number, key): &(u64, K)| {
                waiting.get(key).is_some_and(|waiting| waiting.place.number == *number)
            };
            self.by_age.retain(is_current);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(after: u64, turns: u32) -> Queue<u32> {
        Queue::new(Ageing { after: Duration::from_secs(after), turns })
    }

    fn push(queue: &mut Queue<u32>, key: u32, priority: i32) {
        let number = queue.by_age.back().map_or(0, |(number, _)| number + 1);
        queue.push(key, Priority(priority), QueuePosition::new(number, Duration::ZERO));
    }

    fn drain(queue: &mut Queue<u32>, now: u64) -> Vec<u32> {
        std::iter::from_fn(|| {
            let key = queue.next(Duration::from_secs(now))?;
            queue.take(key);
            Some(key)
        })
        .collect()
    }

    #[test]
    fn keys_are_ordered_by_priority_and_place() {
        let mut queue = queue(5, 8);
        for (key, priority) in [(1, 0), (2, 9), (3, 0), (4, 9), (5, -1)] {
            push(&mut queue, key, priority);
        }
        assert_eq!(queue.highest(), Some((Priority(9), Reverse(1))));
        assert_eq!(drain(&mut queue, 0), [2, 4, 1, 3, 5]);
        assert_eq!(queue.len(), 0);
    }

    #[test]
    fn entries_with_an_old_priority_have_no_effect() {
        let mut queue = queue(5, 8);
        for key in 0..4 {
            push(&mut queue, key, 0);
        }
        queue.set_priority(2, Priority(5));
        queue.set_priority(3, Priority(7));
        queue.set_priority(3, Priority(-7));
        queue.set_priority(9, Priority(1));
        queue.remove(1);
        assert_eq!(drain(&mut queue, 0), [2, 0, 3]);
    }

    #[test]
    fn a_request_that_waits_again_keeps_its_place() {
        let mut queue = queue(5, 8);
        push(&mut queue, 1, 0);
        push(&mut queue, 2, 0);
        let place = queue.take(1).unwrap();
        push(&mut queue, 3, 0);
        queue.push(1, Priority(0), place);
        assert_eq!(drain(&mut queue, 0), [1, 2, 3]);
    }

    #[test]
    fn an_old_key_gets_every_fourth_turn() {
        let low: Vec<u32> = (100..103).collect();
        let order = |now| {
            let mut queue = queue(5, 4);
            low.iter().for_each(|key| push(&mut queue, *key, 0));
            (0..9).for_each(|key| push(&mut queue, key, 1));
            drain(&mut queue, now)
        };
        assert_eq!(order(4)[..9], [0, 1, 2, 3, 4, 5, 6, 7, 8], "not yet old");
        assert_eq!(order(5), [0, 1, 2, 100, 3, 4, 5, 101, 6, 7, 8, 102]);
    }

    #[test]
    fn many_changes_leave_no_entries() {
        let mut queue = queue(5, 8);
        for key in 0..100 {
            push(&mut queue, key, 0);
        }
        for round in 0..1000 {
            queue.set_priority(round % 100, Priority(round as i32));
        }
        assert!(queue.by_priority.len() <= 2 * 100 + 65, "{}", queue.by_priority.len());
        for key in 0..100 {
            queue.remove(key);
        }
        assert!(queue.by_age.len() <= 65 && queue.by_priority.len() <= 65);
        assert_eq!(queue.next(Duration::from_secs(60)), None);
    }
}
