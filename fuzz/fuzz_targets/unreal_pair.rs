//! Everything of an Unreal mesh: layout, positions, normals, rewrite. The geometry file lies before the frames file.
#![no_main]

meshlens_fuzz::target!(unreal_pair);
