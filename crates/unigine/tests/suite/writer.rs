//! Models that the writer refuses.

use meshlens_unigine::layout::TRANSLATION;
use meshlens_unigine::write::{Animation, Model, Target, name};
use meshlens_unigine::{Transform, Version};

use super::limits::{anim, mesh};

#[test]
fn the_writer_refuses_inconsistent_arrays() {
    assert_eq!(name("ab").unwrap(), b"ab\0");
    assert!(name("a\0b").is_err());
    let fails = |change: fn(&mut Model)| {
        let mut mesh = mesh(Version::Ms11);
        change(&mut mesh);
        mesh.write().unwrap_err().to_string()
    };
    assert!(fails(|mesh| mesh.version = Version::An10).contains("a version of a mesh"));
    assert!(fails(|mesh| mesh.version = Version::Ms13).contains("animations: expected 0, found 1"));
    assert!(fails(|mesh| mesh.bones[0].parent = Some(1)).contains("a bone that is not a descendant"));
    assert!(fails(|mesh| mesh.bones[0].parent = Some(7)).contains("bone 0: bone 7; there are 2 (0 to 1)"));
    assert!(fails(|mesh| mesh.bones[0].name = b"x".to_vec()).contains("expected a NUL"));
    assert!(
        fails(|mesh| mesh.surfaces[0].coordinate_indices[0] = 3).contains("vertex 3; there are 3 (0 to 2)")
    );
    assert!(
        fails(|mesh| mesh.surfaces[0].triangle_indices[0] = 3).contains("tangent 3; there are 3 (0 to 2)")
    );
    assert!(
        fails(|mesh| _ = mesh.surfaces[0].triangle_indices.pop()).contains("triangle indices: expected 3")
    );
    assert!(fails(|mesh| _ = mesh.surfaces[0].weights.pop()).contains("weights: expected 3, found 2"));
    assert!(fails(|mesh| mesh.surfaces[0].weights[0].bones[0] = 2).contains("bone 2; there are 2 (0 to 1)"));
    assert!(fails(|mesh| mesh.surfaces[0].weights[0].count = 5).contains("at most 4, found 5"));
    assert!(fails(|mesh| mesh.surfaces[0].colors.push([0; 4])).contains("colors: expected 3, found 1"));
    assert!(fails(|mesh| mesh.surfaces[0].targets.push(Target::default())).contains("morph target"));
    assert!(fails(|mesh| _ = mesh.animations[0].records.pop()).contains("records: expected 2, found 1"));
    assert!(fails(|mesh| mesh.animations[0].bones[0] = 2).contains("animation 0: bone 2"));
    assert!(Animation::new(Version::An11, "", &[0], 8, &[]).is_err(), "an11 has three flags");
    assert!(Animation::new(Version::Ms13, "", &[0], 0, &[]).is_err());
    assert!(Animation::new(Version::An10, "", &[0, 1], TRANSLATION, &[Transform::IDENTITY; 3]).is_err());
    let mut two = anim(Version::An11);
    two.animations.push(two.animations[0].clone());
    assert!(two.write().unwrap_err().to_string().contains("animations: expected 1, found 2"));
}
