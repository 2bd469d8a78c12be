//! The public interface of the streamer.

use std::io;
use std::time::{Duration, Instant};

use crate::backend::Backend;
use crate::event::{Event, LARGEST_LOCK_FREE};
use crate::pool::Pool;
use crate::scheduler::Scheduler;
use crate::statistics::{Counters, Statistics};
use crate::streamed::{self, StreamedModel};
use crate::sync::thread::JoinHandle;
use crate::sync::{Arc, AtomicU64, Ordering, Sender, channel, spawn, try_lock};
use crate::ticket::{CompletedList, Ticket};
use crate::workers::{Work, Workers};
use crate::{Completed, Few, FileName, Handle, Priority, Request, RequestId, StreamerOptions, turns};

/// Loads parts of models in the order in which they are needed.
///
/// Its calls do not wait for a disk, a server, a decoder or a contended lock. One thread decides what is read next,
/// backends read, and other threads decode. When a streamer is dropped, requests that have not ended fail with
/// [`Error::Closed`](crate::Error::Closed), and its threads end without being waited for.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use meshlens_stream::backend::FileBackend;
/// use meshlens_stream::{Part, Priority, Streamer, StreamerOptions};
///
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("flag.md3");
/// # let path = path.to_str().ok_or("not UTF-8")?;
/// # let bytes = meshlens::md3::write::sample(&[8.0])?;
/// # std::fs::write(path, bytes)?;
/// let streamer = Streamer::new(StreamerOptions::default())?;
/// let flag = streamer.open(Arc::new(FileBackend::new(2)?), [path]);
///
/// // Bounds first; the mesh after everything that is more urgent.
/// let bounds = streamer.request(&flag, Part::Bounds, Priority::HIGHEST);
/// let mesh = streamer.request(&flag, Part::Mesh { mesh: 0, frame: 0 }, Priority::NORMAL);
/// mesh.set_priority(Priority::by_distance(12.5));
/// drop(bounds); // Nobody wants them any more.
///
/// // In each frame of the engine:
/// let loaded = loop {
///     for done in streamer.poll_completed(Duration::from_micros(200)) {
///         println!("request {:?} is {}", done.id, done.state);
///     }
///     if let Some(outcome) = mesh.take() {
///         break outcome?;
///     }
/// };
/// assert_eq!(loaded.mesh()?.point_count(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Streamer {
    thread: Option<JoinHandle<()>>,
    events: Sender<Event>,
    completed: Arc<CompletedList>,
    pool: Pool,
    counters: Arc<Counters>,
    next_request: AtomicU64,
}

