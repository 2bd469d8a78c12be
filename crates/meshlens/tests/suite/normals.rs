//! Findings about normals that do not fit the triangles.

use meshlens::{Document, Report, md3};
use meshlens_testkit::shapes::Shape;

/// The codes of a cuboid with these normals, with triangles in the order of MD3 or in the opposite one.
fn codes(normal: impl Fn([f32; 3]) -> [f32; 3], is_inside_out: bool) -> Vec<&'static str> {
    let shape = Shape::cuboid([-8.0, -8.0, 0.0], [8.0, 8.0, 16.0]);
    let shape = if is_inside_out { shape } else { shape.flipped() };
    let mut file = md3::write::Model::new("box").unwrap();
    file.frames.push(md3::write::Frame::named("still").unwrap());
    let mut surface = md3::write::Surface::new("box").unwrap();
    let normals: Vec<[f32; 3]> = shape.normals.iter().map(|found| normal(*found)).collect();
    surface.texcoords.clone_from(&shape.texcoords);
    surface.add_frame(&shape.positions, &normals).unwrap();
    surface.triangles.clone_from(&shape.triangles);
    file.surfaces.push(surface);
    let bytes = file.write().unwrap();
    let mut report = Report::default();
    Document::parse(&bytes).unwrap().validate(&mut report);
    let found = report.groups().map(|group| group.code.name);
    found.filter(|name| name.starts_with("NORMALS")).collect()
}

#[test]
fn normals_that_do_not_fit_are_found() {
    let shape = Shape::cuboid([-8.0, -8.0, 0.0], [8.0, 8.0, 16.0]);
    assert_eq!(shape.normals.len(), 24, "each face has its own normals");
    assert_eq!(codes(|normal| normal, false), [""; 0]);
    assert_eq!(codes(|_| [0.0, 0.0, 1.0], false), ["NORMALS_EQUAL"]);
    assert_eq!(codes(|normal| normal.map(|axis| -axis), false), ["NORMALS_REVERSED"]);
    assert_eq!(codes(|normal| normal, true), ["NORMALS_REVERSED"]);
    // The inside of a room: both are turned.
    assert_eq!(codes(|normal| normal.map(|axis| -axis), true), [""; 0]);
}
