//! Models made of arrays of the caller, to be written in any format.

use std::sync::Arc;

use meshlens::model::{self, Joint, JointAnimation, PlainFrame, PlainMesh, Submesh, TagPose, Transform};
use meshlens::{Report, scene};
use meshlens_assets::Assets;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

use crate::clip::Clip;
use crate::content::{Content, InMemory, Shared};
use crate::error::{Failure, no_index, work};
use crate::numbers::{floats, integers};
use crate::scene::Scene;
use crate::space::{self, Space};
use crate::types;

/// The inverse bind matrices of a mesh.
type Skin = Arc<[[[f32; 4]; 4]]>;

#[doc = doc!(Model)]
#[pyclass(module = "meshlens", name = "Model")]
pub(crate) struct Model {
    model: model::Model<'static>,
    /// For each frame, the poses of the tags.
    tags: Vec<Vec<TagPose>>,
}

/// Numbers in groups of `N`.
fn groups<const N: usize, T: bytemuck::Pod>(numbers: &[T]) -> Vec<[T; N]> {
    numbers.as_chunks::<N>().0.to_vec()
}

/// The frames of an attribute: `(n, N)` is one frame, `(frames, n, N)` are several.
fn frames<const N: usize>(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<Vec<[f32; N]>>> {
    let (numbers, shape) = floats(object, what, [N])?;
    match shape.as_slice() {
        [_, _] => Ok(vec![groups(&numbers)]),
        [0, ..] => Ok(Vec::new()),
        [count, points, _] if *points > 0 => Ok(numbers.chunks_exact(points * N).map(groups).collect()),
        [count, ..] if shape.len() == 3 => Ok(vec![Vec::new(); *count]),
        _ => Err(PyValueError::new_err(format!(
            "{what} has the shape {shape:?}; (n, {N}) or (frames, n, {N}) is needed"
        ))),
    }
}

/// Transforms of 4 by 4 numbers, by rows.
fn matrices(object: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<[[f32; 4]; 4]>> {
    let (numbers, shape) = floats(object, what, [4, 4])?;
    if shape.len() > 3 {
        return Err(PyValueError::new_err(format!(
            "{what} has the shape {shape:?}; (4, 4) or (n, 4, 4) is needed"
        )));
    }
    let rows = numbers.as_chunks::<4>().0.as_chunks::<4>().0;
    Ok(rows.iter().map(|rows| crate::numbers::rows(*rows)).collect())
}

/// The optional arrays of a mesh, by the names of their arguments.
struct Arrays<'a, 'py>(&'a Bound<'py, PyDict>);

impl<'py> Arrays<'_, 'py> {
    fn get(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    fn frames<const N: usize>(&self, name: &str, count: usize) -> PyResult<Vec<Vec<[f32; N]>>> {
        let Some(object) = self.get(name)? else { return Ok(Vec::new()) };
        let found = frames(&object, name)?;
        if found.len() != count {
            let text = format!("{name} has {} frames, and positions have {count}", found.len());
            return Err(PyValueError::new_err(text));
        }
        Ok(found)
    }

    /// The sets of an attribute: one array, or a list of arrays.
    fn sets<const N: usize>(&self, name: &str) -> PyResult<Vec<Vec<[f32; N]>>> {
        let Some(object) = self.get(name)? else { return Ok(Vec::new()) };
        if object.is_instance_of::<pyo3::types::PyList>() || object.is_instance_of::<pyo3::types::PyTuple>() {
            let sets: Vec<Bound<'_, PyAny>> = object.extract()?;
            if sets.iter().all(|set| set.hasattr("dtype").unwrap_or(false)) {
                return sets.iter().map(|set| Ok(groups(&floats(set, name, [N])?.0))).collect();
            }
        }
        frames(&object, name)
    }

    fn indices<T: TryFrom<i64> + bytemuck::Pod>(&self, name: &str) -> PyResult<Vec<T>> {
        self.get(name)?.map_or_else(|| Ok(Vec::new()), |object| Ok(integers(&object, name, [])?.0))
    }
}

/// The joints of each point, and their weights.
type Influences = (Vec<[u16; 4]>, Vec<[f32; 4]>);

/// Reads the joints of each point and their weights, which are scaled to add up to 1.
fn influences(arrays: &Arrays<'_, '_>, joints: usize) -> PyResult<Influences> {
    let (Some(indices), Some(weights)) = (arrays.get("joints")?, arrays.get("weights")?) else {
        return Ok((Vec::new(), Vec::new()));
    };
    let (indices, _) = integers::<u16, 1>(&indices, "joints", [4])?;
    let (weights, _) = floats(&weights, "weights", [4])?;
    if indices.len() != weights.len() {
        return Err(PyValueError::new_err("joints and weights have the same shape, (points, 4)"));
    }
    if let Some(wrong) = indices.iter().find(|joint| usize::from(**joint) >= joints) {
        return Err(no_index("joint", wrong, joints));
    }
    let normalized = |weights: &[f32; 4]| {
        let sum: f32 = weights.iter().sum();
        if sum > 0.0 && sum.is_finite() { weights.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0, 0.0] }
    };
    Ok((groups(&indices), groups::<4, f32>(&weights).iter().map(normalized).collect()))
}

/// The names of the optional arguments of a mesh.
const ARRAYS: [&str; 14] = [
    "normals",
    "tangents",
    "texcoords",
    "colors",
    "joints",
    "weights",
    "inverse_bind",
    "points",
    "corners",
    "submeshes",
    "material",
    "frame_names",
    "lod",
    "name",
];

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (name = String::new(), *, space = None))]
    fn new(name: String, space: Option<&Bound<'_, PyAny>>) -> PyResult<Model> {
        let mut model = model::Model::empty(None, space::read(space, model::Space::GLTF)?);
        model.name = name;
        Ok(Model { model, tags: Vec::new() })
    }

    #[doc = doc!(Model name)]
    #[getter]
    fn name(&self) -> &str {
        &self.model.name
    }

    #[doc = doc!(Model space)]
    #[getter]
    fn space(&self) -> Space {
        Space::of(&self.model.space)
    }

    #[doc = doc!(Model add_material)]
    fn add_material(&mut self, material: &Bound<'_, PyAny>) -> PyResult<usize> {
        self.model.materials.push(types::read_material(material)?);
        Ok(self.model.materials.len() - 1)
    }

    #[pyo3(signature = (
        name, parent = None, translation = [0.0; 3], rotation = [0.0, 0.0, 0.0, 1.0], scale = [1.0; 3]
    ))]
    #[doc = doc!(Model add_joint)]
    fn add_joint(
        &mut self,
        name: String,
        parent: Option<usize>,
        translation: [f32; 3],
        rotation: [f32; 4],
        scale: [f32; 3],
    ) -> usize {
        let rest = Transform::new(translation, rotation, scale);
        self.model.joints.push(Joint { name, parent, rest });
        self.model.joints.len() - 1
    }

    #[doc = doc!(Model add_mesh)]
    #[pyo3(signature = (name, positions, triangles, **arrays))]
    fn add_mesh(
        &mut self,
        py: Python<'_>,
        name: String,
        positions: &Bound<'_, PyAny>,
        triangles: &Bound<'_, PyAny>,
        arrays: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let arrays = arrays.cloned().unwrap_or_else(|| PyDict::new(py));
        for key in arrays.keys() {
            let key: String = key.extract()?;
            if !ARRAYS.contains(&key.as_str()) {
                return Err(PyTypeError::new_err(format!("unexpected keyword argument {key:?}")));
            }
        }
        let arrays = Arrays(&arrays);
        let positions = frames::<3>(positions, "positions")?;
        let count = positions.len();
        let mut normals = arrays.frames::<3>("normals", count)?.into_iter();
        let mut tangents = arrays.frames::<4>("tangents", count)?.into_iter();
        let names: Vec<String> =
            arrays.get("frame_names")?.map_or(Ok(Vec::new()), |names| names.extract())?;
        let mut names = names.into_iter();
        let frames = positions.into_iter().map(|positions| PlainFrame {
            name: names.next().unwrap_or_default(),
            positions,
            normals: normals.next().unwrap_or_default(),
            tangents: tangents.next().unwrap_or_default(),
        });
        let frames: Vec<PlainFrame> = frames.collect();
        if frames.is_empty() {
            return Err(PyValueError::new_err("a mesh has at least one frame"));
        }
        let (joints, weights) = influences(&arrays, self.model.joints.len())?;
        let mesh = PlainMesh {
            frames,
            texcoords: arrays.sets("texcoords")?,
            colors: arrays.sets("colors")?,
            joints,
            weights,
            points: arrays.indices("points")?,
            corners: arrays.indices("corners")?,
            triangles: groups(&integers::<u32, 1>(triangles, "triangles", [3])?.0),
            submeshes: self.submeshes(&arrays)?,
        };
        let material = arrays.get("material")?.map(|material| material.extract()).transpose()?;
        if let Some(material) = material.filter(|material| *material >= self.model.materials.len()) {
            return Err(no_index("material", material, self.model.materials.len()));
        }
        let skin = self.skin(py, &arrays, !mesh.joints.is_empty())?;
        let mut made = mesh.into_mesh(name).map_err(|error| Failure::from(error).raise(py, None))?;
        (made.material, made.skin) = (material, skin);
        made.lod = arrays.get("lod")?.map_or(Ok(0), |lod| lod.extract())?;
        self.model.meshes.push(made);
        Ok(self.model.meshes.len() - 1)
    }

    #[doc = doc!(Model add_tag)]
    fn add_tag(&mut self, name: String, matrices: &Bound<'_, PyAny>) -> PyResult<usize> {
        let poses: Vec<TagPose> = self::matrices(matrices, "matrices")?
            .into_iter()
            .map(|[x, y, z, origin]| {
                let three = |[x, y, z, _]: [f32; 4]| [x, y, z];
                TagPose { origin: three(origin), axes: [three(x), three(y), three(z)] }
            })
            .collect();
        if !self.tags.is_empty() && self.tags.len() != poses.len() {
            let text = format!("the tag has {} frames, and the others have {}", poses.len(), self.tags.len());
            return Err(PyValueError::new_err(text));
        }
        if poses.is_empty() {
            return Err(PyValueError::new_err("a tag has at least one frame"));
        }
        self.tags.resize_with(poses.len(), Vec::new);
        self.tags.iter_mut().zip(poses).for_each(|(frame, pose)| frame.push(pose));
        let index = self.model.tags.len();
        self.model.tags.push(model::Tag { name, index });
        Ok(index)
    }

    #[doc = doc!(Model add_animation)]
    #[pyo3(signature = (name, joints, translations, rotations, scales = None))]
    fn add_animation(
        &mut self,
        name: String,
        joints: Vec<usize>,
        translations: &Bound<'_, PyAny>,
        rotations: &Bound<'_, PyAny>,
        scales: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        if let Some(joint) = joints.iter().find(|joint| **joint >= self.model.joints.len()) {
            return Err(no_index("joint", joint, self.model.joints.len()));
        }
        let translations: Vec<[f32; 3]> = groups(&floats(translations, "translations", [joints.len(), 3])?.0);
        let rotations: Vec<[f32; 4]> = groups(&floats(rotations, "rotations", [joints.len(), 4])?.0);
        let scales: Vec<[f32; 3]> = match scales {
            Some(scales) => groups(&floats(scales, "scales", [joints.len(), 3])?.0),
            None => vec![[1.0; 3]; translations.len()],
        };
        if rotations.len() != translations.len() || scales.len() != translations.len() {
            return Err(PyValueError::new_err(
                "translations, rotations and scales have the same number of frames",
            ));
        }
        let transforms = translations.into_iter().zip(rotations).zip(scales);
        let transforms =
            transforms.map(|((translation, rotation), scale)| Transform::new(translation, rotation, scale));
        self.model.animations.push(JointAnimation::new(name, joints, transforms.collect()));
        Ok(self.model.animations.len() - 1)
    }

    #[doc = doc!(Model add_clip)]
    fn add_clip(&mut self, clip: &Bound<'_, Clip>) -> PyResult<usize> {
        let clip = clip.get().0.clone();
        let frames = match clip.animation {
            None => None,
            Some(index) => {
                let found = self.model.animations.get(index);
                let found = found.ok_or_else(|| no_index("animation", index, self.model.animations.len()))?;
                Some(found.frame_count())
            }
        };
        let end = clip
            .first
            .checked_add(clip.count)
            .ok_or_else(|| PyIndexError::new_err("frames are out of range"))?;
        if let Some(frames) = frames.filter(|frames| end > *frames) {
            return Err(no_index("frame", end - 1, frames));
        }
        self.model.clips.push(clip);
        Ok(self.model.clips.len() - 1)
    }

    #[doc = doc!(Model set_frame_names)]
    fn set_frame_names(&mut self, names: Vec<String>) {
        self.model.frame_names = names;
    }

    #[doc = doc!(Model scene)]
    fn scene(&self, py: Python<'_>) -> PyResult<Scene> {
        let count = self.model.joints.len();
        let parents = self.model.joints.iter().filter_map(|joint| joint.parent);
        if let Some(parent) = parents.into_iter().find(|parent| *parent >= count) {
            return Err(no_index("joint", parent, count));
        }
        let frames = work(py, || Ok(self.model.frame_count().max(self.tags.len())))?;
        for clip in self.model.clips.iter().filter(|clip| clip.animation.is_none()) {
            if clip.first.saturating_add(clip.count) > frames {
                return Err(no_index("frame", clip.first.saturating_add(clip.count) - 1, frames));
            }
        }
        let mut model = self.model.clone();
        if !self.tags.is_empty() {
            model.set_tag_poses(self.tags.clone());
        }
        let name = model.name.clone();
        let scene = scene::Scene::from(model);
        let content = InMemory { scene, assets: Assets::new(), findings: Report::default() };
        Ok(Scene::new(Shared::new(Content::Memory(Arc::new(content)), name), None))
    }

    fn __repr__(&self) -> String {
        let model::Model { name, meshes, joints, tags, clips, .. } = &self.model;
        let (meshes, joints, tags, clips) = (meshes.len(), joints.len(), tags.len(), clips.len());
        format!("<Model {name:?}: {meshes} meshes, {joints} joints, {tags} tags, {clips} clips>")
    }
}

