//! Models that can be streamed: the names of their files and their backend.

use std::sync::OnceLock;

use meshlens::lens::Bounds;
use meshlens::{Document, Format, Model, Partial};

use crate::backend::{Backend, Description, Probed, Version};
use crate::file_name::FileName;
use crate::pieces::FilePieces;
use crate::plan::Plan;
use crate::sync::{Arc, AtomicU64, Mutex, Ordering, lock};
use crate::{Few, Known, Result};

/// The number of a model. No two models of a process have the same one, so that several streamers can use a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModelId(u64);

impl ModelId {
    fn next() -> ModelId {
        // Which number a model has does not depend on a schedule.
        static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
        ModelId(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// A model that can be streamed: one file, or the two files of an Unreal mesh. Clones refer to the same model. It
/// stores its plan as soon as it is known, but no bytes of its files.
#[derive(Clone)]
pub struct StreamedModel(pub(crate) Arc<Inner>);

/// A script, which places a model.
pub(crate) struct Script {
    /// Makes the model as the script places it.
    pub(crate) model: MakeModel,
    /// Finds the bounds of the model as the script places it. `None` if the script does not place it.
    pub(crate) bounds: FindBounds,
}

type MakeModel = Box<dyn for<'a> Fn(Document<'a, Partial>) -> Result<Model<'a>> + Send + Sync>;

type FindBounds =
    Box<dyn Fn(&Document<'_, Partial>) -> Option<meshlens::Result<Option<Bounds>>> + Send + Sync>;

pub(crate) struct Inner {
    pub(crate) id: ModelId,
    pub(crate) files: Few<FileName>,
    pub(crate) backend: std::sync::Arc<dyn Backend>,
    /// Where the scheduler finds it while it is in use.
    pub(crate) key: AtomicU64,
    /// Where the scheduler keeps bytes of it.
    pub(crate) kept: AtomicU64,
    /// The number of the probe whose reads are needed.
    pub(crate) probe: AtomicU64,
    /// No model has more than two files.
    described: OnceLock<[Description; 2]>,
    plan: OnceLock<Plan>,
    bounds: OnceLock<Bounds>,
    format: OnceLock<Format>,
    script: Option<Script>,
    /// What was known before the first read, until a probe begins with it.
    known: Mutex<Option<Known>>,
    /// The version of each file at its first read.
    versions: Mutex<[Option<Version>; 2]>,
}

impl Inner {
    pub(crate) fn new(
        backend: std::sync::Arc<dyn Backend>,
        files: Few<FileName>,
        script: Option<Script>,
    ) -> Self {
        let versions = Mutex::default();
        let (plan, bounds, format) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let described = OnceLock::new();
        let known = crate::backend::known(&*backend, &files);
        if let Some(known) = &known {
            let _ = format.set(known.format());
            // A script may place the model elsewhere.
            known.bounds().filter(|_| script.is_none()).map(|known| bounds.set(known));
        }
        let (key, kept, probe) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let known = Mutex::new(known);
        Inner {
            id: ModelId::next(),
            files,
            backend,
            key,
            kept,
            probe,
            described,
            plan,
            bounds,
            format,
            script,
            known,
            versions,
        }
    }

    /// The model of a document that is at least partially loaded, as its script places it. `None` without a script.
    pub(crate) fn placed_model<'a>(&self, document: Document<'a, Partial>) -> Option<Result<Model<'a>>> {
        Some((self.script.as_ref()?.model)(document))
    }

    /// The bounds of a document whose frame 0 is loaded, as the script of the model places it.
    pub(crate) fn placed_bounds(&self, document: &Document<'_, Partial>) -> meshlens::Result<Option<Bounds>> {
        let placed = self.script.as_ref().and_then(|script| (script.bounds)(document));
        placed.unwrap_or_else(|| document.bounds())
    }

    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.plan.get()
    }

    pub(crate) fn set_plan(&self, plan: Plan) {
        self.set_format(plan.format());
        // The plan of a file is always the same, so the first one is kept.
        let _ = self.plan.set(plan);
    }

    pub(crate) fn bounds(&self) -> Option<Bounds> {
        self.bounds.get().copied()
    }

    pub(crate) fn set_bounds(&self, bounds: Bounds) {
        // The first bounds are kept, too.
        let _ = self.bounds.set(bounds);
    }

    pub(crate) fn set_format(&self, format: Format) {
        let _ = self.format.set(format);
    }

    /// The headers that were known before the first read. The second call returns `None`: a plan that cannot be made of them is made
    /// of the files.
    pub(crate) fn take_headers(&self) -> Option<Vec<FilePieces>> {
        lock(&self.known).take()?.headers()
    }

    pub(crate) fn version(&self, file: usize) -> Option<Version> {
        lock(&self.versions).get(file).cloned().flatten()
    }

    pub(crate) fn set_version(&self, file: usize, version: Option<Version>) {
        if let Some(slot) = lock(&self.versions).get_mut(file)
            && slot.is_none()
        {
            *slot = version;
        }
    }

    /// What the backend knows about a file. It is asked once.
    pub(crate) fn described(&self, file: usize) -> Description {
        let of = |described: &[Description; 2]| described.get(file).copied().unwrap_or_default();
        self.described.get().map_or_else(|| of(&self.describe()), of)
    }

    #[cold]
    fn describe(&self) -> [Description; 2] {
        let describe = |file: &FileName| crate::backend::describe(&*self.backend, file);
        let described = std::array::from_fn(|file| self.files.get(file).map(describe).unwrap_or_default());
        // Another thread has found out the same.
        let _ = self.described.set(described);
        described
    }

    /// Whether the bytes of each file take no memory.
    pub(crate) fn mapped(&self) -> Few<bool> {
        (0..self.files.len()).map(|file| self.described(file).is_mapped).collect()
    }

    /// The name of a file. Errors of the whole model use the first file.
    pub(crate) fn file(&self, file: usize) -> FileName {
        self.files.get(file).or(self.files.first()).cloned().unwrap_or_else(|| "no file".into())
    }
}

impl StreamedModel {
    /// The number of the model.
    pub fn id(&self) -> ModelId {
        self.0.id
    }

    /// The names of the files.
    pub fn files(&self) -> &[FileName] {
        &self.0.files
    }

    /// The plan of the model. `None` until it is known: after the first request for any part except
    /// [`Part::Bounds`](crate::Part::Bounds), which is answered as soon as the bounds are read.
    pub fn plan(&self) -> Option<&Plan> {
        self.0.plan()
    }

    /// The bounding box of the model in frame 0, as its script places it, in the space of the file. `None` until it is known:
    /// after a request for [`Part::Bounds`](crate::Part::Bounds), or after the first read in formats that store the bounds near
    /// the start of the file (MD3, UNIGINE). Known at once if the file is in a [pack](crate::PlanTable) and has no script.
    pub fn bounds(&self) -> Option<Bounds> {
        self.0.bounds()
    }

    /// The format. `None` until it is known: with the plan or the bounds, whichever comes first.
    pub fn format(&self) -> Option<Format> {
        self.0.format.get().copied()
    }
}

debug_fields!(self, StreamedModel { id: self.0.id, files: self.0.files, has_plan: self.plan().is_some() });

impl Probed for Inner {
    fn probe(&self) -> u64 {
        self.probe.load(Ordering::Relaxed)
    }
}
