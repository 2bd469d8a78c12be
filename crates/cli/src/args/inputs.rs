//! The models that a command reads, and their password.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use clap::Args;

use super::servers::Servers;
use super::values::whole;
use crate::paths::List;

/// The password of encrypted models. Without `Debug`, no message can contain it.
#[derive(Args)]
pub(crate) struct Password {
    /// Password of encrypted models (Ultimate 3D); the environment variable MESHLENS_PASSWORD sets it without showing
    /// it
    #[arg(long, value_name = "TEXT")]
    password: Option<String>,
}

impl Password {
    /// The password, if there is one.
    pub(crate) fn get(&self) -> Option<&str> {
        self.password.as_deref().filter(|text| !text.is_empty())
    }

    /// Takes the password from the environment if no option gave one.
    pub(super) fn read_environment(&mut self) -> Result<(), String> {
        let Some(password) = std::env::var_os("MESHLENS_PASSWORD").filter(|_| self.password.is_none()) else {
            return Ok(());
        };
        let password = password.into_string().map_err(|_| "MESHLENS_PASSWORD is not UTF-8")?;
        self.password = Some(password);
        Ok(())
    }
}

/// The paths, and then those of a list, which is read as they are taken.
pub(super) fn each_path<'a>(
    paths: &'a [PathBuf],
    more: &'a Mutex<List>,
) -> impl Iterator<Item = Result<PathBuf, String>> + 'a {
    let more = || more.lock().unwrap_or_else(PoisonError::into_inner).next();
    paths.iter().cloned().map(Ok).chain(std::iter::from_fn(more))
}

/// The models to read, and how to read them.
#[derive(Args)]
pub(crate) struct Inputs {
    /// Files, folders, archives (.pk3, .zip), entries or folders of archives (pak0.pk3!models/x.md3), URLs (http://,
    /// https://, s3://), folders of buckets (s3://bucket/models/), or - for standard input. For an Unreal mesh, name its _d.3d or _a.3d, or the .uc script that imports both
    #[arg(required_unless_present = "files_from", value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Read more paths from a file, or from standard input if FILE is -; one per line, or separated by NUL (find
    /// -print0)
    #[arg(long, value_name = "FILE")]
    pub(crate) files_from: Option<PathBuf>,
    /// The folder of the game, in which files named by a model are looked up; may be given several times, and later
    /// folders come first. Default: the game folder around each path if it is recognized, else the path's own folder
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) servers: Servers,
    /// Number of worker threads; 0 means one per core, or 64 for URLs
    #[arg(short, long, default_value_t = 0, value_name = "N", value_parser = whole, allow_negative_numbers = true)]
    pub(crate) jobs: usize,
    #[command(flatten)]
    pub(crate) password: Password,
    /// The index of the first path of the list.
    #[arg(skip)]
    pub(super) list_start: Option<usize>,
    /// The paths of the list after those in `paths`, for commands that take them one after the other.
    #[arg(skip)]
    pub(super) more: Mutex<List>,
}

impl Inputs {
    /// The paths, one after the other: the list is read as they are taken, once.
    pub(crate) fn each_path(&self) -> impl Iterator<Item = Result<PathBuf, String>> {
        each_path(&self.paths, &self.more)
    }

    /// The paths of the list of `--files-from`.
    pub(crate) fn listed(&self) -> &[PathBuf] {
        self.list_start.and_then(|start| self.paths.get(start..)).unwrap_or_default()
    }

    /// Whether the path with this index is in the list of `--files-from`.
    pub(crate) fn is_listed(&self, path: usize) -> bool {
        self.list_start.is_some_and(|start| path >= start)
    }
}
