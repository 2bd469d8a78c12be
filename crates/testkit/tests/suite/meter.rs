//! Limits of work.

use meshlens_testkit::meter::{STEPS_BASE, STEPS_PER_BYTE, bounded};
use meshlens_wire::steps;

#[test]
#[should_panic(expected = "of no end: 16449 steps")]
fn disproportionate_work_is_an_error() {
    bounded(1, "of no end", || steps::count(STEPS_BASE + STEPS_PER_BYTE + 1));
}

#[test]
fn proportionate_work_is_accepted() {
    assert_eq!(bounded(1, "fine", || steps::count(STEPS_BASE + STEPS_PER_BYTE)), ());
}
