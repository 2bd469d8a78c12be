//! Locating parts from any prefix of a model of any format, compared with the whole file.
#![no_main]

meshlens_fuzz::target!(prefixes, None);
