//! Ultimate 3D models made from arbitrary numbers: written, read back and checked.
#![no_main]

meshlens_fuzz::target!(u3d_model);
