//! Everything of an Unreal frames file by itself.
#![no_main]

meshlens_fuzz::target!(unreal_frames);
