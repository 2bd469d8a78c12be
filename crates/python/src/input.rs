//! Opening models: paths, bytes, buffers and file objects.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use meshlens::import::{ImportLimits, ImportOptions};
use meshlens::wire::Budget;
use meshlens_assets::{Asset, Assets, LoadedFiles, Located, OpenOptions};
use meshlens_gltf::Gltf;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::content::{Content, Shared, shared};
use crate::error::{Failure, work};
use crate::scene::Scene;
use crate::store::Store;
use crate::types::target;
use crate::{Any, Kwargs};

/// The input that the caller gave.
pub(crate) enum SourceArgument {
    Path(PathBuf),
    /// The content of a file, and the name of the file.
    Content(Bytes, String),
}

impl SourceArgument {
    /// Reads a path or bytes, to which `meshlens._source` has converted the caller's argument. Bytes are not copied.
    pub(crate) fn read(object: &Any<'_>, name: String) -> PyResult<SourceArgument> {
        match object.cast_exact::<PyBytes>() {
            Ok(bytes) => Ok(SourceArgument::Content(shared(bytes), name)),
            Err(_) => Ok(SourceArgument::Path(object.extract()?)),
        }
    }

    /// The name for messages.
    pub(crate) fn label(&self) -> String {
        match self {
            SourceArgument::Path(path) => path.display().to_string(),
            SourceArgument::Content(_, name) => name.clone(),
        }
    }
}

/// One path, or several.
#[derive(Default)]
pub(crate) struct Paths(Vec<PathBuf>);

impl<'a, 'py> FromPyObject<'a, 'py> for Paths {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Paths> {
        several(&object)?.iter().map(|path| path.extract()).collect::<PyResult<_>>().map(Paths)
    }
}

/// One object, or the objects of an iterable.
fn several<'py>(object: &Any<'py>) -> PyResult<Vec<Any<'py>>> {
    if object.is_none() {
        return Ok(Vec::new());
    }
    let is_one = object.is_instance_of::<PyString>() || object.hasattr("__fspath__")?;
    if is_one || Store::of(object)?.is_some() {
        return Ok(vec![object.clone()]);
    }
    object.try_iter()?.collect()
}

/// A part of the search path.
enum Mount {
    /// A folder or an archive.
    Path(PathBuf),
    Store(Arc<Store>),
}

/// One part of the search path, or several.
#[derive(Default)]
pub(crate) struct Mounts(Vec<Mount>);

impl<'a, 'py> FromPyObject<'a, 'py> for Mounts {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Mounts> {
        let mount = |object: &Any<'py>| match Store::of(object)? {
            Some(store) => Ok(Mount::Store(Arc::new(store))),
            None => object.extract().map(Mount::Path),
        };
        several(&object)?.iter().map(mount).collect::<PyResult<_>>().map(Mounts)
    }
}

options! {
    Arguments {
        password: Option<String> = None;
        skin: Option<String> = None;
        lods: bool = true;
        materials: bool = true;
        mount: Mounts = Mounts::default();
        // The files of animations, and the file of frames of an Unreal mesh.
        animations: Paths = Paths::default();
        frames: Option<PathBuf> = None;
        map: bool = false;
        // The format that the scene is exported to.
        to: Option<String> = None;
        memory_limit: Option<usize> = None;
    }
}

/// Options for finding and reading a model.
pub(crate) struct Options {
    arguments: Arguments,
    /// The search path, which is only made once.
    assets: OnceLock<Assets>,
}

impl Options {
    pub(crate) fn read(kwargs: Option<Kwargs<'_, '_>>) -> PyResult<Options> {
        Ok(Options { arguments: Arguments::read(kwargs)?, assets: OnceLock::new() })
    }

    /// The search path. Clones share the files that were read through it.
    fn assets(&self) -> Result<Assets, Failure> {
        if let Some(assets) = self.assets.get() {
            return Ok(assets.clone());
        }
        let mut assets = Assets::new();
        assets.add_importer(Gltf);
        if let Some(limit) = self.arguments.memory_limit {
            assets.set_budget(Budget::new(limit));
        }
        for mount in &self.arguments.mount.0 {
            match mount {
                Mount::Store(store) => assets.mount("store", store.clone()),
                Mount::Path(path) if path.is_dir() => assets.mount_folder(path)?,
                Mount::Path(path) => assets.mount_archive(path)?,
            }
        }
        Ok(self.assets.get_or_init(|| assets).clone())
    }

