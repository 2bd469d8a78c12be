//! USD of any model.
#![no_main]

meshlens_fuzz::target!(usd);
