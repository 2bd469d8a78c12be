//! The memory for the bytes of files: one budget for the process.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use meshlens_assets::DEFAULT_MAX_FILE_BYTES;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The memory. It is enough for the largest file that is read, which is then the only one.
pub(crate) const MEMORY: u64 = DEFAULT_MAX_FILE_BYTES;
/// The number of bytes that are counted together.
const UNIT: u64 = 1 << 10;

/// The memory of all files.
pub(crate) struct Memory(Arc<Semaphore>);

/// The memory of one file and the files beside it. It is free when all clones are dropped.
#[derive(Clone)]
pub(crate) struct Share {
    memory: Arc<Semaphore>,
    held: Arc<Mutex<OwnedSemaphorePermit>>,
}

/// Other files hold the memory that a file needs. Who gets this error frees the share and waits for this number of bytes,
/// because files that wait for each other would wait for ever.
#[derive(Debug)]
pub(crate) struct Short(pub(crate) u64);

fn units(bytes: u64) -> u32 {
    u32::try_from(bytes.min(MEMORY).div_ceil(UNIT)).unwrap_or(u32::MAX)
}

impl Memory {
    pub(crate) fn new() -> Memory {
        Memory(Arc::new(Semaphore::new(units(MEMORY) as usize)))
    }

    /// Waits until this many bytes are free, at most [`MEMORY`]. The first one to wait is served first.
    pub(crate) async fn wait(&self, bytes: u64) -> Share {
        let memory = self.0.clone();
        let held = memory.clone().acquire_many_owned(units(bytes)).await;
        let held = held.unwrap_or_else(|_| unreachable!("the semaphore is never closed"));
        Share { memory, held: Arc::new(Mutex::new(held)) }
    }
}

impl Share {
    /// Takes more memory, up to this many bytes in all. Does not wait.
    pub(crate) fn grow(&self, bytes: u64) -> Result<(), Short> {
        let mut held = self.held();
        let more = units(bytes).saturating_sub(units_of(&held));
        let more = self.memory.clone().try_acquire_many_owned(more).map_err(|_| Short(bytes))?;
        held.merge(more);
        Ok(())
    }

    /// Frees all but this many bytes.
    pub(crate) fn shrink(&self, bytes: u64) {
        let mut held = self.held();
        let fewer = units_of(&held).saturating_sub(units(bytes));
        drop(held.split(fewer as usize));
    }

    fn held(&self) -> MutexGuard<'_, OwnedSemaphorePermit> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn units_of(held: &OwnedSemaphorePermit) -> u32 {
    u32::try_from(held.num_permits()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_grows_as_far_as_others_leave_memory() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let memory = Memory::new();
        let one = runtime.block_on(memory.wait(1));
        let two = runtime.block_on(memory.wait(MEMORY / 2));
        assert!(one.grow(MEMORY / 2).is_ok() && one.grow(MEMORY / 2 + UNIT).is_err());
        assert_eq!(two.grow(MEMORY).unwrap_err().0, MEMORY);
        one.shrink(UNIT);
        assert!(two.grow(MEMORY - UNIT).is_ok() && one.grow(2 * UNIT).is_err());
        drop(two);
        assert!(one.grow(MEMORY).is_ok());
        drop(one);
        runtime.block_on(memory.wait(u64::MAX));
    }
}
