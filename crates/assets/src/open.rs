//! Opens located files as an owned model.

use std::ops::Range;

use bytes::Bytes;
use meshlens::unreal::{ParseOptions, Script, Unreal};
use meshlens::{Document, Format, Model, Report};

use crate::asset::{Cell, Owner, Part, Parts};
use crate::companions::{self, Companions};
use crate::located::{LoadedFiles, Located, ModelFiles, report_refused};
use crate::record::Record;
use crate::scripts::ScriptMesh;
use crate::{Asset, AssetPath, Assets, Error, FoundFile, Rule, codes, material, player};

/// Which files of a model are read, and how.
///
/// ```
/// use meshlens_assets::OpenOptions;
///
/// let options = OpenOptions { skin: Some("red".into()), levels: false, ..OpenOptions::default() };
/// # assert!(options.animations.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The skin of an MD3 model ([`Rule::Skin`]). If it does not exist, opening fails. Without this option, players and
    /// their parts use the skin `default` if it exists, or else the first one, and other models keep the materials of
    /// their file.
    pub skin: Option<String>,
    /// Whether to read coarser levels of detail ([`Rule::Level`]).
    pub levels: bool,
    /// Whether to resolve the materials of the game and to find their textures ([`material`]). Otherwise the model has
    /// the materials of its file.
    pub materials: bool,
    /// The animation files of a UNIGINE mesh. If `None`, the files that [`Rule::Animation`] finds.
    pub animations: Option<Vec<FoundFile>>,
    /// The password of an encrypted file (Ultimate 3D).
    pub password: Option<String>,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions { skin: None, levels: true, materials: true, animations: None, password: None }
    }
}

impl Assets {
    /// Opens a model by its name. [`locate`](Self::locate) lists the possible names. Companion files are found by
    /// [`Rule`]s.
    ///
    /// # Errors
    ///
    /// Same as [`locate`](Self::locate) and [`Located::open`].
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// # let pk3 = folder.path().join("pak0.pk3");
    /// # let mut zip = zip::ZipWriter::new(std::fs::File::create(&pk3)?);
    /// # zip.start_file("models/players/sarge/lower.md3", zip::write::SimpleFileOptions::default())?;
    /// # let lower = meshlens_testkit::corpus::files().into_iter().find(|(path, _)| path.ends_with("player/lower.md3")).ok_or("no such file")?;
    /// # std::io::Write::write_all(&mut zip, &lower.1)?;
    /// # zip.start_file("models/players/sarge/animation.cfg", zip::write::SimpleFileOptions::default())?;
    /// # let config = meshlens_testkit::corpus::files().into_iter().find(|(path, _)| path.ends_with("player/animation.cfg")).ok_or("no such file")?;
    /// # std::io::Write::write_all(&mut zip, &config.1)?;
    /// # zip.finish()?;
    /// use meshlens_assets::Assets;
    ///
    /// let mut assets = Assets::new();
    /// assets.mount_archive(&pk3)?;
    /// let sarge = assets.open("models/players/sarge")?;
    /// for part in sarge.parts() {
    ///     println!("{}: {} clips, attached to {:?}", part.name, part.model.clips.len(), part.attach);
    /// }
    /// for lookup in sarge.lookups().iter().filter(|lookup| lookup.found.is_none()) {
    ///     println!("{} was looked for ({})", lookup.path, lookup.rule);
    /// }
    /// # assert!(sarge.lookups().iter().any(|lookup| lookup.path.as_str() == "models/players/sarge/head.md3"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open(&self, name: &str) -> Result<Asset, Error> {
        self.open_with(name, &OpenOptions::default())
    }

    /// Opens a model by its name, with options. Like [`open`](Self::open).
    ///
    /// # Errors
    ///
    /// Same as [`open`](Self::open), and [`Error::NoSkin`] if the requested skin does not exist.
    pub fn open_with(&self, name: &str, options: &OpenOptions) -> Result<Asset, Error> {
        self.locate(name)?.open(options)
    }

    /// Opens a model of one file from bytes in memory. `name` is the name that the file would have inside the mounts:
    /// companion files are looked up in the same folder.
    ///
    /// # Errors
    ///
    /// Same as [`Located::open`].
    pub fn open_bytes(&self, name: &str, bytes: impl Into<Bytes>) -> Result<Asset, Error> {
        self.open_bytes_with(name, bytes, &OpenOptions::default())
    }

    /// Opens a model from bytes in memory, with options. Like [`open_bytes`](Self::open_bytes).
    ///
    /// # Errors
    ///
    /// Same as [`open_bytes`](Self::open_bytes).
    pub fn open_bytes_with(
        &self,
        name: &str,
        bytes: impl Into<Bytes>,
        options: &OpenOptions,
    ) -> Result<Asset, Error> {
        let located = self.locate_bytes(name, bytes)?;
        located.open(options)
    }
}

