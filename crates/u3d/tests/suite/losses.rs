//! Every field of a file that no conversion keeps has a loss.

use meshlens_u3d::write::{Bone, Model, Shadow};
use meshlens_u3d::{U3d, Version, losses};
use meshlens_wire::Report;

use crate::common::model;

const V2: Version = Version::V2_0_0;

/// Sets a field that a model of any format does not have.
type Field = (Version, &'static str, fn(&mut Model));

const FIELDS: [Field; 10] = [
    (Version::V1, "CEL_SHADING_LOST", |model| model.v1.cel_shading_strength = 0.5),
    (V2, "SHADER_PACK_LOST", |model| model.shader_pack = Some(vec![1])),
    (V2, "SHADER_PACK_LOST", |model| model.materials[0].shader_pack = Some(vec![1])),
    (V2, "PARALLAX_LOST", |model| model.materials[0].depth = 0.5),
    (V2, "MATERIAL_COLORS_LOST", |model| model.materials[0].specular = [1.0; 4]),
    (V2, "SHADOW_LOST", |model| model.meshes[0].shadow = Some(Shadow::default())),
    (V2, "CHUNK_BYTES_LOST", |model| model.extra.push(1)),
    (V2, "CHUNK_BYTES_LOST", |model| model.meshes[0].extra.push(1)),
    (V2, "CHUNK_BYTES_LOST", |model| model.materials[0].extra.push(1)),
    (V2, "CHUNK_BYTES_LOST", |model| {
        let mut bone = Bone::new("root", None);
        bone.extra.push(1);
        model.bones.push(bone);
    }),
];

fn lost(model: &Model) -> Vec<&'static str> {
    let mut report = Report::default();
    losses(&U3d::parse(&model.write().unwrap()).unwrap(), &mut report);
    report.findings().map(|finding| finding.code).collect()
}

#[test]
fn fields_that_no_model_has_are_listed() {
    for (version, code, set) in FIELDS {
        let mut model = model(version);
        assert_eq!(lost(&model), [""; 0]);
        set(&mut model);
        assert_eq!(lost(&model), [code]);
    }
}
