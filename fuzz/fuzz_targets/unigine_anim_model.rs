//! UNIGINE animations made from arbitrary numbers: written, read back and checked.
#![no_main]

meshlens_fuzz::target!(unigine_anim_model);
