//! The text of the shader of a mesh.

use core::fmt::Write;

use meshlens::lens::Semantic;

use super::{Joints, MeshLayout};
use crate::layout::{Binding, shader_type};
use crate::plan::Per;
use crate::plan::numbers::NUMBERS;
use crate::plan::sprites::FIRST_CORNER;
use crate::wgsl::{BLEND, Decoder, Module, SKIN, Scalar, TRANSFORM, load_function};

impl MeshLayout {
    /// The shader: entry points `vertex_main` and `fragment_main`. Binding 0 of group 0 is the scene, group 1 the
    /// material; group 2 has the counts of the mesh, then the texels of each table that is not bound as attributes;
    /// group 3 the joints.
    pub fn shader(&self, joints: Joints) -> String {
        let mut module = Module::new();
        module.add(&BLEND).add(&TRANSFORM).push(include_str!("scene.wgsl"));
        self.write_inputs(&mut module, joints);
        let mut body = String::from(
            "    let frames = input.numbers.xy;\n    let weight = bitcast<f32>(input.numbers.w);\n",
        );
        // Writing to a string cannot fail.
        let (point, corner) = self.write_numbers(&mut module);
        let _ = writeln!(body, "    let point = {point};\n    let corner = {corner};");
        let read = |semantic, module: &mut Module| self.write_reader(semantic, 0, module);
        let position = read(Semantic::Position, &mut module);
        let _ = writeln!(body, "    var position = {};", position.unwrap_or("vec3<f32>()".into()));
        let normal =
            read(Semantic::Normal, &mut module).or_else(|| read(Semantic::TangentFrame, &mut module));
        let has_normals = normal.is_some();
        let _ = writeln!(body, "    var normal = {};", normal.unwrap_or("vec3<f32>(0.0, 0.0, 1.0)".into()));
        let texcoord = read(Semantic::Texcoord, &mut module);
        let _ = writeln!(body, "    var texcoord = {};", texcoord.unwrap_or("vec2<f32>()".into()));
        body.push_str(
            "    let texcoord_set = select(u32(max(material.options.w, 0.0)), scene.mode.z, scene.mode.z != 0u);\n",
        );
        for set in 1.. {
            let Some(texcoord) = self.write_reader(Semantic::Texcoord, set, &mut module) else { break };
            let _ =
                writeln!(body, "    if texcoord_set == {set}u {{\n        texcoord = {texcoord};\n    }}");
        }
        let color = read(Semantic::Color, &mut module);
        let _ = writeln!(body, "    let color = {};", color.unwrap_or("vec4<f32>(1.0)".into()));
        let first_corner = self.write_reader(Semantic::Position, FIRST_CORNER, &mut module);
        if let Some(first_corner) = &first_corner {
            let _ = writeln!(body, "    var first_corner = {first_corner};");
        }
        if self.is_skinned() {
            module.add(&SKIN);
            let joints = read(Semantic::Joints, &mut module).unwrap_or_default();
            let weights = read(Semantic::Weights, &mut module).unwrap_or_default();
            let _ = writeln!(
                body,
                "    let joints = {joints} + vec4<u32>(input.numbers.z);\n    let rows = blend_joints(\
                 joint_rows[joints.x], joint_rows[joints.y], joint_rows[joints.z], joint_rows[joints.w], {weights});\n    \
                 position = move_position(rows, position);\n    normal = move_direction(rows, normal);"
            );
            if first_corner.is_some() {
                body.push_str("    first_corner = move_position(rows, first_corner);\n");
            }
        }
        module.push(&format!("const HAS_NORMALS = {has_normals};"));
        module.push(include_str!("fragment.wgsl"));
        let placed = match first_corner {
            Some(_) => {
                module.push(include_str!("sprite.wgsl"));
                "sprite(input.row_x, input.row_y, input.row_z, position, first_corner, texcoord, color)"
            }
            None => "placed(input.row_x, input.row_y, input.row_z, position, normal, texcoord, color)",
        };
        module.push(&format!(
            "@vertex\nfn vertex_main(input: VertexInput) -> VertexOutput {{\n{body}    return {placed};\n}}"
        ));
        module.into_text()
    }

    /// The [shader](Self::shader), after a line with the strides of the vertex buffers, which are the only part of a
    /// pipeline that the shader does not define.
    #[cfg(feature = "wgpu")]
    pub(crate) fn pipeline_key(&self, joints: Joints) -> String {
        let strides: Vec<String> = self.buffers().iter().map(|slot| slot.stride.to_string()).collect();
        format!("// Strides: {}.\n{}", strides.join(", "), self.shader(joints))
    }

