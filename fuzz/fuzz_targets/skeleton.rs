//! Skeletons from the vertex frames of any model.
#![no_main]

meshlens_fuzz::target!(skeleton);
