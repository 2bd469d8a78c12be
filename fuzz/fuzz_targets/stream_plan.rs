//! Plans and partial models of any format: whatever the portions a file comes in, they are those of the whole file.
#![no_main]

meshlens_fuzz::target!(stream_plan);
