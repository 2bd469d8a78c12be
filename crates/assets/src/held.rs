//! Bytes whose memory is reserved from a budget until they are dropped.

use bytes::Bytes;

struct ReservedBytes<T, M> {
    bytes: T,
    _memory: M,
}

impl<T: AsRef<[u8]>, M> AsRef<[u8]> for ReservedBytes<T, M> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// Bytes that release their memory, which is a [`Reservation`](meshlens::wire::Reservation) or shares one, with their last clone.
pub(crate) fn hold(bytes: impl AsRef<[u8]> + Send + 'static, memory: impl Send + 'static) -> Bytes {
    Bytes::from_owner(ReservedBytes { bytes, _memory: memory })
}
