//! Materials, opaque materials, and their textures.

use meshlens_fixtures::corpus;
use meshlens_fixtures::share::few_or_all;
use meshlens_u3d::U3d;
use meshlens_u3d::write::{Bone, Model, Texture};

use super::limits::{V1, V2, error};
use crate::common::{codes, model};

#[test]
fn opaque_materials_end_at_the_next_section() {
    let files = corpus::with_extension(&["v1_opaque.u3d"]);
    let u3d = U3d::parse(&files[0].1).unwrap();
    let names: Vec<_> = u3d.materials().map(|material| material.name().to_string()).collect();
    assert_eq!(names, ["embedded", "skin", "embedded"]);
    let opaque: Vec<_> = u3d.materials().map(|material| material.is_opaque()).collect();
    assert_eq!(opaque, [true, false, true]);
    assert!(u3d.material(0).unwrap().opaque_bytes().ends_with(b"\xff\xff"));
    assert_eq!(u3d.bone_count(), 3);

    // An opaque material precedes another material, which is the last one.
    let mut model = model(V1);
    model.materials.push(model.materials[0].clone());
    model.materials[0].opaque = Some(b"\x01 embedded $U3D_MAT\0".to_vec());
    let bytes = model.write().unwrap();
    assert_eq!(U3d::parse(&bytes).unwrap().material(1).unwrap().name(), "white");
    let second = bytes.len() - 159;
    assert_eq!(&bytes[second..second + 9], b"$U3D_MAT\0");
    let (_, code, text) = error(&bytes[..second + 20]);
    assert_eq!(code, "SYNTAX", "{text}");
    assert!(
        text.starts_with("u3d: material 0: expected the \"$U3D_MAT\" after an opaque material"),
        "{text}"
    );
}

#[test]
fn many_false_identifiers_are_cheap() {
    let mut model = model(V1);
    model.materials.push(model.materials[0].clone());
    model.materials[0].opaque =
        Some([&b"\x01"[..], &[&b"$U3D_MAT\0"[..], &[0xff; 191]].concat().repeat(20_000)].concat());
    let bytes = model.write().unwrap();
    // The name of each false material continues to the next one, and its colors are NaN.
    let u3d = U3d::parse(&bytes).unwrap();
    assert_eq!(u3d.material(1).unwrap().name(), "white");
}

#[test]
fn an_opaque_material_ends_before_a_readable_section() {
    // The opaque bytes contain a valid material, but using it would result in a wrong number of materials.
    let mut model = model(V1);
    let plain = model.write().unwrap();
    let material = plain[plain.len() - 159..].to_vec();
    let mut last = model.materials[0].clone();
    last.name = b"right".to_vec();
    model.materials.push(last);
    model.materials.push(model.materials[0].clone());
    model.materials[0].opaque = Some([&b"\x01"[..], &material, &material, b"$U3D_MAT\0"].concat());
    model.bones.push(Bone::new("root", None));
    let bytes = model.write().unwrap();
    let u3d = U3d::parse(&bytes).unwrap();
    let names: Vec<_> = u3d.materials().map(|material| material.name().to_string()).collect();
    assert_eq!(names, ["white", "right", "white"]);
    assert_eq!(Model::try_from(&u3d).unwrap(), model);
}

#[test]
fn the_search_for_ends_of_opaque_materials_is_limited() {
    // Many materials in a row, one more than the header states, before bytes that are not a bone.
    let mut model = model(V1);
    let material = model.materials[0].clone();
    let count = few_or_all(4000, 10_000);
    model.materials = vec![material; count + 1];
    model.materials[0].opaque = Some(vec![1]);
    model.bones.push(Bone::new("root", None));
    let mut bytes = model.write().unwrap();
    let bone = bytes.len() - 32;
    bytes[bone] = b'!';
    let (_, code, text) = error(&bytes);
    assert!(code == "LIMIT" || code == "MAGIC", "{text}");
    model.materials.remove(1);
    let mut fewer = model.write().unwrap();
    fewer[27..29].copy_from_slice(&(count as u16 / 2).to_le_bytes());
    let (_, code, text) = error(&fewer);
    assert!(code == "LIMIT" || code == "MAGIC", "{text}");
}

#[test]
fn texture_paths() {
    let mut model = model(V2);
    model.materials[0].textures[2] = Some(Texture { identifier: Vec::new(), ..Texture::new("*a/b.tga") });
    let bytes = model.write().unwrap();
    let u3d = U3d::parse(&bytes).unwrap();
    let texture = u3d.material(0).unwrap().textures().next().unwrap();
    let file = texture.files().next().unwrap();
    assert_eq!((texture.stage, file.is_in_default_folder()), (2, true));
    assert_eq!((file.name().to_text(), file.relative().to_text()), ("*a/b.tga".into(), "a/b.tga".into()));
    assert_eq!(codes(&bytes), [""; 0]);
}
