//! Unreal meshes made from arbitrary numbers: written, read back and checked.
#![no_main]

meshlens_fuzz::target!(unreal_model);
