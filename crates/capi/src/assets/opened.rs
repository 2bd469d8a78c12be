//! Models that are opened by name: their nodes, and their files.

use std::convert::Infallible;
use std::iter;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use meshlens::unreal::FileKind;
use meshlens::{Report, Summary};
use meshlens_assets::{Asset, AssetPath, FoundFile, LoadedFiles, Located, ModelFiles, OpenOptions};

use super::error::path_first;
use crate::call::{at, check_index};
use crate::content::{Counts, File, get_or_make};
use crate::file_bytes::{Bytes as Kept, FileBytes};
use crate::files::{AssetModel, Files};
use crate::memory::Limited;
use crate::names::{TextAt, TextBuilder, Texts};
use crate::result::{Failure, Result};

/// A model that was opened by name, with its companion files: one node, or several.
pub(crate) struct Found {
    /// What its scenes share.
    pub(crate) identity: Arc<()>,
    /// The model of the first node, made on first use.
    first: OnceLock<File>,
    pub(super) content: Content,
    pub(crate) memory: Limited,
    pub(super) texts: Texts,
    pub(super) name: TextAt,
    pub(super) nodes: Vec<NodeNames>,
    pub(super) files: Vec<FileNames>,
    pub(super) lookups: Vec<LookupNames>,
}

pub(super) enum Content {
    /// The models, and their files.
    Whole(Whole),
    /// One file of an Unreal mesh whose other file is missing.
    Half(FileKind, Bytes),
}

pub(super) struct Whole {
    asset: Asset,
    located: Box<Located>,
    /// The number of bytes of the files.
    bytes: u64,
    /// The version and the counts of a file that was imported.
    imported: Option<(&'static str, Summary)>,
}

impl Whole {
    /// The files, which are not read again.
    fn loaded(&self) -> LoadedFiles {
        let mut bytes = self.asset.bytes().iter().cloned();
        let read = |_: &FoundFile| Ok::<_, Infallible>(bytes.next().unwrap_or_default());
        let Ok(loaded) = self.located.load_with(None, read);
        loaded
    }

    /// A model of a node, and the findings about the script or the import that it is from.
    fn model(&self, node: usize, lod: usize) -> Result<(AssetModel, Report)> {
        let nodes = &self.asset.scene().nodes;
        check_index("lod", lod, at(nodes, "node", node)?.lods.len().saturating_add(1))?;
        let files = self.located.files();
        let is_pair = matches!(files, ModelFiles::Pair { .. });
        let first = match lod.checked_sub(1) {
            None if is_pair => 0,
            None => node,
            Some(coarser) => {
                // The levels of earlier nodes come first.
                let before = nodes.iter().take(node).map(|node| node.lods.len());
                before.fold(files.files().len(), usize::saturating_add).saturating_add(coarser)
            }
        };
        let count = if is_pair && lod == 0 { 2 } else { 1 };
        let files = self.asset.bytes().iter().skip(first).take(count).cloned().collect();
        let mut findings = Report::default();
        if self.imported.is_some() {
            findings = self.asset.findings().clone();
        } else if is_pair && lod == 0 {
            let loaded = self.loaded();
            loaded.validate_script(&loaded.document()?, &mut findings);
        }
        Ok((AssetModel { asset: self.asset.clone(), node, lod, files }, findings))
    }

