//! A memory pool: reused buffers within a budget.

mod buffer;

use std::fmt;

use bytes::Bytes;

use crate::helping;
use crate::sync::{Arc, AtomicUsize, Mutex, MutexGuard, Ordering, lock, try_lock};

use buffer::Owned;
pub(crate) use buffer::{Buffer, Charged, Dropped};

/// The size of a buffer is a multiple of this.
const STEP: usize = 4096;
/// The divisor of the budget that limits the buffers kept for reuse.
const KEPT: usize = 4;

/// A memory budget, and buffers from it. Clones share both.
#[derive(Clone)]
pub(crate) struct Pool(Arc<Shared>);

struct Shared {
    memory: Mutex<Memory>,
    /// The used, kept and peak bytes of `memory`, for threads that must not wait for its lock.
    usage: [AtomicUsize; 3],
    limit: usize,
    /// Called after a release of memory that was [waited](Pool::wait) for, and with memory that must be freed.
    released: Box<dyn Fn(Option<Dropped>) + Send + Sync>,
}

#[derive(Default)]
struct Memory {
    /// The number of bytes in use.
    used: usize,
    /// The number of bytes in `free`.
    kept: usize,
    /// The peak of bytes in use or kept.
    peak: usize,
    free: Vec<Vec<u8>>,
    somebody_waits: bool,
}

impl Pool {
    /// Makes a budget of `limit` bytes. `released` is called after a release that was [waited](Self::wait) for, and with
    /// memory that it should free on another thread.
    pub(crate) fn new(limit: usize, released: impl Fn(Option<Dropped>) + Send + Sync + 'static) -> Self {
        Pool(Arc::new(Shared {
            memory: Mutex::default(),
            usage: Default::default(),
            limit,
            released: Box::new(released),
        }))
    }

    pub(crate) fn limit(&self) -> usize {
        self.0.limit
    }

    /// The bytes in use, the bytes kept, and the peak of their sum. Does not lock.
    pub(crate) fn usage(&self) -> [usize; 3] {
        self.0.usage.each_ref().map(|bytes| bytes.load(Ordering::Relaxed))
    }

    /// Ends a change of the memory.
    fn unlock(&self, memory: MutexGuard<'_, Memory>) {
        for (bytes, now) in self.0.usage.iter().zip([memory.used, memory.kept, memory.peak]) {
            bytes.store(now, Ordering::Relaxed);
        }
    }

    /// The number of bytes of a buffer for `len` bytes.
    pub(crate) const fn size_of(len: usize) -> usize {
        // A size that saturates is over every limit.
        if len == 0 { 0 } else { len.saturating_add(STEP - 1) / STEP * STEP }
    }

    /// Takes `bytes` from the budget, if available.
    pub(crate) fn charge(&self, bytes: usize) -> Option<Charge> {
        self.take(bytes)?;
        Some(Charge { pool: self.clone(), bytes })
    }

    fn take(&self, bytes: usize) -> Option<()> {
        let mut memory = lock(&self.0.memory);
        let wanted = memory.used.checked_add(bytes).filter(|wanted| *wanted <= self.0.limit)?;
        let mut freed = Vec::new();
        while wanted + memory.kept > self.0.limit {
            let buffer = memory.free.pop();
            memory.kept -= buffer.as_ref().map_or(memory.kept, Vec::len);
            freed.extend(buffer);
        }
        memory.used = wanted;
        memory.peak = memory.peak.max(wanted + memory.kept);
        self.unlock(memory);
        // The lock is released first, because freeing large buffers takes long. The new memory is not allocated yet.
        drop(freed);
        Some(())
    }

    /// Requests one report of the next release.
    pub(crate) fn wait(&self) {
        lock(&self.0.memory).somebody_waits = true;
    }

    /// Whether a buffer of `len` bytes is kept for reuse.
    fn keeps(&self, memory: &Memory, len: usize) -> bool {
        memory.kept + len <= self.0.limit / KEPT
    }

    /// Returns bytes to the budget, and keeps or frees their buffer.
    fn release(&self, bytes: usize, buffer: Option<Vec<u8>>) {
        let mut memory = lock(&self.0.memory);
        if let Some(buffer) = buffer {
            if self.keeps(&memory, buffer.len()) {
                memory.keep(buffer);
            } else {
                drop(memory);
                drop(buffer);
                memory = lock(&self.0.memory);
            }
        }
        self.end_release(memory, bytes);
    }

