//! The meshes of an Ultimate 3D model.

use meshlens_lens::encoding::{F32, IndexU16, U32};
use meshlens_lens::{AnyLens, ValueLens};
use meshlens_u3d::encoding::{U3dNormal8, U3dNormal16};
use meshlens_u3d::{Mesh, U3d};

use super::{checked, error, lens};

pub(super) fn mesh(u3d: &U3d<'_>, mesh: &Mesh<'_, '_>, bytes: &[u8]) {
    let vertices = mesh.vertex_count();
    let (positions, normals) = (mesh.positions(), mesh.normals());
    lens(positions, bytes);
    match normals.downcast::<U3dNormal8>() {
        Some(normals) => lens(normals, bytes),
        None => lens(normals.downcast::<U3dNormal16>().expect("bytes or 16-bit integers"), bytes),
    }
    assert!(normals.is_empty() || normals.stride() == mesh.parts().normals().stride() as usize);
    assert_eq!((positions.len(), normals.len()), (vertices, vertices));
    for normal in normals {
        let length: f32 = normal.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5, "{normal:?}");
    }
    assert_eq!(
        mesh.legacy_normals().map(|normals| normals.len()),
        mesh.has_legacy_normals().then_some(vertices)
    );
    texcoords(mesh, bytes);
    weights(mesh, bytes);
    let materials = mesh.triangle_materials();
    if let Some(own) = mesh.triangles() {
        triangles(own, bytes);
        assert_eq!((own.len(), materials.len()), (mesh.triangle_count(), own.len()));
    }
    lens(materials, bytes);
    if let Some(owner) = mesh.triangle_owner() {
        assert!(owner.owns_triangles() && (owner.frame() == 0 || owner.index() == mesh.index()));
    }
    // Many meshes may share the same triangles, so only some of them are checked.
    if (mesh.owns_triangles() || mesh.index() < 16)
        && let Some(found) = checked(mesh.checked_triangles(), bytes)
    {
        assert!(found.iter().flatten().all(|corner| (corner as usize) < vertices));
    }
    if let Some(shadow) = mesh.shadow() {
        lens(shadow.positions(), bytes);
        lens(shadow.normals(), bytes);
        triangles(shadow.triangles(), bytes);
        assert_eq!(shadow.vertex_bytes().len(), shadow.vertex_count() * shadow.vertex_size());
    }
    assert_eq!(mesh.compute_bounds().is_some(), vertices > 0);
    if let Some(lod) = mesh.lod_index() {
        let found = u3d.find_mesh(lod, mesh.mesh_in_frame(), mesh.frame()).expect("the mesh is there");
        assert!(found.index() <= mesh.index());
        if let Some(tween) = u3d.tween(lod, mesh.mesh_in_frame(), mesh.frame() as f32 + 0.25) {
            let mut out = vec![[0.0; 3]; tween.from.vertex_count()];
            checked(tween.positions_into(&mut out), bytes);
            checked(tween.normals_into(&mut out), bytes);
        }
    }
    let (matrix, mut out) = (glam::Mat4::IDENTITY.to_cols_array_2d(), vec![[0.0; 3]; vertices]);
    mesh.transform_positions_into(&matrix, &mut out).expect("a value for each vertex");
    mesh.transform_normals_into(&matrix, &mut out).expect("a value for each vertex");
    error(
        &mesh.skin_positions_into(&[], &mut vec![[0.0; 3]; vertices + 1]).expect_err("one too many"),
        bytes,
    );
}

fn texcoords(mesh: &Mesh<'_, '_>, bytes: &[u8]) {
    for set in 0..9 {
        if let Some(values) = mesh.texcoords(set) {
            floats(values, bytes);
            assert_eq!(values.len(), mesh.vertex_count());
        }
    }
    if mesh.owns_texcoords() {
        let sets = (0..8).filter(|set| mesh.texcoords(*set).is_some()).count();
        assert_eq!(sets, mesh.texcoord_dimensions().iter().filter(|dimension| **dimension > 0).count());
    }
}

fn weights(mesh: &Mesh<'_, '_>, bytes: &[u8]) {
    let (vertices, weights, bones) = (mesh.vertex_count(), mesh.skin_weights(), mesh.skin_bones());
    assert_eq!(weights.is_some(), mesh.skin_weight_count() > 0);
    if let Some(weights) = weights {
        floats(weights, bytes);
        assert_eq!((weights.len(), bones.len()), (vertices, vertices));
    }
    lens(bones, bytes);
    assert!(mesh.weights(vertices).is_none());
}

fn floats(floats: AnyLens<'_>, bytes: &[u8]) {
    let components = floats.format().float_components();
    match components {
        1 => lens(floats.downcast::<F32<1>>().expect("one float"), bytes),
        2 => lens(floats.downcast::<F32<2>>().expect("two floats"), bytes),
        3 => lens(floats.downcast::<F32<3>>().expect("three floats"), bytes),
        _ => lens(floats.downcast::<F32<4>>().expect("four floats"), bytes),
    }
    assert_eq!(floats.to_floats().len(), floats.len() * components);
    assert!(floats.get_floats(floats.len()).is_none());
}

fn triangles(triangles: ValueLens<'_, [u32; 3]>, bytes: &[u8]) {
    match triangles.downcast::<IndexU16<3>>() {
        Some(corners) => lens(corners, bytes),
        None => lens(triangles.downcast::<U32<3>>().expect("16 or 32 bits"), bytes),
    }
    assert!(triangles.get(triangles.len()).is_none());
    assert!(triangles.as_any().check_below(0, "vertex").is_ok() == triangles.is_empty());
}
