//! A build without the feature `remote`.

use meshlens_assets::{Assets, FindOptions};

use super::found::{Failure, FoundModels, Headers};
use crate::item::Item;
use crate::status::Status;

/// The servers of URLs. This build cannot read from them.
pub(crate) struct Remotes;

impl Remotes {
    pub(crate) const fn new(_: bool) -> Remotes {
        Remotes
    }

    pub(crate) fn models(
        &self,
        _: &Assets,
        _: &str,
        _: FindOptions,
        _: bool,
    ) -> Result<FoundModels, Failure> {
        let message = "this build of meshlens reads no URLs; build it with the feature `remote` \
                       (cargo install meshlens-cli --features remote)";
        Err(Failure { message: message.into(), status: Status::Failed, start: None })
    }

    pub(crate) fn headers(&self, item: &Item) -> Result<Result<Headers, &'static str>, Failure> {
        Err(Failure { message: format!("{} is not read", item.uri), status: Status::Failed, start: None })
    }
}
