//! Models as Unreal meshes: all meshes in one, a texture slot for each material, and a script with the sequences.

mod grid;
mod joined;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use meshlens_lens::{ComponentType, Encode, ValueLens};
use meshlens_unreal::encoding::UnrealTexcoord;
use meshlens_unreal::write::{Files, Model as Writer};
use meshlens_unreal::{Triangle, TriangleKind, TriangleType, VertexEncoding};
use meshlens_wire::{Checks, ErrorKind, Report, Result};

use super::bake::{Baked, bake};
use super::lost::{lose_material, lose_tags};
use super::stored::{Changes, NOISE};
use crate::model::{
    Alpha, Clip, Material, Model, Space, TextureAlpha, TextureCoordinates, distinct_names, lose_clip_name,
};
use crate::{codes, formats};
use grid::Axis;
use joined::Joined;

const CHECKS: Checks = Checks::new(meshlens_unreal::FORMAT);

/// An Unreal mesh: the two files, and the script that imports them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnrealFiles {
    /// The two files.
    pub files: Files,
    /// The text of a `.uc` file.
    pub script: String,
}

/// Writes a model as an Unreal mesh called `name`, with lengths multiplied by `scale`. Returns the files, and a finding for
/// everything that they do not keep.
///
/// Positions are stored as integers, with a scale and an origin for each axis, which are chosen from the positions of
/// all frames and written to the script. Positions are exact if they are on a grid with few enough steps, like
/// positions from other games; otherwise they move by at most 1/2000 of the size of the model along each axis. Vertices
/// are packed, which every engine reads, unless the model was read from 16-bit vertices. [`to_unreal_as`] takes the
/// encoding as an argument.
///
/// O(vertices x frames), in time and memory.
///
/// # Errors
///
/// A vertex index is out of range, or the model has no triangles, or more vertices, triangles or materials than the format
/// can count.
pub fn to_unreal(model: &Model<'_>, name: &str, scale: f32) -> Result<(UnrealFiles, Report)> {
    let is_wide = |positions: ValueLens<'_, [f32; 3]>| positions.format().component() == ComponentType::I16;
    let first = model.meshes.first().filter(|_| model.format == Some(crate::Format::Unreal));
    let format = match first.map(|mesh| mesh.positions(0)) {
        Some(Ok(positions)) if is_wide(positions) => VertexEncoding::Wide,
        _ => VertexEncoding::Packed,
    };
    to_unreal_as(model, name, scale, format)
}

/// Like [`to_unreal`], with a given encoding of the vertices: packed vertices have 2048 steps along X and Y and 1024
/// along Z, 16-bit vertices (Deus Ex) have 65,536.
///
/// # Errors
///
/// Same as [`to_unreal`].
pub fn to_unreal_as(
    model: &Model<'_>,
    name: &str,
    scale: f32,
    format: VertexEncoding,
) -> Result<(UnrealFiles, Report)> {
    let baked = bake(model, &Space::UNREAL, scale)?;
    if baked.meshes.is_empty() {
        return Err(CHECKS.error(ErrorKind::Unsupported { what: "a model without triangles" }));
    }
    let mut losses = baked.losses.clone();
    model.losses(&mut losses);
    losses.append(baked.clip_losses.clone());
    let positions = baked.meshes.iter().flat_map(|mesh| &mesh.frames).flat_map(|frame| &frame.positions);
    let grid = grid::choose(positions.clone(), format);
    rounding(positions.clone(), &grid, &mut losses);
    // Normals of Unreal meshes were computed, and will be computed again in the same way.
    if model.format != Some(crate::Format::Unreal) {
        let normals = positions.count() as u64;
        let message = format_args!("{normals} normals, which engines compute");
        losses.lose(&codes::NORMALS_LOST, normals, format_args!(""), message);
    }
    let of_frame = |frame: usize| baked.meshes.iter().filter_map(move |mesh| mesh.frames.get(frame));
    let mut frames: Vec<Vec<[i16; 3]>> = Vec::with_capacity(baked.frame_names.len());
    for frame in 0..baked.frame_names.len() {
        let positions = of_frame(frame).flat_map(|frame| &frame.positions);
        frames.push(positions.map(|position| encode(&grid, *position)).collect());
    }
    let first_normals: Vec<[f32; 3]> = of_frame(0).flat_map(|frame| frame.normals.iter().copied()).collect();
    let joined = Joined::new(&frames, &first_normals);
    let mut file = Writer::new(format, joined.vertices.len());
    let slots = triangles(model, &baked, &joined, &mut file, &mut losses)?;
    for frame in &frames {
        let kept = joined.vertices.iter().filter_map(|vertex| frame.get(*vertex as usize).copied());
        file.add_integer_frame(&kept.collect::<Vec<_>>())?;
    }
    lose_tags(&mut losses, model);
    let identifier: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    let script = script(&identifier, model, &baked, &slots, &grid, &mut losses);
    Ok((UnrealFiles { files: file.write()?, script }, losses))
}

