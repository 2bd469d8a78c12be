//! Everything of an Unreal geometry file by itself.
#![no_main]

meshlens_fuzz::target!(unreal_geometry);
