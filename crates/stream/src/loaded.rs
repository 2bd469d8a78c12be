//! Loaded parts.

use std::any::Any;

use meshlens::lens::Bounds;
use meshlens::model::{Mesh, Space};

use crate::{Destination, Error, FileName, Part, PartialModel, Result, Written};

/// A loaded part. It owns its bytes. Their memory returns to the budget of the streamer when the last clone of the
/// model is dropped; a thread of the streamer then frees it, so that the caller does not wait for the system.
#[derive(Debug)]
pub struct Loaded {
    pub(crate) part: Part,
    /// The first file of the model, for errors.
    pub(crate) file: FileName,
    pub(crate) space: Option<Space>,
    pub(crate) bounds: Option<Bounds>,
    pub(crate) model: Option<PartialModel>,
    pub(crate) vertices: Option<Written>,
    pub(crate) indices: Option<Written>,
    /// The request, whose memory the caller's thread frees, which has allocated it.
    pub(crate) request: Option<Box<dyn Any + Send>>,
}

impl Loaded {
    /// A part without buffers.
    pub(crate) const fn new(
        part: Part,
        space: Option<Space>,
        file: FileName,
        bounds: Option<Bounds>,
        model: Option<PartialModel>,
    ) -> Self {
        Loaded { part, file, space, bounds, model, vertices: None, indices: None, request: None }
    }

    /// The part.
    pub const fn part(&self) -> Part {
        self.part
    }

    /// The bounding box of the model in frame 0, if the part is [`Part::Bounds`]. `None` if the model has no vertices.
    pub const fn bounds(&self) -> Option<Bounds> {
        self.bounds
    }

    /// A partial model that contains the part. `None` for bounds that were known before the plan.
    pub const fn model(&self) -> Option<&PartialModel> {
        self.model.as_ref()
    }

    /// The mesh that the part belongs to, as in a [`Model`](meshlens::Model) but without its material. Getters of arrays that
    /// are not loaded return [`Incomplete`](meshlens::wire::ErrorKind::Incomplete). O(surfaces).
    ///
    /// # Errors
    ///
    /// [`Error::NotAMesh`] if the part belongs to no single mesh; the parser fails.
    pub fn mesh(&self) -> Result<Mesh<'_>> {
        let no_mesh = || Error::NotAMesh { file: self.file.clone(), part: self.part };
        let (model, mesh) = self.model().zip(self.part.mesh()).ok_or_else(no_mesh)?;
        let mesh = model.document().and_then(|document| document.into_mesh(mesh as usize));
        mesh.map_err(|error| Error::format(&self.file, error))?.ok_or_else(no_mesh)
    }

    /// Converts the loaded part to its [`model`](Self::model).
    pub fn into_model(self) -> Option<PartialModel> {
        self.model
    }

    /// The filled vertex buffer, if one was requested.
    pub const fn vertices(&self) -> Option<&Written> {
        self.vertices.as_ref()
    }

    /// The filled index buffer, if one was requested.
    pub const fn indices(&self) -> Option<&Written> {
        self.indices.as_ref()
    }

    /// Takes the vertex buffer in its original type; `None` if there is none of this type.
    pub fn take_vertices<D: Destination>(&mut self) -> Option<D> {
        self.vertices.take()?.into_destination()
    }

    /// Takes the index buffer in its original type; `None` if there is none of this type.
    pub fn take_indices<D: Destination>(&mut self) -> Option<D> {
        self.indices.take()?.into_destination()
    }
}
