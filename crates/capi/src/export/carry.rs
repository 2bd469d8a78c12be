//! The files and the variants that belong to a model.

use meshlens::Report;
use meshlens::scene::Node;

#[cfg(feature = "assets")]
use super::{ML_GLB_NO_FILES, ML_GLB_VARIANTS};
use crate::content::File;

/// Adds the files and the variants of a model to its node.
pub(super) fn carry(file: &File, flags: u32, node: &mut Node<'_>, report: &mut Report) {
    #[cfg(feature = "assets")]
    if flags & (ML_GLB_NO_FILES | ML_GLB_VARIANTS) != ML_GLB_NO_FILES
        && let Some((asset, number)) = file.asset()
        && let Some((own, found)) = asset.node_with_companions(number, flags & ML_GLB_VARIANTS != 0)
    {
        node.variants = own.variants;
        if flags & ML_GLB_NO_FILES == 0 {
            node.companions = own.companions;
            report.append(found);
        }
    }
    #[cfg(not(feature = "assets"))]
    let _ = (file, flags, node, report);
}
