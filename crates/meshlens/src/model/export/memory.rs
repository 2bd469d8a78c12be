//! The memory that writing a model takes, computed from its counts before any frame is decoded. Sums and products
//! saturate: the result then exceeds any budget.

use meshlens_wire::{Budget, OverBudget, Reservation};

use super::super::{Mesh, Model, TagPose, Topology, Transform};
use super::bake::BakedFrame;

/// The number of times that content is in memory: decoded, converted, stored by the writer, and in a file that grows.
const COPIES: usize = 5;
/// The bytes for each vertex of each frame.
const VERTEX_FRAME: usize = COPIES * size_of::<[[f32; 3]; 2]>();
/// The bytes for each joint of each frame.
const JOINT_FRAME: usize = COPIES * size_of::<(Transform, [[f32; 4]; 4])>();
/// The bytes for each tag of each frame, with the name that MD3 stores.
const TAG_FRAME: usize = COPIES * size_of::<(TagPose, [u8; 64])>();
/// The bytes for each mesh of each frame, without its name.
const MESH_FRAME: usize = COPIES * size_of::<BakedFrame>() + 2 * size_of::<FrameRecord>();
/// The bytes for each vertex, independent of the number of frames.
const VERTEX: usize = COPIES * size_of::<([f32; 2], u32, [u16; 4], [f32; 4])>() + VERTEX_FRAME;
/// The bytes for each triangle: its vertices in the topology and in a frame, and its material.
const TRIANGLE: usize = COPIES * size_of::<([[u32; 3]; 2], usize)>();
/// The bytes for every model.
const BASE: usize = 64 << 10;

/// The record of a mesh in one frame: Ultimate 3D has a mesh for each frame.
#[cfg(feature = "u3d")]
type FrameRecord = meshlens_u3d::write::Mesh;
#[cfg(not(feature = "u3d"))]
type FrameRecord = BakedFrame;

/// Reserves the largest amount of memory that writing a model with `to_md3`, `to_u3d`, `to_unigine` or `to_unreal` can
/// take, including the returned file. It is computed from counts, without decoding frames. O(triangles + frame names).
///
/// ```
/// use meshlens::model::{Model, export};
/// use meshlens::wire::Budget;
///
/// # let md3_bytes = meshlens::md3::write::sample(&[8.0])?;
/// let model = Model::parse(&md3_bytes)?;
/// let budget = Budget::new(64 << 20);
/// if let Ok(reserved) = export::reserve(&model, &budget) {
///     let (u3d, _) = export::to_u3d(&model, 1.0)?;
///     drop(reserved);
/// }
/// # Ok::<(), meshlens::Error>(())
/// ```
///
/// # Errors
///
/// [`OverBudget`] if the budget does not have enough memory left.
pub fn reserve(model: &Model<'_>, budget: &Budget) -> Result<Reservation, OverBudget> {
    let clips = model.clips.iter().filter(|clip| clip.animation.is_some()).map(|clip| clip.count);
    let animated = model.animations.iter().map(super::super::JointAnimation::frame_count);
    let poses = clips.fold(0, usize::saturating_add).max(animated.fold(0, usize::saturating_add));
    let still = model.frame_count();
    let frames = poses.saturating_add(1).max(still);
    let (mut topology, mut vertices, mut triangles, mut submeshes) =
        (Topology::default(), 0usize, 0usize, 0usize);
    let mut names = 0usize;
    for mesh in &model.meshes {
        let (in_mesh, submeshes_of) = welded(mesh, &mut topology);
        vertices = vertices.saturating_add(in_mesh);
        triangles = triangles.saturating_add(mesh.triangle_count());
        submeshes = submeshes.saturating_add(submeshes_of);
        names = names.saturating_add(mesh.name.len().saturating_mul(submeshes_of));
        let own = (0..mesh.frame_count()).map(|frame| mesh.frame_name(frame).len());
        names = names.saturating_add(own.max().unwrap_or(0));
    }
    let own = (0..still).map(|frame| model.frame_name(frame).len());
    let clip = model.clips.iter().map(|clip| clip.name.len());
    names = names.saturating_add(own.chain(clip).max().unwrap_or(0));
    let tags = model.tags.len();
    let joints = model.joints.len();
    let tag_names = model.tags.iter().map(|tag| tag.name.len()).fold(0, usize::saturating_add);
    let in_frame = [
        vertices.saturating_mul(VERTEX_FRAME),
        joints.saturating_mul(JOINT_FRAME),
        tags.saturating_mul(TAG_FRAME),
        submeshes.saturating_add(1).saturating_mul(MESH_FRAME),
        names.saturating_add(tag_names).saturating_mul(4),
    ];
    let all = [
        in_frame.into_iter().fold(0, usize::saturating_add).saturating_mul(frames),
        vertices.saturating_mul(VERTEX),
        triangles.saturating_mul(TRIANGLE),
        model.materials.len().saturating_mul(MESH_FRAME),
        model.clips.len().saturating_mul(MESH_FRAME),
        BASE,
    ];
    let bytes = all.into_iter().fold(0, usize::saturating_add);
    let joints = format_args!("{frames} frames x ({vertices} vertices, {joints} joints, {tags} tags)");
    budget.reserve(bytes, joints)
}

/// The largest number of vertices that all submeshes of a mesh can have together, and the number of submeshes.
fn welded(mesh: &Mesh<'_>, topology: &mut Topology) -> (usize, usize) {
    let most = mesh.point_count().max(mesh.corner_count());
    // A mesh that cannot be welded cannot be written: the error comes before any allocation.
    if mesh.topology_into(topology).is_err() {
        return (most, 1);
    }
    let used = topology.submeshes().iter().map(|submesh| {
        let corners = submesh.triangles.len().saturating_mul(3);
        corners.min(topology.vertex_count())
    });
    let all = used.fold(0, usize::saturating_add).max(topology.vertex_count());
    (all.max(most), topology.submeshes().len().max(1))
}
