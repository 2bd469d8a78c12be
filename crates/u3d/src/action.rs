//! Actions: named ranges of frames.

use meshlens_wire::{Cursor, Name, Result};

/// A named range of frames (Ultimate 3D 2.0: The action range chunk).
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Action<'a> {
    /// The absolute offset of the record.
    pub offset: u64,
    /// The action's name.
    pub name: Name<'a>,
    /// The first frame.
    pub first: u32,
    /// The last frame, inclusive.
    pub last: u32,
}

impl<'a> Action<'a> {
    pub(crate) fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let offset = cursor.offset();
        let name = cursor.nul_terminated("action name")?;
        Ok(Action { offset, name, first: cursor.u32("first frame")?, last: cursor.u32("last frame")? })
    }
}
