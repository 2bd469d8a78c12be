//! Calls of the C interface in arbitrary order, with arbitrary arguments.
#![no_main]

meshlens_fuzz::target!(capi);
