//! The decoders of images, and the writer of PNG.
#![no_main]

meshlens_fuzz::target!(image);
