//! Ranges of remote objects that are kept in a folder.
#![no_main]

meshlens_fuzz::target!(range_cache);
