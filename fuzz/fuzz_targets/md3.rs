//! Every getter, lens, validator, dump and rewrite of an MD3 model.
#![no_main]

meshlens_fuzz::target!(md3, Some(meshlens_mutate::Kind::Md3));
