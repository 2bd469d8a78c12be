//! One read: the request to a backend, and the answer.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;

use super::{Answer, Mark, Version};
use crate::pool::{Buffer, Charge};
use crate::scheduler::Reply;
use crate::{Error, FileName, Priority, Result};

/// What receives the answer.
pub(crate) enum Done {
    Function(Box<dyn FnOnce(Result<Answer>) + Send>),
    Reply(Reply),
}

impl Done {
    fn call(self, answer: Result<Answer>) {
        match self {
            Done::Function(function) => function(answer),
            Done::Reply(reply) => reply.send(answer),
        }
    }
}

/// The memory of a read with a budget.
pub(crate) enum ReadMemory {
    Reserved(Charge),
    /// A buffer with this number of known bytes before the range.
    Begun(Buffer, usize),
}

impl ReadMemory {
    pub(crate) const fn before(&self) -> usize {
        match self {
            ReadMemory::Reserved(_) => 0,
            ReadMemory::Begun(_, before) => *before,
        }
    }
}

/// A read that a backend has to answer. Dropping it without an answer is an error for the request.
pub struct Read {
    file: FileName,
    range: Range<u64>,
    version: Option<Version>,
    priority: Priority,
    /// The number of bytes before the range that are in the buffer already. The answer begins with them.
    before: usize,
    buffer: Option<Buffer>,
    charge: Option<Charge>,
    mark: Mark,
    done: Option<Done>,
}

impl Read {
    /// Makes a read that calls `done` with the answer.
    pub fn new(
        file: FileName,
        range: Range<u64>,
        done: impl FnOnce(Result<Answer>) + Send + 'static,
    ) -> Self {
        Self::marked(file, range, Mark::Flag(Arc::default()), Done::Function(Box::new(done)))
    }

    /// Makes a read that is no longer needed when it is marked as cancelled.
    pub(crate) fn marked(file: FileName, range: Range<u64>, mark: Mark, done: Done) -> Self {
        let (priority, done) = (Priority::NORMAL, Some(done));
        let range = range.start..range.end.max(range.start);
        Read { file, range, version: None, priority, before: 0, buffer: None, charge: None, mark, done }
    }

    /// Sets the version of the file, which is known from an earlier [`Answer`].
    #[must_use]
    pub fn of_version(self, version: Version) -> Self {
        self.with_version(Some(version))
    }

    /// Like [`of_version`](Self::of_version), if there was an earlier answer.
    pub(crate) fn with_version(mut self, version: Option<Version>) -> Self {
        self.version = version;
        self
    }

    /// The same read of a file with a known version, with its priority and its memory.
    pub(crate) fn prepared(
        mut self,
        version: Option<Version>,
        priority: Priority,
        memory: ReadMemory,
    ) -> Self {
        (self.version, self.priority) = (version, priority);
        match memory {
            ReadMemory::Reserved(charge) => self.charge = Some(charge),
            ReadMemory::Begun(buffer, before) => (self.buffer, self.before) = (Some(buffer), before),
        }
        self
    }

    /// The file.
    pub fn file(&self) -> &FileName {
        &self.file
    }

    /// The requested range. Its end may be after the end of the file.
    pub fn range(&self) -> Range<u64> {
        self.range.clone()
    }

    /// The version of the file at its first read; `None` in the first read.
    pub fn version(&self) -> Option<&Version> {
        self.version.as_ref()
    }

    /// The priority of the request at the time when the read started. The streamer starts reads in order of priority. A
    /// backend that queues reads should process them in the same order. The value does not change if the priority of
    /// the request changes later.
    pub fn priority(&self) -> Priority {
        self.priority
    }

    /// Whether the bytes are no longer needed. A backend may then [fail](Self::fail) or drop the read.
    pub fn is_cancelled(&self) -> bool {
        self.mark.is_set()
    }

    /// The mark that [`is_cancelled`](Self::is_cancelled) looks at.
    #[cfg(feature = "object-store")]
    pub(crate) fn cancel_mark(&self) -> Mark {
        self.mark.clone()
    }

    /// Ends the range at the end of the file, so that the buffer is not longer than the file.
    pub(crate) fn clamp(&mut self, file_len: u64) {
        self.range.end = self.range.end.min(file_len).max(self.range.start);
    }

    fn len(&self) -> usize {
        usize::try_from(self.range.end.saturating_sub(self.range.start)).unwrap_or(usize::MAX)
    }

    /// A buffer to read into, as long as the range, with arbitrary content. Allocated by the first call. Ranges from a
    /// streamer are limited by its memory budget; the range of [`Backend::read`](super::Backend::read) can be of any
    /// length, such as `0..u64::MAX` for a whole file: use [`try_buffer`](Self::try_buffer) for it.
    ///
    /// # Panics
    ///
    /// The system does not provide the memory.
    pub fn buffer(&mut self) -> &mut [u8] {
        match self.try_buffer() {
            Ok(buffer) => buffer,
            Err(error) => panic!("{error}"),
        }
    }

    /// Like [`buffer`](Self::buffer), for a range whose length a file or a server decides.
    ///
    /// # Errors
    ///
    /// [`Error::NoMemory`] if the system does not provide the memory.
    pub fn try_buffer(&mut self) -> Result<&mut [u8]> {
        if self.buffer.is_none() {
            let len = self.len();
            let buffer = match self.charge.take() {
                Some(charge) => charge.try_into_buffer(len),
                None => Buffer::try_unpooled(len),
            };
            let no_memory = || Error::NoMemory { file: self.file.clone(), bytes: len as u64 };
            self.buffer = Some(buffer.ok_or_else(no_memory)?);
        }
        let all = self.buffer.as_mut().map(AsMut::as_mut).unwrap_or_default();
        Ok(all.get_mut(self.before..).unwrap_or_default())
    }

