//! The table of a pack, with any content.
#![no_main]

meshlens_fuzz::target!(plan_table);
