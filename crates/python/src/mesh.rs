//! Meshes: attributes as they are decoded, triangles, and vertices in the space of the caller.

use std::sync::{Arc, OnceLock};

use meshlens::Document;
use meshlens::lens::{self, Level, Semantic};
use meshlens::model::{self, Topology};
use meshlens::unreal::{TriangleType, Unreal};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PySlice};

use crate::array::{About, Array};
use crate::content::{Content, Shared};
use crate::error::{Failure, work};
use crate::layout;
use crate::numbers::{self, Frames};
use crate::sample;
use crate::types;
use crate::view::{At, Wanted};

#[doc = doc!(Mesh)]
#[pyclass(frozen, weakref, module = "meshlens", name = "Mesh")]
pub(crate) struct Mesh {
    shared: Arc<Shared>,
    pub(crate) at: At,
    topology: OnceLock<Arc<Topology>>,
}

impl Mesh {
    pub(crate) fn new(shared: &Arc<Shared>, at: At) -> Mesh {
        Mesh { shared: shared.clone(), at, topology: OnceLock::new() }
    }

    /// Whether the mesh is one of this scene.
    pub(crate) fn is_of(&self, shared: &Arc<Shared>) -> bool {
        Arc::ptr_eq(&self.shared, shared)
    }

    fn find<'c>(&self, content: &'c Content) -> PyResult<&'c model::Mesh<'c>> {
        content.mesh(self.at.node, self.at.lod, self.at.mesh)
    }

    /// The triangles, made once.
    pub(crate) fn topology(&self, py: Python<'_>, content: &Content) -> PyResult<&Arc<Topology>> {
        if let Some(topology) = self.topology.get() {
            return Ok(topology);
        }
        let mesh = self.find(content)?;
        let made = work(py, || Ok(Arc::new(mesh.topology()?)))?;
        Ok(self.topology.get_or_init(|| made))
    }

    /// An attribute that is the same in all frames; `None` if the mesh does not have it.
    fn still<'py>(
        &self,
        py: Python<'py>,
        semantic: Semantic,
        set: usize,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let content = self.shared.content()?;
        self.decode(py, self.find(&content)?, (semantic, set, 0), out)
    }

    fn decode<'py>(
        &self,
        py: Python<'py>,
        mesh: &model::Mesh<'_>,
        (semantic, set, frame): (Semantic, usize, usize),
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let found =
            mesh.attribute(semantic, set, frame).map_err(|error| Failure::from(error).raise(py, None))?;
        let Some(found) = found else { return Ok(None) };
        let source = found.source();
        let shape = [source.count(), source.components()];
        let fill = |out: &mut [f32]| {
            // The source is made again, because it cannot be sent to a call without the interpreter.
            if let Some(found) = mesh.attribute(semantic, set, frame)? {
                numbers::decode(found.source(), out);
            }
            Ok(())
        };
        numbers::filled(py, shape, out, fill).map(Some)
    }

    /// An attribute of one frame, or of several.
    fn moving<'py>(
        &self,
        py: Python<'py>,
        semantic: Semantic,
        frames: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        let frames = match Frames::read(frames, mesh.frame_count())? {
            Frames::One(frame) => return self.decode(py, mesh, (semantic, 0, frame), out),
            Frames::Several(frames) => frames,
        };
        let first = frames.first().copied().unwrap_or(0);
        let Ok(Some(found)) = mesh.attribute(semantic, 0, first) else { return Ok(None) };
        let (count, components) = (found.source().count(), found.source().components());
        numbers::filled3(py, [frames.len(), count, components], out, |out: &mut [f32]| {
            for (frame, out) in frames.iter().zip(out.chunks_exact_mut((count * components).max(1))) {
                if let Some(found) = mesh.attribute(semantic, 0, *frame)? {
                    numbers::decode(found.source(), out);
                }
            }
            Ok(())
        })
        .map(Some)
    }

    fn map<'py>(py: Python<'py>, map: Option<&[u32]>) -> Option<Bound<'py, PyAny>> {
        map.map(|map| numpy::PyArray1::from_slice(py, map).into_any())
    }
}

fn first_frame(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    Ok(0usize.into_pyobject(py)?.into_any())
}

/// The types of the triangles that a model has, in its order: by texture and type.
fn drawn_types(unreal: &Unreal<'_>) -> Vec<u8> {
    let (geometry, count) = (unreal.geometry(), unreal.vertex_count());
    let textures_and_types = geometry.textures().iter().zip(geometry.types());
    let mut drawn: Vec<(u8, u8)> = geometry
        .triangles()
        .iter()
        .zip(textures_and_types)
        .filter(|(corners, (_, bits))| {
            TriangleType(*bits).is_visible() && corners.iter().all(|corner| usize::from(*corner) < count)
        })
        .map(|(_, look)| look)
        .collect();
    drawn.sort_unstable();
    drawn.into_iter().map(|(_, bits)| bits).collect()
}

