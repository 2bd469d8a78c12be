//! Unreal meshes: a pair of files for each of the five layouts and for each special case, and scripts that refer to
//! them.

use meshlens_lens::Encode;
use meshlens_unreal::encoding::UnrealTexcoord;
use meshlens_unreal::write::{Files, Model};
use meshlens_unreal::{Triangle, TriangleKind, TriangleType, VertexEncoding};
use meshlens_wire::Result;

use crate::shapes::Shape;

pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut add = |path: &str, bytes: Vec<u8>| files.push((format!("unreal/{path}"), bytes));
    for (stem, files) in named_pairs().expect("the corpus' meshes can be written") {
        if stem == "ring" {
            add("Models/ring.umsh", files.packed());
        }
        let Files { geometry, frames } = files;
        add(&format!("Models/{stem}_d.3d"), geometry);
        add(&format!("Models/{stem}_a.3d"), frames);
    }
    let numbered = cuboid(VertexEncoding::Packed, 1).and_then(|model| model.write()).expect("a small mesh");
    add("Models/DATA01.3D", numbered.geometry);
    add("Models/ANIV01.3D", numbered.frames);

    // One geometry file that belongs to two frames files, which only the script specifies.
    let walk = cuboid(VertexEncoding::Packed, 4).and_then(|model| model.write()).expect("a small mesh");
    let run = cuboid(VertexEncoding::Packed, 2).and_then(|model| model.write()).expect("a small mesh");
    add("Models/crate_d.3d", walk.geometry);
    add("Models/crate_walk_a.3d", walk.frames);
    add("Models/crate_run_a.3d", run.frames);
    add("Classes/Crates.uc", CRATES.replace('\n', "\r\n").into_bytes());
    add("Classes/Figure.uc", FIGURE.into());
    files
}

fn named_pairs() -> Result<Vec<(&'static str, Files)>> {
    let mut ring = model(&Shape::torus(8.0, 3.0, 6, 4), VertexEncoding::Packed, 2)?;
    for (triangle, number) in ring.triangles.iter_mut().zip(0u8..) {
        // Every kind and every effect.
        let kinds =
            [TriangleKind::Normal, TriangleKind::TwoSided, TriangleKind::Translucent, TriangleKind::Masked];
        let kind = kinds.get(usize::from(number % 5)).copied().unwrap_or(TriangleKind::Modulated);
        triangle.triangle_type = TriangleType::new(kind, 16 << (number % 4));
        triangle.texture = number % 3;
    }

    // The weapon is at the end of the arm, at (0, 10, 14).
    let mut figure = model(&Shape::one_armed(), VertexEncoding::Packed, 3)?;
    figure.triangles.push(Triangle {
        vertices: [36, 38, 39],
        triangle_type: TriangleType::new(TriangleKind::Weapon, 0),
        ..Triangle::default()
    });

    let mut padded = cuboid(VertexEncoding::Packed, 2)?.write()?;
    // Each frame is followed by its smallest and largest corner, which makes 24 vertices and 8 additional bytes.
    let body: Vec<u8> = padded.frames[4..]
        .chunks(96)
        .flat_map(|frame| {
            let mut frame = frame.to_vec();
            frame.extend(&[0xe0, 0xff, 0xff, 0x3f, 0x20, 0, 1, 3]);
            frame
        })
        .collect();
    padded.frames.truncate(4);
    padded.frames.extend(body);
    padded.frames[2] += 8;

    let mut mistaken_size = cuboid(VertexEncoding::Packed, 2)?.write()?;
    mistaken_size.frames[2] = 72;

    // The count is one larger than the number of vertices.
    let mut mistaken_count = cuboid(VertexEncoding::Packed, 2)?.write()?;
    mistaken_count.geometry[2] += 1;

    // Junk in the header, which readers do not use, and after the end of both files.
    let mut junk = cuboid(VertexEncoding::Packed, 1)?.write()?;
    junk.geometry[4..48].fill(0xcd);
    junk.geometry.extend(b"\x1a\0\0");
    junk.frames.extend([0xcd; 5]);

    Ok(vec![
        ("ring", ring.write()?),
        ("figure", figure.write()?),
        ("wide", cuboid(VertexEncoding::Wide, 2)?.write()?),
        ("padded", padded),
        ("mistaken_size", mistaken_size),
        ("mistaken_count", mistaken_count),
        ("junk", junk),
    ])
}