    fn end_release(&self, mut memory: MutexGuard<'_, Memory>, bytes: usize) {
        memory.used -= bytes;
        let is_awaited = std::mem::take(&mut memory.somebody_waits);
        self.unlock(memory);
        if is_awaited {
            (self.0.released)(None);
        }
    }

    /// Like [`release`](Self::release), for callers that must not be delayed: keeps the buffer if the lock is free and
    /// the buffer fits, otherwise passes it on.
    fn release_soon(&self, bytes: usize, buffer: Vec<u8>) {
        if let Some(mut memory) = try_lock(&self.0.memory)
            && self.keeps(&memory, buffer.len())
        {
            memory.keep(buffer);
            return self.end_release(memory, bytes);
        }
        let charge = Charge { pool: self.clone(), bytes };
        self.free(Dropped { memory: Owned::Buffer(buffer), charge });
    }

    /// Frees memory on a thread that may wait for that. Whoever runs a scheduler may, and needs the memory now.
    fn free(&self, dropped: Dropped) {
        if !helping::is_scheduling() {
            (self.0.released)(Some(dropped));
        }
    }
}

impl Memory {
    fn keep(&mut self, buffer: Vec<u8>) {
        self.kept += buffer.len();
        self.free.push(buffer);
    }
}

/// Bytes of a budget, which are returned on drop.
pub(crate) struct Charge {
    pool: Pool,
    bytes: usize,
}

impl Charge {
    /// The number of bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes a part of it, at most all.
    pub(crate) fn split(&mut self, bytes: usize) -> Charge {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        Charge { pool: self.pool.clone(), bytes }
    }

    /// Adds another charge of the same pool.
    pub(crate) fn add(&mut self, mut other: Charge) {
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Counts bytes in other memory, which the charge must cover.
    pub(crate) const fn around(self, bytes: Bytes) -> Charged {
        Charged { bytes, charge: Some(self) }
    }

    /// A buffer of `len` bytes, which the charge must cover; `None` if the system does not provide the memory. Its
    /// content is arbitrary; only the first `len` bytes can be accessed.
    pub(crate) fn try_into_buffer(mut self, len: usize) -> Option<Buffer> {
        let size = Pool::size_of(len);
        let mut memory = lock(&self.pool.0.memory);
        // A free buffer of the same size is used, so that no buffer is mostly unused.
        let found = memory.free.iter().rposition(|free| free.len() == size);
        let data = found.map(|index| memory.free.swap_remove(index));
        if let Some(data) = &data {
            memory.kept -= data.len();
        }
        // What the buffer does not need is returned.
        let surplus = self.bytes.saturating_sub(size);
        self.bytes -= surplus;
        if surplus > 0 {
            self.pool.end_release(memory, surplus);
        } else {
            self.pool.unlock(memory);
        }
        let data = data.or_else(|| buffer::zeros(size))?;
        Some(Buffer { data, len, charge: Some(self) })
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.pool.release(self.bytes, None);
        }
    }
}

