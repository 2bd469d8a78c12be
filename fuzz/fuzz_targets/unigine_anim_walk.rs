//! Parses a UNIGINE animation and reads its records and arrays, without checks.
#![no_main]

meshlens_fuzz::target!(unigine_anim_walk, Some(meshlens_mutate::Kind::UnigineAnim));
