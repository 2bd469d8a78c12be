//! The parser and writer of animation.cfg.
#![no_main]

meshlens_fuzz::target!(animation_config);
