//! Models of every format, and ways to read them.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use meshlens_stream::backend::{Backend, Description, Read};
use meshlens_stream::{
    Error, FileName, Handle, Outcome, Part, Plan, Priority, Probe, ProbeOptions, Step, Streamer,
};
use meshlens_testkit::corpus;

/// The time that a test waits for an event. It only ends tests that fail, so it is long enough for a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// The models of the corpus that need no password: a name, and one file or the two files of a pair.
pub(crate) fn models() -> Vec<(String, Vec<Vec<u8>>)> {
    let files = corpus::with_extension(&[".md3", ".u3d", ".umsh", ".mesh", ".anim"]).into_iter();
    let single =
        files.filter(|(name, _)| !name.ends_with("_aes.u3d")).map(|(name, bytes)| (name, vec![bytes]));
    let pairs = corpus::unreal_pairs().into_iter();
    let pairs = pairs.map(|(name, geometry, frames)| (name, vec![geometry, frames]));
    single.chain(pairs).collect()
}

/// A file of the corpus.
pub(crate) fn file(name: &str) -> Vec<u8> {
    let found = corpus::files().into_iter().find(|(path, _)| path.ends_with(name));
    found.unwrap_or_else(|| panic!("{name} is in the corpus")).1
}

/// Slices of owned files.
pub(crate) fn slices(files: &[Vec<u8>]) -> Vec<&[u8]> {
    files.iter().map(Vec::as_slice).collect()
}

/// The bytes of a range.
pub(crate) fn cut(bytes: &[u8], range: Range<u64>) -> Vec<u8> {
    bytes[range.start as usize..range.end as usize].to_vec()
}

/// Probes files and feeds the requested bytes to the probe. Also returns the number of rounds and of bytes that were
/// read.
pub(crate) fn probe(files: &[Vec<u8>], options: ProbeOptions) -> (meshlens::Result<Plan>, u32, u64) {
    let lens: Vec<u64> = files.iter().map(|file| file.len() as u64).collect();
    let mut probe = Probe::new(&lens, options);
    loop {
        match probe.step() {
            Ok(Step::Plan(plan)) => return (Ok(plan), probe.rounds(), probe.bytes()),
            Ok(Step::Wants(wanted)) => {
                for range in wanted {
                    probe.feed(range.file, range.start, cut(&files[range.file], range.range()));
                }
            }
            Err(error) => return (Err(error), probe.rounds(), probe.bytes()),
        }
    }
}

/// Files in memory. Reads are answered when the test requests it.
#[derive(Default)]
pub(crate) struct Manual {
    files: HashMap<String, Vec<u8>>,
    state: Mutex<Begun>,
    begun: Condvar,
    max_reads: usize,
}

#[derive(Default)]
struct Begun {
    pending: Vec<Read>,
    /// Every read so far.
    log: Vec<(String, Range<u64>)>,
}

impl Manual {
    pub(crate) fn new(files: &[(&str, &[u8])], max_reads: usize) -> Arc<Manual> {
        let files = files.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect();
        Arc::new(Manual { files, max_reads, ..Manual::default() })
    }

    /// Waits until this many reads have begun, and returns them.
    pub(crate) fn wait(&self, count: usize) -> Vec<(String, Range<u64>)> {
        let mut state = self.state.lock().unwrap();
        while state.log.len() < count {
            let (next, timeout) = self.begun.wait_timeout(state, PATIENCE).unwrap();
            assert!(!timeout.timed_out(), "{count} reads are expected, not {:?}", next.log);
            state = next;
        }
        state.log.clone()
    }

