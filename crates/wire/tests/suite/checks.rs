//! Checks of arguments of writers.

use meshlens_wire::*;

#[test]
fn checks_accept_only_valid_numbers() {
    let checks = Checks::new("test");
    assert!(checks.at_most("frames", 3, 3).is_ok());
    assert_eq!(checks.at_most("frames", 3, 4).unwrap_err().code(), "LIMIT");
    assert_eq!(checks.product("floats", 3, 4), Ok(12));
    assert_eq!(checks.product("floats", usize::MAX, 2).unwrap_err().code(), "LIMIT");
    assert!(checks.all_below("bone", [0i16, 2], 3).is_ok());
    assert_eq!(
        checks.below("bone", -1i16, 3).unwrap_err().to_string(),
        "test: bone -1; there are 3 (0 to 2)"
    );
    assert!(checks.below("bone", u32::MAX, 3).is_err() && checks.below("bone", 0, 0).is_err());
}

#[test]
fn offsets_are_at_most_the_limit() {
    let mut offsets = Offsets::new("test", 20);
    assert_eq!(offsets.table(2, 8), Ok(0));
    assert!(offsets.table(1, 5).is_err() && offsets.table(usize::MAX, 8).is_err());
    assert_eq!(offsets.table(1, 4), Ok(16), "a table that does not fit changes nothing");
    assert_eq!((offsets.table(0, 8), offsets.end()), (Ok(20), 20));
}