    fn counts(&self) -> Result<Counts> {
        if let Some((version, summary)) = self.imported {
            return Ok(Counts { format: None, version: version.into(), summary, bytes: self.bytes });
        }
        let loaded = self.loaded();
        let documents = loaded.documents()?;
        let summary =
            documents.iter().map(|document| document.summary()).fold(Summary::default(), Summary::and);
        let (format, version) = match documents.first() {
            Some(first) => (Some(first.format()), first.version()),
            None => Default::default(),
        };
        Ok(Counts { format, version, summary, bytes: self.bytes })
    }
}

pub(super) struct NodeNames {
    pub(super) name: TextAt,
    pub(super) path: TextAt,
}

pub(super) struct FileNames {
    pub(super) name: TextAt,
    pub(super) path: TextAt,
    pub(super) rule: TextAt,
    pub(super) len: u64,
}

pub(super) struct LookupNames {
    pub(super) path: TextAt,
    pub(super) rule: TextAt,
    pub(super) found: Option<TextAt>,
}

impl Found {
    /// Opens a model whose files were found.
    pub(crate) fn open(located: Located, options: &OpenOptions, memory: Limited) -> Result<Found> {
        let loaded = located.load(options.password.as_deref())?;
        let mut texts = TextBuilder::default();
        let name = texts.add(&located.files().to_string());
        let files = located.files().clone();
        let (content, nodes, used, lookups) = if let ModelFiles::Unpaired { kind, file, .. } = &files {
            // An error of the file itself is reported now.
            let named = |error| Failure::Error(Some(path_first(&file.to_string()).into()), Box::new(error));
            loaded.document().map_err(named)?;
            let path = texts.add(file.path().as_str());
            let node = NodeNames { name: texts.add(file.path().stem()), path };
            let rule = texts.add("Named");
            let found = FileNames { name: texts.add(&file.to_string()), path, rule, len: loaded.len() };
            let bytes = loaded.into_bytes().pop().unwrap_or_default();
            (Content::Half(*kind, bytes), vec![node], vec![found], Vec::new())
        } else {
            let bytes = loaded.len();
            let counted =
                loaded.importer().map(|importer| (importer.version(), importer.summarize(loaded.first())));
            let asset = located.clone().open_loaded(loaded, options)?;
            let imported =
                counted.map(|(version, summary)| Ok::<_, Failure>((version, summary?))).transpose()?;
            for model in asset.scene().nodes.iter().flat_map(|node| iter::once(&node.model).chain(&node.lods))
            {
                model.charge_to(&memory.budget);
            }
            let nodes = asset.scene().nodes.iter().enumerate().map(|(index, node)| {
                let path = asset.node_path(index).map_or("", AssetPath::as_str);
                NodeNames { name: texts.add(&node.name), path: texts.add(path) }
            });
            let nodes = nodes.collect();
            let used = asset.files().iter().map(|file| FileNames {
                name: texts.add(&file.name),
                path: texts.add(file.path.as_str()),
                rule: texts.add(&file.rule.to_string()),
                len: file.len,
            });
            let used = used.collect();
            let lookups = asset.lookups().iter().map(|lookup| LookupNames {
                path: texts.add(lookup.path.as_str()),
                rule: texts.add(&lookup.rule.to_string()),
                found: lookup.found.as_ref().map(|found| texts.add(&found.to_string())),
            });
            let lookups = lookups.collect();
            let whole = Whole { asset, located: Box::new(located), bytes, imported };
            (Content::Whole(whole), nodes, used, lookups)
        };
        Ok(Found {
            identity: Arc::default(),
            first: OnceLock::new(),
            content,
            texts: texts.finish(&memory)?,
            memory,
            name,
            nodes,
            files: used,
            lookups,
        })
    }

    /// The asset, unless it is half of an Unreal mesh.
    pub(crate) const fn whole(&self) -> Option<&Asset> {
        match &self.content {
            Content::Whole(whole) => Some(&whole.asset),
            Content::Half(..) => None,
        }
    }

    /// The counts of all files.
    pub(crate) fn counts(&self) -> Result<Counts> {
        match &self.content {
            Content::Whole(whole) => whole.counts(),
            Content::Half(..) => self.first()?.counts(),
        }
    }

    /// Adds the findings about all files. Those about an imported file are the findings of the import.
    pub(crate) fn validate(&self, report: &mut Report) -> Result<()> {
        match &self.content {
            Content::Whole(Whole { asset, imported: Some(_), .. }) => report.append(asset.findings().clone()),
            Content::Whole(whole) => whole.loaded().validate_all(report),
            Content::Half(..) => self.first()?.validate(report)?,
        }
        Ok(())
    }

    /// The model of the first node.
    pub(crate) fn first(&self) -> Result<&File> {
        get_or_make(&self.first, || self.model(0, 0))
    }

    /// A model of a node: the finest, or a coarser level of detail.
    pub(crate) fn model(&self, node: usize, lod: usize) -> Result<File> {
        let memory = self.memory.clone();
        match &self.content {
            Content::Half(kind, bytes) => {
                if (node, lod) != (0, 0) {
                    return Err(Failure::index("node", node.max(lod), 1));
                }
                let file = FileBytes { bytes: Kept::Shared(bytes.clone()), _held: None };
                File::open(Files::Half(*kind, file), None, &[], memory)
            }
            Content::Whole(whole) => {
                let (model, findings) = whole.model(node, lod)?;
                let mut file = File::open(Files::Asset(model), None, &[], memory)?;
                file.findings = findings;
                // The memory of its names is reserved now.
                file.with_model(|_| Ok(()))?;
                Ok(file)
            }
        }
    }
}
