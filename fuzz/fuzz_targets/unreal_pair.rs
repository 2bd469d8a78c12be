//! Every getter, lens, validator, dump and rewrite of an Unreal mesh: both of its files, the geometry first.
#![no_main]

meshlens_fuzz::target!(unreal_pair, Some(meshlens_mutate::Kind::Unreal));
