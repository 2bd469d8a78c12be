//! Models that several tests share.

use meshlens_u3d::write::{MENDED, Material, Mesh, Model};
use meshlens_u3d::{U3d, Version, validate};
use meshlens_wire::Report;

/// A model of one triangle with one texture coordinate set and one material.
pub(crate) fn model(version: Version) -> Model {
    let mut model = Model::new(version);
    model.meshes.push(triangle(version));
    if !version.is_v1() {
        model.texcoord_dimensions = model.meshes[0].texcoord_dimensions;
    }
    model.materials.push(Material::new("white"));
    model
}

/// A right triangle in the plane Z = 0.
pub(crate) fn triangle(version: Version) -> Mesh {
    let mut mesh = Mesh::new("triangle");
    let positions = [[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [8.0, 0.0, 0.0]];
    mesh.set_vertices(&positions, &[[0.0, 0.0, -1.0]; 3], version).unwrap();
    mesh.set_texcoords(0, 2, &[0.0, 1.0, 0.0, 0.0, 1.0, 1.0]).unwrap();
    mesh.set_triangles(&[[0, 1, 2]], &[0]).unwrap();
    mesh
}

/// The codes of all findings.
#[allow(dead_code, reason = "not every test looks at findings")]
pub(crate) fn codes(bytes: &[u8]) -> Vec<&'static str> {
    let found = codes_as_they_are(bytes);
    // What is mended is gone after a rewrite.
    if let Ok(mut model) = Model::try_from(&U3d::parse(bytes).unwrap()) {
        model.mend();
        let left = model.write().map(|bytes| codes_as_they_are(&bytes)).unwrap_or_default();
        assert!(left.iter().all(|code| MENDED.iter().all(|mended| mended.name != *code)), "{left:?}");
    }
    found
}

fn codes_as_they_are(bytes: &[u8]) -> Vec<&'static str> {
    let mut report = Report::default();
    validate(&U3d::parse(bytes).unwrap(), &mut report);
    report.findings().map(|finding| finding.code).collect()
}
