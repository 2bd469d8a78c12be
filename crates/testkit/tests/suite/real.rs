//! Comparison with the results of independent readers.

use meshlens_testkit::real::difference;
use serde_json::json;

#[test]
fn differences_are_found_and_additional_members_are_ignored() {
    let expected = json!({"a": [1.0, {"b": "x"}], "uri": "file"});
    assert_eq!(difference(&expected, &json!({"a": [1.0000001, {"b": "x", "c": 1}]}), String::new()), None);
    let found = json!({"a": [1.0, {"b": "y"}]});
    assert_eq!(difference(&expected, &found, String::new()).unwrap(), "/a/1/b: expected \"x\", found \"y\"");
    assert!(difference(&expected, &json!({"a": [1.001, {"b": "x"}]}), String::new()).is_some());
    assert!(difference(&expected, &json!({"a": [1.0]}), String::new()).is_some());
    assert!(difference(&expected, &json!({}), String::new()).is_some());
}
