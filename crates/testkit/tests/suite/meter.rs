//! The bound of work.

use meshlens_testkit::meter::{STEPS_BASE, STEPS_PER_BYTE, bounded};
use meshlens_wire::steps;

#[test]
#[should_panic(expected = "of no end: 16449 steps")]
fn work_out_of_proportion_is_found() {
    bounded(1, "of no end", || steps::count(STEPS_BASE + STEPS_PER_BYTE + 1));
}

#[test]
fn work_in_proportion_is_fine() {
    assert_eq!(bounded(1, "fine", || steps::count(STEPS_BASE + STEPS_PER_BYTE)), ());
}
