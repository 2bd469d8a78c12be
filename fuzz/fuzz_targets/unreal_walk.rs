//! Parses a pair of Unreal files and reads its records and arrays, without checks.
#![no_main]

meshlens_fuzz::target!(unreal_walk, Some(meshlens_mutate::Kind::Unreal));