fn cuboid(format: VertexEncoding, frames: usize) -> Result<Model> {
    model(&Shape::cuboid([-4.0, -2.0, 0.0], [4.0, 2.0, 3.0]), format, frames)
}

/// A mesh that rotates by 360 degrees around Z and rises over its frames.
///
/// # Errors
///
/// The shape has more vertices than the format can store.
pub fn model(shape: &Shape, format: VertexEncoding, frames: usize) -> Result<Model> {
    let mut model = Model::new(format, shape.positions.len());
    model.triangles = triangles(shape);
    for frame in 0..frames {
        let (positions, _) = shape.turned(frame as f32 / frames as f32, [0.0, 0.0, frame as f32 * 0.25]);
        model.add_frame(&left_handed(&positions))?;
    }
    Ok(model)
}

/// Mirrors Y, which is to the right, unlike in [`Shape`].
fn left_handed(points: &[[f32; 3]]) -> Vec<[f32; 3]> {
    points.iter().map(|[x, y, z]| [*x, -y, *z]).collect()
}

/// The triangles of a shape, clockwise, with the texture coordinates of their vertices.
fn triangles(shape: &Shape) -> Vec<Triangle> {
    let triangle = |corners: &[u32; 3]| Triangle {
        vertices: corners.map(|corner| corner as u16),
        texcoords: corners.map(|corner| UnrealTexcoord.encode(shape.texcoords[corner as usize])),
        texture: 1,
        ..Triangle::default()
    };
    shape.clone().flipped().triangles.iter().map(triangle).collect()
}

const FIGURE: &str = r#"class Figure expands Pawn; // one of the corpus
#exec MESH IMPORT MESH=figure ANIVFILE=Models\figure_a.3d DATAFILE=Models\figure_d.3d X=0 Y=0 Z=0 MLOD=1
#exec MESH ORIGIN MESH=figure X=0 Y=0 Z=64 YAW=64
#exec MESH SEQUENCE MESH=figure SEQ=All STARTFRAME=0 NUMFRAMES=3 // the whole of it
#exec MESH SEQUENCE MESH=figure SEQ=Turn STARTFRAME=1 NUMFRAMES=2 RATE=7.5 GROUP=Waiting
//#exec MESH SEQUENCE MESH=figure SEQ=??? STARTFRAME=0 NUMFRAMES=30
#exec MESH NOTIFY MESH=figure SEQ=Turn TIME=0.5 FUNCTION=PlayTurn
#exec MESHMAP NEW MESHMAP=figure MESH=figure
#exec MESHMAP SCALE MESHMAP=figure X=0.1 Y=0.1 Z=0.2
#exec TEXTURE IMPORT NAME=Jfigure FILE="Textures\a figure.pcx" GROUP="Skins" FLAGS=2 LODNOTEX
#exec MESHMAP SETTEXTURE MESHMAP=figure NUM=1 TEXTURE=Jfigure
#exec AUDIO IMPORT FILE="Sounds\step.wav" NAME="Step" GROUP="Generic"

/*
#exec MESH IMPORT MESH=old ANIVFILE=Models\old_a.3d DATAFILE=Models\old_d.3d
*/
defaultproperties
{
    Mesh=figure
}
"#;

const CRATES: &str = r#"class Crates expands Decoration;
#exec mesh import mesh=walk anivfile=Models\crate_walk_a.3d datafile=Models\crate_d.3d
#exec mesh origin mesh=walk x=0 y=0 z=0
#exec mesh sequence mesh=walk	seq=All	startframe=0	numframes=4
#exec meshmap scale meshmap=walk x=.125 y=.125 z=.25
#exec mesh import mesh=run anivfile=models\CRATE_RUN_A.3D datafile=..\unreal\models\crate_D.3d
#exec mesh sequence mesh=run seq=All startframe=0 numframes=5
"#;
