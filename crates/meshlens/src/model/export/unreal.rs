//! To Unreal: one mesh of all, a texture slot for each material, and a script with the sequences.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use meshlens_lens::Encode;
use meshlens_lens::encoding::UnrealTexcoord;
use meshlens_unreal::write::{Files, Model as Writer};
use meshlens_unreal::{Triangle, TriangleKind, TriangleType, VertexFormat};
use meshlens_wire::{Error, ErrorKind, Result};

use super::super::{Alpha, Material, Model, Space};
use super::bake::bake;

/// An Unreal mesh: its two files, and the script that imports them.
#[derive(Clone, Debug)]
pub struct UnrealFiles {
    /// Triangles and frames.
    pub files: Files,
    /// The text of a `.uc` file.
    pub script: String,
}

/// The largest units packed vertices hold.
const PACKED_REACH: [f32; 3] = [127.875, 127.875, 127.75];

/// A model as an Unreal mesh called `name`, lengths multiplied by `scale`, and what of it the format cannot hold. Vertices
/// are packed where they fit, and 16-bit where they do not.
///
/// # Errors
///
/// A vertex number out of range, or more vertices or triangles than the format counts.
pub fn to_unreal(model: &Model<'_>, name: &str, scale: f32) -> Result<(UnrealFiles, Vec<String>)> {
    let baked = bake(model, &Space::UNREAL, scale)?;
    let mut losses = baked.losses.clone();
    let positions = baked.meshes.iter().flat_map(|mesh| &mesh.frames).flat_map(|frame| &frame.positions);
    let fits = positions
        .clone()
        .all(|point| point.iter().zip(PACKED_REACH).all(|(value, reach)| value.abs() <= reach));
    let format = if fits { VertexFormat::Packed } else { VertexFormat::Wide };
    losses.push(match format {
        VertexFormat::Packed => "positions between 1/8 units, and 1/4 in height".to_string(),
        VertexFormat::Wide => {
            "positions between whole units: --scale below 1 makes packed vertices fit".to_string()
        }
    });
    losses.push("normals, which engines compute".into());
    let vertices: usize = baked.meshes.iter().map(|mesh| mesh.texcoords.len()).sum();
    let mut file = Writer::new(format, vertices);
    let mut slots: Vec<Option<usize>> = Vec::new();
    let mut first = 0usize;
    let mut outside = false;
    for mesh in &baked.meshes {
        let slot = slots.iter().position(|slot| *slot == mesh.material).unwrap_or_else(|| {
            slots.push(mesh.material);
            slots.len().saturating_sub(1)
        });
        let material = mesh.material.and_then(|material| model.materials.get(material));
        let kind = material.map_or(TriangleType(0), kind);
        for triangle in &mesh.triangles {
            let mut made = Triangle {
                triangle_type: kind,
                texture: u8::try_from(slot).unwrap_or(u8::MAX),
                ..Triangle::default()
            };
            for ((vertex, texcoord), index) in made.vertices.iter_mut().zip(&mut made.texcoords).zip(triangle)
            {
                let uv = mesh.texcoords.get(*index as usize).copied().unwrap_or_default();
                outside |= uv.iter().any(|value| !(0.0..=1.0).contains(value));
                *texcoord = UnrealTexcoord.encode(uv);
                let index = first.saturating_add(*index as usize);
                *vertex = u16::try_from(index).map_err(|_| {
                    let kind = ErrorKind::Limit { what: "vertices", limit: 65_536, found: vertices as u64 };
                    Error::new(meshlens_unreal::FORMAT, 0, kind)
                })?;
            }
            file.triangles.push(made);
        }
        first = first.saturating_add(mesh.texcoords.len());
    }
    if outside {
        losses.push("texture coordinates outside 0 to 1, which are brought there".into());
    }
    losses.push("texture coordinates between 1/255".into());
    for frame in 0..baked.frame_names.len() {
        let mut all = Vec::with_capacity(vertices);
        for mesh in &baked.meshes {
            all.extend(mesh.frames.get(frame).into_iter().flat_map(|frame| frame.positions.iter().copied()));
        }
        file.add_frame(&all)?;
    }
    for tag in &baked.tags {
        losses.push(format!("tag {tag}"));
    }
    let identifier: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    let script = script(&identifier, model, &baked, &slots, format);
    losses.sort();
    losses.dedup();
    Ok((UnrealFiles { files: file.write()?, script }, losses))
}

fn kind(material: &Material) -> TriangleType {
    let kind = match (material.alpha, material.two_sided) {
        (Alpha::Blend, _) => TriangleKind::Translucent,
        (Alpha::Mask, _) => TriangleKind::Masked,
        (Alpha::Opaque, true) => TriangleKind::TwoSided,
        (Alpha::Opaque, false) => TriangleKind::Normal,
    };
    TriangleType::new(kind, if material.unlit { TriangleType::UNLIT } else { 0 })
}

/// The lines that import the mesh as it was: stored integers back to units.
fn script(
    name: &str,
    model: &Model<'_>,
    baked: &super::Baked,
    slots: &[Option<usize>],
    format: VertexFormat,
) -> String {
    let mut text = format!("class {name} expands Actor;\n");
    let mut line = |arguments: core::fmt::Arguments<'_>| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "#exec {arguments}");
    };
    line(format_args!("MESH IMPORT MESH={name} ANIVFILE={name}_a.3d DATAFILE={name}_d.3d X=0 Y=0 Z=0"));
    line(format_args!("MESH ORIGIN MESH={name} X=0 Y=0 Z=0"));
    for sequence in &baked.sequences {
        let super::BakedSequence { name: title, first, count, rate } = sequence;
        let title: String = title.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        line(format_args!(
            "MESH SEQUENCE MESH={name} SEQ={title} STARTFRAME={first} NUMFRAMES={count} RATE={rate}"
        ));
    }
    line(format_args!("MESHMAP NEW MESHMAP={name} MESH={name}"));
    let [x, y, z] = match format {
        VertexFormat::Packed => [0.125, 0.125, 0.25],
        VertexFormat::Wide => [1.0; 3],
    };
    line(format_args!("MESHMAP SCALE MESHMAP={name} X={x} Y={y} Z={z}"));
    for (slot, material) in slots.iter().enumerate() {
        let Some(material) = material.and_then(|material| model.materials.get(material)) else { continue };
        let path = material.texture.as_deref().unwrap_or(&material.name);
        let path: String = path.chars().filter(|c| !c.is_control() && *c != '"').collect();
        if path.is_empty() {
            continue;
        }
        line(format_args!("TEXTURE IMPORT NAME={name}{slot} FILE=\"{path}\""));
        line(format_args!("MESHMAP SETTEXTURE MESHMAP={name} NUM={slot} TEXTURE={name}{slot}"));
    }
    text
}
