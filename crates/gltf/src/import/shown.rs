//! The nodes that the default scene shows.

use super::document::Document;

/// The nodes that are visible in the default scene; all nodes if there is no scene.
pub(super) fn shown(document: &Document) -> Vec<bool> {
    let Some(roots) = document.roots() else { return vec![true; document.nodes.len()] };
    let mut shown = vec![false; document.nodes.len()];
    let mut rest = roots.to_vec();
    while let Some(node) = rest.pop() {
        if !std::mem::replace(&mut shown[node], true) {
            rest.extend(&document.nodes[node].children);
        }
    }
    shown
}
