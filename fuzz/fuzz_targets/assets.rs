//! Search paths: opens every model in a tree of files, and reads only files of the tree.
#![no_main]

meshlens_fuzz::target!(assets);
