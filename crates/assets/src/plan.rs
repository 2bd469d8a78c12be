//! Scenes whose files are known but not read.

use std::ops::Range;

use bytes::Bytes;
use meshlens::lens::Bounds;
use meshlens::scene::{Node, Scene};
use meshlens::wire::Reservation;
use meshlens::{Document, Format, Model, Presence, Report};

use crate::companions::{self, Companions};
use crate::located::{Located, ModelFiles, report_refused};
use crate::record::Record;
use crate::scripts::ScriptMesh;
use crate::{AssetPath, Assets, Error, FoundFile, OpenOptions, Rule, codes, material, player};

/// The nodes of a scene and the files of each, for a loader that reads the files itself, such as a streamer.
/// [`Located::open`] reads them all.
#[derive(Clone, Debug)]
pub struct ScenePlan {
    pub(crate) located: Located,
    pub(crate) nodes: Vec<NodePlan>,
    options: OpenOptions,
}

/// The files of one node of a [`ScenePlan`].
#[derive(Clone, Debug)]
pub struct NodePlan {
    pub(crate) path: AssetPath,
    pub(crate) files: Vec<FoundFile>,
    /// The name of its files in errors.
    file: String,
    pub(crate) lods: Vec<FoundFile>,
}

impl NodePlan {
    /// The name that the node will have.
    pub fn name(&self) -> &str {
        self.path.stem()
    }

    /// The file of the model, or the two files of an Unreal mesh, geometry first.
    pub fn files(&self) -> &[FoundFile] {
        &self.files
    }

    /// The files of coarser levels of detail, the finest of them first.
    pub fn lods(&self) -> &[FoundFile] {
        &self.lods
    }
}

impl Located {
    /// Finds the files of every node. Reads none of them, except the start of a file with the extension of an
    /// [importer](Assets::add_importer).
    ///
    /// # Errors
    ///
    /// [`Error::MissingHalf`] for a single file of an Unreal mesh; [`Error::Imported`].
    pub fn plan(self, options: &OpenOptions) -> Result<ScenePlan, Error> {
        if let ModelFiles::Single(file) = &self.files
            && let Some(importer) = self.assets.importer_of(file)
        {
            return Err(Error::Imported { file: file.to_string().into(), format: importer.format() });
        }
        self.plan_files(options)
    }

    /// Finds the files of every node of a model that has no importer.
    pub(crate) fn plan_files(mut self, options: &OpenOptions) -> Result<ScenePlan, Error> {
        if let ModelFiles::Unpaired { file, looked_for, refused, .. } = self.files {
            return Err(Error::MissingHalf { file: file.to_string().into(), looked_for, refused });
        }
        let node = |path: AssetPath, file: String, files| NodePlan { path, files, file, lods: Vec::new() };
        let mut nodes = match &self.files {
            ModelFiles::Player(parts) => {
                let path = |file: &FoundFile| self.path.child(file.path.file_name());
                parts.iter().map(|file| node(path(file), file.to_string(), vec![file.clone()])).collect()
            }
            files => {
                let all = files.files().into_iter().cloned().collect();
                vec![node(self.path.clone(), files.to_string(), all)]
            }
        };
        let is_pair = matches!(self.files, ModelFiles::Pair { .. });
        for node in nodes.iter_mut().filter(|_| options.lods && !is_pair) {
            let (assets, record) = (&self.assets, &mut self.record);
            node.lods = Companions { assets, path: &node.path, record }.levels();
        }
        Ok(ScenePlan { located: self, nodes, options: options.clone() })
    }
}

impl ScenePlan {
    /// The search path for companion files and textures.
    pub fn assets(&self) -> &Assets {
        &self.located.assets
    }

    /// The nodes: one, or those of a player.
    pub fn nodes(&self) -> &[NodePlan] {
        &self.nodes
    }

