//! Ultimate 3D models of both versions, their chunks, and encrypted files.

mod mesh;

use meshlens::{Document, Report, Severity};
use meshlens_u3d::{FileHeader, Mesh, ParseOptions, Parts, Section, Skeleton, U3d, layout, write};
use meshlens_wire::{Chunks, Data, ErrorKind, Limits};

use super::{checked, document, error, lens, parsed};
use crate::meter::bounded;

/// Checks version 1.0; [`u3d_v2`] checks the other version.
pub fn u3d_v1(bytes: &[u8]) {
    if !bytes.starts_with(layout::V2_MAGIC) {
        u3d(bytes);
    }
}

/// Checks version 2.0; [`u3d_v1`] checks the other version.
pub fn u3d_v2(bytes: &[u8]) {
    if !bytes.starts_with(layout::V1_MAGIC) {
        u3d(bytes);
    }
}

/// Checks bytes as an Ultimate 3D model of any version.
pub fn u3d(bytes: &[u8]) {
    let Some(header) = checked(FileHeader::read(bytes), bytes) else {
        return assert!(U3d::parse(bytes).is_err());
    };
    assert!(header.payload <= bytes.len() as u64 && header.is_encrypted() == header.encryption.is_some());
    let Some(u3d) = parsed(bytes, U3d::parse) else { return };
    assert!(!header.is_encrypted());
    lens(u3d.lod_fractions(), bytes);
    lens(u3d.lod_distances(), bytes);
    for mesh in u3d.meshes() {
        mesh::mesh(&u3d, &mesh, bytes);
    }
    assert!(u3d.mesh(u3d.mesh_count()).is_none());
    // These files have no bounds, so only positions make a mesh broken.
    let is_broken = |mesh: &Mesh<'_, '_>| mesh.positions().iter().flatten().any(|axis| !axis.is_finite());
    let broken = u3d.meshes().filter(is_broken).count() as u64;
    let mut found = Report::with_capacity(0);
    meshlens_u3d::validate(&u3d, &mut found);
    assert!(found.count(Severity::Error) >= broken, "NaN positions are not reported");
    materials(&u3d, bytes);
    bones(&u3d, bytes);
    assert_eq!(u3d.actions().count(), u3d.action_count());
    sections(&u3d, bytes);
    prefixes_ask_for_more(bytes);
    rewrite(&u3d);
    document(&Document::U3d(u3d), bytes);
}

fn materials(u3d: &U3d<'_>, bytes: &[u8]) {
    assert!(u3d.material(u3d.material_count()).is_none());
    let mut last = 0;
    for material in u3d.materials() {
        assert!(material.index() >= last, "materials are sorted");
        last = material.index();
        assert!(material.textures().count() <= 8);
        assert!(!material.is_opaque() || material.textures().next().is_none());
        for texture in material.textures() {
            assert!(texture.offset < bytes.len() as u64 && texture.stage < 8);
            assert_eq!(texture.files().count(), if texture.is_cube { 6 } else { 1 });
            for file in texture.files() {
                let skipped = file.name().raw().len() - file.relative().raw().len();
                assert_eq!(skipped, usize::from(file.is_in_default_folder()));
            }
        }
    }
}

fn bones(u3d: &U3d<'_>, bytes: &[u8]) {
    assert!(u3d.bone(u3d.bone_count()).is_none());
    for bone in u3d.bones() {
        lens(bone.mesh_to_bone_rows(), bytes);
        lens(bone.scaling_keys().values, bytes);
        lens(bone.translation_keys().values, bytes);
        lens(bone.rotation_keys().values, bytes);
        assert_eq!(bone.meshes().len(), bone.mesh_count());
        assert!(bone.mesh_to_bone(bone.mesh_count()).is_none());
        let keys = bone.scaling_keys();
        for frame in [f32::NAN, -1.0, 0.0, 0.5, 25.0, f32::INFINITY] {
            let blend = |a: [f32; 3], _, _| a;
            assert_eq!(keys.sample(frame, blend).is_some(), !keys.is_empty());
            if keys.is_sorted() {
                let both = [keys.sample(frame, blend), keys.sample_sorted(frame, blend)];
                assert_eq!(both[0].map(|v| v.map(f32::to_bits)), both[1].map(|v| v.map(f32::to_bits)));
            }
        }
    }
    if let Some(skeleton) = checked(u3d.skeleton(), bytes) {
        pose(u3d, &skeleton, bytes);
    }
}

fn pose(u3d: &U3d<'_>, skeleton: &Skeleton<'_>, bytes: &[u8]) {
    let mut seen = vec![false; skeleton.len()];
    for index in skeleton.order() {
        let parent = skeleton.bone(index).and_then(|bone| bone.parent());
        assert!(parent.is_none_or(|parent| seen[parent as usize]), "a child before its parent");
        assert!(!core::mem::replace(&mut seen[index], true), "a bone twice");
    }
    assert!(seen.iter().all(|seen| *seen));
    let mut world = vec![Default::default(); skeleton.len()];
    let mut palette = world.clone();
    for frame in [0.0, 1.5, -3.0, 1e9, f32::NAN] {
        skeleton.bone_to_world_into(frame, &mut world).expect("a matrix for each bone");
    }
    assert!(skeleton.bone_to_world_into(0.0, &mut vec![Default::default(); skeleton.len() + 1]).is_err());
    assert!(skeleton.mesh_to_world(skeleton.len(), 0, &world).is_none());
    for mesh in u3d.meshes().take(4) {
        let mut out = vec![[0.0; 3]; mesh.vertex_count()];
        skeleton.palette_into(&mesh, &world, &mut palette).expect("a matrix for each bone");
        checked(mesh.skin_positions_into(&palette, &mut out), bytes);
        checked(mesh.skin_normals_into(&palette, &mut out), bytes);
    }
}

