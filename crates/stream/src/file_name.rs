//! The names of files.

/// The name of a file in a backend: a path, the name of an entry, or a key. Clones share the text.
pub type FileName = std::sync::Arc<str>;
