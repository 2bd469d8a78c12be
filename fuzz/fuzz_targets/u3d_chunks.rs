//! The chunk walker.
#![no_main]

meshlens_fuzz::target!(u3d_chunks);
