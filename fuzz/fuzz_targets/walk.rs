//! Parses models of any format and walks them, without checks.
#![no_main]

meshlens_fuzz::target!(walk);
