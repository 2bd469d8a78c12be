//! Bones, skin and tweening: cases computed by hand, and properties that always hold.

use glam::{Mat4, Vec3};
use meshlens_fixtures::corpus;
use meshlens_u3d::write::Bone;
use meshlens_u3d::{U3d, Version};

use crate::common::{model, triangle};

pub(super) const V1: Version = Version::V1;

pub(super) const V2: Version = Version::V2_0_0;

/// Sine and cosine of an eighth of a turn.
const HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;

pub(super) fn close(found: [f32; 3], expected: [f32; 3]) {
    let far = found.iter().zip(expected).any(|(found, expected)| (found - expected).abs() > 1e-5);
    assert!(!far, "expected {expected:?}, found {found:?}");
}

/// The identity matrix.
pub(super) const STILL: [[f32; 4]; 4] = Mat4::IDENTITY.to_cols_array_2d();

fn moved(by: [f32; 3]) -> [[f32; 4]; 4] {
    Mat4::from_translation(by.into()).to_cols_array_2d()
}

/// A point transformed by a matrix.
fn point(matrix: &[[f32; 4]; 4], point: [f32; 3]) -> [f32; 3] {
    Mat4::from_cols_array_2d(matrix).transform_point3(point.into()).to_array()
}

/// Files of both versions with these bones.
fn with_bones(bones: Vec<Bone>) -> [Vec<u8>; 2] {
    [V1, V2].map(|version| {
        let mut model = model(version);
        model.bones.clone_from(&bones);
        model.frames = 100;
        model.write().unwrap()
    })
}

pub(super) fn world(u3d: &U3d<'_>, frame: f32) -> Vec<[[f32; 4]; 4]> {
    let skeleton = u3d.skeleton().unwrap();
    let mut out = vec![STILL; skeleton.len()];
    skeleton.bone_to_world_into(frame, &mut out).unwrap();
    out
}

#[test]
fn keys_are_sampled_at_any_frame() {
    let mut bone = Bone::new("root", None);
    bone.translation_keys = vec![(10, [0.0, 0.0, 0.0]), (20, [10.0, 20.0, 0.0]), (40, [0.0, 0.0, 8.0])];
    bone.scaling_keys = vec![(0, [1.0; 3]), (10, [3.0, 1.0, 2.0])];
    bone.rotation_keys = vec![(0, [0.0, 0.0, 0.0, 1.0]), (30, [0.0, 0.0, HALF, HALF])];
    for bytes in with_bones(vec![bone]) {
        let u3d = U3d::parse(&bytes).unwrap();
        let bone = u3d.bone(0).unwrap();
        assert_eq!(bone.translation_at(-5.0), [0.0; 3]);
        assert_eq!(bone.translation_at(10.0), [0.0; 3]);
        assert_eq!(bone.translation_at(12.5), [2.5, 5.0, 0.0]);
        assert_eq!(bone.translation_at(20.0), [10.0, 20.0, 0.0]);
        assert_eq!(bone.translation_at(30.0), [5.0, 10.0, 4.0]);
        assert_eq!(bone.translation_at(1e9), [0.0, 0.0, 8.0]);
        assert_eq!(bone.scaling_at(5.0), [2.0, 1.0, 1.5]);
        // A third of 90 degrees: the quaternion of 30 degrees.
        let angle = 15f32.to_radians();
        let [x, y, z, w] = bone.rotation_at(10.0);
        close([x, y, z], [0.0, 0.0, angle.sin()]);
        assert!((w - angle.cos()).abs() < 1e-6);
        let skeleton = u3d.skeleton().unwrap();
        for frame in [-1.0, 0.0, 9.99, 15.0, 30.0, 77.7] {
            assert_eq!(skeleton.bone_to_parent(0, frame), Some(bone.bone_to_parent(frame)));
        }
    }
}

