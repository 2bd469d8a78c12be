//! Models whose meshes and frames are uploaded one by one.

use meshlens::Model;
use meshlens::model::{Handedness, Mesh};

use super::{GpuMesh, GpuModel, Memory, UploadOptions};
use crate::device::Gpu;
use crate::error::{Error, Result};
use crate::plan::MeshPlan;
use crate::upload::{Uploader, write_frames};

impl GpuModel {
    /// Makes a model without meshes, for files that are loaded in parts. It has the materials and the joints of
    /// `model`, which may be made from a partial document whose arrays are not loaded. [`upload_frame`](Self::upload_frame)
    /// adds meshes and their frames.
    ///
    /// ```
    /// # use meshlens_gpu::{Error, Gpu, GpuModel, UploadOptions};
    /// # use meshlens::{Document, Model, Partial};
    /// /// Shows frame `frame` of mesh `mesh` as soon as its bytes are loaded.
    /// fn show(gpu: &Gpu, model: &mut GpuModel, document: Document<'_, Partial>, mesh: usize, frame: usize) -> Result<(), Error> {
    ///     match document.into_mesh(mesh)? {
    ///         Some(loaded) => model.upload_frame(gpu, mesh, &loaded, frame),
    ///         None => Ok(()),
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// Errors of the device.
    pub fn streamed(gpu: &Gpu, model: &Model<'_>, options: &UploadOptions) -> Result<GpuModel> {
        gpu.check()?;
        let pose: Vec<_> = model.joints.iter().map(|joint| joint.rest).collect();
        let mut rest = Vec::new();
        meshlens::model::world_into(&model.joints, &pose, &mut rest);
        Ok(GpuModel {
            meshes: Vec::new(),
            materials: model.materials.clone(),
            winding: model.space.winding,
            is_left_handed: model.space.handedness() == Handedness::Left,
            rest,
            mesh_materials: model.meshes.iter().map(|mesh| mesh.material).collect(),
            options: *options,
            frame_count: model.frame_count(),
            memory: Memory::default(),
        })
    }

    /// Uploads a frame of mesh `index`. The first frame of a mesh also uploads the arrays that are the same in all
    /// frames (indices, texture coordinates, colors and weights), and allocates the memory of all frames. If one of
    /// these is not loaded, nothing is uploaded. Meshes of other levels of detail, and meshes without triangles, are
    /// ignored.
    ///
    /// A mesh is drawn as soon as the two frames of an instance are uploaded: see [`has_frame`](Self::has_frame).
    ///
    /// # Errors
    ///
    /// [`Error::Model`] if bytes are not loaded (`Incomplete`), or if an index is out of range; [`Error::Argument`] if
    /// the frame is stored in another encoding than the first one; [`Error::Limit`]; errors of the device.
    pub fn upload_frame(&mut self, gpu: &Gpu, index: usize, mesh: &Mesh<'_>, frame: usize) -> Result<()> {
        gpu.check()?;
        if mesh.lod != self.options.lod || mesh.triangle_count() == 0 {
            return Ok(());
        }
        let options = self.options;
        let place = match self.meshes.binary_search_by_key(&index, |mesh| mesh.index) {
            Ok(found) => return self.meshes[found].write(gpu, mesh, &options, frame),
            Err(place) => place,
        };
        let count = mesh.frame_count();
        if frame >= count {
            return Err(Error::argument(format!("frame {frame} of a mesh with {count} frames")));
        }
        let (mut uploader, mut memory) = (Uploader::new(gpu), self.memory);
        let made = GpuMesh::new(&mut uploader, &mut memory, self, index, mesh, frame..frame + 1)?;
        let Some(made) = made else { return Ok(()) };
        memory.total += uploader.finish()?;
        self.memory = memory;
        self.frame_count = self.frame_count.max(count);
        self.meshes.insert(place, made);
        Ok(())
    }

    /// Whether mesh `index` can be drawn in a frame of the model. `false` if the mesh has no triangles.
    pub fn has_frame(&self, index: usize, frame: usize) -> bool {
        let found = self.meshes.binary_search_by_key(&index, |mesh| mesh.index);
        found.ok().and_then(|found| self.meshes.get(found)).is_some_and(|mesh| mesh.has_frame(frame))
    }
}

impl GpuMesh {
    /// Writes a frame that is not uploaded yet.
    fn write(&mut self, gpu: &Gpu, mesh: &Mesh<'_>, options: &UploadOptions, frame: usize) -> Result<()> {
        let count = self.loaded.len();
        let Some(is_loaded) = self.loaded.get(frame).copied() else {
            return Err(Error::argument(format!("frame {frame} of a mesh with {count} frames")));
        };
        let Some(triangles) = self.vertices.as_ref().filter(|_| !is_loaded) else { return Ok(()) };
        let plans = MeshPlan::frame_tables(mesh, triangles, &options.plan(self.layout.are_sprites()), frame)?;
        let own = || self.layout.tables.iter().zip(&self.frame_sizes).filter(|(bound, _)| bound.is_animated);
        let is_alike = plans.len() == own().count()
            && plans.iter().zip(own()).all(|(plan, (bound, size))| {
                (&plan.table, plan.per, plan.frame_size()) == (&bound.table, bound.per, *size)
            });
        if !is_alike {
            return Err(Error::argument(format!(
                "frame {frame} has another encoding than the first uploaded frame"
            )));
        }
        let tables = self.tables.iter().zip(&self.layout.tables).filter(|(_, bound)| bound.is_animated);
        for (plan, (table, _)) in plans.iter().zip(tables) {
            write_frames(gpu, table, plan)?;
        }
        if let Some(loaded) = self.loaded.get_mut(frame) {
            *loaded = true;
        }
        if !self.loaded.contains(&false) {
            self.vertices = None;
        }
        Ok(())
    }
}
