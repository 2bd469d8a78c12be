//! Files that are mended.
#![no_main]

meshlens_fuzz::target!(fix, None);