getters! {
    Mesh, |mesh|
    name: String = mesh.name.clone();
    material: Option<usize> = mesh.material;
    point_count: usize = mesh.point_count();
    corner_count: usize = mesh.corner_count();
    triangle_count: usize = mesh.triangle_count();
    frame_count: usize = mesh.frame_count();
    texcoord_sets: usize = mesh.texcoord_sets();
    color_sets: usize = mesh.color_sets();
    is_welded: bool = mesh.is_welded();
    is_skinned: bool = mesh.skin.is_some();
}

#[pymethods]
impl Mesh {
    #[doc = doc!(Mesh node)]
    #[getter]
    fn node(&self) -> usize {
        self.at.node
    }

    #[doc = doc!(Mesh lod)]
    #[getter]
    fn lod(&self) -> PyResult<usize> {
        Ok(self.find(&self.shared.content()?)?.lod + self.at.lod)
    }

    #[doc = doc!(Mesh index)]
    #[getter]
    fn index(&self) -> usize {
        self.at.mesh
    }

    #[doc = doc!(Mesh vertex_count)]
    #[getter]
    fn vertex_count(&self, py: Python<'_>) -> PyResult<usize> {
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        if mesh.is_welded() {
            Ok(mesh.point_count())
        } else {
            Ok(self.topology(py, &content)?.vertex_count())
        }
    }

    #[doc = doc!(Mesh frame_names)]
    #[getter]
    fn frame_names(&self) -> PyResult<Vec<String>> {
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        Ok((0..mesh.frame_count()).map(|frame| mesh.frame_name(frame).into_owned()).collect())
    }

