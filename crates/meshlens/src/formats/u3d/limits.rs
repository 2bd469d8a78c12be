//! Limits on numbers that the size of a file does not bound.

use meshlens_wire::{Error, ErrorKind, Result};

/// The largest number of transforms of all joints in all frames: the number of frames is not bounded by bytes of the
/// file.
pub(super) const MAX_TRANSFORMS: u64 = 1 << 22;
/// The largest number of keys to search for all frames, if keys are not sorted.
pub(super) const MAX_LOOKS: u64 = 1 << 26;
/// The largest number of bind matrices of all meshes: each mesh has one for each joint.
pub(super) const MAX_BINDS: u64 = 1 << 16;

/// An error if `found` is above `limit`.
pub(super) fn limit(what: &'static str, limit: u64, found: u64) -> Result<()> {
    if found <= limit {
        return Ok(());
    }
    Err(Error::new(meshlens_u3d::FORMAT, 0, ErrorKind::Limit { what, limit, found }))
}
