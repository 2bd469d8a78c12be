//! The text of findings.

use meshlens_wire::*;
use meshlens_wire::{Report, codes};

#[test]
fn an_offset_is_printed_once() {
    let mut report = Report::with_capacity(3);
    report.add(&codes::OUT_OF_BOUNDS, 0x60, format_args!("/frames/1"), format_args!("a frame"));
    report.add(
        &codes::OUT_OF_BOUNDS,
        0x60,
        format_args!(""),
        format_args!("a frame at 0x60 ends past the file (0x61)"),
    );
    report.add(&codes::OUT_OF_BOUNDS, 0x6, format_args!(""), format_args!("a frame, see the one at 0x60"));
    let printed: Vec<_> = report.findings().map(Finding::to_string).collect();
    assert_eq!(
        printed,
        [
            "error OUT_OF_BOUNDS: a frame (/frames/1) at 0x60",
            "error OUT_OF_BOUNDS: a frame at 0x60 ends past the file (0x61)",
            "error OUT_OF_BOUNDS: a frame, see the one at 0x60 at 0x6",
        ]
    );
}
