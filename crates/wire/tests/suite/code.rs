//! Codes, and errors for indices.

use meshlens_wire::*;

#[test]
fn an_index_out_of_range_says_which_are_in_range() {
    assert_eq!(OutOfRange::new("index", 2256, 2256u32).to_string(), "index 2256; there are 2256 (0 to 2255)");
    assert_eq!(OutOfRange::new("bone", -1, 1u32).to_string(), "bone -1; there is 1 (0)");
    assert_eq!(OutOfRange::new("vertex", 0, 0u32).to_string(), "vertex 0; there is none");
}
