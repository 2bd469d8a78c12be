//! Surfaces that are split for an engine.

use meshlens_md3::Md3;
use meshlens_md3::write::{Frame, Model, Surface};

/// A strip of triangles, with vertices `i, 0, 0` in frame 0 and `i, 1, 0` in frame 1.
fn strip(vertices: usize) -> Model {
    let mut model = Model::new("strip").unwrap();
    model.frames = vec![Frame::named("frame").unwrap(); 2];
    let mut surface = Surface::new("strip").unwrap();
    surface.add_shader("strip.tga").unwrap();
    surface.texcoords = (0..vertices).map(|i| [i as f32, 0.5]).collect();
    surface.triangles = (0..vertices as u32 - 2).map(|i| [i, i + 1, i + 2]).collect();
    for frame in 0..2 {
        let positions: Vec<[f32; 3]> = (0..vertices).map(|i| [i as f32 / 64.0, frame as f32, 0.0]).collect();
        surface.add_frame(&positions, &vec![[0.0, 0.0, 1.0]; vertices]).unwrap();
    }
    model.surfaces.push(surface);
    model
}

/// The corners of all triangles in the order of the file: positions in frame 1, and texture coordinates.
fn corners(model: &Model) -> Vec<([f32; 3], [f32; 2])> {
    let bytes = model.write().unwrap();
    let md3 = Md3::parse(&bytes).unwrap();
    let corners = md3.surfaces().flat_map(|surface| {
        let (positions, texcoords) = (surface.positions(1).unwrap(), surface.texcoords());
        let corner = move |vertex: u32| {
            let vertex = vertex as usize;
            (positions.get(vertex).unwrap(), texcoords.get(vertex).unwrap())
        };
        surface.checked_triangles().unwrap().iter().flatten().map(corner).collect::<Vec<_>>()
    });
    corners.collect()
}

#[test]
fn parts_have_the_same_corners_in_the_same_order() {
    let whole = strip(1000);
    let mut model = whole.clone();
    assert_eq!(model.split_surfaces(1000, 998).unwrap(), 0);
    assert_eq!(model, whole);
    // The first part has 997 triangles on 999 vertices, the second the last triangle.
    assert_eq!(model.split_surfaces(999, 1999).unwrap(), 1);
    let sizes = |model: &Model| -> Vec<(usize, usize)> {
        model.surfaces.iter().map(|part| (part.texcoords.len(), part.triangles.len())).collect()
    };
    assert_eq!(sizes(&model), [(999, 997), (3, 1)]);
    assert_eq!(corners(&model), corners(&whole));
    assert!(model.surfaces.iter().all(|part| part.name == whole.surfaces[0].name && part.shaders.len() == 1));
    // Split again by triangles: 997 are 400, 400 and 197.
    assert_eq!(model.split_surfaces(999, 400).unwrap(), 1);
    assert_eq!(sizes(&model), [(402, 400), (402, 400), (199, 197), (3, 1)]);
    assert_eq!(corners(&model), corners(&whole));
}

#[test]
fn vertices_without_triangles_are_omitted_and_wrong_indices_refused() {
    let mut model = strip(10);
    model.surfaces[0].triangles.truncate(2);
    assert_eq!(model.split_surfaces(4, 1).unwrap(), 1);
    assert_eq!(model.surfaces.iter().map(|part| part.texcoords.len()).collect::<Vec<_>>(), [3, 3]);
    let mut wrong = strip(10);
    wrong.surfaces[0].triangles[3] = [0, 1, 10];
    assert!(wrong.split_surfaces(4, 100).unwrap_err().to_string().contains("vertex"));
}
