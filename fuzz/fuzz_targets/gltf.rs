//! Arbitrary glTF files, and the conversion of imported models to every other format.
#![no_main]

meshlens_fuzz::target!(gltf);
