//! Models of every format with the same names: meshes, materials, tags, joints and clips.
//!
//! ```
//! use meshlens::model::{Model, Space};
//!
//! # let bytes = meshlens::md3::write::sample(&[8.0])?;
//! let model = Model::parse(&bytes)?;
//! let to_gltf = model.space.to(&Space::GLTF);
//! for mesh in &model.meshes {
//!     let mut positions = vec![[0.0; 3]; mesh.point_count()];
//!     mesh.positions(0)?.decode_into(&mut positions)?;
//!     // Eight units up in Quake are eight units up in glTF, where up is Y.
//!     assert_eq!(to_gltf.position(positions[2]), [0.0, 8.0, 0.0]);
//!     assert_eq!(mesh.topology()?.triangles(), [[0, 1, 2]]);
//! }
//! # Ok::<(), meshlens::Error>(())
//! ```
//!
//! Making a [`Model`] reads headers and the names of frames, and unpacks packed geometry (UNIGINE). Everything else is
//! decoded on demand. Coordinates, winding and units are the same as in the file: [`Model::space`] describes them, and
//! [`Space::to`] converts them to another space.

pub(crate) mod arrays;
pub(crate) mod attribute;
mod clip;
mod direction;
pub mod export;
mod image;
pub(crate) mod interleave;
mod joint_scales;
pub(crate) mod kept;
mod layout;
mod material;
mod mesh;
mod placement;
mod plain;
pub(crate) mod skeleton;
mod skin;
#[allow(dead_code, reason = "no format uses all of them")]
pub(crate) mod sources;
mod space;
mod tag;
mod topology;

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use glam::Mat4;
use meshlens_lens::Bounds;
use meshlens_wire::Reservation;

pub use crate::lens::{IndexFormat, Semantic};
use crate::{Document, Format, Presence, Report, Result};
pub use attribute::Attribute;
pub use clip::{Blend, Clip, DEFAULT_RATE, Rate, distinct_names, lose_clip_name};
pub use direction::unit_direction;
pub use image::{ImageBytes, ImageSource};
pub use joint_scales::JointScales;
pub use layout::{MAX_ATTRIBUTES, VertexLayout};
pub use material::{Alpha, HeightMap, Material, NormalMap, TextureAlpha, TextureCoordinates, Wrap};
pub use mesh::Mesh;
pub use placement::Placement;
pub use plain::{PlainFrame, PlainMesh};
pub(crate) use skeleton::JointScratch;
pub use skeleton::{Joint, JointAnimation, Transform, joint_parents, world_into};
use skeleton::{one, put};
pub(crate) use skin::SkinMatrices;
pub use space::{Axis, Conversion, Handedness, Space, Winding};
pub(crate) use tag::TagTracks;
pub use tag::{Tag, TagPose};
pub use topology::{Submesh, Topology, decode_gathered, gather};

