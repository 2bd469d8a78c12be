//! One view over every format: meshes, materials, tags and clips under the same names.
//!
//! ```
//! use meshlens::model::{Model, Space};
//!
//! # use meshlens::md3::write;
//! # let mut file = write::Model::new("flag")?;
//! # file.frames.push(write::Frame::named("idle")?);
//! # let mut surface = write::Surface::new("flag")?;
//! # surface.triangles.push([0, 1, 2]);
//! # surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
//! # surface.add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])?;
//! # file.surfaces.push(surface);
//! # let bytes = file.write()?;
//! let model = Model::parse(&bytes)?;
//! let to_gltf = model.space.to(&Space::GLTF);
//! for mesh in &model.meshes {
//!     let mut positions = vec![[0.0; 3]; mesh.point_count()];
//!     mesh.positions(0)?.decode_into(&mut positions).expect("one value per point");
//!     // Eight units up in Quake are eight units up in glTF, where up is Y.
//!     assert_eq!(to_gltf.position(positions[2]), [0.0, 8.0, 0.0]);
//!     assert_eq!(mesh.topology()?.triangles(), [[0, 1, 2]]);
//! }
//! # Ok::<(), meshlens::Error>(())
//! ```
//!
//! Making a [`Model`] reads headers and the names of frames, and unpacks what is packed (UNIGINE); everything else is decoded
//! when asked for. Coordinates, winding and units are those of the file: [`Model::space`] says which they are, and
//! [`Space::to`] is the way to another one.

mod arrays;
mod attribute;
mod clip;
pub mod export;
mod interleave;
mod material;
#[cfg(feature = "md3")]
mod md3;
mod mesh;
mod plain;
mod skeleton;
mod space;
mod tag;
mod topology;
#[cfg(feature = "u3d")]
mod u3d;
#[cfg(feature = "unigine")]
mod unigine;
#[cfg(feature = "unreal")]
mod unreal;

use alloc::string::String;
use alloc::vec::Vec;

use glam::Mat4;

use crate::lens::Value;
use crate::{Document, Format, Result};
pub use attribute::Attribute;
pub use clip::{Blend, Clip, DEFAULT_RATE};
pub use interleave::{InterleaveError, Semantic, VertexLayout};
pub use material::{Alpha, Material};
pub use mesh::Mesh;
pub use plain::{PlainFrame, PlainMesh};
pub use skeleton::{Joint, JointAnimation, Transform, world_into};
pub use space::{Axis, Conversion, Handedness, Space, Winding};
pub use tag::{Tag, TagPose};
pub use topology::{Part, Topology, gather};

/// A model of any format, as one lazily decoded view.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    /// The format it came from.
    pub format: Format,
    /// The name in the file; often empty, often a path.
    pub name: String,
    /// Axes and winding of every coordinate the model gives.
    pub space: Space,
    /// The meshes, in the order of the file.
    pub meshes: Vec<Mesh<'a>>,
    /// The materials that meshes speak of by number.
    pub materials: Vec<Material>,
    /// The tags.
    pub tags: Vec<Tag>,
    /// The joints of the skeleton.
    pub joints: Vec<Joint>,
    /// What moves them; clips say which, and how fast.
    pub animations: Vec<JointAnimation<'a>>,
    /// The clips: from the file where it names any, else one of all frames at [`DEFAULT_RATE`], or none where nothing
    /// moves. Companions such as `animation.cfg` replace them.
    pub clips: Vec<Clip>,
    /// What positions and tags are still to be moved by: the identity, unless a script says where a mesh stands.
    pub placement: Mat4,
    /// Where tags are in each frame, of models that are no file's.
    pub tag_frames: Vec<Vec<TagPose>>,
    document: Option<Document<'a>>,
    /// Whether positions come as the file stores them, for the placement to scale (Unreal with a script).
    #[cfg(feature = "unreal")]
    raw: bool,
}

