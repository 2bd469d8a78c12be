//! Vertices and triangles of meshes in the space of the caller.

use std::sync::Arc;

use meshlens::lens::{IndexFormat, Semantic, VertexFormat};
use meshlens::model::{self, Topology, VertexLayout};
use meshlens::scene::{Pose, View, ViewMesh};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::content::Content;
use crate::error::{Failure, work};
use crate::layout::Layout;
use crate::{Maybe, NewObject, numbers, space};

/// A mesh of a scene: a node, a level of detail that is a separate file, and an index.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct At {
    pub(crate) node: usize,
    pub(crate) lod: usize,
    pub(crate) mesh: usize,
}

/// A mesh, and its triangles.
pub(crate) type MeshTopology<'t> = (At, &'t Arc<Topology>);

/// The requested space and unit.
#[derive(Clone, Copy)]
pub(crate) struct TargetSpace {
    space: model::Space,
    scale: f32,
}

impl TargetSpace {
    /// Reads the space. The default is the space of the first model.
    pub(crate) fn read(content: &Content, space: Maybe<'_, '_>, scale: f32) -> PyResult<TargetSpace> {
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "a scale is positive and finite, and this one is {scale}"
            )));
        }
        let own = content.scene().nodes.first().map_or(model::Space::GLTF, |node| node.model.space);
        Ok(TargetSpace { space: space::read(space, own)?, scale })
    }

    pub(crate) fn view<'c>(self, content: &'c Content, lod: usize) -> View<'c, 'c> {
        content.scene().view(&self.space).scaled(self.scale).lod(lod)
    }

    pub(crate) fn mesh<'c>(
        self,
        content: &'c Content,
        (at, topology): MeshTopology<'_>,
    ) -> Result<ViewMesh<'c, 'c>, Failure> {
        Ok(self.view(content, at.lod).mesh_with(at.node, at.mesh, topology.clone())?)
    }

    /// The vertices of a mesh in a pose, as structured records.
    pub(crate) fn vertices<'py>(
        self,
        py: Python<'py>,
        content: &Content,
        mesh: MeshTopology<'_>,
        pose: &Pose,
        layout: &Layout<'py>,
    ) -> NewObject<'py> {
        let mesh = work(py, || self.mesh(content, mesh))?;
        let layout_of = &layout.layout;
        // Bytes between attributes are not written, so they must be zeros.
        let zeros = PyArray1::<u8>::zeros(py, [mesh.buffer_len(&layout.layout)], false).into_any();
        let array = numbers::filled(py, [zeros.len()?], Some(&zeros), |out: &mut [u8]| {
            Ok(mesh.fill_vertex_buffer(pose, layout_of, out)?)
        })?;
        array.call_method1("view", (&layout.dtype,))
    }

    /// One attribute of three floats, for every vertex.
    pub(crate) fn attribute<'py>(
        self,
        py: Python<'py>,
        content: &Content,
        mesh: MeshTopology<'_>,
        pose: &Pose,
        semantic: Semantic,
    ) -> NewObject<'py> {
        let layout = VertexLayout::new(12).with(semantic, 0, VertexFormat::Float32x3);
        let mesh = work(py, || self.mesh(content, mesh))?;
        numbers::filled(py, [mesh.vertex_count(), 3], None, |out: &mut [f32]| {
            Ok(mesh.fill_vertex_buffer(pose, &layout, bytemuck::cast_slice_mut(out))?)
        })
    }

    /// The triangles, with the winding order of the space.
    pub(crate) fn triangles<'py>(
        self,
        py: Python<'py>,
        content: &Content,
        mesh: MeshTopology<'_>,
    ) -> NewObject<'py> {
        numbers::filled(py, [mesh.1.triangles().len(), 3], None, |out: &mut [u32]| {
            let mesh = self.mesh(content, mesh)?;
            Ok(mesh.write_indices(IndexFormat::Uint32, bytemuck::cast_slice_mut(out))?)
        })
    }
}
