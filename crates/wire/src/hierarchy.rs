//! The order in which a hierarchy of nodes, such as bones, can be walked from its roots.

use alloc::vec::Vec;

/// The indices of `count` nodes, each parent before its children. `parent` returns the index of the parent of a node. A
/// node without a parent, or with a parent that is not less than `count`, is a root. O(nodes).
///
/// ```
/// use meshlens_wire::parents_first;
///
/// let parents = [Some(2), None, Some(1)];
/// assert_eq!(parents_first(3, |node| parents[node]), Ok(vec![1, 2, 0]));
/// let cycle = [None, Some(2), Some(1)];
/// assert_eq!(parents_first(3, |node| cycle[node]), Err(1));
/// ```
///
/// # Errors
///
/// The index of a node that is its own ancestor.
pub fn parents_first(
    count: usize,
    parent: impl Fn(usize) -> Option<usize>,
) -> core::result::Result<Vec<u32>, usize> {
    match walk(count, parent) {
        (order, None) => Ok(order),
        (_, Some(node)) => Err(node),
    }
}

/// Like [`parents_first`], for nodes whose parents may form cycles: in each cycle, one node comes before its parent.
///
/// ```
/// use meshlens_wire::parents_first_in_cycles;
///
/// let cycle = [None, Some(2), Some(1)];
/// assert_eq!(parents_first_in_cycles(3, |node| cycle[node]), [0, 2, 1]);
/// ```
pub fn parents_first_in_cycles(count: usize, parent: impl Fn(usize) -> Option<usize>) -> Vec<u32> {
    walk(count, parent).0
}

/// The order, and the first node found that is its own ancestor.
fn walk(count: usize, parent: impl Fn(usize) -> Option<usize>) -> (Vec<u32>, Option<usize>) {
    #[derive(Clone, Copy)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut states = alloc::vec![State::New; count];
    let mut order = Vec::with_capacity(count);
    let mut path = Vec::new();
    let mut cycle = None;
    for start in 0..count {
        // Walks up to a root or to a node that is already in order, and then down again.
        let mut next = Some(start);
        while let Some((node, state)) = next.and_then(|node| Some((node, states.get_mut(node)?))) {
            match state {
                State::New => *state = State::Open,
                State::Open => {
                    cycle.get_or_insert(node);
                    break;
                }
                State::Done => break,
            }
            path.push(node);
            next = parent(node);
        }
        while let Some(node) = path.pop() {
            if let Some(state) = states.get_mut(node) {
                *state = State::Done;
            }
            // Files number nodes with at most 32 bits.
            order.push(u32::try_from(node).unwrap_or(u32::MAX));
        }
    }
    (order, cycle)
}
