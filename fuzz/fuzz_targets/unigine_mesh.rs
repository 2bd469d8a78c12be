//! Every getter, lens, validator, dump and rewrite of a UNIGINE mesh, welded, animated and skinned.
#![no_main]

meshlens_fuzz::target!(unigine_mesh, Some(meshlens_mutate::Kind::UnigineMesh));