/// A model of any format. Arrays are decoded on demand.
///
/// # Keeping a model with its bytes
///
/// A model borrows the bytes of its file. `self_cell` and `yoke` keep both in one value:
///
/// ```
/// use meshlens::Result;
/// use meshlens::model::Model;
///
/// self_cell::self_cell! {
///     struct Loaded {
///         owner: Vec<u8>,
///         #[covariant]
///         dependent: Model,
///     }
/// }
///
/// fn load(bytes: Vec<u8>) -> Result<Loaded> {
///     Loaded::try_new(bytes, |bytes| Model::parse(bytes))
/// }
///
/// # let mut file = meshlens::md3::write::Model::new("flag")?;
/// # file.surfaces.push(meshlens::md3::write::Surface::new("cloth")?);
/// let loaded = load(file.write()?)?;
/// assert_eq!(loaded.borrow_dependent().meshes.len(), 1);
/// # Ok::<(), meshlens::Error>(())
/// ```
///
/// A [`Document`] that is made again for each use needs only its bytes and its [`Parts`](crate::Parts), which borrow
/// nothing. The documentation of each format's document has an example.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    /// The format of the file that the model was parsed from; `None` if it was made in memory or imported from glTF.
    pub format: Option<Format>,
    /// The name in the file: often empty, or a path.
    pub name: String,
    /// The axes, the winding and the unit of all coordinates of the model.
    pub space: Space,
    /// The meshes, in file order.
    pub meshes: Vec<Mesh<'a>>,
    /// The materials. Meshes refer to them by index.
    pub materials: Vec<Material>,
    /// The tags.
    pub tags: Vec<Tag>,
    /// The joints of the skeleton.
    pub joints: Vec<Joint>,
    /// The animations of the joints. A clip plays frames of one of them at its own rate.
    pub animations: Vec<JointAnimation<'a>>,
    /// The clips that the file names. If it names none, there is one clip of all frames at [`DEFAULT_RATE`], or no
    /// clip if nothing moves. Companion files such as `animation.cfg` replace them.
    pub clips: Vec<Clip>,
    /// The matrix from the stored positions and tags to the displayed model, column-major: the identity, unless a script (`.uc`)
    /// places the mesh. It may scale each axis by another factor, or mirror. [`placement_in`](Self::placement_in) applies
    /// it to positions, normals, tangents and triangles.
    pub placement: [[f32; 4]; 4],
    /// The distance to the camera at which each level of detail ends, from the finest; infinite if it does not end. Empty if the
    /// file stores no distances.
    pub lod_distances: Vec<f32>,
    /// The names of the vertex frames; empty if frames have no names.
    pub frame_names: Vec<String>,
    /// The poses of the tags in each frame.
    pub(crate) tag_tracks: Option<Arc<dyn TagTracks + 'a>>,
    /// Reports the content of the file that the model does not keep.
    lost: Option<Lost<'a>>,
    /// The memory that is reserved for arrays of the model. Clones share the arrays and the reservations.
    held: Vec<Arc<Reservation>>,
}

/// Reports the content of a file that its model does not keep.
#[derive(Clone)]
struct Lost<'a>(Arc<dyn Fn(&mut Report) + Send + Sync + 'a>);

impl fmt::Debug for Lost<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lost")
    }
}

impl<'a> Model<'a> {
    /// Detects the format of `bytes` by their content and parses them. O(headers and frame names). For UNIGINE, records of
    /// variable size are walked once, and packed geometry is unpacked.
    ///
    /// # Errors
    ///
    /// Same as [`Document::parse`] and [`new`](Self::new).
    pub fn parse(bytes: &'a [u8]) -> Result<Self> {
        Self::new(Document::parse(bytes)?)
    }

    /// Makes the model of a document. The cost is the same as for [`parse`](Self::parse), without parsing.
    ///
    /// A partial document needs everything except the arrays of meshes. Getters of arrays that are not loaded return
    /// [`Incomplete`](crate::wire::ErrorKind::Incomplete).
    ///
    /// # Errors
    ///
    /// [`Incomplete`](crate::wire::ErrorKind::Incomplete) if bytes of a partial document are not loaded.
    /// The document is one file of a mesh of two files; packed geometry cannot be unpacked; for Ultimate 3D, parents
    /// form a cycle, or the product of bones, frames and meshes exceeds the limits.
    pub fn new<P: Presence>(document: Document<'a, P>) -> Result<Self> {
        document.into_model()
    }

