//! Spans, and parts of them.

use std::ops::Range;

use meshlens_wire::Data;
use meshlens_wire::*;

#[test]
fn a_small_span_is_the_same_table() {
    let data = Data::new("test", &[0; 24]);
    let small = data.small_span(8, 2, 8, "pairs").unwrap();
    assert_eq!((small.span(), small.count()), (data.span(8, 2, 8, "pairs").unwrap(), 2));
    assert_eq!(size_of::<SmallSpan>(), 16);
    assert_eq!(size_of::<Span>(), if cfg!(target_pointer_width = "64") { 24 } else { 20 });
    assert!(data.small_span(9, 2, 8, "pairs").is_err());
    assert_eq!(Span::of_bytes(8..24).byte_range(), 8..24);
    assert_eq!(data.bind(Span::of_bytes(8..24)).unwrap().len(), 16);
    assert!(data.bind(Span::of_bytes(8..25)).is_err());
    assert_eq!(Span::of_bytes(Range { start: 9, end: 8 }).count(), 0);
}

#[test]
fn a_slice_of_a_table_stays_inside_it() {
    let span = Data::new("test", &[0; 64]).span(4, 5, 12, "rows").unwrap();
    assert_eq!(span.slice(2, 3).unwrap().byte_range(), 28..64);
    assert_eq!(span.slice(5, 0).unwrap().byte_range(), 64..64);
    assert_eq!(span.slice(3, 3), None);
    assert_eq!(span.slice(u64::MAX, 2), None);
    assert_eq!(span.inside(4, 3, 4).unwrap().byte_range(), 52..64);
    assert_eq!(span.inside(0, 0, 4).unwrap().byte_range(), 4..4);
    assert_eq!(span.inside(5, 0, 4), None);
    assert_eq!(span.inside(4, 4, 4), None);
    assert_eq!(span.inside(4, u64::MAX, 4), None);
}