    #[doc = doc!(Mesh positions)]
    #[pyo3(signature = (frame = None, *, out = None))]
    fn positions<'py>(
        &self,
        py: Python<'py>,
        frame: Option<Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.moving(py, Semantic::Position, &frame.map_or_else(|| first_frame(py), Ok)?, out)
    }

    #[doc = doc!(Mesh normals)]
    #[pyo3(signature = (frame = None, *, out = None))]
    fn normals<'py>(
        &self,
        py: Python<'py>,
        frame: Option<Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.moving(py, Semantic::Normal, &frame.map_or_else(|| first_frame(py), Ok)?, out)
    }

    #[doc = doc!(Mesh tangents)]
    #[pyo3(signature = (frame = None, *, out = None))]
    fn tangents<'py>(
        &self,
        py: Python<'py>,
        frame: Option<Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.moving(py, Semantic::Tangent, &frame.map_or_else(|| first_frame(py), Ok)?, out)
    }

    #[doc = doc!(Mesh texcoords)]
    #[pyo3(signature = (set = 0, *, out = None))]
    fn texcoords<'py>(
        &self,
        py: Python<'py>,
        set: usize,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.still(py, Semantic::Texcoord, set, out)
    }

    #[doc = doc!(Mesh colors)]
    #[pyo3(signature = (set = 0, *, out = None))]
    fn colors<'py>(
        &self,
        py: Python<'py>,
        set: usize,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.still(py, Semantic::Color, set, out)
    }

    #[doc = doc!(Mesh weights)]
    #[pyo3(signature = (*, out = None))]
    fn weights<'py>(
        &self,
        py: Python<'py>,
        out: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.still(py, Semantic::Weights, 0, out)
    }

    #[doc = doc!(Mesh joints)]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        let count = match mesh.attribute(Semantic::Joints, 0, 0) {
            Ok(Some(found)) => found.source().count(),
            _ => return Ok(None),
        };
        numbers::filled(py, [count, 4], None, |out: &mut [u16]| {
            let mut wide = vec![0u32; out.len()];
            if let Some(found) = mesh.attribute(Semantic::Joints, 0, 0)? {
                found.source().decode_integers(Level::current(), 0, &mut wide);
            }
            // Indices of joints are 16-bit numbers.
            out.iter_mut().zip(wide).for_each(|(out, joint)| *out = joint as u16);
            Ok(())
        })
        .map(Some)
    }

    #[doc = doc!(Mesh inverse_bind)]
    fn inverse_bind<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let content = self.shared.content()?;
        let skin = self.find(&content)?.skin.clone();
        skin.map(|skin| numbers::matrices(py, &skin)).transpose()
    }

    #[doc = doc!(Mesh triangles)]
    #[pyo3(signature = (space = None))]
    fn triangles<'py>(
        &self,
        py: Python<'py>,
        space: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let content = self.shared.content()?;
        let topology = self.topology(py, &content)?;
        if space.is_none() {
            return numbers::filled(py, [topology.triangles().len(), 3], None, |out: &mut [u32]| {
                out.copy_from_slice(topology.triangles().as_flattened());
                Ok(())
            });
        }
        Wanted::read(&content, space, 1.0)?.triangles(py, &content, (self.at, topology))
    }

    #[doc = doc!(Mesh points)]
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(Mesh::map(py, self.topology(py, &self.shared.content()?)?.points()))
    }

    #[doc = doc!(Mesh corners)]
    #[getter]
    fn corners<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(Mesh::map(py, self.topology(py, &self.shared.content()?)?.corners()))
    }

    #[doc = doc!(Mesh submeshes)]
    #[getter]
    fn submeshes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let content = self.shared.content()?;
        let (class, list) = (types::class(py, "Submesh")?, PyList::empty(py));
        for submesh in self.topology(py, &content)?.submeshes() {
            let triangles = PySlice::new(
                py,
                submesh.triangles.start.cast_signed(),
                submesh.triangles.end.cast_signed(),
                1,
            );
            list.append(class.call1((submesh.material, triangles))?)?;
        }
        Ok(list)
    }

    #[doc = doc!(Mesh triangle_types)]
    fn triangle_types<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let content = self.shared.content()?;
        let triangles = self.topology(py, &content)?.triangles().len();
        let drawn = work(py, || match content.documents()?.get(self.at.node) {
            Some(Document::Unreal(unreal)) => Ok(Some(drawn_types(unreal))),
            _ => Ok(None),
        })?;
        let drawn = drawn.filter(|drawn| drawn.len() == triangles);
        Ok(drawn.map(|drawn| numpy::PyArray1::from_vec(py, drawn).into_any()))
    }

    #[doc = doc!(Mesh vertices)]
    #[pyo3(signature = (clip = None, time = 0.0, layout = None, *, space = None, scale = 1.0))]
    fn vertices<'py>(
        &self,
        py: Python<'py>,
        clip: Option<&Bound<'py, PyAny>>,
        time: f32,
        layout: Option<&Bound<'py, PyAny>>,
        space: Option<&Bound<'py, PyAny>>,
        scale: f32,
    ) -> PyResult<Bound<'py, PyAny>> {
        let content = self.shared.content()?;
        let layout = layout::read(py, layout, self.find(&content)?)?;
        let pose = sample::read(py, &content, clip, time)?;
        let mesh = (self.at, self.topology(py, &content)?);
        Wanted::read(&content, space, scale)?.vertices(py, &content, mesh, &pose, &layout)
    }

    #[doc = doc!(Mesh bounds)]
    #[pyo3(signature = (frame = None))]
    fn bounds(
        &self,
        py: Python<'_>,
        frame: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Option<([f32; 3], [f32; 3])>> {
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        let frame = frame.map_or(Ok(0), |frame| numbers::index(&frame, mesh.frame_count(), "frame"))?;
        let bounds = work(py, || Ok(lens::Bounds::around(mesh.positions(frame)?)))?;
        Ok(bounds.map(|bounds| (bounds.min, bounds.max)))
    }

    #[doc = doc!(Mesh array)]
    #[pyo3(signature = (semantic, *, set = 0, frame = None))]
    fn array(&self, semantic: &str, set: usize, frame: Option<Bound<'_, PyAny>>) -> PyResult<Option<Array>> {
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        let semantic: Semantic =
            semantic.parse().map_err(|error: lens::Error| PyValueError::new_err(error.to_string()))?;
        let frame = frame.map_or(Ok(0), |frame| numbers::index(&frame, mesh.frame_count(), "frame"))?;
        let found =
            mesh.attribute(semantic, set, frame).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let Some(lens) = found.and_then(|found| found.stored()) else { return Ok(None) };
        let (lod, mesh) = (mesh.lod + self.at.lod, self.at.mesh);
        let about = About { semantic, mesh, set, frame, lod, bone: 0, file: 0, is_part: false };
        // SAFETY: the array belongs to the content of the scene.
        Ok(Some(unsafe { Array::new(&self.shared, self.at.node, lens, about) }))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Mesh>().is_ok_and(|other| {
            let other = other.get();
            other.is_of(&self.shared) && other.at == self.at
        })
    }

    fn __hash__(&self) -> usize {
        self.at.mesh.wrapping_mul(31).wrapping_add(self.at.node)
    }

    fn __repr__(&self) -> PyResult<String> {
        if self.shared.is_closed() {
            return Ok("<Mesh of a closed scene>".into());
        }
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        let (points, triangles, frames) = (mesh.point_count(), mesh.triangle_count(), mesh.frame_count());
        Ok(format!("<Mesh {:?}: {points} points, {triangles} triangles, {frames} frames>", mesh.name))
    }
}