#[test]
fn the_rotations_of_the_document_map_each_axis_to_the_next() {
    // Ultimate 3D 2.0: Quaternion. Around X, Y is rotated to Z; around Y, Z to X; around Z, X to Y.
    let cases = [
        ([HALF, 0.0, 0.0, HALF], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
        ([0.0, HALF, 0.0, HALF], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]),
        ([0.0, 0.0, HALF, HALF], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]),
    ];
    for (rotation, from, to) in cases {
        let mut bone = Bone::new("bone", None);
        bone.rotation_keys = vec![(0, rotation)];
        for bytes in with_bones(vec![bone]) {
            let matrix = world(&U3d::parse(&bytes).unwrap(), 0.0)[0];
            close(Mat4::from_cols_array_2d(&matrix).transform_vector3(Vec3::from(from)).to_array(), to);
        }
    }
}

#[test]
fn scaling_is_applied_first_and_translation_last() {
    let mut bone = Bone::new("bone", None);
    bone.scaling_keys = vec![(0, [2.0, 3.0, 4.0])];
    bone.rotation_keys = vec![(0, [0.0, 0.0, HALF, HALF])];
    bone.translation_keys = vec![(0, [10.0, 20.0, 30.0])];
    for bytes in with_bones(vec![bone]) {
        let u3d = U3d::parse(&bytes).unwrap();
        let matrix = u3d.bone(0).unwrap().bone_to_parent(0.0);
        // A point on X is scaled by 2, rotated to Y, and translated.
        close(point(&matrix, [1.0, 0.0, 0.0]), [10.0, 22.0, 30.0]);
        close(point(&matrix, [0.0, 1.0, 0.0]), [7.0, 20.0, 30.0]);
    }
}

#[test]
fn the_last_row_of_a_stored_matrix_is_its_translation() {
    let mut bone = Bone::new("bone", None);
    bone.meshes = vec![(0, STILL), (0, moved([5.0, 6.0, 7.0]))];
    for bytes in with_bones(vec![bone]) {
        let u3d = U3d::parse(&bytes).unwrap();
        let bone = u3d.bone(0).unwrap();
        assert_eq!(bone.mesh_count(), 2);
        assert_eq!(bone.mesh_to_bone_rows().get(7), Some([5.0, 6.0, 7.0, 1.0]));
        assert_eq!(bone.mesh_to_bone(1), Some(moved([5.0, 6.0, 7.0])));
        assert_eq!(bone.mesh_to_bone(2), None);
    }
}

#[test]
fn rotations_are_blended_along_the_shorter_path() {
    // A quaternion and its negative are the same rotation: a third of 90 degrees is 30 degrees with either.
    let angle = 15f32.to_radians();
    for sign in [1.0, -1.0] {
        let mut bone = Bone::new("bone", None);
        bone.rotation_keys = vec![(0, [0.0, 0.0, 0.0, 1.0]), (3, [0.0, 0.0, HALF * sign, HALF * sign])];
        for bytes in with_bones(vec![bone]) {
            let u3d = U3d::parse(&bytes).unwrap();
            let [x, y, z, w] = u3d.bone(0).unwrap().rotation_at(1.0);
            close([x, y, z], [0.0, 0.0, angle.sin()]);
            assert!((w - angle.cos()).abs() < 1e-6, "{w}");
        }
    }
}

#[test]
fn the_order_of_keys_does_not_matter() {
    let sorted = vec![(0, [0.0; 3]), (10, [10.0, 0.0, 0.0]), (20, [0.0, 4.0, 0.0])];
    let (mut a, mut b) = (Bone::new("a", None), Bone::new("b", None));
    a.translation_keys.clone_from(&sorted);
    b.translation_keys = vec![sorted[2], sorted[0], sorted[1]];
    for bytes in with_bones(vec![a, b]) {
        let u3d = U3d::parse(&bytes).unwrap();
        let skeleton = u3d.skeleton().unwrap();
        for frame in [-1.0, 0.0, 3.0, 10.0, 12.5, 20.0, 30.0] {
            assert_eq!(skeleton.bone_to_parent(0, frame), skeleton.bone_to_parent(1, frame));
        }
        assert!(crate::common::codes(&bytes).contains(&"KEYS_UNSORTED"));
    }
}

