//! Whole against part: what is located from any prefix of a model of any format.
#![no_main]

meshlens_fuzz::target!(prefixes);
