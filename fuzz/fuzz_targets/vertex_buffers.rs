//! Vertex buffers, blends and indices: every instruction-set level compared with the scalar level.
#![no_main]

meshlens_fuzz::target!(vertex_buffers);
