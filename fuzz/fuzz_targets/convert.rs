//! Converts models of every format to glTF and to every other format, with arbitrary options.
#![no_main]

meshlens_fuzz::target!(convert);
