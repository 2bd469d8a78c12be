//! Both ends of every limit, and the error of each broken field.

use meshlens_fixtures::corpus;
use meshlens_u3d::lens::Bounds;
use meshlens_u3d::wire::{ErrorKind, Limits};
use meshlens_u3d::write::Model;
use meshlens_u3d::{Encryption, FileHeader, ParseOptions, Parts, U3d, Version};

use crate::common::{codes, model, triangle};

pub(super) const V1: Version = Version::V1;

pub(super) const V2: Version = Version::V2_0_0;

pub(super) fn error(bytes: &[u8]) -> (u64, &'static str, String) {
    let error = U3d::parse(bytes).map(|_| ()).unwrap_err();
    (error.offset(), error.code(), error.to_string())
}

fn find(bytes: &[u8], what: &[u8]) -> usize {
    bytes.windows(what.len()).position(|window| window == what).unwrap()
}

fn patched(model: &Model, at: usize, with: &[u8]) -> Vec<u8> {
    let mut bytes = model.write().unwrap();
    bytes[at..at + with.len()].copy_from_slice(with);
    bytes
}

#[test]
fn the_models_have_no_findings() {
    for version in [V1, V2] {
        let bytes = model(version).write().unwrap();
        assert_eq!(codes(&bytes), [""; 0]);
        let u3d = U3d::parse(&bytes).unwrap();
        assert_eq!((u3d.mesh_count(), u3d.material_count(), u3d.bone_count()), (1, 1, 0));
        let mesh = u3d.mesh(0).unwrap();
        assert_eq!(mesh.compute_bounds(), Some(Bounds { min: [0.0; 3], max: [8.0, 8.0, 0.0] }));
        assert_eq!(mesh.texcoords(0).unwrap().get_floats(2), Some([1.0, 1.0, 0.0, 0.0]));
        let normal = mesh.normals().get(0).unwrap();
        assert!((normal[2] + 1.0).abs() < 1e-6, "{normal:?}");
    }
}

#[test]
fn identifiers_and_versions() {
    assert_eq!(error(b"").1, "OUT_OF_BOUNDS");
    assert_eq!(error(b"U3DModelFil").1, "OUT_OF_BOUNDS");
    assert_eq!(error(b"IDP3 and more").1, "MAGIC");
    assert_eq!(
        error(b"U3D\0\x18\0\0\0"),
        (
            0,
            "UNSUPPORTED",
            "u3d: ECMA-363 Universal 3D, another format with the same extension, is not supported at 0x0"
                .into()
        )
    );
    for major in [3u32, 1, u32::MAX] {
        let (offset, code, text) = error(&patched(&model(V2), 21, &major.to_le_bytes()));
        assert_eq!((offset, code), (21, "VERSION"));
        assert!(text.contains(&format!("expected version 2, found {major}")), "{text}");
    }
    let newer = patched(&model(V2), 25, &7u32.to_le_bytes());
    assert_eq!(U3d::parse(&newer).unwrap().version().to_string(), "2.7.0");
    assert_eq!(codes(&newer), ["VERSION_NEWER"]);
    assert_eq!(error(&patched(&model(V2), 37, &1u32.to_le_bytes())).1, "UNSUPPORTED");
    assert_eq!(codes(&patched(&model(V1), 13, &2f32.to_le_bytes())), ["FILE_VERSION"]);
}

#[test]
fn encryption_and_each_of_its_faults_have_an_error() {
    let plain = model(V2).write().unwrap();
    let encrypted = model(V2).write_encrypted("secret").unwrap();
    assert_eq!(U3d::decrypt(&encrypted, "secret").unwrap(), plain);
    assert_eq!(U3d::decrypt(&plain, "whatever").unwrap(), plain);
    assert_eq!(encrypted[..33], plain[..33]);
    let header = FileHeader::read(&encrypted).unwrap();
    assert_eq!((header.encryption, header.payload), (Some(Encryption::Aes128), 41));
    assert_eq!(header.version, V2);

    assert_eq!(
        error(&encrypted),
        (33, "ENCRYPTED", "u3d: the content is encrypted with AES-128, and needs a password at 0x21".into())
    );
    for version in [1u32, 3, 77] {
        let (offset, code, text) = error(&patched(&model(V2), 33, &version.to_le_bytes()));
        assert_eq!((offset, code), (33, "ENCRYPTION_UNKNOWN"));
        assert!(text.contains(&format!("encryption version {version} is unknown")), "{text}");
        let bytes = patched(&model(V2), 33, &version.to_le_bytes());
        assert_eq!(U3d::decrypt(&bytes, "secret").unwrap_err().code(), "ENCRYPTION_UNKNOWN");
    }
    let fails = |bytes: &[u8], password: &str| {
        let error = U3d::decrypt(bytes, password).unwrap_err();
        assert!(password.is_empty() || !format!("{error} {error:?}").contains(password));
        error.code()
    };
    assert_eq!(fails(&encrypted, ""), "ENCRYPTED");
    assert_eq!(fails(&encrypted, "Secret"), "PASSWORD_WRONG");
    assert_eq!(fails(&encrypted, "0123456789abcdef"), "PASSWORD_WRONG");
    assert_eq!(fails(&encrypted, "0123456789abcdefg"), "PASSWORD_TOO_LONG");
    assert_eq!(fails(&encrypted[..encrypted.len() - 1], "secret"), "VALUE");
    assert_eq!(fails(&encrypted[..41], "secret"), "VALUE");
    assert_eq!(fails(b"U3D\0", "secret"), "UNSUPPORTED");
    assert_eq!(model(V1).write_encrypted("secret").unwrap_err().code(), "UNSUPPORTED");
    assert_eq!(model(V2).write_encrypted("").unwrap_err().code(), "ENCRYPTED");
    let limits = Limits { output: encrypted.len() as u64 - 1, ..Limits::DEFAULT };
    assert_eq!(U3d::decrypt_with(&encrypted, "secret", &limits).unwrap_err().code(), "LIMIT");
}

