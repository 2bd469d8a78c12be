//! Bytes in, output, archives.

mod archive;
mod output;
mod source;
