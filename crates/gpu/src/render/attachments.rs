//! The textures that a picture needs besides its target: depth, and samples that are resolved into the target.

use wgpu::{Device, TextureDescriptor, TextureFormat, TextureUsages, TextureView};

use super::Target;
use super::pipeline::DEPTH;
use crate::upload::texture;

/// The depth buffer and, with several samples, the color that is resolved. Kept from one picture to the next of the same
/// size and format.
#[derive(Debug)]
pub(super) struct Attachments {
    key: ([u32; 2], TextureFormat, u32),
    pub(super) depth: TextureView,
    pub(super) samples: Option<TextureView>,
}

impl Attachments {
    /// The attachments for a target. `kept` is reused if it fits.
    pub(super) fn new(
        device: &Device,
        target: &Target<'_>,
        samples: u32,
        kept: Option<Attachments>,
    ) -> Attachments {
        let key = (target.size, target.format, samples);
        if let Some(kept) = kept.filter(|kept| kept.key == key) {
            return kept;
        }
        let view = |format| {
            let descriptor = texture("picture", target.size, format, TextureUsages::RENDER_ATTACHMENT);
            let texture = device.create_texture(&TextureDescriptor { sample_count: samples, ..descriptor });
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        Attachments { key, depth: view(DEPTH), samples: (samples > 1).then(|| view(target.format)) }
    }
}