impl Streamer {
    /// Starts a streamer and its threads.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub fn new(options: StreamerOptions) -> io::Result<Self> {
        let (events, receiver) = channel();
        let released = events.clone();
        let pool = Pool::new(options.memory, move |dropped| {
            // Without a scheduler, no request waits for memory, so the memory is freed here.
            released.send(Event::Released(dropped));
        });
        let workers =
            Workers::new("meshlens-decode", options.decode_threads.get(), true, |work: Work, _: &_| work())?;
        let counters = Arc::new(Counters::default());
        let completed = Arc::<CompletedList>::default();
        let list = options.lists_completed.then(|| completed.clone());
        let scheduler =
            Scheduler::new(options, pool.clone(), workers, counters.clone(), events.clone(), list);
        let thread = spawn("meshlens-stream", move || turns::run(scheduler, receiver))?;
        let next_request = AtomicU64::new(0);
        Ok(Streamer { thread: Some(thread), events, completed, pool, counters, next_request })
    }

    /// Makes a model to stream: its file, or the two files of an Unreal mesh, geometry first, with the names that
    /// they have in the backend. Reads nothing.
    pub fn open<N: Into<FileName>>(
        &self,
        backend: std::sync::Arc<dyn Backend>,
        files: impl IntoIterator<Item = N>,
    ) -> StreamedModel {
        self.open_placed(backend, files.into_iter().map(Into::into).collect(), None)
    }

    /// Like [`open`](Self::open), for a model that a script may place.
    pub(crate) fn open_placed(
        &self,
        backend: std::sync::Arc<dyn Backend>,
        files: Few<FileName>,
        script: Option<streamed::Script>,
    ) -> StreamedModel {
        StreamedModel(Arc::new(streamed::Inner::new(backend, files, script)))
    }

    /// Requests a part of a model. Requests for the same part share its bytes.
    pub fn request(&self, model: &StreamedModel, request: impl Into<Request>, priority: Priority) -> Handle {
        let ticket = self.ticket(model, request.into(), priority);
        let handle = Handle::new(ticket.0.clone(), self.events.clone());
        // If the scheduler is gone, dropping the ticket ends the request.
        self.events.send(Event::Request(ticket));
        handle
    }

    /// Like [`request`](Self::request), for many requests at once, such as those of a level that is loaded: the scheduler is
    /// notified a few times, and handles them before it reads anything for the first one.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use meshlens_stream::backend::FileBackend;
    /// # use meshlens_stream::{Part, Priority, Streamer, StreamerOptions};
    /// # let folder = tempfile::tempdir()?;
    /// # let paths = ["a.md3", "b.md3"].map(|name| folder.path().join(name));
    /// # let bytes = meshlens::md3::write::sample(&[8.0])?;
    /// # paths.iter().try_for_each(|path| std::fs::write(path, &bytes))?;
    /// # let paths = paths.each_ref().map(|path| path.to_str().unwrap_or_default());
    /// # let streamer = Streamer::new(StreamerOptions::default())?;
    /// # let backend = Arc::new(FileBackend::new(2)?);
    /// let models = paths.map(|path| streamer.open(backend.clone(), [path]));
    /// let bounds = models.iter().map(|model| (model, Part::Bounds, Priority::NORMAL));
    /// for handle in streamer.request_many(bounds) {
    ///     assert!(handle.wait()?.bounds().is_some());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn request_many<'m, R: Into<Request>>(
        &self,
        requests: impl IntoIterator<Item = (&'m StreamedModel, R, Priority)>,
    ) -> Vec<Handle> {
        let mut handles = Vec::new();
        let tickets = requests.into_iter().map(|(model, request, priority)| {
            let ticket = self.ticket(model, request.into(), priority);
            handles.push(Handle::new(ticket.0.clone(), self.events.clone()));
            ticket
        });
        self.send_all(tickets, Event::Requests);
        handles
    }

    fn ticket(&self, model: &StreamedModel, request: Request, priority: Priority) -> Ticket {
        let id = RequestId(self.next_request.fetch_add(1, Ordering::Relaxed));
        Ticket::new(id, model.0.clone(), request, priority)
    }

    /// Sends values in few events.
    fn send_all<T>(&self, values: impl Iterator<Item = T>, event: fn(Vec<T>) -> Event) {
        let mut values = values.peekable();
        while values.peek().is_some() {
            let mut some = Vec::with_capacity(LARGEST_LOCK_FREE / size_of::<T>());
            some.extend(values.by_ref().take(some.capacity()));
            self.events.send(event(some));
        }
    }

    /// Changes the priorities of many requests at once, such as those of all objects after the camera has moved. The
    /// scheduler is notified a few times, and only of priorities that have changed and of requests that have not ended. Requests of
    /// another streamer get their priorities one by one.
    pub fn set_priorities<'h>(&self, priorities: impl IntoIterator<Item = (&'h Handle, Priority)>) {
        let changed = priorities.into_iter().filter_map(|(handle, priority)| {
            if !handle.events.is_same(&self.events) {
                handle.set_priority(priority);
                return None;
            }
            handle.shared.set_priority(priority)
        });
        self.send_all(changed, Event::Priorities);
    }

    /// Returns the requests that have ended, in the order in which they ended. The iterator ends when `budget` has
    /// passed, but returns at least one request if there are any. It also ends while another thread uses the list: the next
    /// call returns the rest. The loaded parts are taken from the handles.
    pub fn poll_completed(&self, budget: Duration) -> Completions<'_> {
        Completions { streamer: self, started: Instant::now(), budget, is_first: true }
    }

    /// The statistics of the streamer so far.
    pub fn statistics(&self) -> Statistics {
        let [used, kept, memory_peak] = self.pool.usage();
        let probes = self.counters.probes_kept.load(Ordering::Relaxed).min(used);
        Statistics {
            reads: self.counters.reads.load(Ordering::Relaxed),
            bytes_read: self.counters.bytes_read.load(Ordering::Relaxed),
            memory_used: used - probes,
            memory_kept: kept + probes,
            memory_peak,
        }
    }

    /// Ends the streamer and waits for its threads: for decoding and functions of requests that are running. Requests that have
    /// not ended fail with [`Error::Closed`](crate::Error::Closed). Must not be called by such a function.
    pub fn shut_down(mut self) {
        self.events.send(Event::Close);
        if let Some(thread) = self.thread.take() {
            // The scheduler does not panic.
            let _ = thread.join();
        }
    }
}

