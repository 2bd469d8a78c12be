//! The tests that need a GPU adapter. Mesa's lavapipe is an adapter: `mesa-vulkan-drivers` on Debian.

#[cfg(feature = "assets")]
mod assets;
mod codes;
#[path = "../common/files.rs"]
mod files;
mod halves;
mod inputs;
mod limits;
mod memory;
mod models;
mod real;
mod streamed;
mod surfaces;
mod targets;
mod thumb;

use std::sync::OnceLock;

use meshlens_gpu::Gpu;

/// All tests share one device.
fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::new().unwrap_or_else(|error| panic!("{error}")))
}