    /// Makes a model without content.
    pub const fn empty(format: Option<Format>, space: Space) -> Self {
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
            placement: Mat4::IDENTITY.to_cols_array_2d(),
            lod_distances: Vec::new(),
            frame_names: Vec::new(),
            tag_tracks: None,
            lost: None,
            held: Vec::new(),
        }
    }

    /// Keeps a reservation of memory until the model and all of its clones are dropped. Several models may share it.
    pub fn hold(&mut self, reservation: impl Into<Arc<Reservation>>) {
        self.held.push(reservation.into());
    }

    /// Sets the function that reports the content of the file that the model does not keep.
    pub(crate) fn set_losses(&mut self, losses: impl Fn(&mut Report) + Send + Sync + 'a) {
        self.lost = Some(Lost(Arc::new(losses)));
    }

    /// Sets the source of the tag poses.
    pub(crate) fn set_tag_tracks(&mut self, tracks: impl TagTracks + 'a) {
        self.tag_tracks = Some(Arc::new(tracks));
    }

    /// Sets the poses of the tags: for each frame, one pose for each tag.
    pub fn set_tag_poses(&mut self, frames: Vec<Vec<TagPose>>) {
        self.set_tag_tracks(frames);
    }

    /// Adds a finding for everything in the file that the model does not keep. No conversion keeps it either. This
    /// includes the `losses` of the format, and meshes that are in no frame. O(file).
    pub fn losses(&self, losses: &mut Report) {
        if let Some(Lost(report)) = &self.lost {
            report(losses);
        }
    }

    /// The number of vertex frames: the largest of all meshes and of the tags. O(meshes).
    pub fn frame_count(&self) -> usize {
        let meshes = self.meshes.iter().map(Mesh::frame_count).max().unwrap_or(0);
        meshes.max(if self.tags.is_empty() { 0 } else { self.tag_frame_count() })
    }

    /// The number of frames of the tags. O(1).
    pub fn tag_frame_count(&self) -> usize {
        self.tag_tracks.as_ref().map_or(0, |tracks| tracks.frame_count())
    }

    /// The pose of a tag in one frame, with axes of length 1; `None` if the tag or the frame is out of range. O(1).
    /// O(triangles) for Unreal meshes, in which a triangle of a special type defines the tag.
    pub fn tag_pose(&self, tag: usize, frame: usize) -> Option<TagPose> {
        Some(self.placed(self.stored_tag_pose(tag, frame)?.normalized()))
    }

    /// The pose of a tag between two frames, as computed by [`TagPose::interpolate`]; `None` if the tag or a frame is
    /// out of range. The cost is the same as for two calls of [`tag_pose`](Self::tag_pose).
    pub fn blend_tag_pose(&self, tag: usize, blend: Blend) -> Option<TagPose> {
        let (a, b) = (self.stored_tag_pose(tag, blend.a)?, self.stored_tag_pose(tag, blend.b)?);
        Some(self.placed(a.interpolate(&b, blend.weight)))
    }

    /// The stored pose of a tag in one frame.
    fn stored_tag_pose(&self, tag: usize, frame: usize) -> Option<TagPose> {
        self.tag_tracks.as_ref()?.pose(tag, frame)
    }

    /// The name of a vertex frame; empty if the frame has no name or is out of range. O(1).
    pub fn frame_name(&self, frame: usize) -> &str {
        self.frame_names.get(frame).map_or("", String::as_str)
    }

    /// Samples a clip `time` seconds after its start. For a clip of vertex frames, the result is two frames and a
    /// weight. A clip that moves joints writes its pose to `pose`. O(1) for vertex frames, otherwise the cost of
    /// [`pose_into`](Self::pose_into).
    ///
    /// ```
    /// use meshlens::model::{Blend, Sample};
    ///
    /// # let bytes = meshlens::md3::write::sample(&[0.0, 8.0])?;
    /// let model = meshlens::Model::parse(&bytes)?;
    /// let mut pose = Vec::new();
    /// let shown = model.sample(&model.clips[0], 0.025, &mut pose);
    /// assert_eq!(shown, Sample::Frames(Blend { a: 0, b: 1, weight: 0.25 }));
    /// # Ok::<(), meshlens::Error>(())
    /// ```
    pub fn sample(&self, clip: &Clip, time: f32, pose: &mut Vec<Transform>) -> Sample {
        self.sample_with(clip, time, pose, &mut JointScratch::default())
    }

    pub(crate) fn sample_with(
        &self,
        clip: &Clip,
        time: f32,
        pose: &mut Vec<Transform>,
        scratch: &mut JointScratch,
    ) -> Sample {
        if clip.animation.is_none() {
            return Sample::Frames(clip.sample(time));
        }
        self.pose_with(clip, time, pose, scratch);
        Sample::Pose
    }

    /// Replaces the content of `pose` with the pose of a clip `time` seconds after its start: one transform for each
    /// joint, relative to its parent. Joints that the clip does not move are at rest. The cost is the same as for
    /// [`JointAnimation::frames_into`] for two frames, which are allocated.
    pub fn pose_into(&self, clip: &Clip, time: f32, pose: &mut Vec<Transform>) {
        self.pose_with(clip, time, pose, &mut JointScratch::default());
    }

    fn pose_with(&self, clip: &Clip, time: f32, pose: &mut Vec<Transform>, scratch: &mut JointScratch) {
        pose.clear();
        pose.extend(self.joints.iter().map(|joint| joint.rest));
        let Some(animation) = clip.animation.and_then(|index| self.animations.get(index)) else { return };
        let blend = clip.sample(time);
        let JointScratch { frames, tracks, .. } = scratch;
        animation.frames_with(one(blend.a), tracks, frames);
        put(&animation.joints, frames, pose);
        if blend.weight > 0.0 {
            animation.frames_with(one(blend.b), tracks, frames);
            for (joint, to) in animation.joints.iter().zip(frames) {
                if let Some(slot) = pose.get_mut(*joint) {
                    *slot = slot.interpolate(to, blend.weight);
                }
            }
        }
    }

    /// The first clip with this name, ignoring ASCII case; `None` if there is none. O(clips).
    pub fn find_clip(&self, name: &str) -> Option<&Clip> {
        self.clips.iter().find(|clip| clip.name.eq_ignore_ascii_case(name))
    }

    /// The index of the first tag with this name, ignoring ASCII case; `None` if there is none. O(tags).
    pub fn find_tag(&self, name: &str) -> Option<usize> {
        self.tags.iter().find(|tag| tag.name.eq_ignore_ascii_case(name)).map(|tag| tag.index)
    }

    /// Sets the rate of every clip, in frames per second: see [`Clip::set_rate`]. O(clips).
    pub fn set_rate(&mut self, rate: f32) {
        self.clips.iter_mut().for_each(|clip| clip.set_rate(rate));
    }

    /// The bounding box of the points of every mesh in one frame, in the spaces of the meshes. `None` if there are no
    /// points. O(points).
    pub fn compute_bounds(&self, frame: usize) -> Option<Bounds> {
        // Meshes without this frame have no box.
        let boxes = self.meshes.iter().filter_map(|mesh| Bounds::around(mesh.positions(frame).ok()?));
        boxes.reduce(|a, b| a.union(&b))
    }

    /// The finest level of detail of all meshes; 0 if there are no meshes.
    pub(crate) fn finest_lod(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.lod).min().unwrap_or(0)
    }

    /// The points of the finest level of detail as displayed at rest: moved by the joints and by the placement. Meshes
    /// with fewer frames show their last one. Meshes that cannot be decoded are left out. O(points).
    pub fn points_at_rest(&self, frame: usize) -> Vec<[f32; 3]> {
        let rest: Vec<Transform> = self.joints.iter().map(|joint| joint.rest).collect();
        let mut world = Vec::new();
        world_into(&self.joints, &rest, &mut world);
        let finest = self.finest_lod();
        let placement = self.placement_in(&self.space);
        let (mut all, mut points) = (Vec::new(), Vec::new());
        for mesh in self.meshes.iter().filter(|mesh| mesh.lod == finest) {
            let frame = mesh.clamp_frame(frame);
            if mesh.skin_positions_into(frame, &world, &mut points).is_ok() {
                all.extend(points.iter().map(|point| placement.position(*point)));
            }
        }
        all
    }
}

/// The result of [`Model::sample`]: what a clip shows at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sample {
    /// Two vertex frames and the weight of the second, for [`Mesh::blend_positions_into`], [`Mesh::blend_normals_into`] and
    /// [`Mesh::fill_vertex_buffer`].
    Frames(Blend),
    /// A pose of the joints, for [`world_into`] and then [`Mesh::skin_vertices_into`].
    Pose,
}