    /// Makes the scene of parsed files: with placement, clips, skin, materials and attachments, like
    /// [`Located::open`]. `document` gets the index of a node and a level of detail, 0 for the [files](NodePlan::files) of
    /// the node and then its [`lods`](NodePlan::lods). It returns `None` for a level that is left out; every node has a
    /// document at level 0. Also returns the findings. Reads companion files.
    ///
    /// # Errors
    ///
    /// The errors of `document`, with the name of the file, and the errors of [`Located::open`].
    pub fn scene<'a, P: Presence>(
        &self,
        document: impl FnMut(usize, usize) -> meshlens::Result<Option<Document<'a, P>>>,
    ) -> Result<(Scene<'a>, Report), Error> {
        let mut record = self.located.record.clone();
        let scene = self.make(&mut record, document)?;
        Ok((scene, record.findings))
    }

    /// Makes one node of the [`scene`](Self::scene), without its attachment, for a loader of single nodes. `document` gets a level
    /// of detail. Also returns the findings. `None` if the node is out of range. Reads companion files.
    ///
    /// # Errors
    ///
    /// Same as [`scene`](Self::scene).
    pub fn node<'a, P: Presence>(
        &self,
        number: usize,
        document: impl FnMut(usize) -> meshlens::Result<Option<Document<'a, P>>>,
    ) -> Result<Option<(Node<'a>, Report)>, Error> {
        let Some(plan) = self.nodes.get(number) else { return Ok(None) };
        let mut record = self.located.record.clone();
        let skin = self.skin_without_request(&mut record);
        let node = self.make_node(plan, document, skin.as_deref(), &mut record)?;
        Ok(Some((node, record.findings)))
    }

    /// Appends the files of coarser levels of detail to `bytes`, and returns the files of each level of each node, the
    /// finest first.
    pub(crate) fn read_levels(
        &mut self,
        bytes: &mut Vec<Bytes>,
        mut reservation: Option<&mut Reservation>,
    ) -> Result<Vec<Vec<Range<usize>>>, Error> {
        let Located { assets, record, .. } = &mut self.located;
        let mut first = 0;
        let mut all = Vec::new();
        for node in &mut self.nodes {
            let mut levels: Vec<_> = std::iter::once(first..first + node.files.len()).collect();
            first += node.files.len();
            for file in std::mem::take(&mut node.lods) {
                let level = assets.read_within(&file, reservation.as_deref_mut(), u64::MAX);
                let Some(level) = record.optional_unless(false, level)? else { continue };
                // A level that does not parse has no model, and its bytes would belong to the next one.
                let parsed = Document::parse(&level).and_then(Model::new).map(drop);
                if record.optional(parsed.map_err(|error| Error::parse(&file, error))).is_none() {
                    continue;
                }
                record.use_found(Rule::Level, &file, level.len());
                node.lods.push(file);
                levels.push(bytes.len()..bytes.len() + 1);
                bytes.push(level);
            }
            all.push(levels);
        }
        Ok(all)
    }

    pub(crate) fn make<'a, P: Presence>(
        &self,
        record: &mut Record,
        mut document: impl FnMut(usize, usize) -> meshlens::Result<Option<Document<'a, P>>>,
    ) -> Result<Scene<'a>, Error> {
        let mut scene = Scene::default();
        let skin = self.skin_without_request(record);
        for (number, node) in self.nodes.iter().enumerate() {
            let document = |lod| document(number, lod);
            scene.nodes.push(self.make_node(node, document, skin.as_deref(), record)?);
        }
        if let ModelFiles::Player(_) = &self.located.files {
            player::join(&mut scene);
        }
        Ok(scene)
    }

    /// Whether a script places the mesh.
    pub fn has_script(&self) -> bool {
        self.script().is_some()
    }

    /// Makes a model of a document of the first node's files, placed by the script, without other companions. Reads no
    /// files.
    ///
    /// # Errors
    ///
    /// The errors of [`Model::new`], and the script cannot be parsed.
    pub fn placed_model<'a, P: Presence>(&self, document: Document<'a, P>) -> Result<Model<'a>, Error> {
        self.model(document, self.nodes.first().map_or("", |node| &node.file), &mut Record::default())
    }

    /// The bounding box in frame 0 of a document of the first node's files, as the script places it. The vertices of the
    /// frame are all that it needs. `None` if no script places the mesh. O(vertices).
    ///
    /// # Errors
    ///
    /// [`Incomplete`](meshlens::wire::ErrorKind::Incomplete) if the frame is not loaded.
    pub fn placed_bounds<P: Presence>(
        &self,
        document: &Document<'_, P>,
    ) -> Option<meshlens::Result<Option<Bounds>>> {
        let (script, unreal) = (self.script()?, document.as_unreal()?);
        let mut model = Model::empty(None, document.format().space());
        model.placement = Model::script_placement(script.script(), script.name())?;
        let placement = model.placement_in(&model.space);
        if unreal.frame_count() == 0 {
            return Some(Ok(None));
        }
        let positions = unreal.positions(0);
        Some(positions.map(|stored| Bounds::around(stored.iter().map(|at| placement.position(at)))))
    }

    fn script(&self) -> Option<&ScriptMesh> {
        match &self.located.files {
            ModelFiles::Pair { script, .. } => script.as_deref(),
            _ => None,
        }
    }

    fn model<'a, P: Presence>(
        &self,
        document: Document<'a, P>,
        file: &str,
        record: &mut Record,
    ) -> Result<Model<'a>, Error> {
        let unreal = document.as_unreal().copied();
        let mut model = Model::new(document).map_err(|error| Error::parse(file, error))?;
        if let (Some(script), Some(unreal)) = (self.script(), unreal) {
            report_refused(script, &mut record.findings);
            let lost = P::result(model.set_script(&unreal, script.script(), script.name()));
            let lost = lost.map_err(|error| Error::parse(file, error))?;
            record.findings.append(lost.unwrap_or_default());
        }
        Ok(model)
    }

    fn make_node<'a, P: Presence>(
        &self,
        plan: &NodePlan,
        mut document: impl FnMut(usize) -> meshlens::Result<Option<Document<'a, P>>>,
        own_skin: Option<&str>,
        record: &mut Record,
    ) -> Result<Node<'a>, Error> {
        let (assets, options) = (&self.located.assets, &self.options);
        let broken = |error| Error::parse(&plan.file, error);
        let no_document = || {
            let what = "document of a node";
            meshlens::Error::of_call("meshlens", meshlens::wire::ErrorKind::Missing { what })
        };
        let finest = document(0).and_then(|finest| finest.ok_or_else(no_document)).map_err(broken)?;
        let mut model = self.model(finest, &plan.file, record)?;
        let mut companions = Companions { assets, path: &plan.path, record };
        if model.format == Some(Format::Md3) {
            companions.clips(&mut model);
        }
        let skin = match (&options.skin, own_skin) {
            (Some(skin), _) => companions.skin(&model, skin, true)?,
            (None, Some(skin)) => companions.skin(&model, skin, false)?,
            (None, None) if options.materials && model.format == Some(Format::Md3) => {
                companions.first_skin(&model)?
            }
            (None, None) => None,
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
            if skin.is_none() && model.format == Some(Format::Md3) {
                report_skins(assets, &plan.path, record);
            }
        }
        let mut lods = Vec::new();
        for (lod, file) in (1..).zip(&plan.lods) {
            let level = document(lod).and_then(|level| level.map(Model::new).transpose());
            let level = record.optional(level.map_err(|error| Error::parse(file, error)));
            let Some(mut level) = level.flatten() else { continue };
            skin.iter().for_each(|skin| level.set_skin(skin));
            if options.materials {
                // The findings about its materials are already recorded for the finest level.
                material::resolve(assets, &mut level, &plan.path, &mut Record::default());
            }
            lods.push(level);
        }
        let rest_frame = player::rest_frame(&model);
        Ok(Node { lods, rest_frame, ..Node::new(plan.name(), model) })
    }

    /// The skin of a player, or of a part of a player, if none was requested: `default`, or else the first one that all parts
    /// have.
    fn skin_without_request(&self, record: &mut Record) -> Option<String> {
        let (plans, options, files) = (&self.nodes, &self.options, &self.located.files);
        let assets: &Assets = &self.located.assets;
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
            let names = companions::skins(assets, &plan.path);
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
            let message =
                format_args!("no skin called default: {chosen} is worn; there are {}", all.join(", "));
            record.findings.lose(&codes::SKIN_CHOSEN, 1, format_args!("skin {chosen}"), message);
        }
        Some(chosen.clone())
    }
}

/// Adds the skins beside a model for which no skin was chosen, if textures are missing.
fn report_skins(assets: &Assets, path: &AssetPath, record: &mut Record) {
    let is_missing = |group: &meshlens::wire::Group| *group.code == material::codes::TEXTURE_NOT_FOUND;
    let names = companions::skins(assets, path);
    if names.is_empty() || !record.findings.groups().any(is_missing) {
        return;
    }
    let message = format_args!("skins beside the model name textures: {}", names.join(", "));
    record.findings.lose(&codes::SKINS_NOT_WORN, names.len() as u64, format_args!("{path}"), message);
}
