//! Every getter, lens, pose, validator, dump and rewrite of an Ultimate 3D model of version 2.0.
#![no_main]

meshlens_fuzz::target!(u3d_v2, Some(meshlens_mutate::Kind::U3d));
