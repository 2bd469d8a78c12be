//! The decoders of images, and the PNG writer.
#![no_main]

meshlens_fuzz::target!(image);
