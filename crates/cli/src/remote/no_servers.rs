//! A build without the feature `remote`.

use meshlens_assets::{Assets, FindOptions};

use super::found::{FoundModels, Headers, NoHeaders};
use crate::args::Servers;
use crate::failure::Failure;
use crate::item::Item;

/// The servers of URLs. This build cannot read from them.
pub(crate) struct Remotes;

impl Remotes {
    pub(crate) const fn new(_: &Servers) -> Result<Remotes, String> {
        Ok(Remotes)
    }

    pub(crate) fn models(
        &self,
        _: &Assets,
        _: &str,
        _: FindOptions,
        _: bool,
    ) -> Result<FoundModels, Failure> {
        Err(Failure::system(
            "this build of meshlens reads no URLs; build it with the feature `remote` \
             (cargo install meshlens-cli --features remote)",
        ))
    }

    pub(crate) fn headers(&self, item: &Item) -> Result<Result<Headers, &'static str>, NoHeaders> {
        Err(Failure::system(format_args!("{} is not read", item.uri)).into())
    }
}
