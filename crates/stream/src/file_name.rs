//! The names of files.

/// The name by which a backend knows a file: a path, the name of an entry, a key. Clones share the text.
pub type FileName = std::sync::Arc<str>;
