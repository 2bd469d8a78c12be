//! Bytes in, output, archives.

mod archive;
mod directory;
mod output;
mod source;
