//! Bytes in, output, archives.

mod archive;
mod directory;
mod entries;
#[cfg(feature = "folder")]
mod folder;
mod output;
mod source;
