//! Every encoding over any bytes: each way of reading agrees, and decoding undoes encoding.
#![no_main]

meshlens_fuzz::target!(encodings);
