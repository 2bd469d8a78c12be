//! Parses an MD3 model and reads its records and arrays, without checks.
#![no_main]

meshlens_fuzz::target!(md3_walk, Some(meshlens_mutate::Kind::Md3));
