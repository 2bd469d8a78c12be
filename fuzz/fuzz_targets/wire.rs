//! Statements about spans, parts, cursors, chunks and compact integers.
#![no_main]

meshlens_fuzz::target!(wire);