/// Adds the triangles, and returns the material of each texture slot.
fn triangles(
    model: &Model<'_>,
    baked: &Baked,
    joined: &Joined,
    file: &mut Writer,
    losses: &mut Report,
) -> Result<Vec<Option<usize>>> {
    let mut slots: Vec<Option<usize>> = Vec::new();
    let mut first = 0usize;
    let (mut outside, mut texcoords) = (0u64, Changes::default());
    for mesh in &baked.meshes {
        let slot = slots.iter().position(|slot| *slot == mesh.material).unwrap_or_else(|| {
            slots.push(mesh.material);
            slots.len() - 1
        });
        let texture = u8::try_from(slot).map_err(|_| CHECKS.limit("texture slots", 256, slots.len()))?;
        let material = mesh.material.and_then(|material| model.materials.get(material));
        let kind = material.map_or(TriangleType(0), kind);
        for triangle in &mesh.triangles {
            let mut made = Triangle { triangle_type: kind, texture, ..Triangle::default() };
            for ((vertex, texcoord), index) in made.vertices.iter_mut().zip(&mut made.texcoords).zip(triangle)
            {
                // Every vertex has texture coordinates.
                let uv = mesh.texcoords.get(*index as usize).copied().unwrap_or([0.0; 2]);
                *texcoord = UnrealTexcoord.encode(uv);
                if uv.iter().all(|value| (0.0..=1.0).contains(value)) {
                    texcoords.point(uv, texcoord.map(|byte| f32::from(byte) / 255.0));
                } else {
                    outside += 1;
                }
                *vertex = u16::try_from(joined.of(first + *index as usize))
                    .map_err(|_| CHECKS.limit("vertices", 65_536, file.vertices_per_frame))?;
            }
            file.triangles.push(made);
        }
        first += mesh.texcoords.len();
    }
    let message = format_args!("{outside} texture coordinates outside 0 to 1, which moved to the edge");
    losses.lose(&codes::TEXCOORD_CLAMPED, outside, format_args!(""), message);
    texcoords.report(losses, &codes::TEXCOORD_ROUNDED, "texture coordinates moved", "of the texture");
    Ok(slots)
}

fn encode(grid: &[Axis; 3], position: [f32; 3]) -> [i16; 3] {
    let ([x, y, z], [a, b, c]) = (grid, position);
    [x.encode(a), y.encode(b), z.encode(c)]
}

