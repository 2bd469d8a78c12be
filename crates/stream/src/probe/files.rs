//! The bytes that a probe has.

use bytes::Bytes;

use crate::Few;
use crate::pieces::FilePieces;

/// The files of a probe, and the bytes of answers in them that it has instead of copies. Their memory is charged until they are
/// dropped.
#[derive(Default)]
pub(crate) struct ProbeFiles {
    pub(crate) pieces: Few<FilePieces>,
    held_bytes: u64,
    held_memory: usize,
}

impl ProbeFiles {
    /// Files of these lengths, without bytes.
    pub(crate) fn new(lens: &[u64]) -> Self {
        ProbeFiles::from(lens.iter().map(|len| FilePieces::new(*len)).collect::<Few<_>>())
    }

    /// Adds the bytes of the answer to a read of a whole file, without a copy, unless it has them. `memory` is what they are charged.
    pub(crate) fn hold(&mut self, file: usize, bytes: Bytes, memory: usize) {
        if let Some(pieces) = self.pieces.get_mut(file).filter(|pieces| pieces.len() < pieces.file_len()) {
            self.held_bytes = self.held_bytes.saturating_add(bytes.len() as u64);
            self.held_memory = self.held_memory.saturating_add(memory);
            // In place of copies, to which they would be joined by another copy.
            *pieces = FilePieces::new(pieces.file_len());
            pieces.insert(0, bytes);
        }
    }

    /// The memory of the bytes that are [held](Self::hold).
    pub(crate) const fn held_memory(&self) -> usize {
        self.held_memory
    }

    /// Whether every byte is [held](Self::hold).
    pub(crate) fn holds_all(&self) -> bool {
        self.len() == self.held_bytes
    }

    /// The length of all files.
    pub(crate) fn len(&self) -> u64 {
        self.pieces.iter().map(FilePieces::file_len).fold(0, u64::saturating_add)
    }
}

impl From<Few<FilePieces>> for ProbeFiles {
    fn from(pieces: Few<FilePieces>) -> Self {
        ProbeFiles { pieces, held_bytes: 0, held_memory: 0 }
    }
}
