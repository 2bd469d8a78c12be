//! What the benches share: large models, real where there are any.

use meshlens_md3::write::{Frame, Model, Surface};
use meshlens_testkit::real;
use meshlens_testkit::shapes::Shape;

/// The largest MD3 below the folder that `MESHLENS_REAL` names, or else a generated one of the same shape as the
/// largest there is in public game data: 287 frames, 4 surfaces, 1,904 vertices, 2,566 triangles, 4.5 MB.
pub fn largest_md3() -> (String, Vec<u8>) {
    let Some(folder) = real::folder() else { return ("generated".into(), generated_md3(287, 4, 33, 13)) };
    let files = real::files_below(&folder.join("md3")).into_iter();
    let models = files.filter(|path| path.extension().is_some_and(|extension| extension == "md3"));
    let largest = models.max_by_key(|path| path.metadata().map_or(0, |data| data.len())).expect("a model");
    let name = largest.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    (name, std::fs::read(largest).expect("a readable file"))
}

/// `surfaces` tori of `(rings + 1) * (sides + 1)` vertices that turn over `frames`.
pub fn generated_md3(frames: usize, surfaces: usize, rings: u32, sides: u32) -> Vec<u8> {
    let shape = Shape::torus(20.0, 6.0, rings, sides).flipped();
    let mut model = Model::new("generated").expect("a short name");
    model.frames = vec![Frame::named("frame").expect("a short name"); frames];
    for index in 0..surfaces {
        let mut surface = Surface::new(&format!("surface_{index}")).expect("a short name");
        surface.triangles.clone_from(&shape.triangles);
        surface.texcoords.clone_from(&shape.texcoords);
        for frame in 0..frames {
            let (positions, normals) =
                shape.turned(frame as f32 / frames as f32, [0.0, 0.0, index as f32 * 8.0]);
            surface.add_frame(&positions, &normals).expect("one normal for each position");
        }
        model.surfaces.push(surface);
    }
    model.recompute_bounds();
    model.write().expect("a model that fits")
}
