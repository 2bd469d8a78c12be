//! Pictures of any model, with any options.
#![no_main]

meshlens_fuzz::target!(thumb);
