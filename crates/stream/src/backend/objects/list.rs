//! Lists the objects in a folder, page by page. Servers are not trusted: a list ends, and has only what is in the folder.

use std::borrow::Cow;
use std::collections::HashSet;

use object_store::ListResult;
use object_store::list::{PaginatedListOptions, PaginatedListResult};
use object_store::path::{DELIMITER, Path};

use super::{LONGEST_NAME, ObjectStoreBackend, Work, fetch, path_of};
use crate::sync::channel;
use crate::{Error, FileName, Result};

/// The largest number of objects and folders in one folder.
const MAX_LISTED: usize = 1 << 22;
/// The largest number of pages without an object or a folder in one list. S3 has such pages where objects were deleted.
const MAX_EMPTY_PAGES: usize = 1000;
/// The number of bytes of a name in an error.
const SHOWN: usize = 200;

#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("the server repeats a page of its list")]
    Repeated,
    #[error("more than {MAX_EMPTY_PAGES} pages of the list are empty, which is the limit")]
    Empty,
    #[error("more than {MAX_LISTED} objects and folders, which is the limit")]
    TooMany,
    #[error("the server lists {0}, which is not in the folder")]
    Outside(String),
    #[error("the list continues with a token of {0} bytes; the limit is {LONGEST_NAME}")]
    Token(usize),
}

impl ObjectStoreBackend {
    /// Calls `each` with the pages of the list of a folder: the objects and folders in it. Each page is passed on before the
    /// next one is requested. Blocks until the list ends. A folder that does not exist is empty.
    ///
    /// # Errors
    ///
    /// The server cannot be reached, does not list, or its answer is not a list. For stores of
    /// [`open_url`](crate::backend::open_url): the list has more than 4,194,304 entries or 1,000 empty pages, repeats a page,
    /// or has an entry that is not in the folder. Also the first error of `each`.
    pub fn each_page<E: From<Error>>(
        &self,
        folder: &str,
        mut each: impl FnMut(ListResult) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let file = FileName::from(folder);
        let path = path_of(&file)?;
        let refuse = |refused: Refused| Error::read(&file, &refused);
        let (mut token, mut tokens, mut listed, mut empty) = (None, HashSet::new(), 0, 0);
        loop {
            let PaginatedListResult { mut result, page_token } = self.page(&file, &path, token.take())?;
            let count = result.common_prefixes.len() + result.objects.len();
            listed += count;
            empty += usize::from(count == 0);
            keep_inside(&path, &mut result).map_err(refuse)?;
            if listed > MAX_LISTED {
                return Err(refuse(Refused::TooMany).into());
            }
            each(result)?;
            let Some(next) = page_token else { return Ok(()) };
            if next.len() > LONGEST_NAME {
                return Err(refuse(Refused::Token(next.len())).into());
            }
            if !tokens.insert(next.clone()) {
                return Err(refuse(Refused::Repeated).into());
            }
            if empty > MAX_EMPTY_PAGES {
                return Err(refuse(Refused::Empty).into());
            }
            token = Some(next);
        }
    }

    /// One page, or the whole list of a store without pages.
    fn page(&self, file: &FileName, folder: &Path, token: Option<String>) -> Result<PaginatedListResult> {
        let (sender, mut receiver) = channel();
        let (store, pages, folder) = (self.store().clone(), self.pages.clone(), folder.clone());
        let page = async move {
            sender.send(match pages {
                Some(pages) => {
                    let prefix = format!("{folder}{DELIMITER}");
                    let options = PaginatedListOptions {
                        delimiter: Some(Cow::Borrowed(DELIMITER)),
                        page_token: token,
                        ..PaginatedListOptions::default()
                    };
                    let prefix = (!folder.as_ref().is_empty()).then_some(&*prefix);
                    pages.list_paginated(prefix, options).await
                }
                None => {
                    let whole = store.list_with_delimiter(Some(&folder)).await;
                    whole.map(|result| PaginatedListResult { result, page_token: None })
                }
            });
        };
        // If the runtime has ended, the work is dropped, and nothing is received.
        let _ = self.work.send(Work::List(Box::pin(page)));
        let page = receiver.recv().ok_or_else(|| Error::NoAnswer { file: file.clone() })?;
        page.map_err(|error| fetch::failure(file, error))
    }
}

/// Checks that everything in a list is in the folder, and removes the object that stands for the folder itself.
fn keep_inside(folder: &Path, page: &mut ListResult) -> std::result::Result<(), Refused> {
    let depth = |path: &Path| path.prefix_match(folder).map(Iterator::count);
    page.objects.retain(|object| depth(&object.location) != Some(0));
    let objects = page.objects.iter().map(|object| &object.location);
    match objects.chain(&page.common_prefixes).find(|path| depth(path) != Some(1)) {
        Some(outside) => Err(Refused::Outside(shortened(outside.as_ref()))),
        None => Ok(()),
    }
}

/// The start of a name, which may have any length.
pub(super) fn shortened(name: &str) -> String {
    let cut = name.char_indices().find(|(at, _)| *at >= SHOWN).and_then(|(at, _)| name.get(..at));
    cut.map_or_else(|| name.into(), |start| format!("{start}..."))
}