    /// The declarations of attributes and textures.
    fn write_inputs(&self, module: &mut Module, joints: Joints) {
        let mut inputs = String::from(
            "struct VertexInput {\n    @builtin(vertex_index) index: u32,\n    @location(0) row_x: vec4<f32>,\n    \
             @location(1) row_y: vec4<f32>,\n    @location(2) row_z: vec4<f32>,\n    @location(3) numbers: vec4<u32>,\n",
        );
        for slot in self.buffers() {
            let Some(table) = slot.table else { continue };
            let letter = if slot.is_second { "b" } else { "a" };
            for (field, (location, format, _)) in slot.attributes.iter().enumerate() {
                let (scalar, components) = shader_type(*format);
                let of = crate::wgsl::vector(scalar, components);
                let _ = writeln!(inputs, "    @location({location}) table_{table}_{field}_{letter}: {of},");
            }
        }
        module.push(&(inputs + "}"));
        if self.needs_counts() {
            let counts = "@group(2) @binding(0) var<uniform> counts: vec4<u32>;";
            module.push(&format!("// The numbers of points, corners and vertices of a frame.\n{counts}"));
        }
        for (index, bound) in self.tables.iter().enumerate() {
            if matches!(bound.binding, Binding::Texels(_)) {
                let binding = index + 1;
                module.push(&format!(
                    "@group(2) @binding({binding}) var texels_{index}: texture_2d<u32>;\n\
                     fn texel_{index}(i: u32) -> u32 {{\n    let width = textureDimensions(texels_{index}).x;\n    \
                     return textureLoad(texels_{index}, vec2<i32>(i32(i % width), i32(i / width)), 0).x;\n}}"
                ));
            }
        }
        if self.is_skinned() {
            module.push(&match joints {
                Joints::Storage => {
                    "@group(3) @binding(0) var<storage, read> joint_rows: array<mat3x4<f32>>;".to_string()
                }
                Joints::Uniform(count) => {
                    format!("@group(3) @binding(0) var<uniform> joint_rows: array<mat3x4<f32>, {count}>;")
                }
            });
        }
    }

    /// The expressions of the numbers of the point and the corner of a vertex.
    fn write_numbers(&self, module: &mut Module) -> (String, String) {
        let Some((index, bound, field)) = self.find(NUMBERS, 0) else {
            return ("input.index".into(), "input.index".into());
        };
        let has_two = self.tables.iter().any(|bound| bound.per == Per::Corner);
        let place = bound.table.fields.iter().position(|other| other == field).unwrap_or(0);
        let (value, is_vector) = match &bound.binding {
            Binding::Attributes(attributes) => {
                let is_vector = attributes.get(place).is_some_and(|found| shader_type(found.format).1 > 1);
                (format!("input.table_{index}_{place}_a"), is_vector)
            }
            Binding::Texels(texels) => {
                let (load, name) = (format!("texel_{index}"), "load_numbers");
                module.push(&load_function(name, &load, *texels, field.format, field.offset));
                (format!("{name}(input.index)"), field.format.components() > 1)
            }
        };
        match (is_vector, has_two) {
            (true, true) => (format!("{value}.x"), format!("{value}.y")),
            (true, false) => (format!("{value}.x"), "input.index".into()),
            (false, _) => (value, "input.index".into()),
        }
    }

    /// Adds the functions that read an array, and returns the expression of its value between two frames.
    fn write_reader(&self, semantic: Semantic, set: usize, module: &mut Module) -> Option<String> {
        let (index, bound, field) = self.find(semantic, set)?;
        let name = match set {
            0 => semantic.name().to_string(),
            set => format!("{}_{set}", semantic.name()),
        };
        let decoder = Decoder::of(field.format);
        let place = bound.table.fields.iter().position(|other| other == field)?;
        if let Some(decoder) = &decoder {
            decoder.write_function(&format!("decode_{name}"), module);
        }
        // Values that the GPU has already decoded, and integers, need no conversion.
        let decode = |stored: String, scalar: Scalar| match &decoder {
            Some(decoder) if decoder.scalar == scalar => format!("decode_{name}({stored})"),
            _ => stored,
        };
        let numbers = crate::layout::numbers(field.format);
        let values: [String; 2] = match &bound.binding {
            Binding::Attributes(attributes) => {
                let (scalar, given) = shader_type(attributes.get(place)?.format);
                let narrow = match numbers.len() {
                    kept if kept < given => [".x", ".xy", ".xyz"][kept.max(1) - 1],
                    _ => "",
                };
                ["a", "b"]
                    .map(|letter| decode(format!("input.table_{index}_{place}_{letter}{narrow}"), scalar))
            }
            Binding::Texels(texels) => {
                let (load, texel) = (format!("load_{name}"), format!("texel_{index}"));
                module.push(&load_function(&load, &texel, *texels, field.format, field.offset));
                let (number, count) = match bound.per {
                    Per::Vertex => ("input.index", "counts.z"),
                    Per::Point => ("point", "counts.x"),
                    Per::Corner => ("corner", "counts.y"),
                };
                let scalar = Scalar::of(numbers.first()?.component);
                let record = |frame: &str| {
                    if bound.is_animated {
                        format!("frames.{frame} * {count} + {number}")
                    } else {
                        number.to_string()
                    }
                };
                ["x", "y"].map(|frame| decode(format!("{load}({})", record(frame)), scalar))
            }
        };
        let part = if semantic == Semantic::TangentFrame { ".normal" } else { "" };
        let [a, b] = values.map(|value| value + part);
        Some(match (bound.is_animated, semantic) {
            (false, _) => a,
            (true, Semantic::Normal | Semantic::TangentFrame) => {
                format!("blend_directions({a}, {b}, weight)")
            }
            (true, _) => format!("blend_positions({a}, {b}, weight)"),
        })
    }
}
