//! MD3 models made from arbitrary numbers: written, read back and checked.
#![no_main]

meshlens_fuzz::target!(md3_model);
