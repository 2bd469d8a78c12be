//! The parser of shader scripts, and the materials that shaders make.
#![no_main]

meshlens_fuzz::target!(shader);
