//! Plans and partial models of any format: the same for any portions of a file as for the whole file.
#![no_main]

meshlens_fuzz::target!(stream_plan, None);