impl Model {
    /// Reads a list of `Submesh`.
    fn submeshes(&self, arrays: &Arrays<'_, '_>) -> PyResult<Vec<Submesh>> {
        let Some(list) = arrays.get("submeshes")? else { return Ok(Vec::new()) };
        let mut submeshes = Vec::new();
        for submesh in list.try_iter()? {
            let submesh = submesh?;
            let material: Option<usize> = submesh.getattr("material")?.extract()?;
            if let Some(material) = material.filter(|material| *material >= self.model.materials.len()) {
                return Err(no_index("material", material, self.model.materials.len()));
            }
            let range = submesh.getattr("triangles")?;
            let range = range.cast::<PySlice>().map_err(PyErr::from)?;
            let (start, end): (usize, usize) =
                (range.getattr("start")?.extract()?, range.getattr("stop")?.extract()?);
            submeshes.push(Submesh { material, triangles: start..end });
        }
        Ok(submeshes)
    }

    /// The inverse bind matrices: the caller's, or those of the joints at rest.
    fn skin(&self, py: Python<'_>, arrays: &Arrays<'_, '_>, is_skinned: bool) -> PyResult<Option<Skin>> {
        if !is_skinned {
            return Ok(None);
        }
        let joints = &self.model.joints;
        let Some(given) = arrays.get("inverse_bind")? else {
            let rest: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
            let mut world = Vec::new();
            model::world_into(joints, &rest, &mut world);
            let world = crate::numbers::matrices(py, &world)?.call_method1("astype", ("float64",))?;
            let inverse = py.import("numpy")?.getattr("linalg")?.call_method1("inv", (world,))?;
            return Ok(Some(matrices(&inverse, "inverse_bind")?.into()));
        };
        let given = matrices(&given, "inverse_bind")?;
        if given.len() != joints.len() {
            return Err(PyValueError::new_err(format!(
                "inverse_bind has {} matrices for {} joints",
                given.len(),
                joints.len()
            )));
        }
        Ok(Some(given.into()))
    }
}
