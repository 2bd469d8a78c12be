//! Models that the writer refuses.

use meshlens_u3d::Version;
use meshlens_u3d::write::{Bone, Model};

use super::limits::{V1, V2};
use crate::common::{model, triangle};

#[test]
fn the_writer_refuses_inconsistent_arrays() {
    let fails = |version: Version, change: fn(&mut Model)| {
        let mut model = model(version);
        change(&mut model);
        model.write().unwrap_err().to_string()
    };
    for version in [V1, V2] {
        assert!(fails(version, |model| _ = model.meshes[0].normals.pop()).contains("mesh 0: normals"));
        let text = fails(version, |model| model.meshes[0].triangles = Some((vec![[0, 1, 3]], vec![0])));
        assert!(text.contains("vertex 3; there are 3 (0 to 2)"), "{text}");
        assert!(fails(version, |model| model.materials[0].name = b"a\0b".to_vec()).contains("without a NUL"));
        assert!(
            fails(version, |model| model.meshes[0].skin_bones.push([0; 4])).contains("bones of vertices")
        );
    }
    let many = |model: &mut Model| {
        model.meshes[0].set_vertices(&vec![[0.0; 3]; 65_536], &vec![[0.0; 3]; 65_536], V1).unwrap();
        model.meshes[0].set_texcoords(0, 0, &[]).unwrap();
    };
    assert!(fails(V1, many).contains("nVertex: the limit is 65535, found 65536"));
    assert!(fails(V1, |model| model.bones.push(Bone::new("b", Some(70_000)))).contains("iParent"));
    assert!(fails(V2, |model| model.texcoord_dimensions[0] = 3).contains("dimension of the model"));
    assert!(fails(V1, |model| model.meshes[0].normals[0] = [300, 0]).contains("angle of a normal"));
    assert!(triangle(V2).set_texcoords(8, 1, &[]).is_err());
    assert!(triangle(V2).set_triangles(&[[0; 3]], &[]).is_err());
}
