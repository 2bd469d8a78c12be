//! Meshes: decoded attributes, triangles, and vertices in the space of the caller.

use std::sync::{Arc, OnceLock};

use meshlens::Document;
use meshlens::lens::{self, AnyLens, Level, Semantic};
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
use crate::view::{At, TargetSpace};
use crate::{Any, Maybe, NewObject};

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

    /// Whether the mesh belongs to this scene.
    pub(crate) fn is_of(&self, shared: &Arc<Shared>) -> bool {
        Arc::ptr_eq(&self.shared, shared)
    }

    fn find<'c>(&self, content: &'c Content) -> PyResult<&'c model::Mesh<'c>> {
        content.mesh(self.at.node, self.at.lod, self.at.mesh)
    }

    /// The triangles, which are only made once.
    pub(crate) fn topology(&self, py: Python<'_>, content: &Content) -> PyResult<&Arc<Topology>> {
        if let Some(topology) = self.topology.get() {
            return Ok(topology);
        }
        let mesh = self.find(content)?;
        let made = work(py, || Ok(Arc::new(mesh.topology()?)))?;
        Ok(self.topology.get_or_init(|| made))
    }

    /// The properties of a stored array, as the document of the node lists it.
    fn listed(&self, content: &Content, lens: &AnyLens<'_>, about: About) -> About {
        let documents = content.0.documents().unwrap_or_default();
        let Some(Some(document)) = documents.get(self.at.node) else { return about };
        let is_alike = |array: &lens::Array<'_>| {
            array.semantic == about.semantic && array.lens.format() == lens.format()
        };
        let start = lens.as_bytes().as_ptr();
        match document.arrays().find(|array| is_alike(array) && array.lens.as_bytes().as_ptr() == start) {
            Some(array) => About::from(&array),
            // A level of detail in a file of its own, which is stored like the finest.
            None => {
                let is_part = document.arrays().any(|array| is_alike(&array) && array.is_part);
                About { is_part, ..about }
            }
        }
    }

    /// An attribute of one frame, or of several; `None` if the mesh does not have it.
    fn decode<'py>(
        &self,
        py: Python<'py>,
        (semantic, set): (Semantic, usize),
        frames: Maybe<'_, 'py>,
        out: Maybe<'_, 'py>,
    ) -> PyResult<Option<Any<'py>>> {
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        let frames = frames.map_or(Ok(Frames::One(0)), |frames| Frames::read(frames, mesh.frame_count()))?;
        let list = match &frames {
            Frames::One(frame) => std::slice::from_ref(frame),
            Frames::Several(frames) => frames,
        };
        let (count, components) = match mesh.attribute(semantic, set, list.first().copied().unwrap_or(0)) {
            Ok(Some(found)) => (found.source().count(), found.source().components()),
            Err(error) if !list.is_empty() => return Err(Failure::from(error).raise(py, None)),
            _ => return Ok(None),
        };
        let fill = |out: &mut [f32]| {
            for (frame, out) in list.iter().zip(out.chunks_exact_mut((count * components).max(1))) {
                // The source is made here, because it cannot be sent to a call that runs without the interpreter lock.
                match mesh.attribute(semantic, set, *frame)? {
                    Some(found) => found.source().decode_part(Level::current(), 0, out),
                    None => out.fill(0.0),
                }
            }
            Ok(())
        };
        match frames {
            Frames::One(_) => numbers::filled(py, [count, components], out, fill),
            Frames::Several(_) => numbers::filled(py, [list.len(), count, components], out, fill),
        }
        .map(Some)
    }
}

fn map<'py>(py: Python<'py>, map: Option<&[u32]>) -> Option<Any<'py>> {
    map.map(|map| numpy::PyArray1::from_slice(py, map).into_any())
}

/// The types of the triangles of a model, in its order: sorted by texture and type.
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

fields! {
    Mesh, |mesh|
    node: usize = mesh.at.node;
    index: usize = mesh.at.mesh;
}

getters! {
    Mesh, |this, py, content, mesh|
    lod: usize = mesh.lod + this.at.lod;
    name: String = mesh.name.clone();
    material: Option<usize> = mesh.material;
    point_count: usize = mesh.point_count();
    corner_count: usize = mesh.corner_count();
    vertex_count: usize =
        if mesh.is_welded() { mesh.point_count() } else { this.topology(py, &content)?.vertex_count() };
    triangle_count: usize = mesh.triangle_count();
    frame_count: usize = mesh.frame_count();
    frame_names: Vec<String> = (0..mesh.frame_count()).map(|frame| mesh.frame_name(frame).into_owned()).collect();
    texcoord_sets: usize = mesh.texcoord_sets();
    color_sets: usize = mesh.color_sets();
    is_welded: bool = mesh.is_welded();
    is_skinned: bool = mesh.skin.is_some();
    points: Option<Any<'py>> = map(py, this.topology(py, &content)?.points());
    corners: Option<Any<'py>> = map(py, this.topology(py, &content)?.corners());
    submeshes: Bound<'py, PyList> = {
        let class = types::class(py, "Submesh")?;
        let made = this.topology(py, &content)?.submeshes().iter().map(|submesh| {
            let std::ops::Range { start, end } = submesh.triangles;
            class.call1((submesh.material, PySlice::new(py, start.cast_signed(), end.cast_signed(), 1)))
        });
        PyList::new(py, made.collect::<PyResult<Vec<_>>>()?)?
    };
}

repr! {
    Mesh, |_this, mesh| {
        let (points, triangles, frames) = (mesh.point_count(), mesh.triangle_count(), mesh.frame_count());
        format!("<Mesh {:?}: {points} points, {triangles} triangles, {frames} frames>", mesh.name)
    }
}

