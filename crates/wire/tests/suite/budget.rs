//! Reservations of memory.

use meshlens_wire::*;

#[test]
fn a_reservation_is_released_once() {
    let budget = Budget::new(100);
    let mut first = budget.reserve(40, format_args!("")).unwrap();
    first.grow(20, format_args!("")).unwrap();
    let second = budget.clone().reserve(40, format_args!("")).unwrap();
    assert_eq!((first.bytes(), second.bytes(), budget.reserved()), (60, 40, 100));
    assert!(first.grow(1, format_args!("")).is_err());
    assert_eq!((first.bytes(), budget.reserved()), (60, 100));
    drop(first);
    assert_eq!(budget.reserved(), 40);
    drop(second);
    assert_eq!(budget.reserved(), 0);
}

#[test]
fn an_error_names_the_product_and_the_limit() {
    let budget = Budget::new(100);
    let refused = budget.reserve(120, format_args!("4 frames x 30 bytes")).unwrap_err();
    assert_eq!(refused.to_string(), "4 frames x 30 bytes need 120 bytes of memory; the limit is 100");
    assert!(!refused.fits_alone());
    let _held = budget.reserve(50, format_args!("")).unwrap();
    let refused = budget.reserve(60, format_args!("2 frames x 30 bytes")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "2 frames x 30 bytes need 60 bytes of memory; the limit is 100, 50 of them in use"
    );
    assert!(refused.fits_alone());
    assert!(budget.reserve(usize::MAX, format_args!("")).is_err(), "the sum does not wrap");
}