impl Drop for Streamer {
    fn drop(&mut self) {
        // The scheduler has ended already if it does not receive this.
        self.events.send(Event::Close);
    }
}

debug_fields!(self, Streamer { statistics: self.statistics() });

/// An iterator over ended requests: see [`Streamer::poll_completed`].
#[derive(Debug)]
pub struct Completions<'s> {
    streamer: &'s Streamer,
    started: Instant,
    budget: Duration,
    is_first: bool,
}

impl Iterator for Completions<'_> {
    type Item = Completed;

    fn next(&mut self) -> Option<Completed> {
        if !std::mem::take(&mut self.is_first) && self.started.elapsed() >= self.budget {
            return None;
        }
        try_lock(&self.streamer.completed)?.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;
    use crate::backend::Read;
    use crate::sync::waits;

    /// A file in memory.
    struct File(Vec<u8>);

    impl Backend for File {
        fn begin(&self, read: Read) {
            let range = read.range().start as usize..read.range().end as usize;
            let range = range.start.min(self.0.len())..range.end.min(self.0.len());
            read.finish_with(self.0[range].to_vec().into(), self.0.len() as u64, None);
        }
    }

    /// The calls in one frame: a moving camera changes priorities, one request is no longer needed, and loaded parts are
    /// used and dropped. Returns their number.
    fn frame(streamer: &Streamer, model: &StreamedModel, handles: &mut Vec<Handle>, number: i32) -> usize {
        let part = |number: i32| Part::Frame { mesh: 0, frame: number.rem_euclid(4) as u32 };
        for index in 0..8 {
            handles.push(streamer.request(model, part(number + index), Priority(index)));
        }
        for (index, handle) in (0..).zip(&*handles) {
            handle.set_priority(Priority(index * number));
        }
        streamer.set_priorities(handles.iter().map(|handle| (handle, Priority(number))));
        drop(handles.pop());
        let _ = (streamer.poll_completed(Duration::MAX).count(), streamer.statistics());
        let before = handles.len();
        handles.retain_mut(|handle| handle.take().is_none_or(|outcome| outcome.is_err()));
        before - handles.len()
    }

    #[test]
    fn the_calls_of_a_frame_take_no_lock() {
        let streamer = Streamer::new(StreamerOptions::default()).unwrap();
        let bytes = meshlens::md3::write::sample(&[8.0, 9.0, 10.0, 11.0]).unwrap();
        let model = streamer.open(Arc::new(File(bytes)), ["a"]);
        let (mut handles, mut loaded) = (Vec::new(), 0);
        for number in 0..100 {
            let before = waits::of_this_thread();
            loaded += frame(&streamer, &model, &mut handles, number);
            assert_eq!(waits::of_this_thread(), before, "frame {number}");
            // `wait` is counted, so the number above can change.
            assert!(streamer.request(&model, Part::Bounds, Priority::NORMAL).wait().is_ok());
            assert_ne!(waits::of_this_thread(), before);
        }
        loaded += handles.into_iter().filter_map(|handle| handle.wait().ok()).count();
        assert_eq!(loaded, 100 * 7, "eight requests in each frame, and one of them is dropped");
    }
}