#[test]
fn a_chain_of_bones_by_hand() {
    let mut root = Bone::new("root", None);
    root.translation_keys = vec![(0, [0.0, 10.0, 0.0])];
    root.rotation_keys = vec![(0, [0.0, 0.0, HALF, HALF])];
    let mut arm = Bone::new("arm", Some(0));
    arm.translation_keys = vec![(0, [5.0, 0.0, 0.0])];
    arm.scaling_keys = vec![(0, [2.0; 3])];
    arm.meshes = vec![(0, moved([1.0, 0.0, 0.0]))];
    // The child has a lower number than its parent, because the order must not matter.
    let mut hand = Bone::new("hand", Some(2));
    hand.translation_keys = vec![(0, [0.0, 1.0, 0.0])];
    for bytes in with_bones(vec![root, hand, arm]) {
        let u3d = U3d::parse(&bytes).unwrap();
        let world = world(&u3d, 0.0);
        // The origin of the arm: 5 along X, rotated to Y and translated up by 10 by the root.
        close(point(&world[2], [0.0; 3]), [0.0, 15.0, 0.0]);
        // The origin of the hand: 1 along Y, scaled by 2, translated by 5 along X, and rotated: X to Y, Y to -X.
        close(point(&world[1], [0.0; 3]), [-2.0, 15.0, 0.0]);
        let skeleton = u3d.skeleton().unwrap();
        // The origin of the mesh: 1 along X, scaled by 2, translated to 7, rotated to Y.
        let mesh_to_world = skeleton.mesh_to_world(2, 0, &world).unwrap();
        close(point(&mesh_to_world, [0.0; 3]), [0.0, 17.0, 0.0]);
        assert_eq!(skeleton.mesh_to_world(2, 1, &world), None);
        assert_eq!(skeleton.order().collect::<Vec<_>>(), [0, 2, 1]);
        let mut out = [[0.0; 3]; 3];
        let mesh = u3d.mesh(0).unwrap();
        mesh.transform_positions_into(&mesh_to_world, &mut out).unwrap();
        close(out[2], [0.0, 33.0, 0.0]);
        mesh.transform_normals_into(&mesh_to_world, &mut out).unwrap();
        close(out[0], [0.0, 0.0, -1.0]);
    }
}

#[test]
fn bone_frames_override_the_frame_and_are_inherited() {
    let keys = vec![(0, [0.0; 3]), (100, [100.0, 0.0, 0.0])];
    let bone = |parent, bone_frame, pass_on| {
        let mut bone = Bone::new("bone", parent);
        bone.translation_keys.clone_from(&keys);
        (bone.bone_frame, bone.pass_on) = (bone_frame, pass_on);
        bone
    };
    // Bone 0 shows the frame of the model, 1 has its own frame 30, 2 inherits 30, 3 has its own frame 0, and 4 inherits
    // 0 from 3.
    let bones = vec![
        bone(None, -1.0, true),
        bone(Some(0), 30.0, true),
        bone(Some(1), -1.0, false),
        bone(Some(2), 0.0, false),
        bone(Some(3), -1.0, false),
    ];
    for bytes in with_bones(bones) {
        let u3d = U3d::parse(&bytes).unwrap();
        let skeleton = u3d.skeleton().unwrap();
        let frames: Vec<_> = (0..5).map(|bone| skeleton.frame_of(bone, 7.0).unwrap()).collect();
        assert_eq!(frames, [7.0, 30.0, 30.0, 0.0, 30.0]);
        let world = world(&u3d, 7.0);
        close(point(&world[4], [0.0; 3]), [7.0 + 30.0 + 30.0 + 0.0 + 30.0, 0.0, 0.0]);
    }
}