impl Assets {
    /// Resolves the materials of a model from another source and finds their textures, like [`open`](Self::open).
    /// `path` is the name that the model's file would have inside the mounts. Returns the findings.
    pub fn resolve_materials(&self, model: &mut Model<'_>, path: &AssetPath) -> Report {
        let mut record = Record::default();
        material::resolve(self, model, path, &mut record);
        record.findings
    }
}

impl Located {
    /// Reads the files and their companions, and makes an owned model.
    ///
    /// # Errors
    ///
    /// Same as [`load`](Self::load); [`Error::MissingHalf`] for a single file of an Unreal mesh; [`Error::NoSkin`];
    /// [`Error::Parse`] for a file with invalid content.
    pub fn open(self, options: &OpenOptions) -> Result<Asset, Error> {
        let loaded = self.load(options.password.as_deref())?;
        self.open_loaded(loaded, options)
    }

    /// Makes an owned model from loaded files. Like [`open`](Self::open).
    ///
    /// # Errors
    ///
    /// Same as [`open`](Self::open).
    pub fn open_loaded(self, loaded: LoadedFiles, options: &OpenOptions) -> Result<Asset, Error> {
        if let ModelFiles::Unpaired { file, looked_for, refused, .. } = &self.files {
            // An error of the file itself is reported first.
            loaded.document().map_err(|error| Error::parse(file, error))?;
            let (looked_for, refused) = (looked_for.clone(), refused.clone());
            return Err(Error::MissingHalf { file: file.to_string().into(), looked_for, refused });
        }
        let Located { assets, path, files, mut record } = self;
        for (number, (file, bytes)) in files.files().into_iter().zip(loaded.bytes()).enumerate() {
            let rule = match &files {
                ModelFiles::Player(_) => Rule::PlayerPart,
                ModelFiles::Pair { .. } if number > 0 => Rule::Pair,
                _ => Rule::Named,
            };
            record.use_found(rule, file, bytes.len());
        }
        if let ModelFiles::Pair { script: Some(script), .. } = &files {
            record.use_found(Rule::Script, script.file(), script.text().len());
        }
        let (mut bytes, plain, mut reservation) = loaded.into_parts();
        match (plain, bytes.first_mut()) {
            (Ok(Some(plain)), Some(first)) => *first = plain,
            (Ok(_), _) => {}
            (Err(error), _) => return Err(Error::parse(&files, error)),
        }
        let mut plans = plans(&path, &files);
        for plan in plans.iter_mut().filter(|_| options.levels) {
            let mut companions = Companions { assets: &assets, path: &plan.path, record: &mut record };
            for file in companions.levels() {
                let level = match assets.read_within(&file, reservation.as_mut()) {
                    Ok(level) => level,
                    Err(error @ Error::Memory { .. }) => return Err(error),
                    Err(error) => {
                        record.unreadable(&error);
                        continue;
                    }
                };
                record.use_found(Rule::Level, &file, level.len());
                plan.levels.push((file, bytes.len()));
                bytes.push(level);
            }
        }
        let cell = Cell::try_new(Owner(bytes), |Owner(bytes)| {
            let mut parts = Vec::new();
            let skin = skin_without_request(&plans, options, &files, &assets, &mut record);
            for plan in &plans {
                parts.push(part(plan, bytes, options, &files, (&assets, skin.as_deref()), &mut record)?);
            }
            if let ModelFiles::Player(_) = &files {
                player::join(&mut parts);
            }
            Ok::<_, Error>(Parts(parts))
        })?;
        let folder = match &files {
            ModelFiles::Player(_) => path.clone(),
            _ => path.folder(),
        };
        for (folder, error) in &assets.listing(&folder).faults {
            let message = format_args!("{folder}: {error}");
            record.findings.lose(&codes::FOLDER_UNREADABLE, 1, format_args!("{folder}"), message);
        }
        Ok(Asset::new(cell, path, assets, record, reservation))
    }
}

