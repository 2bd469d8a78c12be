//! Every getter, player, validator, dump and rewrite of a UNIGINE animation.
#![no_main]

meshlens_fuzz::target!(unigine_anim, Some(meshlens_mutate::Kind::UnigineAnim));
