//! The textures that a picture needs besides its target: depth, and samples that are resolved into the target.

use wgpu::{Device, TextureFormat, TextureUsages, TextureView};

use super::Target;
use super::pipeline::DEPTH;

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
            let texture = texture(device, target.size, format, samples, TextureUsages::RENDER_ATTACHMENT);
            texture.create_view(&wgpu::TextureViewDescriptor::default())
        };
        Attachments { key, depth: view(DEPTH), samples: (samples > 1).then(|| view(target.format)) }
    }
}

/// A texture of the size of a picture.
pub(super) fn texture(
    device: &Device,
    [width, height]: [u32; 2],
    format: TextureFormat,
    samples: u32,
    usage: TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("picture"),
        size: wgpu::Extent3d { width, height, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: samples,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}
