//! The parser and validator of .uc scripts.
#![no_main]

meshlens_fuzz::target!(uc_script);
