//! Parses an Ultimate 3D model and reads its records and arrays, without checks.
#![no_main]

meshlens_fuzz::target!(u3d_walk, Some(meshlens_mutate::Kind::U3d));