/// The skin of a player, or of a part of a player, if none was requested: `default`, or else the first one that all parts
/// have.
fn skin_without_request(
    plans: &[Plan],
    options: &OpenOptions,
    files: &ModelFiles,
    assets: &Assets,
    record: &mut Record,
) -> Option<String> {
    let is_player = match files {
        ModelFiles::Player(_) => true,
        // In other formats, a part keeps the names in its file.
        ModelFiles::Single(_) if options.materials => {
            plans.iter().all(|plan| player::is_part(assets, &plan.path))
        }
        _ => false,
    };
    if options.skin.is_some() || !is_player {
        return None;
    }
    let mut each = Vec::new();
    for plan in plans {
        let names = companions::skins(assets, &plan.path.folder(), player::stem(&plan.path));
        if names.iter().any(|name| name == "default") {
            return Some("default".into());
        }
        each.push(names);
    }
    each.retain(|names| !names.is_empty());
    let Some((first, others)) = each.split_first() else { return Some("default".into()) };
    let shared = || first.iter().filter(|name| others.iter().all(|names| names.contains(name)));
    let chosen = shared().next().or(first.first())?;
    let all: Vec<&str> = match shared().next() {
        Some(_) => shared().map(String::as_str).collect(),
        None => first.iter().map(String::as_str).collect(),
    };
    if all.len() > 1 {
        let message = format_args!("no skin called default: {chosen} is worn; there are {}", all.join(", "));
        record.findings.lose(&codes::SKIN_CHOSEN, 1, format_args!("skin {chosen}"), message);
    }
    Some(chosen.clone())
}

/// One part of an asset, before it is parsed.
struct Plan {
    path: AssetPath,
    /// The name of its file in errors.
    file: String,
    /// The indices of its files.
    bytes: Range<usize>,
    /// Coarser levels of detail, and the index of the bytes of each.
    levels: Vec<(FoundFile, usize)>,
}

fn plans(path: &AssetPath, files: &ModelFiles) -> Vec<Plan> {
    let plan = |path: AssetPath, file: String, bytes| Plan { path, file, bytes, levels: Vec::new() };
    match files {
        ModelFiles::Player(parts) => {
            let parts = parts.iter().enumerate();
            let parts = parts.map(|(number, file)| {
                plan(path.child(file.path.file_name()), file.to_string(), number..number + 1)
            });
            parts.collect()
        }
        files => vec![plan(path.clone(), files.to_string(), 0..files.files().len())],
    }
}

fn part<'a>(
    plan: &Plan,
    bytes: &'a [Bytes],
    options: &OpenOptions,
    files: &ModelFiles,
    (assets, own_skin): (&Assets, Option<&str>),
    record: &mut Record,
) -> Result<Part<'a>, Error> {
    let broken = |error| Error::parse(&plan.file, error);
    let (document, script) = match (files, bytes.get(plan.bytes.clone()).unwrap_or_default()) {
        (ModelFiles::Pair { script, .. }, [geometry, frames]) => {
            (Document::parse_pair(geometry, frames).map_err(broken)?, script.as_deref())
        }
        (_, [file, ..]) => (Document::parse(file).map_err(broken)?, None),
        (_, []) => (Document::parse(&[]).map_err(broken)?, None),
    };
    let unreal = document.as_unreal().copied();
    let mut model = Model::new(document).map_err(broken)?;
    if let (Some(script), Some(unreal)) = (script, unreal) {
        set_script(&mut model, &unreal, script, record)?;
    }
    let mut companions = Companions { assets, path: &plan.path, record };
    if model.format == Some(Format::Md3) {
        companions.clips(&mut model)?;
    }
    let skin = match &options.skin {
        Some(skin) => companions.skin(skin, true)?,
        None => own_skin.map(|skin| companions.skin(skin, false)).transpose()?.flatten(),
    };
    skin.iter().for_each(|skin| model.set_skin(skin));
    match &options.animations {
        Some(asked_for) => {
            for file in asked_for {
                companions.animation(&mut model, file.path.clone(), file.clone(), true)?;
            }
        }
        None => companions.animations(&mut model)?,
    }
    if options.materials {
        material::resolve(assets, &mut model, &plan.path, record);
    }
    let mut levels = Vec::new();
    for (file, number) in &plan.levels {
        let bytes = bytes.get(*number).map(|bytes| &bytes[..]).unwrap_or_default();
        let mut level = Model::parse(bytes).map_err(|error| Error::parse(file, error))?;
        skin.iter().for_each(|skin| level.set_skin(skin));
        if options.materials {
            // The findings about its materials are already recorded for the finest level.
            material::resolve(assets, &mut level, &plan.path, &mut Record::default());
        }
        levels.push(level);
    }
    let rest_frame = player::rest_frame(&model);
    let (name, path) = (plan.path.stem().into(), plan.path.clone());
    Ok(Part { name, path, model, levels, attach: None, rest_frame })
}

/// Applies the content of a script to a mesh.
fn set_script<'a>(
    model: &mut Model<'a>,
    unreal: &Unreal<'a>,
    script: &ScriptMesh,
    record: &mut Record,
) -> Result<(), Error> {
    let parsed = Script::parse_with(script.text(), &ParseOptions::LENIENT);
    let parsed = parsed.map_err(|error| Error::parse(script.file(), error))?;
    report_refused(script, &mut record.findings);
    record.findings.append(model.set_script(unreal, &parsed, script.name()).unwrap_or_default());
    Ok(())
}
