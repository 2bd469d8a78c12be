//! Decodes on the threads of a streamer: fills vertex and index buffers, and calls the caller's functions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use meshlens::model::{IndexFormat, Mesh, Topology};

use crate::destination::Asked;
use crate::request::{Indices, Vertices};
use crate::{Error, FileName, Loaded, Part, PartialModel, Request, Result, Written};

/// Does the work of a request after its bytes are loaded. Returns the request if that fails.
pub(crate) fn run(
    mut request: Box<Request>,
    model: Option<PartialModel>,
    bounds: Option<meshlens::lens::Bounds>,
    file: &FileName,
) -> Result<Loaded, (Error, Box<Request>)> {
    let mut loaded = Loaded { part: request.part, bounds, model, vertices: None, indices: None };
    // The decoder borrows the buffers, so that they can be returned if it fails.
    let outcome = catch_unwind(AssertUnwindSafe(|| buffers(&mut request, &loaded, file)));
    match outcome {
        Ok(Ok((vertices, indices))) => {
            loaded.vertices = request.vertices.take().zip(vertices).map(|(asked, (bytes, count))| Written {
                destination: asked.destination,
                bytes,
                count,
                index_format: None,
                asked: Asked::Vertices(asked.layout),
            });
            loaded.indices =
                request.indices.take().zip(indices).map(|(asked, (bytes, count, format))| Written {
                    destination: asked.destination,
                    bytes,
                    count,
                    index_format: Some(format),
                    asked: Asked::Indices(asked.conversion),
                });
        }
        Ok(Err(error)) => return Err((error, request)),
        Err(payload) => return Err((Error::panicked("decoding", &*payload), request)),
    }
    if let Some(then) = request.then.take()
        && let Err(payload) = catch_unwind(AssertUnwindSafe(|| then(&mut loaded)))
    {
        let error = Error::panicked("the function of a request", &*payload);
        return Err((error, request));
    }
    Ok(loaded)
}

/// The sizes of both buffers: bytes and vertices; bytes, indices and their format.
type Filled = (Option<(usize, usize)>, Option<(usize, usize, IndexFormat)>);

/// Fills the buffers of a request.
fn buffers(request: &mut Request, loaded: &Loaded, file: &FileName) -> Result<Filled> {
    if request.vertices.is_none() && request.indices.is_none() {
        return Ok((None, None));
    }
    let part = request.part;
    let (Part::Mesh { mesh, frame } | Part::Frame { mesh, frame }) = part else {
        return Err(Error::NotAMesh { file: file.clone(), part });
    };
    let no_part = || Error::NoPart { file: file.clone(), part };
    let format = |error| Error::format(file, error);
    let model = loaded.model().ok_or_else(no_part)?;
    let document = model.document().map_err(format)?;
    let found = document.into_mesh(mesh as usize).map_err(format)?.ok_or_else(no_part)?;
    // Vertices that are stored as they are drawn need no topology, unless indices are requested.
    let topology = match request.indices.is_none() && found.is_welded() {
        true => Topology::default(),
        false => found.topology().map_err(format)?,
    };
    let vertices =
        request.vertices.as_mut().map(|vertices| vertices.fill(&found, &topology, frame as usize, file));
    let indices = request.indices.as_mut().map(|indices| indices.fill(&topology, file));
    Ok((vertices.transpose()?, indices.transpose()?))
}

impl Vertices {
    fn fill(
        &mut self,
        mesh: &Mesh<'_>,
        topology: &Topology,
        frame: usize,
        file: &FileName,
    ) -> Result<(usize, usize)> {
        let count = if mesh.is_welded() { mesh.point_count() } else { topology.vertex_count() };
        // No destination has room for a size that saturates.
        let bytes = count.saturating_mul(self.layout.stride());
        let no_room = || Error::NoRoom { file: file.clone(), what: "vertices", bytes };
        let room = self.destination.room(bytes).filter(|room| room.len() == bytes).ok_or_else(no_room)?;
        let outcome = mesh.interleave(topology, frame, &self.layout, room);
        outcome.map_err(|error| Error::format(file, error))?;
        Ok((bytes, count))
    }
}

impl Indices {
    fn fill(&mut self, topology: &Topology, file: &FileName) -> Result<(usize, usize, IndexFormat)> {
        let format = topology.index_format();
        let count = topology.triangles().len().saturating_mul(3);
        // As for vertices.
        let bytes = count.saturating_mul(format.size());
        let no_room = || Error::NoRoom { file: file.clone(), what: "indices", bytes };
        let room = self.destination.room(bytes).filter(|room| room.len() == bytes).ok_or_else(no_room)?;
        let outcome = topology.write_indices(format, self.conversion.as_ref(), room);
        outcome.map_err(|error| Error::format(file, error))?;
        Ok((bytes, count, format))
    }
}
