//! Errors of uploads and rendering.

/// An error of the GPU, or of a model that could not be uploaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no adapter.
    #[error(
        "there is no GPU adapter ({attempts}): install a Vulkan driver; without a GPU, Mesa's lavapipe works \
         (package mesa-vulkan-drivers on Debian)"
    )]
    NoAdapter {
        /// The attempts.
        attempts: String,
    },
    /// The adapter returned no device.
    #[error("the GPU adapter gave no device: {reason}")]
    NoDevice {
        /// The reason.
        reason: String,
    },
    /// The device is lost: the driver was reset or unloaded, or the device was destroyed.
    #[error("the GPU device is lost: {reason}")]
    Lost {
        /// The reason.
        reason: String,
    },
    /// Something is larger than the device allows.
    #[error("{what}: {found} is more than the device's {limit} of {allowed}")]
    Limit {
        /// The name of the object that is too large.
        what: &'static str,
        /// The name of the limit, as in `wgpu::Limits`.
        limit: &'static str,
        /// The limit.
        allowed: u64,
        /// The requested size.
        found: u64,
    },
    /// The device rejected a command, or is out of memory.
    #[error("the GPU device reports: {reason}")]
    Device {
        /// The report.
        reason: String,
    },
    /// The model cannot be read.
    #[error(transparent)]
    Model(#[from] meshlens::Error),
    /// A frame, an instance or another argument does not fit the model.
    #[error("{reason}")]
    Argument {
        /// The argument, and what it does not fit.
        reason: String,
    },
}

/// A result with an [`enum@Error`] of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

impl Error {
    /// An [`Error::Argument`].
    pub(crate) fn argument(reason: impl Into<String>) -> Error {
        Error::Argument { reason: reason.into() }
    }

    /// An [`Error::Device`].
    pub(crate) fn device(reason: impl ToString) -> Error {
        Error::Device { reason: reason.to_string() }
    }

    /// Fails if `found` is more than a limit.
    pub(crate) fn check(what: &'static str, limit: &'static str, allowed: u64, found: u64) -> Result<()> {
        if found > allowed { Err(Error::Limit { what, limit, allowed, found }) } else { Ok(()) }
    }
}
