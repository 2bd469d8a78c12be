//! MD3 models of arbitrary numbers: written, read back and checked.
#![no_main]

meshlens_fuzz::target!(md3_model);