    /// Whether a memory budget limits the length of the range.
    #[cfg(feature = "object-store")]
    pub(crate) fn is_budgeted(&self) -> bool {
        self.charge.is_some() || self.buffer.is_some()
    }

    /// Sets the [buffer](Self::buffer) of a read that no budget limits.
    #[cfg(feature = "object-store")]
    pub(crate) fn set_buffer(&mut self, bytes: Vec<u8>) {
        self.buffer = Some(Buffer::of(bytes));
    }

    /// Answers the read with the first `len` bytes of the [buffer](Self::buffer).
    pub fn finish(mut self, len: usize, file_len: u64, version: Option<Version>) {
        let bytes = match self.buffer.take() {
            Some(mut buffer) => {
                buffer.truncate(self.before.saturating_add(len));
                Bytes::from_owner(buffer)
            }
            None => Bytes::new(),
        };
        self.answer(bytes, file_len, version);
    }

    /// Answers the read with other bytes.
    pub fn finish_with(mut self, bytes: Bytes, file_len: u64, version: Option<Version>) {
        if self.before > 0 {
            return match self.try_buffer().map(|buffer| buffer.get_mut(..bytes.len())) {
                Ok(Some(buffer)) => {
                    buffer.copy_from_slice(&bytes);
                    self.finish(bytes.len(), file_len, version);
                }
                Ok(None) => {
                    let (wanted, found) = (self.len() as u64, bytes.len() as u64);
                    let (file, offset) = (self.file.clone(), self.range.start);
                    self.fail(Error::Length { file, offset, wanted, found });
                }
                Err(error) => self.fail(error),
            };
        }
        let bytes = match self.charge.take() {
            Some(charge) => Bytes::from_owner(charge.around(bytes)),
            None => bytes,
        };
        self.answer(bytes, file_len, version);
    }

    fn answer(&mut self, bytes: Bytes, file_len: u64, version: Option<Version>) {
        let end = self.range.end.min(file_len);
        let found = bytes.len().saturating_sub(self.before) as u64;
        let wanted = end.saturating_sub(self.range.start);
        let answer = if wanted == found {
            Ok(Answer { bytes, file_len, version })
        } else {
            Err(Error::Length { file: self.file.clone(), offset: self.range.start, wanted, found })
        };
        if let Some(done) = self.done.take() {
            done.call(answer);
        }
    }

    /// Answers the read with an error.
    pub fn fail(mut self, error: Error) {
        if let Some(done) = self.done.take() {
            done.call(Err(error));
        }
    }

    /// Answers the read with the error of a file that cannot be read; see [`Error::read`].
    pub fn fail_with(self, reason: &(dyn std::error::Error + 'static)) {
        let error = Error::read(&self.file, reason);
        self.fail(error);
    }
}

impl Drop for Read {
    fn drop(&mut self) {
        if let Some(done) = self.done.take() {
            done.call(Err(if std::thread::panicking() {
                Error::Panicked { what: "a backend", message: format!("while it read {}", self.file).into() }
            } else if self.is_cancelled() {
                Error::Cancelled
            } else {
                Error::NoAnswer { file: self.file.clone() }
            }));
        }
    }
}

debug_fields!(self, Read { file: self.file, range: self.range });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Backend;
    use crate::sync::channel;

    struct Lazy;

    impl Backend for Lazy {
        fn begin(&self, read: Read) {
            drop(read);
        }
    }

    struct Echo;

    impl Backend for Echo {
        fn begin(&self, read: Read) {
            let len = read.file().parse().unwrap();
            read.finish_with(Bytes::from(vec![1; len]), 10, None);
        }
    }

    #[test]
    fn a_dropped_read_fails() {
        let error = Lazy.read("a".into(), 0..4).unwrap_err();
        assert_eq!(error.to_string(), "a: the backend gave no answer");
    }

    #[test]
    fn an_answer_of_another_length_is_an_error() {
        assert_eq!(Echo.read("4".into(), 2..6).unwrap().bytes.len(), 4);
        assert_eq!(Echo.read("2".into(), 8..20).unwrap().bytes.len(), 2, "the end of the file");
        assert_eq!(Echo.read("0".into(), 18..20).unwrap().bytes.len(), 0);
        for (file, range) in [("3", 2..6), ("5", 2..6), ("3", 8..20)] {
            let error = Echo.read(file.into(), range).unwrap_err();
            assert!(matches!(error, Error::Length { .. }), "{error}");
        }
        let error = Echo.read("3".into(), 2..6).unwrap_err();
        assert_eq!(error.to_string(), "3: 3 bytes came for the 4 bytes at 0x2");
    }

    #[test]
    fn the_buffer_has_the_length_of_the_range() {
        let (sender, mut receiver) = channel();
        let mut read = Read::new("a".into(), 5..9, move |answer| sender.send(answer));
        read.buffer().copy_from_slice(&[1, 2, 3, 4]);
        read.finish(3, 8, None);
        assert_eq!(&receiver.recv().unwrap().unwrap().bytes[..], [1, 2, 3]);
    }
}
