//! Vertex buffers, blends and indices: every instruction-set level against the scalar one.
#![no_main]

meshlens_fuzz::target!(vertex_buffers);
