//! Errors of uploads and rendering.

use core::fmt;

/// An error of the GPU, or of a model that could not be uploaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// There is no adapter. The text lists the attempts.
    NoAdapter(String),
    /// The adapter returned no device.
    NoDevice(String),
    /// The device is lost: the driver was reset or unloaded, or the device was destroyed.
    Lost(String),
    /// Something is larger than the device allows.
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
    Device(String),
    /// The model cannot be read.
    Model(meshlens::Error),
    /// A frame, an instance or another argument does not fit the model.
    Argument(String),
}

/// A result with an [`enum@Error`] of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoAdapter(why) => write!(
                f,
                "there is no GPU adapter ({why}): install a Vulkan driver; without a GPU, Mesa's lavapipe works \
                 (package mesa-vulkan-drivers on Debian)"
            ),
            Error::NoDevice(why) => write!(f, "the GPU adapter gave no device: {why}"),
            Error::Lost(why) => write!(f, "the GPU device is lost: {why}"),
            Error::Limit { what, limit, allowed, found } => {
                write!(f, "{what}: {found} is more than the device's {limit} of {allowed}")
            }
            Error::Device(why) => write!(f, "the GPU device reports: {why}"),
            Error::Model(error) => error.fmt(f),
            Error::Argument(why) => f.write_str(why),
        }
    }
}

impl core::error::Error for Error {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Error::Model(error) => Some(error),
            _ => None,
        }
    }
}

impl From<meshlens::Error> for Error {
    fn from(error: meshlens::Error) -> Self {
        Error::Model(error)
    }
}

impl Error {
    /// Fails if `found` is more than a limit.
    pub(crate) fn check(what: &'static str, limit: &'static str, allowed: u64, found: u64) -> Result<()> {
        if found > allowed { Err(Error::Limit { what, limit, allowed, found }) } else { Ok(()) }
    }
}
