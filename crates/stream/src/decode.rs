//! Decodes on the threads of a streamer: fills vertex and index buffers, and calls the caller's functions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use meshlens::model::{IndexFormat, Topology};
use meshlens::scene::{Pose, ViewMesh};

use crate::loaded::{Vertices, Work};
use crate::{Destination, Error, FileName, Loaded, Part, Request, Result, Written};

/// Does the work of a request after its bytes are loaded. Computes the bounds if they are not known. Returns the request if the
/// work fails.
pub(crate) fn run(mut loaded: Loaded) -> Result<Loaded, (Error, Request)> {
    let mut work = loaded.work.take();
    // The decoder borrows the buffers, so that they can be returned if it fails.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        if let (Part::Bounds, None, Some(model)) = (loaded.part, loaded.bounds, &loaded.model) {
            let error = |error| Error::format(&loaded.streamed.file(0), error);
            let document = model.document().map_err(error)?;
            loaded.bounds = loaded.streamed.placed_bounds(&document).map_err(error)?;
        }
        work.as_mut().map_or(Ok((None, None)), |work| buffers(work, &loaded))
    }));
    let failed = match outcome {
        Ok(Ok((vertices, indices))) => {
            let Some(mut done) = work else { return Ok(loaded) };
            let vertices = done.vertices.take().zip(vertices).map(|(asked, (bytes, count))| Written {
                destination: asked.destination,
                bytes,
                count,
                index_format: None,
                layout: Some(asked.layout),
            });
            let indices = done.indices.take().zip(indices).map(|(destination, (bytes, count, format))| {
                Written { destination, bytes, count, index_format: Some(format), layout: None }
            });
            done.written = [vertices, indices];
            let then = done.then.take();
            loaded.work = Some(done);
            let called = catch_unwind(AssertUnwindSafe(|| then.map(|then| then(&mut loaded))));
            let Err(payload) = called else { return Ok(loaded) };
            work = loaded.work.take();
            Error::panicked("the function of a request", &*payload)
        }
        Ok(Err(error)) => error,
        Err(payload) => Error::panicked("decoding", &*payload),
    };
    loaded.work = work;
    Err((failed, Request::again(loaded)))
}

/// The sizes of both buffers: bytes and vertices; bytes, indices and their format.
type Filled = (Option<(usize, usize)>, Option<(usize, usize, IndexFormat)>);

/// Fills the buffers of a request.
fn buffers(work: &mut Work, loaded: &Loaded) -> Result<Filled> {
    if work.vertices.is_none() && work.indices.is_none() {
        return Ok((None, None));
    }
    let file = loaded.streamed.file(0);
    let format = |error| Error::format(&file, error);
    // Without joints, vertices keep their bind pose.
    let (scene, mesh) = loaded.drawn_scene()?;
    let space = loaded.space.unwrap_or(scene.nodes[0].model.space);
    let view = scene.view(&space);
    let is_welded = scene.nodes[0].model.meshes.get(mesh).is_some_and(|mesh| mesh.is_welded());
    // Vertices that are stored as they are drawn do not need the topology, unless indices are requested.
    let found = if work.indices.is_none() && is_welded {
        view.mesh_with(0, mesh, Arc::new(Topology::default()))
    } else {
        view.mesh(0, mesh)
    };
    let found = found.map_err(format)?;
    let pose = scene.rest_pose();
    let vertices = work.vertices.as_mut().map(|vertices| vertices.fill(&found, &pose, &file));
    let indices = work.indices.as_mut().map(|destination| fill_indices(&found, &mut **destination, &file));
    Ok((vertices.transpose()?, indices.transpose()?))
}

impl Vertices {
    fn fill(&mut self, mesh: &ViewMesh<'_, '_>, pose: &Pose, file: &FileName) -> Result<(usize, usize)> {
        // In this case, the topology may be empty.
        let count = if mesh.mesh().is_welded() { mesh.mesh().point_count() } else { mesh.vertex_count() };
        // A size that saturates is too large for any destination.
        let bytes = count.saturating_mul(self.layout.stride());
        let no_room = || Error::NoRoom { file: file.clone(), what: "vertices", bytes };
        let room = self.destination.room(bytes).filter(|room| room.len() == bytes).ok_or_else(no_room)?;
        if bytes > 0 {
            mesh.fill_vertex_buffer(pose, &self.layout, room).map_err(|error| Error::format(file, error))?;
        }
        Ok((bytes, count))
    }
}

fn fill_indices(
    mesh: &ViewMesh<'_, '_>,
    destination: &mut dyn Destination,
    file: &FileName,
) -> Result<(usize, usize, IndexFormat)> {
    let format = mesh.index_format();
    // The same applies to indices.
    let bytes = mesh.index_buffer_len(format);
    let no_room = || Error::NoRoom { file: file.clone(), what: "indices", bytes };
    let room = destination.room(bytes).filter(|room| room.len() == bytes).ok_or_else(no_room)?;
    mesh.write_indices(format, room).map_err(|error| Error::format(file, error))?;
    Ok((bytes, mesh.triangle_count().saturating_mul(3), format))
}
