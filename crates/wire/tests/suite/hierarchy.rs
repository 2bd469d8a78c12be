//! The order of nodes.

use meshlens_wire::*;

#[test]
fn every_node_follows_its_parent() {
    let parents = [Some(4), Some(0), None, Some(9), Some(2), Some(4)];
    assert_eq!(parents_first(6, |node| parents[node]), Ok(vec![2, 4, 0, 1, 3, 5]));
    assert_eq!(parents_first(0, |_| None), Ok(Vec::new()));
}

#[test]
fn the_error_for_a_cycle_contains_one_of_its_nodes() {
    assert_eq!(parents_first(1, |_| Some(0)), Err(0));
    // Node 0 is attached to the cycle of nodes 1 and 2.
    let parents = [Some(1), Some(2), Some(1)];
    assert_eq!(parents_first(3, |node| parents[node]), Err(1));
    assert_eq!(parents_first_in_cycles(3, |node| parents[node]), [2, 1, 0]);
    assert_eq!(parents_first_in_cycles(2, Some), [0, 1]);
}
