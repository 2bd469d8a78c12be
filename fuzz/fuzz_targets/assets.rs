//! Search paths: every model of a tree of files, and nothing that the tree does not have.
#![no_main]

meshlens_fuzz::target!(assets);
