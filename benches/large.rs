//! Large models: real files if available, otherwise generated ones.

use meshlens_md3::write::{Frame, Model, Surface};
use meshlens_testkit::shapes::Shape;
use meshlens_testkit::{corpus, real};
use meshlens_unigine::{Transform, Version, write};
use meshlens_unreal::pairing::companion;
use meshlens_unreal::write::Files;
use meshlens_unreal::{Unreal, VertexEncoding};

/// The largest MD3 file below the folder in `MESHLENS_REAL`, or a generated model. The generated model has the size of
/// the largest model in public game data: 287 frames, 4 surfaces, 1,904 vertices, 2,566 triangles, 4.5 MB.
pub fn largest_md3() -> (String, Vec<u8>) {
    largest("md3", "md3", || generated_md3(287, 4, 33, 13))
}

/// An MD3 model of `surfaces` tori, each with `(rings + 1) * (sides + 1)` vertices, which rotate over `frames` frames.
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

/// The largest UNIGINE file with this extension below the folder in `MESHLENS_REAL`, or a generated file. Packed meshes
/// are skipped, because their geometry is not stored as arrays.
pub fn largest_unigine(extension: &str, generate: fn() -> Vec<u8>) -> (String, Vec<u8>) {
    largest("unigine", extension, generate)
}

fn largest(format: &str, extension: &str, generate: impl FnOnce() -> Vec<u8>) -> (String, Vec<u8>) {
    let Some(folder) = real::folder() else { return ("generated".into(), generate()) };
    let files = real::files_below(&folder.join(format)).into_iter();
    let files = files.filter(|path| path.extension().is_some_and(|found| found == extension));
    let files = files.filter(|path| path.components().all(|part| part.as_os_str() != "ms14"));
    let largest = files.max_by_key(|path| path.metadata().map_or(0, |data| data.len())).expect("a file");
    let name = largest.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    (name, std::fs::read(largest).expect("a readable file"))
}

/// An ms11 torus with 99,960 corners. Vertices on a seam have one position and two tangent frames.
pub fn generated_unigine_mesh() -> Vec<u8> {
    let (rings, sides) = (196, 85);
    let shape = Shape::torus(20.0, 6.0, rings, sides);
    let coordinate = |vertex: u32| {
        let (ring, side) = (vertex / (sides + 1), vertex % (sides + 1));
        ring % rings * sides + side % sides
    };
    let mut surface = write::Surface::new("torus").expect("a short name");
    let target = &mut surface.targets[0];
    target.positions = vec![[0.0; 3]; (rings * sides) as usize];
    for (vertex, position) in (0u32..).zip(&shape.positions) {
        target.positions[coordinate(vertex) as usize] = *position;
    }
    // The rotation halfway from Z to the normal. Only normals on a seam point straight down.
    let spaces = shape.normals.iter().map(|[x, y, z]| {
        let length = (2.0 + 2.0 * z).max(1e-6).sqrt();
        let quaternion = [-y / length, x / length, 0.0, length / 2.0];
        let norm = quaternion.iter().map(|v| v * v).sum::<f32>().sqrt();
        quaternion.map(|v| v / norm)
    });
    target.add_tangents(Version::Ms11, &spaces.collect::<Vec<_>>());
    surface.texcoords0.clone_from(&shape.texcoords);
    for corners in &shape.triangles {
        surface.add_triangle(corners.map(|corner| [coordinate(corner), corner]));
    }
    let mut mesh = write::Model::new(Version::Ms11);
    mesh.surfaces.push(surface);
    mesh.recompute_bounds();
    mesh.write().expect("a mesh that fits")
}

/// An an10 animation of 64 bones over 500 frames. One eighth of the bones moves in each frame.
pub fn generated_unigine_anim() -> Vec<u8> {
    let mut anim = write::Anim::new(Version::An10);
    let names = (0..64).map(|bone| format!("bone {bone}"));
    anim.bones.extend(names.map(|name| write::Bone::new(&name, None).expect("a short name")));
    let bones: Vec<i16> = (0..64).collect();
    let poses = (0..500 * 64).map(|record| {
        let (frame, bone) = (record / 64, record % 64);
        let angle = ((frame + bone) / 8) as f32 * 0.1;
        let rotation = [angle.sin(), 0.0, 0.0, angle.cos()];
        Transform { rotation, ..Transform::IDENTITY }
    });
    let poses: Vec<Transform> = poses.collect();
    let animation = write::Animation::new(Version::An10, "generated", &bones, 0x7f, &poses);
    anim.animations.push(animation.expect("as many transforms as records"));
    anim.write().expect("an animation that fits")
}

/// The Unreal mesh with the largest frames file below the folder in `MESHLENS_REAL`, or a generated mesh with 256
/// frames of 2,048 packed vertices, 2 MB.
pub fn largest_unreal() -> (String, Files) {
    let Some(folder) = real::folder() else {
        let shape = Shape::torus(20.0, 6.0, 63, 31);
        let model = corpus::unreal_model(&shape, VertexEncoding::Packed, 256).expect("a mesh that fits");
        return ("generated".into(), model.write().expect("a mesh that fits"));
    };
    let mut files = real::files_below(&folder.join("unreal"));
    files.retain(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("3d")));
    files.sort_by_key(|path| std::cmp::Reverse(path.metadata().map_or(0, |data| data.len())));
    let name = |path: &std::path::Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let pair = files.iter().find_map(|frames| {
        let beside: Vec<String> =
            files.iter().filter(|path| path.parent() == frames.parent()).map(|path| name(path)).collect();
        let geometry = companion(&name(frames), beside.iter().map(String::as_str))?;
        let read = |path: &std::path::Path| std::fs::read(path).expect("a readable file");
        let files = Files { geometry: read(&frames.with_file_name(geometry)), frames: read(frames) };
        let is_pair = Unreal::parse(&files.geometry, &files.frames).is_ok();
        is_pair.then(|| (name(frames), files))
    });
    pair.expect("a pair")
}
