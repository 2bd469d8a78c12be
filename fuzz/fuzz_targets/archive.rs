//! Archives: listing, finding and reading every entry.
#![no_main]

meshlens_fuzz::target!(archive);
