//! The limits of the device that displays the models.

use bevy::render::renderer::RenderDevice;
use meshlens_assets::material::ImageLimits;

/// The limits of the device. Without a device, meshes have no limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceLimits {
    /// The largest number of bytes of a buffer.
    pub(crate) buffer: u64,
    /// The largest textures.
    pub(crate) texture: ImageLimits,
}

impl DeviceLimits {
    /// The limits without a device.
    pub(crate) const NONE: DeviceLimits = DeviceLimits { buffer: u64::MAX, texture: ImageLimits::DEFAULT };

    /// The limits of a device.
    pub(crate) fn of(device: Option<&RenderDevice>) -> Self {
        let Some(limits) = device.map(RenderDevice::limits) else { return DeviceLimits::NONE };
        let side = limits.max_texture_dimension_2d.min(ImageLimits::DEFAULT.side);
        DeviceLimits { buffer: limits.max_buffer_size, texture: ImageLimits { side, ..ImageLimits::DEFAULT } }
    }
}
