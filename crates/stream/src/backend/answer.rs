//! The answer of a read, and what receives it.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::Result;
use crate::probe::Stepped;
use crate::slab::Key;

/// A value that identifies the state of a file at its first read, by which a backend detects changes. Only the backend
/// knows its type.
pub type Version = Arc<dyn Any + Send + Sync>;

/// The bytes of a finished read.
#[derive(Clone)]
#[non_exhaustive]
pub struct Answer {
    /// The requested bytes. They are fewer only if the file ends before the range does.
    pub bytes: Bytes,
    /// The length of the whole file.
    pub file_len: u64,
    /// The version of the file.
    pub version: Option<Version>,
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answer({} of {} bytes)", self.bytes.len(), self.file_len)
    }
}

/// Receives the answers of the reads of a streamer.
pub(crate) trait Receive: Send + Sync {
    /// The answer of a read, and the probe that has taken its first step with it.
    fn receive(&self, read: Key, stepped: Option<Stepped>, answer: Result<Answer>);
}