impl<'a> Model<'a> {
    /// Detects the format of `bytes` by their content and parses them. O(headers and names of frames); UNIGINE's variable
    /// records are walked once, and its packed geometry is unpacked.
    ///
    /// # Errors
    ///
    /// As [`Document::parse`] and [`new`](Self::new).
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Document::parse(bytes).and_then(Self::new)
    }

    /// The model of a parsed document. As [`parse`](Self::parse).
    ///
    /// # Errors
    ///
    /// Half of a mesh of two files, packed geometry that does not unpack, and bones (Ultimate 3D) that hang on one another
    /// or have more frames, or meshes, than anything real.
    pub fn new(document: Document<'a>) -> Result<Self> {
        match document {
            #[cfg(feature = "md3")]
            Document::Md3(md3) => Ok(md3::model(md3)),
            #[cfg(feature = "unreal")]
            Document::Unreal(unreal) => Ok(unreal::model(unreal)),
            #[cfg(feature = "unreal")]
            Document::UnrealHalf(_) => {
                let kind = crate::wire::ErrorKind::Unsupported { what: "one file of a mesh of two" };
                Err(crate::Error::new(document.format().name(), 0, kind))
            }
            #[cfg(feature = "u3d")]
            Document::U3d(u3d) => u3d::model(u3d),
            #[cfg(feature = "unigine")]
            Document::UnigineMesh(mesh) => unigine::model(mesh),
            #[cfg(feature = "unigine")]
            Document::UnigineAnim(anim) => Ok(unigine::animation_model(anim)),
        }
    }

    /// A model of nothing, to be filled.
    pub const fn empty(format: Format, space: Space, document: Option<Document<'a>>) -> Self {
        Model {
            format,
            name: String::new(),
            space,
            meshes: Vec::new(),
            materials: Vec::new(),
            tags: Vec::new(),
            joints: Vec::new(),
            animations: Vec::new(),
            clips: Vec::new(),
            placement: Mat4::IDENTITY,
            tag_frames: Vec::new(),
            document,
            #[cfg(feature = "unreal")]
            raw: false,
        }
    }

    /// The document the model looks at; `None` for one that is no file's.
    pub const fn document(&self) -> Option<&Document<'a>> {
        self.document.as_ref()
    }

    /// Frames of vertices over all meshes and tags: the most that any has. O(meshes).
    pub fn frame_count(&self) -> usize {
        let meshes = self.meshes.iter().map(Mesh::frame_count).max().unwrap_or_default();
        meshes.max(if self.tags.is_empty() { 0 } else { self.tag_frame_count() })
    }

    /// Frames of tags. O(1).
    pub fn tag_frame_count(&self) -> usize {
        match &self.document {
            #[cfg(feature = "md3")]
            Some(Document::Md3(md3)) => md3.frame_count(),
            #[cfg(feature = "unreal")]
            Some(Document::Unreal(unreal)) => unreal.frame_count(),
            _ => self.tag_frames.len(),
        }
    }

    /// A tag in one frame, or `None` past the last of either. O(1); in Unreal meshes, whose tag is a kind of triangle,
    /// O(triangles).
    pub fn tag_pose(&self, tag: usize, frame: usize) -> Option<TagPose> {
        let pose = match &self.document {
            #[cfg(feature = "md3")]
            Some(Document::Md3(md3)) => md3.tag(frame, tag).map(|tag| TagPose {
                origin: tag.origin.into(),
                axes: glam::Mat3::from_cols_array_2d(&tag.axis),
            }),
            #[cfg(feature = "unreal")]
            Some(Document::Unreal(unreal)) => {
                let origin = unreal::attachment(unreal, self.raw, frame).filter(|_| tag == 0)?;
                Some(TagPose { origin: origin.into(), axes: glam::Mat3::IDENTITY })
            }
            _ => self.tag_frames.get(frame)?.get(tag).copied(),
        }?;
        if self.placement == Mat4::IDENTITY {
            return Some(pose);
        }
        let (_, rotation, _) = self.placement.to_scale_rotation_translation();
        let axes = [pose.axes.x_axis, pose.axes.y_axis, pose.axes.z_axis].map(|axis| rotation.mul_vec3(axis));
        let [x, y, z] = axes;
        Some(TagPose {
            origin: self.placement.transform_point3(pose.origin),
            axes: glam::Mat3::from_cols(x, y, z),
        })
    }

    /// The name of a frame of vertices; empty where the format has none. O(1).
    pub fn frame_name(&self, frame: usize) -> String {
        match &self.document {
            #[cfg(feature = "md3")]
            Some(Document::Md3(md3)) => {
                md3.frame(frame).map(|frame| frame.name.to_text().into_owned()).unwrap_or_default()
            }
            _ => {
                let _ = frame;
                String::new()
            }
        }
    }

    /// What a clip shows `time` seconds after its start: two frames of vertices and a weight, or, of a clip that moves
    /// joints, a pose in `pose`. O(1) for vertices; else as [`pose_into`](Self::pose_into).
    ///
    /// ```
    /// use meshlens::model::{Blend, Sample};
    ///
    /// # use meshlens::md3::write;
    /// # let mut file = write::Model::new("flag")?;
    /// # for name in ["wave1", "wave2"] { file.frames.push(write::Frame::named(name)?); }
    /// # let mut surface = write::Surface::new("flag")?;
    /// # surface.texcoords.push([0.0, 0.0]);
    /// # for x in [0.0, 8.0] { surface.add_frame(&[[x, 0.0, 0.0]], &[[0.0, 0.0, 1.0]])?; }
    /// # file.surfaces.push(surface);
    /// # let bytes = file.write()?;
    /// let model = meshlens::Model::parse(&bytes)?;
    /// let mut pose = Vec::new();
    /// let shown = model.sample(&model.clips[0], 0.025, &mut pose);
    /// assert_eq!(shown, Sample::Frames(Blend { a: 0, b: 1, weight: 0.25 }));
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    pub fn sample(&self, clip: &Clip, time: f32, pose: &mut Vec<Transform>) -> Sample {
        if clip.animation.is_none() {
            return Sample::Frames(clip.sample(time));
        }
        self.pose_into(clip, time, pose);
        Sample::Pose
    }

    /// The pose of a clip at a time, local to the parents, one transform for each joint: joints that the clip does not
    /// move are at rest. As [`JointAnimation::frames_into`] for two frames, and memory for them.
    pub fn pose_into(&self, clip: &Clip, time: f32, pose: &mut Vec<Transform>) {
        pose.clear();
        pose.extend(self.joints.iter().map(|joint| joint.rest));
        let Some(animation) = clip.animation.and_then(|index| self.animations.get(index)) else { return };
        let blend = clip.sample(time);
        animation.apply(blend.a, pose);
        if blend.weight > 0.0 {
            let mut to = Vec::with_capacity(animation.joints.len());
            animation.frames_into(blend.b..blend.b.saturating_add(1), &mut to);
            for (joint, to) in animation.joints.iter().zip(&to) {
                if let Some(slot) = pose.get_mut(*joint) {
                    *slot = slot.interpolate(to, blend.weight);
                }
            }
        }
    }

    /// The first clip of this name, in any case. O(clips).
    pub fn find_clip(&self, name: &str) -> Option<&Clip> {
        self.clips.iter().find(|clip| clip.name.eq_ignore_ascii_case(name))
    }

    /// The number of the first tag of this name, in any case. O(tags).
    pub fn find_tag(&self, name: &str) -> Option<usize> {
        self.tags.iter().find(|tag| tag.name.eq_ignore_ascii_case(name)).map(|tag| tag.index)
    }

    /// Makes every clip play at `rate` frames per second. O(clips).
    pub fn set_rate(&mut self, rate: f32) {
        for clip in &mut self.clips {
            clip.rate = rate;
        }
    }

    /// The box around the points of every mesh in one frame, decoded: O(points). `None` where there is no point.
    pub fn compute_bounds(&self, frame: usize) -> Option<[[f32; 3]; 2]> {
        let mut bounds: Option<[[f32; 3]; 2]> = None;
        for mesh in &self.meshes {
            let Ok(positions) = mesh.positions(frame) else { continue };
            for point in positions.to_vec() {
                let [min, max] = bounds.get_or_insert([point, point]);
                for ((min, max), value) in min.iter_mut().zip(max).zip(point) {
                    *min = min.min(value);
                    *max = max.max(value);
                }
            }
        }
        bounds
    }

    #[cfg(feature = "md3")]
    /// The number of the material of this name, made when there is none yet.
    fn material(&mut self, name: &str) -> usize {
        let found = self.materials.iter().position(|material| material.name == name);
        found.unwrap_or_else(|| {
            self.materials.push(Material { texture: Some(name.into()), ..Material::new(name) });
            self.materials.len().saturating_sub(1)
        })
    }
}

/// What a clip shows at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    /// Two frames of vertices and how far it is from one to the other: for [`Mesh::blend_positions_into`] and
    /// [`Mesh::blend_normals_into`].
    Frames(Blend),
    /// A pose of the joints: for [`world_into`], and then [`Mesh::skin_vertices_into`].
    Pose,
}

/// Decodes an attribute and puts its elements where a [`Topology`]'s map wants them; `scratch` holds the decoded ones.
/// Both buffers are brought to the length they need.
pub fn decode_gathered<V: Value>(
    attribute: Attribute<'_, V>,
    map: Option<&[u32]>,
    scratch: &mut Vec<V>,
    out: &mut Vec<V>,
) {
    let decoded: &mut Vec<V> = if map.is_some() { scratch } else { &mut *out };
    decoded.resize(attribute.len(), V::zeroed());
    // The length is the attribute's own.
    let _ = attribute.decode_into(decoded);
    if let Some(map) = map {
        out.resize(map.len(), V::zeroed());
        gather(scratch, Some(map), out);
    }
}
