//! Threads, locks and channels of the standard library, or, in model tests, of `shuttle`, which tries different
//! schedules.
//!
//! The channels are from `futures-channel`, because sending to them never blocks. A `std::sync::mpsc` channel locks a
//! mutex to wake its receiver.

use std::future::Future;
use std::pin::pin;
// The locks of `shuttle` return this error, too.
use std::sync::TryLockError;
use std::task::{Context, Poll, Wake, Waker};

use futures_channel::mpsc;

#[cfg(not(shuttle))]
pub(crate) use std::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, AtomicUsize, Ordering},
    },
    thread, thread_local,
};

#[cfg(shuttle)]
pub(crate) use shuttle::{
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, AtomicUsize, Ordering},
    },
    thread, thread_local,
};

/// Sends to a [`Receiver`]. Never blocks.
pub(crate) struct Sender<T>(std::sync::Arc<mpsc::UnboundedSender<T>>);

/// The receiver of a [`channel`]. Dropping it drops all values that were not received.
pub(crate) struct Receiver<T>(mpsc::UnboundedReceiver<T>);

/// Makes a channel without a limit.
pub(crate) fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let (sender, receiver) = mpsc::unbounded();
    (Sender(std::sync::Arc::new(sender)), Receiver(receiver))
}

impl<T> Sender<T> {
    /// Sends a value. The value is dropped if the receiver no longer exists.
    pub(crate) fn send(&self, value: T) {
        let _ = self.0.unbounded_send(value);
    }

    /// Whether both send to the same receiver.
    pub(crate) fn is_same(&self, other: &Sender<T>) -> bool {
        std::sync::Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Sender(self.0.clone())
    }
}

impl<T> Receiver<T> {
    /// Blocks until a value arrives; `None` after all senders are dropped.
    pub(crate) fn recv(&mut self) -> Option<T> {
        block_on(self.next())
    }

    /// Waits until a value arrives; `None` after all senders are dropped.
    pub(crate) async fn next(&mut self) -> Option<T> {
        self.0.recv().await.ok()
    }

    /// Takes a value. If none is available, calls `waker` when one is sent.
    pub(crate) fn recv_or_wake(&mut self, waker: &Waker) -> Option<T> {
        match pin!(self.next()).poll(&mut Context::from_waker(waker)) {
            Poll::Ready(value) => value,
            Poll::Pending => None,
        }
    }

    /// Takes a value; `None` if none is available.
    pub(crate) fn try_recv(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }
}

/// Wakes a thread that waits in [`block_on`].
struct Unpark(thread::Thread);

impl Wake for Unpark {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.unpark();
    }
}

thread_local!(static WAKER: Waker = Waker::from(std::sync::Arc::new(Unpark(thread::current()))));

/// Blocks until a future is ready.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    #[cfg(test)]
    waits::count();
    let waker = WAKER.with(Waker::clone);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            // Returns at once if the waker was called in the meantime.
            Poll::Pending => thread::park(),
        }
    }
}

/// Locks a mutex and ignores poisoning. No code panics while it holds one of these locks, and every change to their
/// content is complete by itself.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    #[cfg(test)]
    waits::count();
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Like [`lock`], unless another thread has the lock.
pub(crate) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Starts a thread. It is detached if the handle is dropped.
///
/// # Errors
///
/// The system cannot start a thread.
pub(crate) fn spawn(
    name: &str,
    run: impl FnOnce() + Send + 'static,
) -> std::io::Result<thread::JoinHandle<()>> {
    thread::Builder::new().name(name.to_owned()).spawn(run)
}

/// Counts the calls that may wait for another thread.
#[cfg(test)]
pub(crate) mod waits {
    use std::cell::Cell;

    thread_local!(static COUNT: Cell<u64> = const { Cell::new(0) });

    pub(super) fn count() {
        COUNT.set(COUNT.get() + 1);
    }

    /// The number of such calls on this thread so far.
    pub(crate) fn of_this_thread() -> u64 {
        COUNT.get()
    }
}