#[test]
fn chunks_end_at_their_stated_size() {
    let bytes = model(V2).write().unwrap();
    let mesh = find(&bytes, b"$U3D_MESH\0");
    let size_at = mesh + 10;
    let size = u32::from_le_bytes(bytes[size_at..size_at + 4].try_into().unwrap());
    let rest = (bytes.len() - size_at - 4) as u32;
    for claimed in [rest + 1, u32::MAX] {
        let (offset, code, text) = error(&patched(&model(V2), size_at, &claimed.to_le_bytes()));
        assert_eq!((offset, code), (size_at as u64 + 4, "OUT_OF_BOUNDS"), "{text}");
        assert!(text.starts_with("u3d: chunk 2: chunk body of"), "{text}");
    }
    // If the size is one less, the last field of the mesh is outside its chunk.
    let (offset, code, text) = error(&patched(&model(V2), size_at, &(size - 1).to_le_bytes()));
    assert!(code == "OUT_OF_BOUNDS" || code == "OUT_OF_CHUNK", "{code} {offset} {text}");
    let mut cut = bytes.clone();
    cut.truncate(bytes.len() - 1);
    assert_eq!(error(&cut).1, "OUT_OF_BOUNDS");
    let texture = find(&bytes, b"$U3D_TEXTURE\0");
    let (offset, code, text) = error(&patched(&model(V2), texture + 13, &1000u32.to_le_bytes()));
    assert_eq!((offset, code), (texture as u64 + 17, "OUT_OF_CHUNK"), "{text}");
    assert!(text.starts_with("u3d: material 0: chunk body of 1000 bytes"), "{text}");
}

#[test]
fn counts_are_bounded_by_their_chunk() {
    for (version, width) in [(V1, 2), (V2, 4)] {
        let bytes = model(version).write().unwrap();
        let name = find(&bytes, b"triangle\0");
        let vertices = name + 9 + if width == 2 { 11 } else { 5 };
        let most = [0xff; 4];
        let (offset, code, text) = error(&patched(&model(version), vertices, &most[..width]));
        let code_wanted = if width == 2 { "OUT_OF_BOUNDS" } else { "OUT_OF_CHUNK" };
        assert_eq!(code, code_wanted, "{text}");
        assert!(text.contains("positions x 12 bytes") && text.starts_with("u3d: mesh 0: "), "{text}");
        assert!(offset > vertices as u64);
    }
    // 2^32 - 1 vertices in a very short file.
    let mut small = Model::new(V2).write().unwrap();
    let body = [&[0; 12][..], b"\0", &[0; 5], &[0xff; 4]].concat();
    small.extend(b"$U3D_MESH\0");
    small.extend((body.len() as u32).to_le_bytes());
    small.extend(body);
    assert!(small.len() < 200);
    assert_eq!(error(&small).1, "OUT_OF_CHUNK");
}

#[test]
fn dimensions_and_weights_are_limited() {
    let (header, dims) = (find(&model(V2).write().unwrap(), b"$U3D_MODEL_HEADER\0") + 22, 25 + 4);
    for (at, most, code) in [(header + dims + 28, 4u32, "VALUE"), (header + dims + 32, 3, "VALUE")] {
        let bytes = patched(&model(V2), at, &(most + 1).to_le_bytes());
        assert_eq!((error(&bytes).0, error(&bytes).1), (at as u64, code));
    }
    let bytes = model(V1).write().unwrap();
    let dims = find(&bytes, b"triangle\0") + 9 + 13;
    for (at, value) in [(dims, 5u16), (dims + 14, u16::MAX), (dims + 16, 4)] {
        let (offset, code, _) = error(&patched(&model(V1), at, &value.to_le_bytes()));
        assert_eq!((offset, code), (at as u64, "VALUE"));
    }
}

