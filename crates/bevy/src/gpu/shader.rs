//! The vertex shader of a mesh: it loads two records from the buffer of frames, decodes and blends them.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write;
use std::hash::{Hash, Hasher};

use bevy::asset::uuid::{Uuid, uuid};
use bevy::asset::{Assets, Handle};
use bevy::shader::Shader;
use meshlens::lens::Semantic;
use meshlens_gpu::layout::{Field, Table};
use meshlens_gpu::plan::Per;
use meshlens_gpu::wgsl::{BLEND, Decoder, Module, TRANSFORM, load_function};

/// A shader that is never used, because the shader of each mesh replaces it.
pub(super) const FALLBACK: Handle<Shader> =
    Handle::Uuid(uuid!("5c3d34e5-6d3a-4f0e-9a4e-31c1f9f3d6b1"), std::marker::PhantomData);

/// Adds the shader for these tables, unless it already exists, and returns its UUID.
pub(super) fn add(tables: &[(Table, Per)], shaders: &mut Assets<Shader>) -> Uuid {
    let text = text(tables);
    // The UUID is a hash of the text, so that meshes with the same encodings share a pipeline.
    let hash = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, &text).hash(&mut hasher);
        hasher.finish()
    };
    let number = Uuid::from_u64_pair(hash(1), hash(2));
    let handle = Handle::<Shader>::Uuid(number, Default::default());
    if !shaders.contains(&handle) {
        let shader =
            Shader::from_wesl(text, format!("embedded://bevy_meshlens/frames_{}.wesl", number.simple()));
        // Inserting with a UUID cannot fail, unlike with an index, whose generation could be outdated.
        let _ = shaders.insert(&handle, shader);
    }
    number
}

/// The text of the shader, in WESL.
fn text(tables: &[(Table, Per)]) -> String {
    let mut module = Module::new();
    module.push(include_str!("head.wesl"));
    module.add(&BLEND).add(&TRANSFORM);
    let mut read = |semantics: &[Semantic]| {
        let found = tables.iter().enumerate().find_map(|(index, (table, per))| {
            let field = table.fields.iter().find(|field| semantics.contains(&field.semantic))?;
            Some((index, table, *per, field))
        });
        found.and_then(|(index, table, per, field)| reader(index, table, per, field, &mut module))
    };
    let position = read(&[Semantic::Position]);
    let normal = read(&[Semantic::Normal, Semantic::TangentFrame]);
    let mut body = String::new();
    if let Some(read) = position {
        // Writing to a string cannot fail.
        let _ = writeln!(
            body,
            "    let stored = vec4<f32>(blend_positions({read}(number, shown.x), {read}(number, shown.y), weight), 1.0);\n    \
             vertex.position = vec3<f32>(dot(x, stored), dot(y, stored), dot(z, stored));"
        );
    }
    if let Some(read) = normal {
        let _ = writeln!(
            body,
            "    @if(VERTEX_NORMALS && (!PREPASS_PIPELINE || NORMAL_PREPASS_OR_DEFERRED_PREPASS))\n    \
             vertex.normal = transform_normal(x.xyz, y.xyz, z.xyz, \
             blend_directions({read}(number, shown.x), {read}(number, shown.y), weight));"
        );
    }
    module.push(&include_str!("vertex.wesl").replace("    // FRAMES\n", &body));
    module.into_text()
}

/// Adds the functions that read an array, and returns the name of the last one: `name(number, frame)` is the value of a
/// vertex in the frame at this offset. `None` if no function decodes the array.
fn reader(index: usize, table: &Table, per: Per, field: &Field, module: &mut Module) -> Option<String> {
    let decoder = match field.semantic {
        Semantic::TangentFrame => Decoder::of_tangent_frame(field.format)?,
        _ => Decoder::of(field.format)?,
    };
    let name = if field.semantic == Semantic::Position { "position" } else { "normal" };
    let (decode, load, read) = (format!("decode_{name}"), format!("load_{name}"), format!("read_{name}"));
    let texels = table.texels();
    decoder.write_function(&decode, module);
    module.push(&load_function(
        &load,
        &format!("frame_word_{}", texels.word),
        texels,
        field.format,
        field.offset,
    ));
    let record = match per {
        Per::Vertex => "number",
        Per::Point => "frame_words[frame_words[14] + number]",
        Per::Corner => "frame_words[frame_words[15] + number]",
    };
    let place = ["frame_words[12]", "frame_words[13]"].get(index)?;
    let part = if decoder.floats == 0 { ".normal" } else { "" };
    module.push(&format!(
        "fn {read}(number: u32, frame: u32) -> vec3<f32> {{\n    frame_place = frame + {place};\n    \
         return {decode}({load}({record})){part};\n}}"
    ));
    Some(read)
}
