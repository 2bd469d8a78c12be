//! Vertex animation textures of any model.
#![no_main]

meshlens_fuzz::target!(vat);
