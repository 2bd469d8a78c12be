//! Compact integers: reads, writes and reads one again.
#![no_main]

meshlens_fuzz::target!(compact_int);
