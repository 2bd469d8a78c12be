//! The C library as a shared library, for tests that are written in C.

pub use meshlens_capi::*;
