//! The companion files of an MD3 model or a UNIGINE mesh: clips, skins, levels of detail and animations.

use meshlens::md3::{AnimationConfig, Skin, clips, lod};
use meshlens::model::{Clip, export};
use meshlens::unigine::Anim;
use meshlens::{Format, Limits, Model, codes as model_codes};

use crate::index::Extension;
use crate::material::numbered_skin;
use crate::record::Record;
use crate::{AssetPath, Assets, Bytes, Error, FoundFile, Rule, player};

/// The name of the file of clips for a model that is not part of a player.
pub fn clips_file(stem: &str) -> String {
    format!("{stem}.animation.cfg")
}

/// The companion file that states the clips of an MD3, as its name and its text: `animation.cfg` for a part of a
/// player, if the clips belong to a player and fit those of the other parts in `beside`, or [`clips_file`]. `None` without
/// clips.
pub fn write_clips(stem: &str, made: &[Clip], beside: &AnimationConfig) -> Option<(String, String)> {
    if made.is_empty() {
        return None;
    }
    let config = export::md3_animation_config(made, beside);
    match config.filter(|_| player::body_part(stem).is_some()) {
        Some(config) => Some(("animation.cfg".into(), config.write())),
        None => Some((clips_file(stem), clips::write(&export::md3_named_clips(made)))),
    }
}

/// The names of the skins of a model, such as `red` for `lower_red.skin`, and `0` for `x.md3_0.skin` or the first column
/// of `x.md3.skin`.
pub(crate) fn skins(assets: &Assets, path: &AssetPath) -> Vec<String> {
    let mut skins: Vec<String> = skin_files(assets, path).into_iter().map(|(skin, _)| skin).collect();
    skins.sort_unstable();
    skins.dedup();
    skins
}

/// The skins of a model, each with the name of its file.
pub(crate) fn skin_files(assets: &Assets, path: &AssetPath) -> Vec<(String, String)> {
    let file = path.file_name().to_ascii_lowercase();
    let prefixes = [format!("{}_", player::stem(path).to_ascii_lowercase()), format!("{file}_")];
    let skin = |name: &String| {
        let name = name.to_ascii_lowercase();
        let name = name.strip_suffix(".skin")?;
        let named = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
        named.or_else(|| (name == file).then_some("0")).map(String::from)
    };
    let folder = path.folder();
    let starts = prefixes.iter().chain([&file]).flat_map(|start| assets.files_beginning(&folder, start));
    let mut files: Vec<_> = starts.filter_map(|name| Some((skin(&name)?, name))).collect();
    files.sort_by(|(_, a), (_, b)| a.cmp(b));
    files.dedup();
    files
}

/// The folder and the name for which companions are looked up.
pub(crate) struct Companions<'s> {
    pub(crate) assets: &'s Assets,
    /// The path of the model's file.
    pub(crate) path: &'s AssetPath,
    pub(crate) record: &'s mut Record,
}

