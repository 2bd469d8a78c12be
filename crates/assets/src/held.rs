//! Bytes whose memory is reserved from a budget until they are dropped.

use bytes::Bytes;
use meshlens::wire::Reservation;

struct ReservedBytes<T> {
    bytes: T,
    _memory: Reservation,
}

impl<T: AsRef<[u8]>> AsRef<[u8]> for ReservedBytes<T> {
    fn as_ref(&self) -> &[u8] {
        self.bytes.as_ref()
    }
}

/// Bytes that release their memory with their last clone.
pub(crate) fn hold(bytes: impl AsRef<[u8]> + Send + 'static, memory: Reservation) -> Bytes {
    Bytes::from_owner(ReservedBytes { bytes, _memory: memory })
}
