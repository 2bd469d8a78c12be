//! MD3: a model for each special case, a player with its companions, and an archive.

use std::io::{Cursor, Write};

use meshlens_md3::encoding::Md3NormalInverse;
use meshlens_md3::write::{Frame, Model, Surface, Tag, name};
use meshlens_wire::Result;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::shapes::Shape;

const UPRIGHT: [[f32; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(super) fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    let mut add = |path: &str, bytes: Vec<u8>| files.push((format!("md3/{path}"), bytes));
    let models = models().expect("the corpus' models can be written");
    add("models.pk3", archive(&models));
    for (path, bytes) in models {
        add(path, bytes);
    }
    for (path, text) in texts() {
        add(path, text.into_bytes());
    }
    files
}

fn models() -> Result<Vec<(&'static str, Vec<u8>)>> {
    let torus = Shape::torus(8.0, 3.0, 6, 4).flipped();
    let figure = Shape::one_armed().flipped();

    let animated = model("animated", 5, &[("ring", "textures/ring.tga", &torus)])?;

    let mut tagged = model("tagged", 3, &[("body", "models/one_armed/body.tga", &figure)])?;
    tags(&mut tagged, &[("tag_hand", [0.0, 10.0, 14.0]), ("tag_head", [0.0, 0.0, 16.0])])?;

    let surfaces = [
        ("ring", "textures/ring.tga", &torus),
        ("figure", "textures/figure", &figure),
        ("box", "textures\\box.jpg", &cuboid()),
    ];
    let multi_surface = model("multi_surface", 2, &surfaces)?;

    let mut wide_frames = model("wide_frames", 2, &[("box", "textures/box.jpg", &cuboid())])?;
    wide_frames.wide_frames = true;
    wide_frames.frames[1].name = name("a frame's name of more than sixteen bytes")?;

    let mut empty_surface = model("empty_surface", 1, &[])?;
    let mut nothing = Surface::new("nothing")?;
    nothing.frame_count = 1;
    empty_surface.surfaces.push(nothing);
    empty_surface.surfaces.push(surface("box", "textures/box.jpg", &cuboid(), 1)?);

    let mut tags_only = model("tags_only", 4, &[])?;
    tags(&mut tags_only, &[("tag_barrel", [12.0, 0.0, 3.5]), ("tag_flash", [20.0, 0.0, 3.5])])?;

    let static_model = model("static", 1, &[("figure", "models/one_armed/body.tga", &figure)])?;
    let coarse = model("static_1", 1, &[("figure_1", "models/one_armed/body.tga", &cuboid())])?;

    let mut files = vec![
        ("static.md3", static_model),
        ("static_1.md3", coarse),
        ("animated.md3", animated),
        ("tagged.md3", tagged),
        ("multi_surface.md3", multi_surface),
        ("wide_frames.md3", wide_frames),
        ("empty_surface.md3", empty_surface),
        ("tags_only.md3", tags_only),
    ];
    files.extend(player()?);
    files
        .into_iter()
        .map(|(path, mut model)| {
            model.recompute_bounds();
            Ok((path, model.write()?))
        })
        .collect()
}

fn cuboid() -> Shape {
    Shape::cuboid([-4.0, -2.0, 0.0], [4.0, 2.0, 3.0]).flipped()
}

/// A model of surfaces, each with its name, its shader and its [shape](surface).
fn model(title: &str, frames: usize, surfaces: &[(&str, &str, &Shape)]) -> Result<Model> {
    let mut model = Model::new(&format!("models/{title}.md3"))?;
    for frame in 0..frames {
        model.frames.push(Frame::named(&format!("frame_{frame}"))?);
    }
    for (title, shader, shape) in surfaces {
        model.surfaces.push(surface(title, shader, shape, frames)?);
    }
    Ok(model)
}

/// A surface that rotates by 360 degrees around Z and rises over its frames.
fn surface(title: &str, shader: &str, shape: &Shape, frames: usize) -> Result<Surface> {
    let mut surface = Surface::new(title)?;
    surface.add_shader(shader)?;
    surface.triangles.clone_from(&shape.triangles);
    surface.texcoords.clone_from(&shape.texcoords);
    for frame in 0..frames {
        let (positions, normals) =
            shape.turned(frame as f32 / frames as f32, [0.0, 0.0, frame as f32 * 0.25]);
        // Most real files were written by id's tools.
        surface.add_frame_with(&positions, &normals, &Md3NormalInverse)?;
    }
    Ok(surface)
}

/// Tags that rotate and rise like [`surface`].
fn tags(model: &mut Model, tags: &[(&str, [f32; 3])]) -> Result<()> {
    let frames = model.frames.len();
    model.tags_per_frame = tags.len() as u32;
    for frame in 0..frames {
        for (title, origin) in tags {
            let axes = Shape { positions: vec![*origin], normals: UPRIGHT.to_vec(), ..Shape::default() };
            let (origins, axis) = axes.turned(frame as f32 / frames as f32, [0.0, 0.0, frame as f32 * 0.25]);
            model.tags.push(Tag {
                name: name(title)?,
                origin: origins[0],
                axis: [axis[0], axis[1], axis[2]],
            });
        }
    }
    Ok(())
}

/// The number of frames of the player's torso. Its legs have the same number, and death animations use all of them.
const PLAYER_FRAMES: usize = 6;

fn player() -> Result<Vec<(&'static str, Model)>> {
    const SHADER: &str = "models/players/block/default.tga";
    let legs = Shape::cuboid([-2.0, -3.0, -24.0], [2.0, 3.0, -8.0]).flipped();
    let mut lower = model("players/block/lower", PLAYER_FRAMES, &[("l_legs", SHADER, &legs)])?;
    tags(&mut lower, &[("tag_torso", [0.0, 0.0, -8.0])])?;

    let arm = Shape::cuboid([0.0, 3.0, 6.0], [8.0, 5.0, 8.0]).flipped();
    let torso = Shape::cuboid([-2.0, -3.0, 0.0], [2.0, 3.0, 10.0]).flipped().joined(&arm);
    let mut upper = model("players/block/upper", PLAYER_FRAMES, &[("u_torso", SHADER, &torso)])?;
    let upper_tags =
        [("tag_torso", [0.0; 3]), ("tag_head", [0.0, 0.0, 10.0]), ("tag_weapon", [8.0, 4.0, 7.0])];
    tags(&mut upper, &upper_tags)?;

    let skull = Shape::cuboid([-2.0, -2.0, 0.0], [3.0, 2.0, 5.0]).flipped();
    let mut head = model("players/block/head", 1, &[("h_head", SHADER, &skull)])?;
    tags(&mut head, &[("tag_head", [0.0; 3])])?;
    Ok(vec![("player/lower.md3", lower), ("player/upper.md3", upper), ("player/head.md3", head)])
}

/// Shaders of every kind, including common mistakes of real scripts.
const SHADERS: &str = "// shaders of the block\r
models/players/block/red\r
{\r
\tqer_editorimage models/players/block/red.tga\r
\tsurfaceparm nolightmap\r
\tcull disable\r
\t{\r
\t\tmap textures/effects/shine.tga\r
\t\ttcGen environment\r
\t\ttcMod scroll 0.1 0.2\r
\t\trgbGen lightingDiffuse\r
\t}\r
\t{\r
\t\tmap models/players/block/red.tga\r
\t\tblendFunc GL_SRC_ALPHA GL_ONE_MINUS_SRC_ALPHA\r
\t\trgbGen lightingDiffuse\r
\t}\r
}\r
models/players/block/leaf { deformVertexes wave 100 sin 0 1 0 0.5
{ clampMap models/leaf.tga alphaFunc GE128 depthWrite rgbGen const ( 1 0.5 0.25 ) } }
/* a brace
   is missing */
models/players/block/glow
{
\t{
\t\tanimMap 10 a.tga \"b c.tga\"
\t\tblendfunc add
\t\trgbGen wave sin 0.5 0.5 0 1
textures/common/nodraw
{
\tsurfaceparm nodraw
\tq3map_surfacelight 100
}
";

fn texts() -> Vec<(&'static str, String)> {
    let mut animation = String::from(
        "// animation config file\r\n\r\nsex\tn\r\nheadoffset 0 0 2.5\r\nfootsteps mech\r\n\r\n",
    );
    for (row, title) in meshlens_md3::animation::AnimationName::ALL.iter().enumerate().take(25) {
        // Deaths use frames 0 and 1 of both models, and gestures use frames 2 to 5 of the torso. The frame numbers of
        // the legs continue after them, so LEGS_WALKCR, row 13, starts at 6 and means frame 2 of lower.md3.
        let (first, frames) = match row {
            0..=5 => (row % 2, 1),
            6..=12 => (2 + (row - 6) % 4, 1),
            _ => (6 + (row - 13) % 3, 2),
        };
        let looping = if row >= 13 { frames } else { 0 };
        animation +=
            &format!("{first}\t{frames}\t{looping}\t{}\t\t// {}\r\n", 10 + row % 3 * 5, title.as_str());
    }
    vec![
        ("player/animation.cfg", animation),
        ("player/lower_red.skin", "l_legs,models/players/block/red.tga\r\ntag_torso,\r\n".into()),
        (
            "player/upper_red.skin",
            "u_torso,models/players/block/red.tga\r\ntag_torso,\r\ntag_head\r\ntag_weapon,\r\n".into(),
        ),
        ("player/head_red.skin", "h_head,models/players/block/red.tga\ntag_head,\n".into()),
        ("scripts/block.shader", SHADERS.into()),
    ]
}

/// A PK3 with a stored and a deflated model, a duplicate whose name differs in case, and a text.
fn archive(models: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let bytes = |path: &str| models.iter().find(|(name, _)| *name == path).map(|(_, bytes)| &bytes[..]);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().last_modified_time(DateTime::default());
    let stored = options.compression_method(CompressionMethod::Stored);
    let deflated = options.compression_method(CompressionMethod::Deflated);
    let entries = [
        ("models/stored.md3", bytes("tagged.md3"), stored),
        ("models/deflated.md3", bytes("animated.md3"), deflated),
        ("MODELS/Stored_1.MD3", bytes("static_1.md3"), stored),
        ("scripts/readme.txt", Some(&b"Nothing to see here.\n"[..]), deflated),
    ];
    for (path, content, options) in entries {
        zip.start_file(path, options).expect("an archive in memory takes every file");
        zip.write_all(content.unwrap_or_default()).expect("an archive in memory takes every byte");
    }
    zip.finish().expect("an archive in memory can be finished").into_inner()
}