#[test]
fn cycles_and_missing_parents_are_refused() {
    let parents = |parents: &[Option<u32>]| {
        with_bones(parents.iter().map(|parent| Bone::new("bone", *parent)).collect())
    };
    let circles: [&[Option<u32>]; 3] =
        [&[Some(0)], &[None, Some(2), Some(3), Some(1)], &[Some(1), Some(0), None]];
    for circle in circles {
        for bytes in parents(circle) {
            let error = U3d::parse(&bytes).unwrap().skeleton().map(|_| ()).unwrap_err();
            assert_eq!(error.code(), "VALUE", "{error}");
            assert!(crate::common::codes(&bytes).contains(&"PARENT_CYCLE"));
        }
    }
    for bytes in parents(&[None, Some(2)]) {
        let error = U3d::parse(&bytes).unwrap().skeleton().map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("bone 1: parent bone 2; there are 2 (0 to 1)"), "{error}");
        assert!(crate::common::codes(&bytes).contains(&"PARENT_OUT_OF_RANGE"));
    }
    for bytes in parents(&[None; 40]) {
        assert_eq!(U3d::parse(&bytes).unwrap().skeleton().unwrap().len(), 40);
    }
}

#[test]
fn bones_without_keys_are_still_and_rigid_bones_keep_lengths() {
    for bytes in with_bones(vec![Bone::new("a", None), Bone::new("b", Some(0))]) {
        let u3d = U3d::parse(&bytes).unwrap();
        for frame in [-1.0, 0.0, 33.3] {
            assert_eq!(world(&u3d, frame), [STILL; 2]);
        }
    }
    for name in ["v1_skinned.u3d", "v2_skinned.u3d"] {
        let bytes = corpus::with_extension(&[name]).remove(0).1;
        let u3d = U3d::parse(&bytes).unwrap();
        for frame in [0.0, 0.1, 3.7, 5.0, 9.99, 10.0] {
            for matrix in world(&u3d, frame) {
                let ends = [[1.0, 2.0, 3.0], [-4.0, 0.5, 2.0]];
                let length = |[a, b]: [[f32; 3]; 2]| {
                    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
                };
                let moved = ends.map(|end| point(&matrix, end));
                assert!((length(ends) - length(moved)).abs() < 1e-4, "{matrix:?}");
            }
        }
    }
}

#[test]
fn frames_of_meshes_are_blended() {
    for version in [V1, V2] {
        let mut model = model(version);
        (model.frames, model.vertex_tweening) = (3, true);
        for frame in 1..3 {
            let mut mesh = triangle(version).borrowing(1, version);
            mesh.frame = frame;
            mesh.positions.iter_mut().for_each(|position| position[2] = 4.0 * frame as f32);
            model.meshes.push(mesh);
        }
        let at = |bytes: &[u8], frame: f32| {
            let u3d = U3d::parse(bytes).unwrap();
            let mut out = [[0.0; 3]; 3];
            let tween = u3d.tween(0, 0, frame).unwrap();
            tween.positions_into(&mut out).unwrap();
            let mut normals = [[0.0; 3]; 3];
            tween.normals_into(&mut normals).unwrap();
            close(normals[0], [0.0, 0.0, -1.0]);
            assert!(tween.positions_into(&mut out[..2]).is_err());
            out[1]
        };
        let bytes = model.write().unwrap();
        for (frame, z) in
            [(-1.0, 0.0), (0.0, 0.0), (0.25, 1.0), (1.0, 4.0), (1.5, 6.0), (2.0, 8.0), (9.0, 8.0)]
        {
            assert_eq!(at(&bytes, frame), [0.0, 8.0, z], "{frame}");
        }
        model.vertex_tweening = false;
        assert_eq!(at(&model.write().unwrap(), 1.75), [0.0, 8.0, 4.0]);
        let u3d = U3d::parse(&bytes).unwrap();
        assert!(u3d.tween(1, 0, 0.0).is_none() && u3d.tween(0, 1, 0.0).is_none());
    }
}