/// Attributes of frames, and attributes of which a mesh may have several sets.
macro_rules! attributes {
    ({ $($frames:ident = $moving:expr;)* } { $($sets:ident = $still:expr;)* }) => {
        #[pymethods]
        impl Mesh {
            $(
                #[doc = doc!(Mesh $frames)]
                #[pyo3(signature = (frame = None, *, out = None))]
                fn $frames<'py>(
                    &self, py: Python<'py>, frame: Maybe<'_, 'py>, out: Maybe<'_, 'py>,
                ) -> PyResult<Option<Any<'py>>> {
                    self.decode(py, ($moving, 0), frame, out)
                }
            )*
            $(
                #[doc = doc!(Mesh $sets)]
                #[pyo3(signature = (set = 0, *, frame = None, out = None))]
                fn $sets<'py>(
                    &self, py: Python<'py>, set: usize, frame: Maybe<'_, 'py>, out: Maybe<'_, 'py>,
                ) -> PyResult<Option<Any<'py>>> {
                    self.decode(py, ($still, set), frame, out)
                }
            )*
        }
    };
}

attributes! {
    { positions = Semantic::Position; normals = Semantic::Normal; tangents = Semantic::Tangent; }
    { texcoords = Semantic::Texcoord; colors = Semantic::Color; }
}

#[pymethods]
impl Mesh {
    #[doc = doc!(Mesh weights)]
    #[pyo3(signature = (*, out = None))]
    fn weights<'py>(&self, py: Python<'py>, out: Maybe<'_, 'py>) -> PyResult<Option<Any<'py>>> {
        self.decode(py, (Semantic::Weights, 0), None, out)
    }

    #[doc = doc!(Mesh joints)]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Option<Any<'py>>> {
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
            // Joint indices have 16 bits.
            out.iter_mut().zip(wide).for_each(|(out, joint)| *out = joint as u16);
            Ok(())
        })
        .map(Some)
    }

    #[doc = doc!(Mesh inverse_bind)]
    fn inverse_bind<'py>(&self, py: Python<'py>) -> PyResult<Option<Any<'py>>> {
        let content = self.shared.content()?;
        self.find(&content)?.skin.as_ref().map(|skin| numbers::matrices(py, skin)).transpose()
    }

    #[doc = doc!(Mesh triangles)]
    #[pyo3(signature = (space = None))]
    fn triangles<'py>(&self, py: Python<'py>, space: Maybe<'_, 'py>) -> NewObject<'py> {
        let content = self.shared.content()?;
        let topology = self.topology(py, &content)?;
        if space.is_some() {
            return TargetSpace::read(&content, space, 1.0)?.triangles(py, &content, (self.at, topology));
        }
        numbers::filled(py, [topology.triangles().len(), 3], None, |out: &mut [u32]| {
            out.copy_from_slice(topology.triangles().as_flattened());
            Ok(())
        })
    }

    #[doc = doc!(Mesh triangle_types)]
    fn triangle_types<'py>(&self, py: Python<'py>) -> PyResult<Option<Any<'py>>> {
        let content = self.shared.content()?;
        let triangles = self.topology(py, &content)?.triangles().len();
        let drawn = work(py, || match content.0.documents()?.get(self.at.node) {
            Some(Some(Document::Unreal(unreal))) => Ok(Some(drawn_types(unreal))),
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
        clip: Maybe<'_, 'py>,
        time: f32,
        layout: Maybe<'_, 'py>,
        space: Maybe<'_, 'py>,
        scale: f32,
    ) -> NewObject<'py> {
        let content = self.shared.content()?;
        let layout = layout::read(py, layout, self.find(&content)?)?;
        let pose = sample::read(py, &content, clip, time)?;
        let mesh = (self.at, self.topology(py, &content)?);
        TargetSpace::read(&content, space, scale)?.vertices(py, &content, mesh, &pose, &layout)
    }

    #[doc = doc!(Mesh bounds)]
    #[pyo3(signature = (frame = None))]
    fn bounds(&self, py: Python<'_>, frame: Maybe<'_, '_>) -> PyResult<Option<([f32; 3], [f32; 3])>> {
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        let frame = numbers::frame(frame, mesh.frame_count())?;
        let bounds = work(py, || Ok(lens::Bounds::around(mesh.positions(frame)?)))?;
        Ok(bounds.map(|bounds| (bounds.min, bounds.max)))
    }

    #[doc = doc!(Mesh array)]
    #[pyo3(signature = (semantic, *, set = 0, frame = None))]
    fn array(&self, semantic: &str, set: usize, frame: Maybe<'_, '_>) -> PyResult<Option<Array>> {
        let content = self.shared.content()?;
        let mesh = self.find(&content)?;
        let semantic: Semantic =
            semantic.parse().map_err(|error: lens::Error| PyValueError::new_err(error.to_string()))?;
        let frame = numbers::frame(frame, mesh.frame_count())?;
        let found =
            mesh.attribute(semantic, set, frame).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let Some(lens) = found.and_then(|found| found.stored()) else { return Ok(None) };
        let (lod, mesh) = (mesh.lod + self.at.lod, self.at.mesh);
        let about = About { semantic, mesh, set, frame, lod, bone: 0, file: 0, is_part: false };
        let about = self.listed(&content, &lens, about);
        // SAFETY: the array belongs to the content of the scene.
        Ok(Some(unsafe { Array::new(&self.shared, self.at.node, lens, about) }))
    }

    fn __eq__(&self, other: &Any<'_>) -> bool {
        other.cast::<Mesh>().is_ok_and(|other| {
            let other = other.get();
            other.is_of(&self.shared) && other.at == self.at
        })
    }

    fn __hash__(&self) -> usize {
        self.at.mesh.wrapping_mul(31).wrapping_add(self.at.node)
    }
}
