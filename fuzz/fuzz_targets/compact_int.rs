//! A compact integer, read, written and read again.
#![no_main]

meshlens_fuzz::target!(compact_int);
