//! The assets of a glTF file as one scene.

use meshlens::Report;
use meshlens::scene::{Attachment, Scene, Socket};

use super::carry::carry;
use crate::asset::ml_asset;
use crate::call::check_index;
use crate::report::ml_report;
use crate::result::{Failure, Result};

/// An asset of a glTF file.
pub(super) struct Item<'a> {
    pub(super) asset: &'a ml_asset,
    /// The name of its first node.
    pub(super) name: Option<&'a str>,
    pub(super) attachment: Option<Attachment>,
    /// The frame of its first node at rest, or 0 for its own.
    pub(super) rest_frame: usize,
}

/// The name of the first node of an asset.
fn own_name(asset: &ml_asset) -> String {
    #[cfg(feature = "assets")]
    let found = asset.whole().and_then(|whole| whole.scene().nodes.first()).map(|first| &*first.name);
    #[cfg(not(feature = "assets"))]
    let (found, _): (Option<&str>, _) = (None, asset);
    found.filter(|name| !name.is_empty()).unwrap_or("model").into()
}

/// Calls `then` with a scene of all assets, which are borrowed, and the findings of opening them and about the files that belong
/// to them.
pub(super) fn with_scene(
    items: &[Item<'_>],
    flags: u32,
    scene: Scene<'_>,
    report: &mut Report,
    then: &mut dyn FnMut(&Scene<'_>, &Report) -> Result<ml_report>,
) -> Result<ml_report> {
    let Some((item, others)) = items.split_first() else { return then(&scene, report) };
    item.asset.with_scene(|own, losses| {
        let mut own = own.clone();
        report.append(losses.clone());
        carry(item.asset, flags, &mut own.nodes, report)?;
        if let Some(first) = own.nodes.first_mut() {
            first.name = item.name.map_or_else(|| own_name(item.asset), Into::into);
            if item.rest_frame > 0 {
                first.rest_frame = item.rest_frame;
            }
        }
        if let Some(Attachment { node, socket: Socket::Tag(tag) }) = item.attachment {
            let not_earlier = Failure::argument("the parent is not a node of an earlier asset");
            check_index("tag", tag, scene.nodes.get(node).ok_or(not_earlier)?.model.tags.len())?;
        }
        // The nodes are copied to a scene with the shorter lifetime of the next asset.
        let mut longer = Scene::default();
        longer.nodes.extend(scene.nodes.iter().cloned());
        longer.attach(own, item.attachment);
        with_scene(others, flags, longer, report, then)
    })
}
