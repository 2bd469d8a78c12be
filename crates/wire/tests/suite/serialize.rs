//! Findings and errors as JSON.

use meshlens_wire::codes;
use meshlens_wire::*;

#[test]
fn a_report_has_the_members_of_the_gltf_validators() {
    let mut report = Report::with_capacity(1);
    for offset in [8, 16] {
        let message = format_args!("vertex 4; there are 4 (0 to 3)");
        report.add(&codes::INDEX_OUT_OF_RANGE, offset, format_args!("/triangles/{offset}"), message);
    }
    report.lose(&codes::TRAILING_BYTES, 3, format_args!(""), format_args!("3 bytes"));
    let json = serde_json::to_value(&report).unwrap();
    let expected = serde_json::json!({
        "numErrors": 2, "numWarnings": 0, "numInfos": 1, "numHints": 0,
        "messages": [{
            "code": "INDEX_OUT_OF_RANGE", "message": "vertex 4; there are 4 (0 to 3)", "severity": 0,
            "pointer": "/triangles/8", "offset": 8, "count": 1,
        }],
        "groups": [
            {
                "code": "INDEX_OUT_OF_RANGE", "severity": 0, "count": 2, "findings": 2,
                "summary": codes::INDEX_OUT_OF_RANGE.plural,
            },
            {
                "code": "TRAILING_BYTES", "severity": 2, "count": 3, "findings": 1,
                "summary": codes::TRAILING_BYTES.plural,
            },
        ],
        "truncated": true,
    });
    assert_eq!(json, expected);
    let loss = Finding::new(&codes::TRAILING_BYTES, "lost");
    assert!(serde_json::to_value(&loss).unwrap()["offset"].is_null());
}
