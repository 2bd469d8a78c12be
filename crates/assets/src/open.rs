//! Opens located files as an owned model.

use bytes::Bytes;
use meshlens::Document;
use meshlens::import::ImportOptions;
use meshlens::wire::Budget;

use crate::asset::{Cell, Owner};
use crate::located::{LoadedFiles, Located, ModelFiles};
use crate::{Asset, Assets, Error, FoundFile, Rule};

/// Which files of a model are read, and how.
///
/// ```
/// use meshlens_assets::OpenOptions;
///
/// let options = OpenOptions { skin: Some("red".into()), lods: false, ..OpenOptions::default() };
/// # assert!(options.animations.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The skin of an MD3 model ([`Rule::Skin`]). If it does not exist, opening fails. Without this option, players and
    /// their parts use the skin `default` if it exists, or else the first one, and other models keep the materials of
    /// their file.
    pub skin: Option<String>,
    /// Whether to read coarser levels of detail ([`Rule::Level`]).
    pub lods: bool,
    /// Whether to resolve the materials of the game and to find their textures ([`material`](crate::material)). Otherwise the model has
    /// the materials of its file.
    pub materials: bool,
    /// The animation files of a UNIGINE mesh. If `None`, the files that [`Rule::Animation`] finds.
    pub animations: Option<Vec<FoundFile>>,
    /// The password of an encrypted file (Ultimate 3D).
    pub password: Option<String>,
    /// How files of other formats are [imported](Assets::add_importer). The rate is also that of clips whose rate is not in
    /// their file.
    pub import: ImportOptions,
}

impl Default for OpenOptions {
    fn default() -> Self {
        OpenOptions {
            skin: None,
            lods: true,
            materials: true,
            animations: None,
            password: None,
            import: ImportOptions::default(),
        }
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
    /// for node in &sarge.scene().nodes {
    ///     println!("{}: {} clips, attached to {:?}", node.name, node.model.clips.len(), node.attachment);
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
        self.locate_bytes(name, bytes)?.open(options)
    }
}

impl Located {
    /// Reads the files and their companions, and makes an owned model.
    ///
    /// # Errors
    ///
    /// Same as [`load`](Self::load); [`Error::Import`]; [`Error::MissingHalf`] for a single file of an Unreal mesh; [`Error::NoSkin`];
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
        if loaded.importer().is_some() {
            let own = Budget::new(options.import.limits.bytes);
            return self.import(&loaded, options, self.assets.budget().unwrap_or(&own));
        }
        if let ModelFiles::Unpaired { file, .. } = &self.files {
            // An error of the file itself is reported first.
            loaded.document().map_err(|error| Error::parse(file, error))?;
        }
        let mut plan = self.plan_files(options)?;
        let Located { files, record, .. } = &mut plan.located;
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
        let levels = plan.read_levels(&mut bytes, reservation.as_mut())?;
        let mut record = std::mem::take(&mut plan.located.record);
        let cell = Cell::try_new(Owner::new(bytes), |Owner { bytes, .. }| {
            plan.make(&mut record, |node, lod| {
                let files = levels.get(node).and_then(|levels| levels.get(lod)).cloned().unwrap_or_default();
                match bytes.get(files).unwrap_or_default() {
                    [geometry, frames] => Document::parse_pair(geometry, frames).map(Some),
                    [file, ..] => Document::parse(file).map(Some),
                    [] => Ok(None),
                }
            })
        })?;
        let Located { assets, path, files, .. } = plan.located;
        let folder = match files {
            ModelFiles::Player(_) => path.clone(),
            _ => path.folder(),
        };
        record.unlisted(&assets, &folder);
        let node_paths = plan.nodes.into_iter().map(|node| node.path).collect();
        Ok(Asset::new(cell, path, node_paths, assets, record, reservation))
    }
}
