//! Every getter of a single Unreal frames file.
#![no_main]

meshlens_fuzz::target!(unreal_frames);
