//! Every getter, lens, validator and dump of an Unreal geometry file.
#![no_main]

meshlens_fuzz::target!(unreal_geometry);