impl Companions<'_> {
    /// Reads a text file in the folder of the model. If it exists and cannot be read, that is an error.
    fn text(&mut self, rule: Rule, name: &str) -> Result<Option<(FoundFile, Bytes)>, Error> {
        let found = self.record.find(self.assets, rule, self.path.folder().child(name));
        let Some(file) = found else { return Ok(None) };
        let text = self.assets.read_limited(&file, Limits::DEFAULT.text)?;
        self.record.use_found(rule, &file, text.len());
        Ok(Some((file, text)))
    }

    /// Reads a text file in the folder of the model. If it exists and cannot be read, that is a finding.
    fn optional_text(&mut self, rule: Rule, name: &str) -> Option<(FoundFile, Bytes)> {
        let text = self.text(rule, name);
        self.record.optional(text).flatten()
    }

    /// Reads a companion. If it cannot be parsed, that is a finding.
    fn parsed<T>(&mut self, file: &FoundFile, parsed: meshlens::Result<T>) -> Option<T> {
        self.record.optional(parsed.map_err(|error| Error::parse(file, error)))
    }

    /// Adds the clips of an MD3 model.
    pub(crate) fn clips(&mut self, model: &mut Model<'_>) {
        let stem = self.path.stem().to_owned();
        if let Some(part) = player::body_part(&stem)
            && let Some((file, text)) = self.optional_text(Rule::AnimationConfig, "animation.cfg")
        {
            let Some(config) = self.parsed(&file, AnimationConfig::parse(&text)) else { return };
            for name in model.set_animation_config(&config, part) {
                self.missing_frames(&name, &stem);
            }
            for (_, word) in &config.unknown {
                let message = format_args!("animation.cfg: unknown word {word}");
                let findings = &mut self.record.findings;
                findings.lose(
                    &model_codes::COMPANION_WORD_UNKNOWN,
                    1,
                    format_args!("animation.cfg"),
                    message,
                );
            }
            return;
        }
        if let Some((file, text)) = self.optional_text(Rule::NamedClips, &clips_file(&stem))
            && let Some(named) = self.parsed(&file, clips::parse(&text))
            && !named.is_empty()
        {
            for name in model.set_named_clips(&named) {
                self.missing_frames(&name, &stem);
            }
        }
    }

    fn missing_frames(&mut self, clip: &str, stem: &str) {
        let message = format_args!("clip {clip}: {stem}.md3 does not have its frames");
        let findings = &mut self.record.findings;
        findings.lose(&model_codes::CLIP_FRAMES_MISSING, 1, format_args!("clip {clip}"), message);
    }

    /// The skin with this name. A skin that was requested must exist.
    pub(crate) fn skin(
        &mut self,
        model: &Model<'_>,
        name: &str,
        is_asked_for: bool,
    ) -> Result<Option<Skin>, Error> {
        let path = self.path.with_file_name(&format!("{}_{name}.skin", player::stem(self.path)))?;
        let number = name.parse().ok();
        let file = self.path.file_name().to_owned();
        let quake1 = number
            .map(|number: usize| [(format!("{file}_{number}.skin"), 0), (format!("{file}.skin"), number)]);
        let is_beside = path.folder() == self.path.folder();
        let usual = is_beside.then(|| (path.file_name().to_owned(), 0));
        for (name, column) in usual.into_iter().chain(quake1.into_iter().flatten()) {
            let parse = |(file, text): (FoundFile, Bytes)| {
                Skin::parse(&text).map_err(|error| Error::parse(&file, error))
            };
            match self.text(Rule::Skin, &name).and_then(|found| found.map(parse).transpose()) {
                Err(error) if is_asked_for => return Err(error),
                Err(error) => self.record.unreadable(&error),
                Ok(Some(skin)) if column == 0 => return Ok(Some(skin)),
                Ok(Some(skin)) => {
                    let skin = skin.column(column);
                    if !skin.entries.is_empty() {
                        return Ok(Some(skin));
                    }
                }
                Ok(None) => {}
            }
        }
        let numbered = number.map(|number| numbered_skin(self.assets, model, self.path, number, false));
        match numbered.filter(|skin| !skin.entries.is_empty()) {
            None if is_asked_for => {
                Err(Error::NoSkin { file: path, available: skins(self.assets, self.path) })
            }
            skin => Ok(skin),
        }
    }

    /// The skin of a model without a request, by the names that engines of Quake 1 use.
    pub(crate) fn first_skin(&mut self, model: &Model<'_>) -> Result<Option<Skin>, Error> {
        let beside = |ending: &str| self.path.folder().child(&format!("{}{ending}", self.path.file_name()));
        if ["_0.skin", ".skin"].iter().any(|ending| self.assets.find_any(&beside(ending)).is_some()) {
            return self.skin(model, "0", false);
        }
        let skin = numbered_skin(self.assets, model, self.path, 0, true);
        Ok(Some(skin).filter(|skin| !skin.entries.is_empty()))
    }

    /// Finds the coarser levels of detail of an MD3 model. The model must be the finest level.
    pub(crate) fn levels(&mut self) -> Vec<FoundFile> {
        let name = self.path.file_name();
        let (level, stem) = lod::level(name);
        let is_other =
            Format::from_extension(self.path.extension()).is_some_and(|format| format != Format::Md3);
        if level > 0 || is_other {
            return Vec::new();
        }
        let mut found = Vec::new();
        for level in 1..=9 {
            let path = self.path.folder().child(&format!("{stem}_{level}.md3"));
            let file = self.record.find(self.assets, Rule::Level, path);
            // Games have three levels. Further levels are found if there is no gap.
            if file.is_none() && level >= 3 {
                break;
            }
            found.extend(file);
        }
        found
    }

    /// Adds the animations in the folder of a UNIGINE mesh that has their bones.
    pub(crate) fn animations(&mut self, model: &mut Model<'_>) -> Result<(), Error> {
        if model.joints.is_empty() {
            return Ok(());
        }
        let folder = self.path.folder();
        for name in self.assets.files_with(&folder, Extension::Anim) {
            let path = folder.child(&name);
            let Ok(Some(file)) = self.assets.find(&path) else { continue };
            self.animation(model, path, file, false)?;
        }
        Ok(())
    }

    /// Adds one animation. An animation that was not requested is only added if the model has half of its bones.
    pub(crate) fn animation(
        &mut self,
        model: &mut Model<'_>,
        path: AssetPath,
        file: FoundFile,
        is_asked_for: bool,
    ) -> Result<(), Error> {
        // The animation is decoded here, so that its file can be dropped.
        let mut reservation = self.assets.budget().map(|budget| budget.empty());
        let bytes = self.assets.read_within(&file, reservation.as_mut(), u64::MAX);
        let Some(bytes) = self.record.optional_unless(is_asked_for, bytes)? else { return Ok(()) };
        let anim = Anim::parse(&bytes).map_err(|error| Error::parse(&file, error));
        let Some(anim) = self.record.optional_unless(is_asked_for, anim)? else { return Ok(()) };
        let mut names: Vec<&str> = model.joints.iter().map(|joint| joint.name.as_str()).collect();
        names.sort_unstable();
        let has = |name: &str| names.binary_search(&name).is_ok();
        // The animations of other characters may be in the folder, with some bones of the same names.
        let matches = anim.skeleton().bones().filter(|bone| has(&bone.name.to_text())).count();
        if !is_asked_for && matches < anim.skeleton().bones().len().div_ceil(2) {
            return Ok(());
        }
        self.record.look(Rule::Animation, path.clone(), Some(file.clone()));
        let findings = model.add_anim(&anim, path.stem());
        self.record.findings.append(findings);
        self.record.use_found(Rule::Animation, &file, bytes.len());
        Ok(())
    }
}