impl fmt::Debug for Charge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Charge({})", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer(pool: &Pool, len: usize) -> Option<Buffer> {
        pool.charge(Pool::size_of(len)).and_then(|charge| charge.try_into_buffer(len))
    }

    #[test]
    fn the_limit_is_kept_and_buffers_are_reused() {
        let pool = Pool::new(64 << 10, drop);
        let a = buffer(&pool, 40 << 10).unwrap();
        assert!(buffer(&pool, 28 << 10).is_none(), "68 KiB");
        let b = buffer(&pool, 10).unwrap();
        assert_eq!((a.as_ref().len(), b.as_ref().len()), (40 << 10, 10));
        assert_eq!(pool.usage(), [44 << 10, 0, 44 << 10]);
        let address = b.as_ref().as_ptr();
        drop(b);
        assert_eq!(pool.usage(), [40 << 10, 4 << 10, 44 << 10], "kept");
        let again = buffer(&pool, 4096).unwrap();
        assert_eq!(again.as_ref().as_ptr(), address, "the same memory");
        drop((a, again));
        assert_eq!(pool.usage()[..2], [0, 4096], "40 KiB are more than a quarter of the limit");
        let all = pool.charge(64 << 10).unwrap();
        assert_eq!(pool.usage(), [64 << 10, 0, 64 << 10], "what was kept had to go");
        drop(all);
        let mut rest = pool.charge(64 << 10).unwrap();
        let mut part = rest.split(4 << 10);
        assert_eq!((rest.bytes(), part.bytes(), pool.usage()[0]), (60 << 10, 4 << 10, 64 << 10));
        part.add(rest);
        assert_eq!((part.bytes(), pool.usage()[0]), (64 << 10, 64 << 10));
        assert_eq!((part.split(usize::MAX).bytes(), part.bytes()), (64 << 10, 0));
    }

    #[test]
    fn a_buffer_returns_what_it_does_not_need() {
        let told = Arc::new(AtomicUsize::new(0));
        let counter = told.clone();
        let pool = Pool::new(64 << 10, move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        });
        let charge = pool.charge(64 << 10).unwrap();
        assert!(pool.charge(1).is_none());
        pool.wait();
        let buffer = charge.try_into_buffer(5000).unwrap();
        assert_eq!((pool.usage()[0], told.load(Ordering::Relaxed)), (8192, 1));
        drop(buffer);
        assert_eq!(pool.usage()[0], 0);
    }

    #[test]
    fn a_waiting_caller_is_notified_once() {
        let told = Arc::new(AtomicUsize::new(0));
        let counter = told.clone();
        let pool = Pool::new(8192, move |dropped| {
            counter.fetch_add(usize::from(dropped.is_none()), Ordering::Relaxed);
        });
        let (a, b) = (pool.charge(4096).unwrap(), buffer(&pool, 1).unwrap());
        assert!(pool.charge(1).is_none());
        drop(a);
        assert_eq!(told.load(Ordering::Relaxed), 0, "nobody waits");
        pool.wait();
        drop(b);
        drop(pool.charge(10));
        assert_eq!(told.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_used_buffer_shows_no_more_than_its_length() {
        let pool = Pool::new(64 << 10, drop);
        let mut a = buffer(&pool, 4096).unwrap();
        a.as_mut().fill(7);
        drop(a);
        let mut b = buffer(&pool, 5).unwrap();
        b.truncate(9);
        assert_eq!(b.as_mut().len(), 5);
        b.truncate(2);
        assert_eq!(b.as_ref(), [7, 7]);
    }

    #[test]
    fn a_large_buffer_is_not_freed_by_its_owner() {
        let list: Arc<std::sync::Mutex<Vec<Dropped>>> = Arc::default();
        let passed_on = list.clone();
        let pool = Pool::new(64 << 10, move |dropped| passed_on.lock().unwrap().extend(dropped));
        // A buffer of more than a quarter of the limit is not kept.
        drop(buffer(&pool, 20 << 10).unwrap());
        let bytes = Bytes::from(vec![7; 100]);
        let charged = pool.charge(4096).unwrap().around(bytes.clone());
        assert_eq!(charged.as_ref(), [7; 100]);
        drop(charged);
        assert_eq!(list.lock().unwrap().len(), 2);
        assert_eq!(pool.usage()[..2], [24 << 10, 0], "used until it is freed");
        assert!(!bytes.is_unique());
        list.lock().unwrap().clear();
        assert_eq!(pool.usage()[..2], [0, 0]);
        assert!(bytes.is_unique());
    }

    #[test]
    fn the_owner_does_not_wait_for_the_lock() {
        let list: Arc<std::sync::Mutex<Vec<Dropped>>> = Arc::default();
        let passed_on = list.clone();
        let pool = Pool::new(64 << 10, move |dropped| passed_on.lock().unwrap().extend(dropped));
        let small = buffer(&pool, 10).unwrap();
        let locked = lock(&pool.0.memory);
        drop(small);
        drop(locked);
        assert_eq!(pool.usage()[..2], [4096, 0]);
        list.lock().unwrap().clear();
        assert_eq!(pool.usage()[..2], [0, 4096], "kept for reuse");
    }
}
