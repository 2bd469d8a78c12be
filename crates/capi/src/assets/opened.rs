//! Models that are opened by name: their nodes, and their files.

use std::iter;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use meshlens::Report;
use meshlens::unreal::FileKind;
use meshlens_assets::{Asset, AssetPath, Located, ModelFiles, OpenOptions};

use super::error::path_first;
use crate::call::{at, check_index};
use crate::content::{AssetModel, File, Files, get_or_make};
use crate::file_bytes::{Bytes as Kept, FileBytes};
use crate::memory::Limited;
use crate::names::{TextAt, TextBuilder, Texts};
use crate::result::{Failure, Result, ml_result};

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
    /// The models, and the files that make documents.
    Whole { asset: Asset, files: Box<ModelFiles>, findings: Box<Report> },
    /// One file of an Unreal mesh whose other file is missing.
    Half(FileKind, Bytes),
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
            let mut findings = Box::<Report>::default();
            // Opening a pair reports errors of the document with the names of its files.
            if matches!(files, ModelFiles::Pair { .. })
                && let Ok(document) = loaded.document()
            {
                loaded.validate_script(&document, &mut findings);
            }
            let asset = located.open_loaded(loaded, options)?;
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
            (Content::Whole { asset, files: Box::new(files), findings }, nodes, used, lookups)
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
            Content::Whole { asset, .. } => Some(asset),
            Content::Half(..) => None,
        }
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
            Content::Whole { asset, files, findings } => {
                if asset.bytes().is_empty() {
                    let text =
                        "an imported model is not a file of one of the formats; ml_open_scene draws it";
                    return Err(Failure::new(ml_result::ML_ERROR_UNSUPPORTED, text));
                }
                let nodes = &asset.scene().nodes;
                check_index("lod", lod, at(nodes, "node", node)?.lods.len().saturating_add(1))?;
                let own = files.files().len();
                let is_pair = matches!(**files, ModelFiles::Pair { .. });
                let first = match lod.checked_sub(1) {
                    None if is_pair => 0,
                    None => node,
                    Some(coarser) => {
                        // The levels of earlier nodes come first.
                        let before = nodes.iter().take(node).map(|node| node.lods.len());
                        before.fold(own, usize::saturating_add).saturating_add(coarser)
                    }
                };
                let bytes = |at: usize| asset.bytes().get(at).cloned().unwrap_or_default();
                let second = (is_pair && lod == 0).then(|| bytes(1));
                let model = AssetModel { asset: asset.clone(), node, lod, first: bytes(first), second };
                let mut file = File::open(Files::Asset(model), None, &[], memory)?;
                if lod == 0 {
                    file.findings = Report::clone(findings);
                    file.losses = asset.findings().clone();
                }
                Ok(file)
            }
        }
    }
}
