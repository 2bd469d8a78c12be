//! Every getter, validator and dump of an Unreal frames file.
#![no_main]

meshlens_fuzz::target!(unreal_frames);