#[test]
fn seventy_thousand_vertices_have_long_triangles() {
    for (count, is_long) in [(65_536usize, false), (65_537, true)] {
        let mut model = model(V2);
        let mesh = &mut model.meshes[0];
        mesh.set_vertices(&vec![[1.0; 3]; count], &vec![[0.0, 0.0, 1.0]; count], V2).unwrap();
        mesh.set_texcoords(0, 2, &vec![0.5; count * 2]).unwrap();
        mesh.set_triangles(&[[0, 1, count as u32 - 1]], &[0]).unwrap();
        let bytes = model.write().unwrap();
        let u3d = U3d::parse(&bytes).unwrap();
        let triangles = u3d.mesh(0).unwrap().checked_triangles().unwrap();
        assert_eq!(triangles.stride() == 12, is_long);
        assert_eq!(triangles.get(0), Some([0, 1, count as u32 - 1]));
        assert_eq!(Model::try_from(&u3d).unwrap(), model);
    }
}

#[test]
fn a_mesh_borrows_from_frame_0() {
    for version in [V1, V2] {
        let mut model = model(version);
        model.frames = 2;
        let mut second = triangle(version).borrowing(1, version);
        second.frame = 1;
        model.meshes.push(second);
        let bytes = model.write().unwrap();
        assert_eq!(codes(&bytes), [""; 0]);
        let u3d = U3d::parse(&bytes).unwrap();
        let mesh = u3d.mesh(1).unwrap();
        assert!(mesh.triangles().is_none() && !mesh.owns_triangles());
        assert_eq!(mesh.triangle_owner().map(|owner| owner.index()), Some(0));
        assert_eq!(mesh.checked_triangles().unwrap().get(0), Some([0, 1, 2]));
        assert_eq!(mesh.texcoords(0).unwrap().get_floats(2), Some([1.0, 1.0, 0.0, 0.0]));
        assert_eq!(mesh.owns_texcoords(), !version.is_v1());

        // In version 2.0, the lending mesh must come before the borrowing mesh. In version 1.0, it only has to exist.
        model.meshes.swap(0, 1);
        let bytes = model.write().unwrap();
        let u3d = U3d::parse(&bytes).unwrap();
        assert_eq!(u3d.mesh(0).unwrap().triangle_owner().is_some(), version.is_v1());
        assert_eq!(u3d.mesh(0).unwrap().checked_triangles().is_ok(), version.is_v1());
        assert_eq!(codes(&bytes), if version.is_v1() { vec![] } else { vec!["TRIANGLES_NOT_BORROWED"] });

        // The borrowing mesh has fewer vertices than the triangles use.
        model.meshes.swap(0, 1);
        model.meshes[1].positions.pop();
        model.meshes[1].normals.pop();
        if let Some(sets) = &mut model.meshes[1].texcoords {
            sets[0].truncate(4);
        }
        let bytes = model.write().unwrap();
        let u3d = U3d::parse(&bytes).unwrap();
        let error = u3d.mesh(1).unwrap().checked_triangles().unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Index { what: "vertex", index: 2, count: 2 });
        assert!(codes(&bytes).contains(&"INDEX_OUT_OF_RANGE"));
    }
}

#[test]
fn the_width_of_nlod_is_checked_by_the_next_section() {
    let mut bytes = model(V1).write().unwrap();
    bytes.splice(27..27, [0, 0]);
    assert_eq!(codes(&bytes), ["LOD_COUNT_WIDTH"]);
    assert_eq!(U3d::parse(&bytes).unwrap().header().v1.unwrap().lod_count_width, 4);
    let mut bytes = model(V1).write().unwrap();
    bytes.remove(26);
    assert_eq!(codes(&bytes), ["LOD_COUNT_WIDTH"]);
    // A mesh does not follow with any width.
    let (offset, code, text) = error(&patched(&model(V1), 53, b"%"));
    assert_eq!((offset, code), (53, "MAGIC"), "{text}");
    assert!(text.contains("expected \"$U3D_MESH\""), "{text}");
}

#[test]
fn the_limits_of_the_caller_are_checked() {
    for version in [V1, V2] {
        let bytes = model(version).write().unwrap();
        let limits = |count| ParseOptions::from(Limits { count, ..Limits::DEFAULT });
        assert!(U3d::parse_with(&bytes, &limits(1)).is_ok());
        let error = U3d::parse_with(&bytes, &limits(0)).map(|_| ()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Limit { limit: 0, found: 1, .. }), "{error}");
    }
    let bytes = model(V2).write().unwrap();
    let shallow = Limits { depth: 0, ..Limits::DEFAULT };
    let error = U3d::parse_with(&bytes, &shallow.into()).map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), &ErrorKind::Limit { what: "depth of chunks", limit: 0, found: 1 });
    let brief = Limits { work: 3, ..Limits::DEFAULT };
    assert_eq!(U3d::parse_with(&bytes, &brief.into()).map(|_| ()).unwrap_err().code(), "LIMIT");
}

