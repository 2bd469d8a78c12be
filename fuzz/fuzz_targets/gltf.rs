//! glTF of anybody, and what of it can be written as every other format.
#![no_main]

meshlens_fuzz::target!(gltf);
