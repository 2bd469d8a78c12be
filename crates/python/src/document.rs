//! Files in the form in which their formats store them: counts and findings, and the models below a folder.

use meshlens::lens::Bounds;
use meshlens::{Report, Summary};
use meshlens_assets::{Assets, FindOptions, LoadedFiles, Located, OpenOptions};
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::error::{Failure, work};
use crate::input::{Options, SourceArgument};
use crate::{Any, Kwargs, NewObject, types};

/// Loads the files of a model and calls `then` with them, without the interpreter.
fn with_files<T: Send>(
    py: Python<'_>,
    (source, name): (&Any<'_>, String),
    kwargs: Option<Kwargs<'_, '_>>,
    then: impl FnOnce(&Located, LoadedFiles) -> Result<T, Failure> + Send,
) -> PyResult<(T, String)> {
    let (options, given) = (Options::read(kwargs)?, SourceArgument::read(source, name)?);
    let label = given.label();
    let found = {
        let (options, given, label) = (&options, &given, label.as_str());
        let run = move || {
            let located = options.locate(given)?;
            let loaded = options.load(&located)?;
            then(&located, loaded)
        };
        work(py, move || run().map_err(|failure| failure.of(label)))?
    };
    Ok((found, label))
}

/// The counts of a file.
#[pyfunction]
#[pyo3(name = "_inspect", signature = (source, name, **kwargs))]
pub(crate) fn inspect<'py>(
    py: Python<'py>,
    source: &Any<'py>,
    name: String,
    kwargs: Option<Kwargs<'_, 'py>>,
) -> NewObject<'py> {
    let (found, path) = with_files(py, (source, name), kwargs, |located, loaded| {
        if let Some(importer) = loaded.importer() {
            let summary = importer.summarize(loaded.first())?;
            return Ok((importer.format(), importer.version().into(), summary, None, loaded.len()));
        }
        let documents = loaded.documents()?;
        let first = loaded.document()?;
        let summary =
            documents.iter().map(|document| document.summary()).fold(Summary::default(), Summary::and);
        // The parts of a player have no common space.
        let bounds = if documents.len() == 1 { first.bounds() } else { None };
        let (format, version, len) = (first.format().name(), first.version(), loaded.len());
        let options = OpenOptions { lods: false, ..OpenOptions::default() };
        let placed = located.clone().plan(&options).ok().and_then(|plan| plan.placed_bounds(&first));
        Ok((format, version, summary, placed.transpose()?.unwrap_or(bounds), len))
    })?;
    let (format, version, summary, bounds, bytes): (_, String, _, Option<Bounds>, _) = found;
    let Summary { frames, surfaces, vertices, triangles, tags } = summary;
    let tuple = |[x, y, z]: [f32; 3]| (x, y, z);
    let bounds = bounds.map(|bounds| (tuple(bounds.min), tuple(bounds.max)));
    let all = (path, format, version, frames, surfaces, vertices, triangles, tags, bytes, bounds);
    types::class(py, "Inspection")?.call1(all)
}

/// The findings about a file.
#[pyfunction]
#[pyo3(name = "_validate", signature = (source, name, limit, **kwargs))]
pub(crate) fn validate<'py>(
    py: Python<'py>,
    source: &Any<'py>,
    name: String,
    limit: usize,
    kwargs: Option<Kwargs<'_, 'py>>,
) -> PyResult<Bound<'py, PyList>> {
    let (report, _) = with_files(py, (source, name), kwargs, |_, loaded| {
        if loaded.importer().is_some() {
            return Err(Failure::Unsupported(
                "glTF files are not validated here: the glTF-Validator of Khronos does it, and the findings of open() tell \
                 what an import leaves out",
            ));
        }
        let mut report = Report::with_capacity(limit);
        loaded.validate_all(&mut report);
        Ok(report)
    })?;
    types::findings(py, &report)
}

/// The paths of all models below a folder or in an archive.
#[pyfunction]
#[pyo3(name = "_models", signature = (path, players, archives))]
pub(crate) fn models(
    py: Python<'_>,
    path: std::path::PathBuf,
    players: bool,
    archives: bool,
) -> PyResult<(Vec<String>, Vec<String>)> {
    work(py, || {
        let given = Assets::new().user_path(&path)?;
        // The models of a script are named after it, so that each model can be opened.
        if path.is_file()
            && let Err(meshlens_assets::Error::NotOneModel { models, .. }) = given.locate()
        {
            return Ok((models, Vec::new()));
        }
        let options = FindOptions { players, archives, ..FindOptions::default() };
        let found = given.models(&options);
        let models = found.models.iter().map(|model| model.files().to_string()).collect();
        Ok((models, found.faults.iter().map(ToString::to_string).collect()))
    })
}