/// The header of a file of version 2.0, followed by zeros or by useless chunks. Only the first bytes are read,
/// regardless of the length of the file.
#[test]
fn four_gibibytes_of_zeros_or_useless_chunks_fail_at_the_first_bytes() {
    let bytes = model(V2).write().unwrap();
    // The identifier of 17 bytes, the size, and five numbers.
    let header = &bytes[..41];
    let locate = |prefix: &[u8]| {
        let error = Parts::locate(prefix, 4 << 30, &ParseOptions::default()).unwrap_err();
        (error.offset(), error.to_string())
    };
    let (at, text) = locate(&[header, &[0; 200]].concat());
    assert_eq!(at, 41);
    assert!(text.contains("expected the identifier of a chunk"), "{text}");

    // Chunks of six bytes. At most 262,159 of them are allowed after the header (four times 65,536, and 15).
    let useless = b"x\0\0\0\0\0".repeat(262_160);
    let prefix = [header, &useless, &[0; 300]].concat();
    let (at, text) = locate(&prefix);
    assert_eq!(at, 41 + 6 * 262_159);
    assert!(text.contains("chunks") && text.contains("262160"), "{text}");
}

#[test]
fn a_located_model_is_bound_to_its_bytes() {
    let bytes = model(V2).write().unwrap();
    let parts = Parts::locate(&bytes, bytes.len() as u64, &ParseOptions::default()).unwrap();
    let positions = parts.meshes()[0].positions();
    assert_eq!((positions.count(), positions.stride()), (3, 12));
    assert!(U3d::bind(&parts, &bytes[..bytes.len() - 1]).is_err());
    let u3d = U3d::bind(&parts, &bytes).unwrap();
    assert_eq!(u3d.mesh(0).unwrap().positions().byte_range(), positions.byte_range());
    assert_eq!(Model::try_from(&u3d).unwrap(), model(V2));
}

#[test]
fn chunks_in_any_order_with_unknown_chunks() {
    let newer = corpus::with_extension(&["v2_newer.u3d"]).remove(0).1;
    let u3d = U3d::parse(&newer).unwrap();
    let sections: Vec<_> = u3d.sections().collect();
    // The shader pack of the header, eight textures and a shader pack in one material, and eight textures in the other.
    assert_eq!(sections.iter().filter(|section| section.depth == 1).count(), 1 + 9 + 8);
    assert_eq!(u3d.unknown_chunks().map(|s| s.is_custom()).collect::<Vec<_>>(), [true, false]);
    // Everything after the two headers, in reverse order.
    let top: Vec<_> = sections.iter().filter(|section| section.depth == 0).collect();
    let chunk =
        |section: &meshlens_u3d::Section<'_>| newer[section.offset as usize..section.end() as usize].to_vec();
    let mut reversed: Vec<u8> = top[..2].iter().flat_map(|section| chunk(section)).collect();
    reversed.extend(top[2..].iter().rev().flat_map(|section| chunk(section)));
    let again = U3d::parse(&reversed).unwrap();
    let (mut first, mut second) = (Model::try_from(&u3d).unwrap(), Model::try_from(&again).unwrap());
    first.unknown.sort();
    second.unknown.sort();
    assert_eq!(first, second);
    // The model header is the last chunk.
    let mut late: Vec<u8> = chunk(top[0]);
    late.extend(top[2..].iter().chain([&top[1]]).flat_map(|section| chunk(section)));
    assert_eq!(U3d::parse(&late).unwrap().mesh_count(), 1);
    assert_eq!(codes(&late).iter().filter(|code| **code == "CHUNK_BEFORE_MODEL_HEADER").count(), 3);
    // There is no model header.
    let (offset, code, text) = error(&chunk(top[0]));
    assert_eq!((offset, code), (41, "SYNTAX"), "{text}");
}

#[test]
fn normals_of_two_bytes_are_recognized_by_their_size() {
    let legacy = corpus::with_extension(&["v2_legacy_normals.u3d"]).remove(0).1;
    let u3d = U3d::parse(&legacy).unwrap();
    let mesh = u3d.mesh(0).unwrap();
    assert!(mesh.has_legacy_normals());
    assert_eq!(mesh.normals().len(), mesh.legacy_normals().unwrap().len());
    assert_eq!(codes(&legacy), ["NORMALS_LEGACY"]);
}
