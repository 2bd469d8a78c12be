//! How the servers of URLs are read.

use std::path::PathBuf;

use clap::Args;

/// The servers of URLs.
#[derive(Args)]
pub(crate) struct Servers {
    /// Follow redirects of a server to other hosts
    #[arg(long)]
    pub(crate) allow_redirects: bool,
    /// Keep what servers send in this folder, and ask them only whether it has changed; the environment variable
    /// MESHLENS_CACHE sets it for all commands. Several commands can use it at the same time
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Remove what was not used for the longest time when the folder of --cache has more bytes
    #[arg(long, value_name = "SIZE", value_parser = crate::memory::size, default_value = "1G")]
    pub(crate) cache_limit: usize,
}

#[cfg(feature = "remote")]
impl Servers {
    /// The folder of the cache, from the option or from the environment.
    pub(crate) fn cache_folder(&self) -> Option<PathBuf> {
        let folder = self.cache.clone().or_else(|| std::env::var_os("MESHLENS_CACHE").map(Into::into));
        folder.filter(|folder| !folder.as_os_str().is_empty())
    }
}
