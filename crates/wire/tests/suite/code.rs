//! Codes, and errors for indices.

use meshlens_wire::*;

#[test]
fn the_error_for_an_index_contains_the_valid_range() {
    assert_eq!(OutOfRange::new("index", 2256, 2256u32).to_string(), "index 2256; there are 2256 (0 to 2255)");
    assert_eq!(OutOfRange::new("bone", -1, 1u32).to_string(), "bone -1; there is 1 (0)");
    assert_eq!(OutOfRange::new("vertex", 0, 0u32).to_string(), "vertex 0; there is none");
}
