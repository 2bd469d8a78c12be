//! The parser of Unreal scripts.
#![no_main]

meshlens_fuzz::target!(uc_script);
