//! The models that a repeated run leaves out.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use super::job::Job;
use super::write_back::folder_of_models;
use crate::args::{Convert, Target};
use crate::item::{Item, outer_archive};
use crate::outputs;

/// Whether a run leaves a model out, because its output exists or the model has not changed.
pub(super) fn is_left_out(arguments: &Convert, job: &Job) -> bool {
    if arguments.skip_existing {
        // The output is renamed last, so its other files exist, too.
        return match job.target {
            Target::Unreal => outputs::geometry_of(&job.output).exists(),
            // A player becomes several files in a folder.
            Target::Md3 => {
                let parts = ["lower.md3", "upper.md3", "head.md3"];
                let folder = folder_of_models(&job.output);
                job.output.exists() || parts.iter().any(|part| folder.join(part).exists())
            }
            _ => job.output.exists(),
        };
    }
    let since = arguments.changed_since;
    since.is_some_and(|since| modified(&job.item).is_some_and(|time| time <= since))
}

/// The time of the last change of a model or of its archive; `None` if it is unknown, as for standard input.
fn modified(item: &Item) -> Option<SystemTime> {
    if item.is_stdin {
        return None;
    }
    let times = item.located.files().files().into_iter().map(|file| {
        let path = file.os_path().or_else(|| Some(PathBuf::from(outer_archive(file.archive()?).0)))?;
        fs::metadata(path).ok()?.modified().ok()
    });
    // One unknown time is enough to convert the model.
    times.collect::<Option<Vec<_>>>()?.into_iter().max()
}
