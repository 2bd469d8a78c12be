//! Models made of arrays of the caller, to be written in any format.

use std::sync::Arc;

use meshlens::model::{self, Joint, JointAnimation, PlainFrame, PlainMesh, Submesh, TagPose, Transform};
use meshlens::{Report, scene};
use meshlens_assets::{Asset, AssetPath, Assets};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

use crate::arrays::{Arrays, check, frames, groups, indices, influences, matrices, moving, sets};
use crate::clip::Clip;
use crate::content::{Content, Shared};
use crate::error::{Failure, work};
use crate::numbers::{floats, integers};
use crate::scene::Scene;
use crate::space::{self, Space};
use crate::{Any, types};

/// The inverse bind matrices of a mesh.
type Skin = Arc<[[[f32; 4]; 4]]>;

#[doc = doc!(Model)]
#[pyclass(module = "meshlens", name = "Model")]
pub(crate) struct Model {
    model: model::Model<'static>,
    /// For each frame, the poses of the tags.
    tags: Vec<Vec<TagPose>>,
}

fields! {
    Model, |made|
    name: String = made.model.name.clone();
    space: Space = Space::of(&made.model.space);
}

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (name = String::new(), *, space = None))]
    fn new(name: String, space: Option<&Any<'_>>) -> PyResult<Model> {
        let mut model = model::Model::empty(None, space::read(space, model::Space::GLTF)?);
        model.name = name;
        Ok(Model { model, tags: Vec::new() })
    }

    #[doc = doc!(Model add_material)]
    fn add_material(&mut self, material: &Any<'_>) -> PyResult<usize> {
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
        positions: &Any<'_>,
        triangles: &Any<'_>,
        arrays: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<usize> {
        let arrays = Arrays::read(arrays)?;
        let positions = frames::<3>(positions, "positions")?;
        let count = positions.len();
        let mut normals = moving(py, &arrays.normals, "normals", count)?.into_iter();
        let mut tangents = moving(py, &arrays.tangents, "tangents", count)?.into_iter();
        let mut names = arrays.frame_names.clone().into_iter().flatten();
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
        let (joints, weights) = influences(py, &arrays, self.model.joints.len())?;
        let mesh = PlainMesh {
            frames,
            texcoords: sets(py, &arrays.texcoords, "texcoords")?,
            colors: sets(py, &arrays.colors, "colors")?,
            joints,
            weights,
            points: indices(py, &arrays.points, "points")?,
            corners: indices(py, &arrays.corners, "corners")?,
            triangles: groups(&integers::<u32, 1>(triangles, "triangles", [3])?.0),
            submeshes: self.submeshes(py, arrays.submeshes.as_deref().unwrap_or_default())?,
        };
        check("material", arrays.material, self.model.materials.len())?;
        let skin = if mesh.joints.is_empty() { None } else { Some(self.skin(py, &arrays)?) };
        let mut made = mesh.into_mesh(name).map_err(|error| Failure::from(error).raise(py, None))?;
        (made.material, made.skin, made.lod) = (arrays.material, skin, arrays.lod.unwrap_or(0));
        self.model.meshes.push(made);
        Ok(self.model.meshes.len() - 1)
    }

    #[doc = doc!(Model add_tag)]
    fn add_tag(&mut self, name: String, matrices: &Any<'_>) -> PyResult<usize> {
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
        translations: &Any<'_>,
        rotations: &Any<'_>,
        scales: Option<&Any<'_>>,
    ) -> PyResult<usize> {
        check("joint", joints.iter().max().copied(), self.model.joints.len())?;
        let count = joints.len();
        let translations: Vec<[f32; 3]> = groups(&floats(translations, "translations", [count, 3])?.0);
        let rotations: Vec<[f32; 4]> = groups(&floats(rotations, "rotations", [count, 4])?.0);
        let ones = || PyResult::Ok(vec![[1.0; 3]; translations.len()]);
        let scales =
            scales.map_or_else(ones, |scales| Ok(groups(&floats(scales, "scales", [count, 3])?.0)))?;
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
        check("animation", clip.animation, self.model.animations.len())?;
        let end = clip.first.checked_add(clip.count);
        let end = end.ok_or_else(|| PyIndexError::new_err("frames are out of range"))?;
        if let Some(animation) = clip.animation.and_then(|index| self.model.animations.get(index)) {
            check("frame", Some(end - 1), animation.frame_count())?;
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
        let parents = self.model.joints.iter().filter_map(|joint| joint.parent);
        check("joint", parents.max(), self.model.joints.len())?;
        let frames = work(py, || Ok(self.model.frame_count().max(self.tags.len())))?;
        let of_frames = self.model.clips.iter().filter(|clip| clip.animation.is_none());
        check("frame", of_frames.map(|clip| clip.first.saturating_add(clip.count) - 1).max(), frames)?;
        let mut model = self.model.clone();
        if !self.tags.is_empty() {
            model.set_tag_poses(self.tags.clone());
        }
        let name = model.name.clone();
        let node = scene::Node::new(&*name, model);
        let asset = Asset::from_node(node, AssetPath::root(), Assets::new(), Report::default());
        Ok(Scene::new(Shared::new(Content(asset), name), None))
    }

    fn __repr__(&self) -> String {
        let model::Model { name, meshes, joints, tags, clips, .. } = &self.model;
        let (meshes, joints, tags, clips) = (meshes.len(), joints.len(), tags.len(), clips.len());
        format!("<Model {name:?}: {meshes} meshes, {joints} joints, {tags} tags, {clips} clips>")
    }
}

impl Model {
    /// Reads a list of `Submesh`.
    fn submeshes(&self, py: Python<'_>, list: &[Py<PyAny>]) -> PyResult<Vec<Submesh>> {
        let read = |submesh: &Py<PyAny>| {
            let submesh = submesh.bind(py);
            let material: Option<usize> = submesh.getattr("material")?.extract()?;
            check("material", material, self.model.materials.len())?;
            let range = submesh.getattr("triangles")?;
            let range = range.cast::<PySlice>().map_err(PyErr::from)?;
            let (start, end) = (range.getattr("start")?.extract()?, range.getattr("stop")?.extract()?);
            Ok(Submesh { material, triangles: start..end })
        };
        list.iter().map(read).collect()
    }

    /// The inverse bind matrices: the caller's, or those of the joints at rest.
    fn skin(&self, py: Python<'_>, arrays: &Arrays) -> PyResult<Skin> {
        let joints = &self.model.joints;
        let Some(given) = &arrays.inverse_bind else {
            let rest: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
            let mut world = Vec::new();
            model::world_into(joints, &rest, &mut world);
            let world = crate::numbers::matrices(py, &world)?.call_method1("astype", ("float64",))?;
            let inverse = py.import("numpy")?.getattr("linalg")?.call_method1("inv", (world,))?;
            return Ok(matrices(&inverse, "inverse_bind")?.into());
        };
        let (given, count) = (matrices(given.bind(py), "inverse_bind")?, joints.len());
        if given.len() != count {
            let text = format!("inverse_bind has {} matrices for {count} joints", given.len());
            return Err(PyValueError::new_err(text));
        }
        Ok(given.into())
    }
}
