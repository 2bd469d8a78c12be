//! Memory that counts against a budget, and its release after the last owner drops it.

use std::fmt;

use bytes::Bytes;

use super::Charge;

/// Memory of a pool, which is returned on drop.
pub(crate) struct Buffer {
    pub(super) data: Vec<u8>,
    pub(super) len: usize,
    pub(super) charge: Option<Charge>,
}

impl Buffer {
    /// Memory outside any pool; `None` if the system does not provide it.
    pub(crate) fn try_unpooled(len: usize) -> Option<Self> {
        Some(Buffer { data: zeros(len)?, len, charge: None })
    }

    /// Bytes outside any pool.
    #[cfg(feature = "object-store")]
    pub(crate) const fn of(data: Vec<u8>) -> Self {
        let len = data.len();
        Buffer { data, len, charge: None }
    }

    /// Keeps the first `len` bytes, or all if there are fewer.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}

/// `len` zeros; `None` if the system does not provide the memory.
pub(super) fn zeros(len: usize) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    data.try_reserve_exact(len).ok()?;
    data.resize(len, 0);
    Some(data)
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self.data.get(..self.len).unwrap_or_default()
    }
}

impl AsMut<[u8]> for Buffer {
    fn as_mut(&mut self) -> &mut [u8] {
        self.data.get_mut(..self.len).unwrap_or_default()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Some(mut charge) = self.charge.take() {
            let bytes = std::mem::take(&mut charge.bytes);
            charge.pool.release_soon(bytes, std::mem::take(&mut self.data));
        }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({})", self.len)
    }
}

/// Memory without an owner. Dropping it frees it, or keeps it for reuse. The last owner does not do that, because it may
/// be a thread that must not wait for the lock or for the system.
pub(crate) struct Dropped {
    pub(super) memory: Owned,
    pub(super) charge: Charge,
}

pub(super) enum Owned {
    Buffer(Vec<u8>),
    Bytes(Bytes),
}

impl Drop for Dropped {
    fn drop(&mut self) {
        match &mut self.memory {
            Owned::Buffer(buffer) => {
                let bytes = std::mem::take(&mut self.charge.bytes);
                self.charge.pool.release(bytes, Some(std::mem::take(buffer)));
            }
            // The bytes are dropped before their charge.
            Owned::Bytes(bytes) => drop(std::mem::take(bytes)),
        }
    }
}

/// Bytes in other memory that count against a budget.
pub(crate) struct Charged {
    pub(super) bytes: Bytes,
    pub(super) charge: Option<Charge>,
}

impl AsRef<[u8]> for Charged {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Charged {
    fn drop(&mut self) {
        if let Some(charge) = self.charge.take() {
            let pool = charge.pool.clone();
            let memory = Owned::Bytes(std::mem::take(&mut self.bytes));
            pool.free(Dropped { memory, charge });
        }
    }
}