    /// The names of the files of the reads so far.
    pub(crate) fn names(&self) -> Vec<String> {
        self.state.lock().unwrap().log.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Takes the oldest read that has not been answered.
    pub(crate) fn take(&self) -> Option<Read> {
        let mut state = self.state.lock().unwrap();
        (!state.pending.is_empty()).then(|| state.pending.remove(0))
    }

    /// Answers the oldest read.
    pub(crate) fn answer(&self) {
        let read = self.take().expect("a read");
        self.answer_to(read);
    }

    pub(crate) fn answer_to(&self, read: Read) {
        answer(read, &self.files);
    }

    /// Answers all reads of a round at once, until `done` returns true. Returns the number of rounds.
    pub(crate) fn rounds(&self, streamer: &Streamer, mut done: impl FnMut() -> bool) -> usize {
        let (started, mut rounds) = (Instant::now(), 0);
        while !done() {
            assert!(started.elapsed() < PATIENCE, "nothing gets on");
            if self.state.lock().unwrap().pending.is_empty() {
                std::thread::yield_now();
                continue;
            }
            // The streamer begins all reads of a round before it handles anything else.
            noted(streamer);
            rounds += 1;
            let reads = std::mem::take(&mut self.state.lock().unwrap().pending);
            reads.into_iter().for_each(|read| self.answer_to(read));
        }
        rounds
    }

    /// Answers every read until `done` returns true.
    pub(crate) fn serve(&self, mut done: impl FnMut() -> bool) {
        let started = Instant::now();
        while !done() {
            assert!(started.elapsed() < PATIENCE, "nothing gets on");
            match self.take() {
                Some(read) => self.answer_to(read),
                None => std::thread::yield_now(),
            }
        }
    }
}

/// Answers a read from files in memory.
pub(crate) fn answer(mut read: Read, files: &HashMap<String, Vec<u8>>) {
    let Some(file) = files.get(&**read.file()) else {
        let missing = std::io::Error::new(std::io::ErrorKind::NotFound, "no such file");
        let error = Error::read(read.file(), &missing);
        return read.fail(error);
    };
    let range = read.range();
    let start = (range.start as usize).min(file.len());
    let end = (range.end as usize).min(file.len());
    let len = end - start;
    read.buffer()[..len].copy_from_slice(&file[start..end]);
    read.finish(len, file.len() as u64, None);
}

impl Backend for Manual {
    fn begin(&self, read: Read) {
        let mut state = self.state.lock().unwrap();
        state.log.push((read.file().to_string(), read.range()));
        state.pending.push(read);
        self.begun.notify_all();
    }

    fn max_reads(&self) -> usize {
        self.max_reads
    }
}

/// Files in memory, whose reads are answered at once.
pub(crate) struct Memory(pub(crate) HashMap<String, Vec<u8>>);

impl Memory {
    pub(crate) fn new(files: &[(&str, &[u8])]) -> Arc<Memory> {
        Arc::new(Memory(files.iter().map(|(name, bytes)| (name.to_string(), bytes.to_vec())).collect()))
    }
}

impl Backend for Memory {
    fn begin(&self, read: Read) {
        answer(read, &self.0);
    }
}

/// A backend that delays every read until the test allows it.
pub(crate) struct Held<B> {
    backend: B,
    /// `None` once reads are passed on.
    reads: Mutex<Option<Vec<Read>>>,
}

impl<B: Backend> Held<B> {
    pub(crate) fn new(backend: B) -> Arc<Held<B>> {
        Arc::new(Held { backend, reads: Mutex::new(Some(Vec::new())) })
    }

    pub(crate) fn release(&self) {
        let reads = self.reads.lock().unwrap().take();
        reads.into_iter().flatten().for_each(|read| self.backend.begin(read));
    }
}

impl<B: Backend> Backend for Held<B> {
    fn begin(&self, read: Read) {
        match &mut *self.reads.lock().unwrap() {
            Some(reads) => reads.push(read),
            None => self.backend.begin(read),
        }
    }

    fn max_reads(&self) -> usize {
        self.backend.max_reads()
    }

    fn describe(&self, file: &FileName) -> Description {
        self.backend.describe(file)
    }
}

/// Waits until a streamer has handled every request so far and every change of a request. It handles them in order, so
/// it is enough that a later request has ended.
pub(crate) fn noted(streamer: &Streamer) {
    let nothing = streamer.open(Memory::new(&[]), Vec::<&str>::new());
    assert!(wait(streamer.request(&nothing, Part::Whole, Priority::HIGHEST)).is_err());
}

/// Waits for the outcome of a request, for a limited time.
pub(crate) fn wait(handle: Handle) -> Outcome {
    let (sender, receiver) = std::sync::mpsc::channel();
    std::thread::spawn(move || sender.send(handle.wait()).is_ok());
    receiver.recv_timeout(PATIENCE).expect("the request ends")
}

/// Waits until a condition holds, for a limited time.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let started = Instant::now();
    while !holds() {
        assert!(started.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
