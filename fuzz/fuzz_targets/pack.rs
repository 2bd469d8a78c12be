//! Packs of files with any names.
#![no_main]

meshlens_fuzz::target!(pack);
