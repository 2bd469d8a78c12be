//! Every getter of an Unreal geometry file alone.
#![no_main]

meshlens_fuzz::target!(unreal_geometry);