    /// The options for opening the files of a model.
    pub(crate) fn open(&self) -> Result<OpenOptions, Failure> {
        let Arguments { password, skin, lods, materials, animations, memory_limit, to, .. } = &self.arguments;
        let bytes = memory_limit.unwrap_or(ImportLimits::DEFAULT.bytes);
        let found = animations.0.iter().map(|path| {
            let wrong = || PyValueError::new_err(format!("{}: not a file of animations", path.display()));
            Ok(self.assets()?.user_path(path)?.file().cloned().ok_or_else(wrong)?)
        });
        let found: Vec<_> = found.collect::<Result<_, Failure>>()?;
        let import = match to.as_deref() {
            None | Some("glb") => ImportOptions::default(),
            Some(format) => ImportOptions::for_export(target(format)?),
        };
        Ok(OpenOptions {
            password: password.clone(),
            skin: skin.clone(),
            lods: *lods,
            materials: *materials,
            animations: Some(found).filter(|found| !found.is_empty()),
            import: ImportOptions { limits: ImportLimits { bytes, ..ImportLimits::DEFAULT }, ..import },
        })
    }

    /// Finds the files of a model.
    pub(crate) fn locate(&self, given: &SourceArgument) -> Result<Located, Failure> {
        let assets = self.assets()?;
        let path = match given {
            SourceArgument::Path(path) => path,
            SourceArgument::Content(bytes, name) => return Ok(assets.locate_bytes(name, bytes.clone())?),
        };
        if !self.arguments.mount.0.is_empty()
            && let Some(name) = path.to_str().filter(|name| !is_of_system(name))
        {
            // The name of a model in the search path.
            return Ok(assets.locate(&name.replace(std::path::MAIN_SEPARATOR, "/"))?);
        }
        let given = assets.user_path(path)?;
        match &self.arguments.frames {
            None => Ok(given.locate()?),
            Some(frames) => {
                let located = given.with_frames(&assets.user_path(frames)?);
                Ok(located.ok_or_else(|| PyValueError::new_err("the frames of an Unreal mesh are a file"))?)
            }
        }
    }

    /// Reads or maps the files of a model.
    pub(crate) fn load(&self, located: &Located) -> Result<LoadedFiles, Failure> {
        let password = self.arguments.password.as_deref();
        if !self.arguments.map {
            return Ok(located.load(password)?);
        }
        located.load_with(password, |file| {
            let Some(path) = file.os_path() else {
                return Err(PyValueError::new_err(format!("{file}: only files can be mapped")).into());
            };
            // SAFETY: the caller of Python's `open(map=True)` promises that the file is not truncated or written to
            // while it is open, as the documentation requires.
            let source = unsafe { meshlens_source::Source::map(path) };
            Ok(Bytes::from_owner(Mapped(source.map_err(meshlens_assets::Error::Source)?)))
        })
    }
}

/// Whether a path leads to a file of the system, or into an archive that is one.
fn is_of_system(path: &str) -> bool {
    let mut archives = path.match_indices('!').filter_map(|(end, _)| path.get(..end));
    Path::new(path).exists() || archives.any(|archive| Path::new(archive).is_file())
}

struct Mapped(meshlens_source::Source);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

/// Makes the content of a scene.
pub(crate) fn load(options: &Options, given: &SourceArgument) -> Result<Content, Failure> {
    let located = options.locate(given)?;
    let loaded = options.load(&located)?;
    let asset: Asset = located.open_loaded(loaded, &options.open()?)?;
    Ok(Content(asset))
}

/// Opens a model. `again` contains the arguments of `meshlens._types._reopen`, which opens it again in another process.
#[pyfunction]
#[pyo3(name = "_open", signature = (source, name, again = None, **kwargs))]
pub(crate) fn open(
    py: Python<'_>,
    source: &Any<'_>,
    name: String,
    again: Option<Py<PyAny>>,
    kwargs: Option<Kwargs<'_, '_>>,
) -> PyResult<Scene> {
    let (options, given) = (Options::read(kwargs)?, SourceArgument::read(source, name)?);
    let label = given.label();
    let content = {
        let (options, given, label) = (&options, &given, label.as_str());
        work(py, move || load(options, given).map_err(|failure| failure.of(label)))?
    };
    Ok(Scene::new(Shared::new(content, label), again))
}

/// The last component of a path, for a name.
pub(crate) fn stem(path: &str) -> String {
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    if stem.is_empty() { "model".into() } else { stem.into_owned() }
}
