//! Vertices that are moved by several bones.

use meshlens_u3d::write::{Bone, Model};
use meshlens_u3d::{U3d, Version};

use super::animation::{STILL, V1, V2, close, world};
use crate::common::model;

fn skinned(version: Version) -> Model {
    let mut model = model(version);
    model.skin_weights = 1;
    model.bones = vec![Bone::new("still", None), Bone::new("moving", None)];
    model.bones[1].translation_keys = vec![(0, [0.0; 3]), (10, [0.0, 0.0, 10.0])];
    for bone in &mut model.bones {
        bone.meshes.push((0, STILL));
    }
    let mesh = &mut model.meshes[0];
    mesh.skin_weight_count = 1;
    mesh.max_bone = 1;
    mesh.skin_weights = vec![1.0, 0.0, 0.25];
    mesh.skin_bones = vec![[0, 1, 9, 9]; 3];
    model
}

#[test]
fn skin_by_hand() {
    for version in [V1, V2] {
        let bytes = skinned(version).write().unwrap();
        let u3d = U3d::parse(&bytes).unwrap();
        let mesh = u3d.mesh(0).unwrap();
        assert_eq!(mesh.weights(2), Some([0.25, 0.75, 0.0, 0.0]));
        let skeleton = u3d.skeleton().unwrap();
        let (world, mut palette) = (world(&u3d, 4.0), vec![STILL; 2]);
        skeleton.palette_into(&mesh, &world, &mut palette).unwrap();
        let mut out = [[0.0; 3]; 3];
        mesh.skin_positions_into(&palette, &mut out).unwrap();
        // The second bone is 4 along Z. The weights of the vertices are 0, 1 and 0.75.
        close(out[0], [0.0, 0.0, 0.0]);
        close(out[1], [0.0, 8.0, 4.0]);
        close(out[2], [8.0, 0.0, 3.0]);
        mesh.skin_normals_into(&palette, &mut out).unwrap();
        close(out[2], [0.0, 0.0, -1.0]);
        let error = mesh.skin_positions_into(&palette[..1], &mut out).unwrap_err();
        assert!(error.to_string().contains("mesh 0: bone 1; there is 1 (0)"), "{error}");
        assert!(mesh.skin_positions_into(&palette, &mut out[..2]).is_err());
    }
}

#[test]
fn normals_follow_normal_scalar() {
    let mut model = skinned(V2);
    model.meshes[0].normal_scalar = -1.0;
    let bytes = model.write().unwrap();
    let u3d = U3d::parse(&bytes).unwrap();
    let mut out = [[0.0; 3]; 3];
    let mesh = u3d.mesh(0).unwrap();
    mesh.skin_normals_into(&[STILL; 2], &mut out).unwrap();
    close(out[0], [0.0, 0.0, 1.0]);
    close(mesh.normals().get(0).unwrap(), [0.0, 0.0, -1.0]);
}
