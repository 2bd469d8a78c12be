//! The files and the variants that belong to the models of an asset.

use meshlens::Report;
use meshlens::scene::Node;

#[cfg(feature = "assets")]
use super::{ML_GLB_NO_FILES, ML_GLB_VARIANTS};
use crate::asset::ml_asset;
use crate::result::Result;

/// Adds the files and the variants of each model of an asset to its node.
pub(super) fn carry(asset: &ml_asset, flags: u32, nodes: &mut [Node<'_>], report: &mut Report) -> Result<()> {
    #[cfg(feature = "assets")]
    {
        let (has_files, has_variants) = (flags & ML_GLB_NO_FILES == 0, flags & ML_GLB_VARIANTS != 0);
        let opened = match asset.whole() {
            Some(whole) => Some((whole, 0)),
            None => asset.file()?.asset(),
        };
        for (number, node) in nodes.iter_mut().enumerate() {
            if let Some((opened, first)) = opened
                && (has_files || has_variants)
                && let Some((own, found)) =
                    opened.node_with_companions(number.saturating_add(first), has_variants)
            {
                node.variants = own.variants;
                if has_files {
                    node.companions = own.companions;
                    report.append(found);
                }
            }
            if !has_files {
                // An imported node has the files that traveled with it.
                node.companions.clear();
            }
        }
    }
    #[cfg(not(feature = "assets"))]
    let _ = (asset, flags, nodes, report);
    Ok(())
}
