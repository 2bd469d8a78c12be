//! Every getter of a single Unreal geometry file.
#![no_main]

meshlens_fuzz::target!(unreal_geometry);
