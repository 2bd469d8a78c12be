//! Version 2.0: chunks inside chunks.

use meshlens_wire::{Chunk, Chunks, Cursor, Data, ErrorKind, Magic, Result};

/// A cursor at the start of a chunk's body, which ends with it.
pub(super) fn body<'a>(data: Data<'a>, chunk: &Chunk<'_>) -> Result<Cursor<'a>> {
    Cursor::at(data.within(chunk.end()), chunk.body().offset())
}

/// The one chunk inside `chunk` that begins at the cursor, which steps over it.
pub(super) fn nested<'a>(
    cursor: &mut Cursor<'a>,
    chunks: &Chunks<'a>,
    chunk: &Chunk<'a>,
    identifier: &'static str,
) -> Result<Chunk<'a>> {
    let data = cursor.data();
    let offset = cursor.offset();
    let mut inside = chunks.inside(chunk, offset)?;
    let Some(found) = inside.next() else { return Err(data.out_of_bounds(offset, identifier, 1, 1)) };
    let found = found?;
    if found.identifier() != identifier {
        let magic = Magic::new(found.identifier().as_bytes());
        return Err(data.error(offset, ErrorKind::Magic { expected: identifier, found: magic }));
    }
    *cursor = Cursor::at(data, found.end())?;
    Ok(found)
}
