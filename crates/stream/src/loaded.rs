//! Loaded parts.

use meshlens::Model;
use meshlens::lens::Bounds;
use meshlens::model::{Mesh, Space, VertexLayout};
use meshlens::scene::Scene;

use crate::sync::Arc;
use crate::{Destination, Error, Part, PartialModel, Result, Written, streamed};

/// The function that is called with the loaded part.
pub(crate) type Then = Box<dyn FnOnce(&mut Loaded) + Send>;

/// What is done after the bytes are loaded.
#[derive(Default)]
pub(crate) struct Work {
    pub(crate) vertices: Option<Vertices>,
    pub(crate) indices: Option<Box<dyn Destination>>,
    pub(crate) then: Option<Then>,
    /// The buffers after they are filled.
    pub(crate) written: [Option<Written>; 2],
}

/// A vertex buffer to fill.
pub(crate) struct Vertices {
    pub(crate) layout: VertexLayout,
    pub(crate) destination: Box<dyn Destination>,
}

/// A loaded part. It owns its bytes. Their memory returns to the budget of the streamer when the last clone of the
/// model is dropped; a thread of the streamer then frees it, so that the caller does not wait for the system.
pub struct Loaded {
    pub(crate) part: Part,
    pub(crate) space: Option<Space>,
    pub(crate) streamed: Arc<streamed::Inner>,
    pub(crate) bounds: Option<Bounds>,
    pub(crate) model: Option<PartialModel>,
    /// The filled buffers.
    pub(crate) work: Option<Box<Work>>,
}

impl Loaded {
    /// The part.
    pub const fn part(&self) -> Part {
        self.part
    }

    /// The bounding box of the model in frame 0, as its script places it, if the part is [`Part::Bounds`]. `None` if the model has
    /// no vertices.
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
        let no_mesh = || Error::NotAMesh { file: self.streamed.file(0), part: self.part };
        let (model, mesh) = self.model().zip(self.part.mesh()).ok_or_else(no_mesh)?;
        let mesh = model.document().and_then(|document| document.into_mesh(mesh as usize));
        mesh.map_err(|error| Error::format(&self.streamed.file(0), error))?.ok_or_else(no_mesh)
    }

    /// The scene that buffers are made of, and the index of the mesh of the part in its only node, which shows the frame of the
    /// part at rest. The model is as its script places it; without a script, it has this mesh alone. O(surfaces), or O(headers)
    /// with a script.
    ///
    /// # Errors
    ///
    /// [`Error::NotAMesh`] if the part is neither [`Part::Mesh`] nor [`Part::Frame`]; [`Error::NoPart`]; the parser fails.
    pub fn drawn_scene(&self) -> Result<(Scene<'_>, usize)> {
        let (part, file) = (self.part, self.streamed.file(0));
        let (Part::Mesh { mesh, frame } | Part::Frame { mesh, frame }) = part else {
            return Err(Error::NotAMesh { file, part });
        };
        let no_part = || Error::NoPart { file: file.clone(), part };
        let format = |error| Error::format(&file, error);
        let document = self.model().ok_or_else(no_part)?.document().map_err(format)?;
        let (model, index) = match self.streamed.placed_model(document.clone()) {
            Some(model) => (model?, mesh as usize),
            None => {
                let mut model = Model::empty(Some(document.format()), document.format().space());
                model.meshes.push(document.into_mesh(mesh as usize).map_err(format)?.ok_or_else(no_part)?);
                (model, 0)
            }
        };
        let mut scene = Scene::from(model);
        scene.nodes.iter_mut().for_each(|node| node.rest_frame = frame as usize);
        Ok((scene, index))
    }

    /// Converts the loaded part to its [`model`](Self::model).
    pub fn into_model(self) -> Option<PartialModel> {
        self.model
    }

    /// The filled vertex buffer, if one was requested.
    pub fn vertices(&self) -> Option<&Written> {
        self.work.as_ref()?.written[0].as_ref()
    }

    /// The filled index buffer, if one was requested.
    pub fn indices(&self) -> Option<&Written> {
        self.work.as_ref()?.written[1].as_ref()
    }

    /// Takes the vertex buffer in its original type; `None` if there is none of this type.
    pub fn take_vertices<D: Destination>(&mut self) -> Option<D> {
        self.work.as_mut()?.written[0].take()?.into_destination()
    }

    /// Takes the index buffer in its original type; `None` if there is none of this type.
    pub fn take_indices<D: Destination>(&mut self) -> Option<D> {
        self.work.as_mut()?.written[1].take()?.into_destination()
    }
}

debug_fields!(self, Loaded { part: self.part, bounds: self.bounds, model: self.model });
