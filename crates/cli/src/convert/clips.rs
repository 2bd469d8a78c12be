//! The file that states the clips of MD3 outputs: `animation.cfg` for the parts of a player, `NAME.animation.cfg` for
//! others. The file that traveled with a model is written as it was if it still states the clips.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use meshlens::Limits;
use meshlens::md3::{AnimationConfig, clips};
use meshlens::model::{Clip, export};
use meshlens::scene::Node;
use meshlens_assets::clips_companion;
use meshlens_source::Source;

use crate::failure::{Failure, folder_of};

/// Serializes the jobs that write to the same `animation.cfg`.
static SHARED: Mutex<()> = Mutex::new(());

/// A model in a folder, and its clips.
pub(super) struct Clips<'m> {
    pub(super) output: &'m Path,
    pub(super) node: &'m Node<'m>,
    pub(super) made: Vec<Clip>,
}

/// A file of clips to write.
pub(super) struct ClipsFile {
    pub(super) path: PathBuf,
    pub(super) text: Vec<u8>,
    /// Whether the existing file may be replaced, because the new file contains all of its statements.
    pub(super) replaces: bool,
}

/// The files for the clips of MD3 models in one folder, without those whose statements exist. `turn` is to be held until they are
/// in place.
pub(super) fn files(
    models: &[Clips<'_>],
    turn: &mut Option<MutexGuard<'static, ()>>,
) -> Result<Vec<ClipsFile>, Failure> {
    let stems: Vec<_> =
        models.iter().map(|model| model.output.file_stem().unwrap_or_default().to_string_lossy()).collect();
    let named: Vec<(&str, &Node<'_>)> =
        stems.iter().zip(models).map(|(stem, model)| (&**stem, model.node)).collect();
    let is_part = |stem: &str| meshlens_assets::body_part(stem).is_some();
    let mut made = Vec::new();
    let Some(first) = models.first() else { return Ok(made) };
    if stems.iter().any(|stem| is_part(stem)) {
        *turn = Some(SHARED.lock().unwrap_or_else(PoisonError::into_inner));
    }
    let folder = folder_of(first.output);
    let carried = clips_companion(&named);
    if let Some((file, bytes)) = carried.as_ref().and_then(|file| Some((file, file.bytes.as_ref()?))) {
        let path = folder.join(&file.name);
        match read(&path)? {
            None => {
                made.push(ClipsFile { path, text: bytes.to_vec(), replaces: false });
                return Ok(made);
            }
            Some(there) if there[..] == bytes[..] => return Ok(made),
            // Its statements are added to those of the other file.
            Some(_) => {}
        }
    }
    let path = folder.join("animation.cfg");
    let mut of_player: Option<(AnimationConfig, AnimationConfig)> = None;
    for (model, stem) in models.iter().zip(&stems).filter(|(model, _)| !model.made.is_empty()) {
        if is_part(stem) {
            let (start, config) = match of_player.take() {
                Some(known) => known,
                None => {
                    let there =
                        read(&path)?.map(|text| AnimationConfig::parse(&text).map_err(Failure::input));
                    let there = there.transpose()?;
                    let own = carried.as_ref().and_then(|file| file.config.clone());
                    let start = there.or(own).unwrap_or_default();
                    (start.clone(), start)
                }
            };
            let added = export::md3_animation_config(&model.made, &config);
            let fits = added.is_some();
            of_player = Some((start, added.unwrap_or(config)));
            if fits {
                continue;
            }
        }
        made.push(ClipsFile {
            path: model.output.with_file_name(meshlens_assets::clips_file(stem)),
            text: clips::write(&export::md3_named_clips(&model.made)).into_bytes(),
            replaces: false,
        });
    }
    if let Some((start, config)) = of_player {
        let there = read(&path)?.and_then(|text| AnimationConfig::parse(&text).ok());
        if there.as_ref() != Some(&config) && config != AnimationConfig::default() {
            // The new file only adds rows and does not change existing ones.
            let replaces = meshlens::md3::animation::AnimationName::ALL.iter().all(|name| {
                let old = start.clip(*name).filter(|row| row.frame_count != 0);
                old.is_none() || old == config.clip(*name)
            }) && start.unknown.is_empty();
            made.push(ClipsFile { path, text: config.write().into_bytes(), replaces });
        }
    }
    Ok(made)
}

fn read(path: &Path) -> Result<Option<Source>, Failure> {
    match Source::read_limited(path, Limits::DEFAULT.text) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.is_not_found() => Ok(None),
        Err(error) => Err(Failure::file(error)),
    }
}