fn sections(u3d: &U3d<'_>, bytes: &[u8]) {
    let sections: Vec<Section<'_>> = u3d.sections().collect();
    let mut end = 0;
    for (index, section) in sections.iter().enumerate() {
        assert!(section.end() <= bytes.len() as u64 && section.body_offset() > section.offset);
        let start = section.offset as usize;
        assert!(bytes[start..].starts_with(section.identifier.raw()));
        if section.depth == 0 {
            assert_eq!(section.offset, end, "sections follow each other");
            end = section.end();
        } else {
            let around = sections[..index].iter().rfind(|around| around.depth < section.depth);
            let around = around.expect("a chunk around it");
            assert!(section.offset >= around.body_offset() && section.end() <= around.end());
        }
    }
    assert!(u3d.version().is_v1() || end == bytes.len() as u64);
    assert!(u3d.unknown_chunks().count() <= sections.len());
}

/// Locating parts in a prefix has the same result as in the whole file, or requests bytes after the prefix.
fn prefixes_ask_for_more(bytes: &[u8]) {
    let file_len = bytes.len() as u64;
    let mut here = 0u64;
    loop {
        match Parts::locate(&bytes[..here as usize], file_len, &ParseOptions::default()) {
            Ok(parts) => {
                assert!(U3d::bind(&parts, &bytes[..bytes.len() - 1]).is_err());
                break assert!(U3d::bind(&parts, bytes).is_ok());
            }
            Err(found) => match found.kind() {
                ErrorKind::Incomplete { needed, available } => {
                    assert!(*available <= here && *needed > here && *needed <= file_len, "{found}");
                    // A few bytes more than requested, so that strings do not need a step for each byte.
                    here = (*needed + 61).min(file_len);
                }
                _ => panic!("a prefix of {here} bytes of a file that parses: {found}"),
            },
        }
    }
}

/// A written model equals the original when it is read back.
fn rewrite(u3d: &U3d<'_>) {
    let Ok(model) = write::Model::try_from(u3d) else { return };
    // Shadow geometry may refer to missing vertices, and numbers of version 1.0 may not fit in 16 bits.
    let Ok(bytes) = model.write() else { return };
    let again = U3d::parse(&bytes).unwrap_or_else(|error| panic!("what was written does not parse: {error}"));
    let copy = write::Model::try_from(&again).expect("and has the same triangles");
    let Ok(rewritten) = copy.write() else { panic!("what was written cannot be written again") };
    assert!(rewritten == bytes, "a canonical file is not rewritten byte for byte");
    if u3d.version().is_v1() {
        return upgrade(model);
    }
    let encrypted = model.write_encrypted("secret").expect("a file of version 2.0");
    assert_eq!((encrypted.len() - 41) % 16, 0);
    assert!(U3d::decrypt(&encrypted, "secret").expect("its own password") == bytes);
    assert_eq!(U3d::parse(&encrypted).map(|_| ()).expect_err("encrypted").code(), "ENCRYPTED");
}

/// A model of version 1.0 has the same meshes in version 2.0, if that can store their texture coordinates.
fn upgrade(mut model: write::Model) {
    let meshes = model.meshes.len();
    model.upgrade(&mut Report::with_capacity(0));
    let Ok(bytes) = model.write() else { return };
    let upgraded = U3d::parse(&bytes).expect("an upgraded model parses");
    assert_eq!(upgraded.version(), meshlens_u3d::Version::V2_0_0);
    let copy = write::Model::try_from(&upgraded).expect("and has the same triangles");
    assert_eq!(copy.meshes.len(), meshes);
}

/// Walks the chunks of arbitrary bytes.
pub fn u3d_chunks(bytes: &[u8]) {
    let data = Data::new("chunks", bytes);
    let limits = Limits { depth: 3, ..Limits::DEFAULT };
    let mut walk = Chunks::new(data, 0, &limits);
    let mut end = 0;
    while let Some(chunk) = walk.next() {
        let Some(chunk) = checked(chunk, bytes) else {
            return assert!(walk.next().is_none());
        };
        assert_eq!((chunk.offset(), chunk.depth()), (end, 0));
        assert!(chunk.end() > end && chunk.end() <= bytes.len() as u64);
        end = chunk.end();
        let body = data.bind(chunk.body()).expect("a body is proven");
        assert_eq!(body.len() as u64, chunk.body().count());
        let mut inside = walk.inside(&chunk, chunk.body().offset()).expect("the body's own start");
        let mut sum = 0;
        for nested in inside.by_ref().filter_map(|nested| checked(nested, bytes)) {
            assert!(nested.depth() == 1 && nested.end() <= chunk.end());
            sum += nested.end() - nested.offset();
        }
        assert!(sum <= chunk.body().count() && inside.next().is_none());
    }
    assert_eq!(end, bytes.len() as u64);
}

/// Decrypts arbitrary bytes with and without a valid file header before them. Encrypted bytes decrypt to the original.
pub fn u3d_decrypt(bytes: &[u8]) {
    let decrypt = |bytes: &[u8], password: &str| match bounded(bytes.len(), "decrypt", || {
        U3d::decrypt(bytes, password)
    }) {
        Ok(plain) => {
            assert!(plain.len() <= bytes.len());
            u3d(&plain);
        }
        Err(found) => {
            error(&found, bytes);
            assert!(!found.to_string().contains("correct horse"));
        }
    };
    decrypt(bytes, "correct horse");
    let header =
        write::Model::new(meshlens_u3d::Version::V2_0_0).write().expect("an empty model can be written");
    let mut file = header[..41].to_vec();
    file[33] = 2;
    file.extend(bytes);
    decrypt(&file, "correct horse");
    decrypt(&file, "secret");
}
