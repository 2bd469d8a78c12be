//! Files of version 1.0 as version 2.0.

use meshlens_fixtures::corpus;
use meshlens_u3d::write::{Lod, Material, Mesh, Model, Texture};
use meshlens_u3d::{U3d, Version, validate};
use meshlens_wire::{Report, Severity};

use crate::common::{model, triangle};

/// A model as version 2.0, as it is read from its file.
fn upgraded(model: &Model) -> (Model, Vec<&'static str>) {
    let (mut made, mut losses) = (model.clone(), Report::default());
    made.upgrade(&mut losses);
    let bytes = made.write().unwrap();
    let u3d = U3d::parse(&bytes).unwrap();
    let mut found = Report::default();
    validate(&u3d, &mut found);
    assert_eq!(found.count(Severity::Error), 0, "{:?}", found.findings().collect::<Vec<_>>());
    (Model::try_from(&u3d).unwrap(), losses.findings().map(|finding| finding.code).collect())
}

#[test]
fn every_file_of_the_corpus_keeps_everything() {
    let files = corpus::with_extension(&[".u3d"]).into_iter().filter(|(path, _)| path.contains("v1_"));
    let mut count = 0;
    for (path, bytes) in files {
        let u3d = U3d::parse(&bytes).unwrap();
        let old = Model::try_from(&u3d).unwrap();
        if old.meshes.iter().any(|mesh| mesh.texcoord_dimensions != old.meshes[0].texcoord_dimensions) {
            continue;
        }
        let (new, lost) = upgraded(&old);
        count += 1;
        assert_eq!(new.version, Version::V2_0_0, "{path}");
        assert_eq!(
            lost.is_empty(),
            old.materials.iter().all(|material| material.opaque.is_none()),
            "{path}: {lost:?}"
        );
        assert_eq!(
            (&new.bones, new.frames, new.vertex_tweening),
            (&old.bones, old.frames, old.vertex_tweening)
        );
        let bytes = new.write().unwrap();
        let read = U3d::parse(&bytes).unwrap();
        for (a, b) in u3d.meshes().zip(read.meshes()) {
            assert_eq!(
                (a.lod_index(), a.frame(), a.mesh_in_frame()),
                (b.lod_index(), b.frame(), b.mesh_in_frame())
            );
            assert!(a.positions().iter().eq(b.positions().iter()), "{path}");
            for (old, new) in a.normals().to_vec().into_iter().zip(b.normals().to_vec()) {
                let dot: f32 = old.iter().zip(new).map(|(a, b)| a * b).sum();
                assert!(dot > 0.999_999, "{path}: {old:?} {new:?}");
            }
            let set =
                |mesh: &meshlens_u3d::Mesh<'_, '_>, set| mesh.texcoords(set).map(|floats| floats.to_floats());
            assert!((0..8).all(|number| set(&a, number) == set(&b, number)), "{path}");
            assert_eq!(a.checked_triangles().unwrap().to_vec(), b.checked_triangles().unwrap().to_vec());
        }
    }
    assert!(count >= 5, "{count}");
}

#[test]
fn levels_end_where_the_next_one_begins() {
    let mut old = model(Version::V1);
    let level = |fraction, distance| Lod { fraction, distance };
    old.lods = vec![level(1.0, 0.0), level(0.5, 9.0), level(0.25, 100.0)];
    for (index, fraction) in [(1, 0.5), (2, 0.25)] {
        old.meshes.push(Mesh { lod_index: index, lod_fraction: fraction, ..triangle(Version::V1) });
    }
    let ends: Vec<f32> = upgraded(&old).0.lods.iter().map(|lod| lod.distance).collect();
    assert_eq!(ends, [3.0, 10.0, f32::MAX]);
}

#[test]
fn what_version_two_cannot_store_is_a_loss() {
    let mut old = model(Version::V1);
    old.v1.cel_shading_strength = 0.5;
    old.materials.push(Material { opaque: Some(vec![1; 9]), ..Material::new("embedded") });
    let (new, lost) = upgraded(&old);
    assert_eq!(lost, ["CEL_SHADING_LOST", "MATERIAL_OPAQUE_LOST"]);
    assert_eq!(new.materials[1].name, b"embedded");
}

#[test]
fn names_without_a_folder_are_in_the_default_folder() {
    let mut old = model(Version::V1);
    old.v1.alpha_blending = false;
    old.materials[0].diffuse[3] = 0.5;
    old.materials[0].textures[0] = Some(Texture::new("skin.png"));
    old.materials[0].textures[1] = Some(Texture::new("gfx\\skin.png"));
    let (new, _) = upgraded(&old);
    let files: Vec<&[u8]> =
        new.materials[0].textures.iter().flatten().map(|texture| &*texture.files[0]).collect();
    assert_eq!(files, [&b"*skin.png"[..], b"gfx\\skin.png"]);
    assert_eq!(new.materials[0].diffuse[3], 1.0);
}
