//! The parser and writer of .skin files.
#![no_main]

meshlens_fuzz::target!(skin);
