//! The tests that need a GPU adapter. Mesa's lavapipe is one: `mesa-vulkan-drivers` on Debian.

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

/// One device for all tests.
fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::new().unwrap_or_else(|error| panic!("{error}")))
}
