//! The command as a user or a CI job runs it.

#[cfg(feature = "remote")]
mod cache;
mod carried;
#[cfg(feature = "carriers")]
mod carriers;
mod command;
mod convert;
mod convert_clips;
mod convert_files;
mod documents;
mod doors;
mod engines;
mod faults;
mod findings;
mod fix;
#[cfg(unix)]
mod hostile;
mod images;
mod inputs;
mod lists;
mod others;
mod pack;
mod pairs;
mod pictures;
mod plan;
#[cfg(feature = "remote")]
mod remote;
mod repeat;
mod report;
mod shared;
#[cfg(unix)]
mod terminal;
mod thumb;
#[cfg(feature = "remote")]
mod unlisted;
mod usage;
mod validate;
mod view;
