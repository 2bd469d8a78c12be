//! Models made from arrays of the caller, to be written in any format.

use meshlens::model::{self, Joint, JointAnimation, PlainFrame, PlainMesh, Submesh, TagPose, Transform};
use meshlens::{Report, scene};
use meshlens_assets::{Asset, AssetPath, Assets};
use numpy::{Element, PyReadonlyArrayDyn};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::clip::Clip;
use crate::content::{Content, Shared};
use crate::error::{no_index, work};
use crate::scene::Scene;
use crate::space::{self, Space};
use crate::{Any, Maybe, NewObject, types};

#[doc = doc!(Model)]
#[pyclass(subclass, module = "meshlens", name = "_Model")]
pub(crate) struct Model {
    model: model::Model<'static>,
    /// The poses of the tags for each frame.
    tags: Vec<Vec<TagPose>>,
    /// The largest index of a parent. No joint has a parent that is added later if it is less than their number.
    furthest: usize,
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
    fn new(name: String, space: Maybe<'_, '_>) -> PyResult<Model> {
        let mut model = model::Model::empty(None, space::read(space, model::Space::GLTF)?);
        model.name = name;
        Ok(Model { model, tags: Vec::new(), furthest: 0 })
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
    ) -> PyResult<usize> {
        let joints = &mut self.model.joints;
        let index = joints.len();
        // A parent may be added later. Joints are only in a cycle if a parent of a parent is the new joint.
        let mut above = parent.filter(|_| self.furthest >= index || parent == Some(index));
        while let Some(joint) = above {
            if joint == index {
                return Err(PyValueError::new_err(format!(
                    "the joint {name:?} is its own parent, or a parent of it"
                )));
            }
            above = joints.get(joint).and_then(|joint| joint.parent);
        }
        self.furthest = self.furthest.max(parent.unwrap_or(0));
        joints.push(Joint { name, parent, rest: Transform::new(translation, rotation, scale) });
        Ok(index)
    }

    #[pyo3(name = "_mesh")]
    fn mesh(&mut self, py: Python<'_>, arrays: Arrays<'_>) -> PyResult<usize> {
        let (name, material) = (arrays.name, arrays.material);
        let vertices = groups::<3, f32>;
        let mut normals = arrays.normals.iter().map(vertices);
        let mut tangents = arrays.tangents.iter().map(groups::<4, f32>);
        let mut names = arrays.frame_names.into_iter();
        let frames = arrays.positions.iter().map(|positions| PlainFrame {
            name: names.next().unwrap_or_default(),
            positions: vertices(positions),
            normals: normals.next().unwrap_or_default(),
            tangents: tangents.next().unwrap_or_default(),
        });
        let (joints, weights) = arrays.influences.unzip();
        let joints: Vec<[u16; 4]> = joints.as_ref().map(groups).unwrap_or_default();
        let highest = joints.as_flattened().iter().max();
        check("joint", highest.map(|joint| usize::from(*joint)), self.model.joints.len())?;
        let submeshes = arrays.submeshes.into_iter().map(|(material, start, end)| {
            check("material", material, self.model.materials.len())?;
            Ok(Submesh { material, triangles: start..end })
        });
        let mesh = PlainMesh {
            frames: frames.collect(),
            texcoords: arrays.texcoords.iter().map(groups).collect(),
            colors: arrays.colors.iter().map(groups).collect(),
            joints,
            weights: weights.as_ref().map(groups).unwrap_or_default(),
            points: numbers(&arrays.points),
            corners: numbers(&arrays.corners),
            triangles: groups(&arrays.triangles),
            submeshes: submeshes.collect::<PyResult<_>>()?,
        };
        check("material", material, self.model.materials.len())?;
        let mut made = work(py, || Ok(mesh.into_mesh(name)?))?;
        made.skin = arrays.skin.map(|skin| matrices(&skin).into());
        (made.material, made.lod) = (material, arrays.lod);
        self.model.meshes.push(made);
        Ok(self.model.meshes.len() - 1)
    }

    #[pyo3(name = "_rest")]
    fn rest<'py>(&self, py: Python<'py>) -> NewObject<'py> {
        let joints = &self.model.joints;
        let rest: Vec<Transform> = joints.iter().map(|joint| joint.rest).collect();
        let mut world = Vec::new();
        model::world_into(joints, &rest, &mut world);
        crate::numbers::matrices(py, &world)
    }

    #[pyo3(name = "_tag")]
    fn tag(&mut self, name: String, matrices: Numbers<'_, f32>) -> PyResult<usize> {
        let matrices = self::matrices(&matrices);
        if !self.tags.is_empty() && self.tags.len() != matrices.len() {
            let (frames, others) = (matrices.len(), self.tags.len());
            let text = format!("the tag has {frames} frames, and the others have {others}");
            return Err(PyValueError::new_err(text));
        }
        self.tags.resize_with(matrices.len(), Vec::new);
        for (frame, columns) in self.tags.iter_mut().zip(matrices) {
            let [x, y, z, origin] = columns.map(|[x, y, z, _]| [x, y, z]);
            frame.push(TagPose { origin, axes: [x, y, z] });
        }
        let index = self.model.tags.len();
        self.model.tags.push(model::Tag { name, index });
        Ok(index)
    }

    #[pyo3(name = "_animation")]
    fn animation(
        &mut self,
        name: String,
        joints: Vec<usize>,
        translations: Numbers<'_, f32>,
        rotations: Numbers<'_, f32>,
        scales: Numbers<'_, f32>,
    ) -> PyResult<usize> {
        check("joint", joints.iter().max().copied(), self.model.joints.len())?;
        let rotations_and_scales = groups(&rotations).into_iter().zip(groups(&scales));
        let transforms = groups(&translations)
            .into_iter()
            .zip(rotations_and_scales)
            .map(|(translation, (rotation, scale))| Transform::new(translation, rotation, scale));
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

/// Numbers of an array, which has been made contiguous by `meshlens._model`.
type Numbers<'py, T> = PyReadonlyArrayDyn<'py, T>;

/// The arguments of `add_mesh`, converted by `meshlens._model`.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Arrays<'py> {
    name: String,
    positions: Vec<Numbers<'py, f32>>,
    normals: Vec<Numbers<'py, f32>>,
    tangents: Vec<Numbers<'py, f32>>,
    texcoords: Vec<Numbers<'py, f32>>,
    colors: Vec<Numbers<'py, f32>>,
    influences: Option<(Numbers<'py, u16>, Numbers<'py, f32>)>,
    skin: Option<Numbers<'py, f32>>,
    points: Numbers<'py, u32>,
    corners: Numbers<'py, u32>,
    triangles: Numbers<'py, u32>,
    submeshes: Vec<(Option<usize>, usize, usize)>,
    material: Option<usize>,
    frame_names: Vec<String>,
    lod: usize,
}

fn numbers<T: Element + Copy>(array: &Numbers<'_, T>) -> Vec<T> {
    array.as_array().iter().copied().collect()
}

/// Numbers in groups of `N`.
fn groups<const N: usize, T: Element + Copy>(array: &Numbers<'_, T>) -> Vec<[T; N]> {
    numbers(array).as_chunks::<N>().0.to_vec()
}

fn matrices(array: &Numbers<'_, f32>) -> Vec<[[f32; 4]; 4]> {
    groups::<4, f32>(array).as_chunks::<4>().0.to_vec()
}

/// Checks an index of an item of a model.
fn check(what: &str, index: Option<usize>, count: usize) -> PyResult<()> {
    index.filter(|index| *index >= count).map_or(Ok(()), |index| Err(no_index(what, index, count)))
}
