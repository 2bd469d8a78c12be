//! UNIGINE meshes made from arbitrary numbers: written, read back and checked.
#![no_main]

meshlens_fuzz::target!(unigine_mesh_model);