/// Reports how many positions moved when they were rounded, and how far.
fn rounding<'p>(
    positions: impl Iterator<Item = &'p [f32; 3]> + Clone,
    grid: &[Axis; 3],
    losses: &mut Report,
) {
    let reach = positions.clone().flatten().fold(0.0f32, |reach, value| reach.max(value.abs()));
    let (mut moved, mut all, mut most) = (0u64, 0u64, [0.0f64; 3]);
    for position in positions {
        let mut is_moved = false;
        for ((axis, value), most) in grid.iter().zip(position).zip(&mut most) {
            let error = libm::fabs(axis.decode(axis.encode(*value)) - f64::from(*value));
            // Differences that come from the conversion of coordinates do not count.
            is_moved |= error > f64::from(reach * NOISE);
            *most = most.max(error);
        }
        all += 1;
        moved += u64::from(is_moved);
    }
    let [x, y, z] = most;
    let message = format_args!(
        "{moved} of {all} positions are rounded, by at most {x:.2e} along X, {y:.2e} along Y and {z:.2e} along Z"
    );
    losses.lose(&codes::POSITION_ROUNDED, moved, format_args!(""), message);
}

fn kind(material: &Material) -> TriangleType {
    let kind = match (material.alpha, material.two_sided) {
        (Alpha::Blend, _) if material.texture_alpha == TextureAlpha::Multiply2x => TriangleKind::Modulated,
        (Alpha::Blend, _) => TriangleKind::Translucent,
        (Alpha::Mask, _) => TriangleKind::Masked,
        (Alpha::Opaque, true) => TriangleKind::TwoSided,
        (Alpha::Opaque, false) => TriangleKind::Normal,
    };
    let effects = [
        (material.unlit, TriangleType::UNLIT),
        (material.texture_coordinates == TextureCoordinates::Environment, TriangleType::ENVIRONMENT),
        (material.nearest, TriangleType::NO_SMOOTHING),
    ];
    TriangleType::new(kind, effects.iter().filter(|(is_set, _)| *is_set).map(|(_, bit)| bit).sum())
}

/// The lines that import the mesh and convert stored integers back to positions.
fn script(
    name: &str,
    model: &Model<'_>,
    baked: &Baked,
    slots: &[Option<usize>],
    grid: &[Axis; 3],
    losses: &mut Report,
) -> String {
    let mut text = format!("class {name} expands Actor;\n");
    let mut line = |arguments: core::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "#exec {arguments}");
    };
    line(format_args!("MESH IMPORT MESH={name} ANIVFILE={name}_a.3d DATAFILE={name}_d.3d X=0 Y=0 Z=0"));
    let [x, y, z] = grid.map(|axis| axis.origin);
    line(format_args!("MESH ORIGIN MESH={name} X={x} Y={y} Z={z}"));
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let titles: Vec<String> = baked.sequences.iter().map(|s| s.name.chars().map(plain).collect()).collect();
    let titles = distinct_names(titles.iter().map(|title| &**title), []);
    for (sequence, title) in baked.sequences.iter().zip(titles) {
        let Clip { name: own, first, count, rate, .. } = sequence;
        let rate = rate.get();
        lose_clip_name(losses, own, &title);
        line(format_args!(
            "MESH SEQUENCE MESH={name} SEQ={title} STARTFRAME={first} NUMFRAMES={count} RATE={rate}"
        ));
    }
    line(format_args!("MESHMAP NEW MESHMAP={name} MESH={name}"));
    let [x, y, z] = grid.map(|axis| axis.scale);
    line(format_args!("MESHMAP SCALE MESHMAP={name} X={x} Y={y} Z={z}"));
    for (slot, material) in slots.iter().enumerate() {
        let Some(material) = material.and_then(|material| model.materials.get(material)) else { continue };
        lose_material(losses, material, &formats::unreal::material(0, kind(material), None));
        let path = material.texture.as_deref().unwrap_or_default();
        let path: String = path.chars().filter(|c| !c.is_control() && *c != '"').collect();
        if path.is_empty() {
            continue;
        }
        line(format_args!("TEXTURE IMPORT NAME={name}{slot} FILE=\"{path}\""));
        line(format_args!("MESHMAP SETTEXTURE MESHMAP={name} NUM={slot} TEXTURE={name}{slot}"));
    }
    text
}
