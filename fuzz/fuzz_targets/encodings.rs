//! Every encoding on arbitrary bytes: all ways of reading agree, and decoding inverts encoding.
#![no_main]

meshlens_fuzz::target!(encodings);
