//! Parses a UNIGINE mesh and reads its records and arrays, without checks.
#![no_main]

meshlens_fuzz::target!(unigine_mesh_walk, Some(meshlens_mutate::Kind::UnigineMesh));
