//! Models of every format to glTF and to every other format, by options of any kind.
#![no_main]

meshlens_fuzz::target!(convert);
