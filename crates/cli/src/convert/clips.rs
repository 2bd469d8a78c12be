//! The file that states the clips of an MD3 output: `animation.cfg` for the parts of a player, `NAME.animation.cfg` for
//! others.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use meshlens::md3::{AnimationConfig, clips};
use meshlens::model::{Clip, export};

use meshlens::Limits;
use meshlens_source::Source;

use crate::failure::{Failure, folder_of};

/// Serializes the jobs that write to the same `animation.cfg`.
static SHARED: Mutex<()> = Mutex::new(());

/// A file of clips to write.
pub(super) struct ClipsFile {
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// Whether the existing file may be replaced, because the new file contains all of its statements.
    pub(super) replaces: bool,
    /// Held until the file is in place.
    pub(super) turn: Option<MutexGuard<'static, ()>>,
}

/// The file for the clips of the MD3 at `output`; `None` if the existing file already states them.
pub(super) fn file(output: &Path, made: &[Clip]) -> Result<Option<ClipsFile>, Failure> {
    if made.is_empty() {
        return Ok(None);
    }
    let stem = output.file_stem().unwrap_or_default().to_string_lossy();
    if meshlens_assets::body_part(&stem).is_some() {
        let turn = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        let path = folder_of(output).join("animation.cfg");
        let there = match Source::read_limited(&path, Limits::DEFAULT.text) {
            Ok(text) => Some(AnimationConfig::parse(&text).map_err(Failure::input)?),
            Err(error) if error.is_not_found() => None,
            Err(error) => return Err(Failure::file(error)),
        };
        let start = there.clone().unwrap_or_default();
        if let Some(config) = export::md3_animation_config(made, &start) {
            if there.as_ref() == Some(&config) {
                return Ok(None);
            }
            let text = config.write();
            // The new file only adds rows and does not change existing ones.
            let replaces = meshlens::md3::animation::AnimationName::ALL.iter().all(|name| {
                let old = start.clip(*name).filter(|row| row.frame_count != 0);
                old.is_none() || old == config.clip(*name)
            }) && start.unknown.is_empty();
            return Ok(Some(ClipsFile { path, text, replaces, turn: Some(turn) }));
        }
    }
    let path = output.with_file_name(meshlens_assets::clips_file(&stem));
    Ok(Some(ClipsFile {
        path,
        text: clips::write(&export::md3_named_clips(made)),
        replaces: false,
        turn: None,
    }))
}
