//! Every getter of an Unreal frames file alone.
#![no_main]

meshlens_fuzz::target!(unreal_frames);
