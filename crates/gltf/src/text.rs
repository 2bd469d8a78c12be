//! The JSON text of a document. Empty lists, empty objects and values that are glTF's defaults are left out. Members are in
//! the order of the records' fields.

use serde_json::{Map, Value};

use crate::json::{Accessor, Animation, BufferView, Image, Material, Mesh, Node, Root, Skin, Sparse};

/// The text of a document.
pub(crate) fn document(root: &Root) -> Vec<u8> {
    let mut out = Vec::new();
    object(&mut out, |object| members(object, root));
    out
}

/// An object that is being written.
struct Object<'w> {
    out: &'w mut Vec<u8>,
    is_empty: bool,
}

fn object(out: &mut Vec<u8>, write: impl FnOnce(&mut Object<'_>)) {
    out.push(b'{');
    write(&mut Object { out, is_empty: true });
    out.push(b'}');
}

// Writing to memory does not fail.

fn put_text(out: &mut Vec<u8>, text: &str) {
    let written = serde_json::to_writer(out, text);
    debug_assert!(written.is_ok());
}

fn put_float(out: &mut Vec<u8>, value: f32) {
    let written = serde_json::to_writer(out, &value);
    debug_assert!(written.is_ok());
}

fn put_number(out: &mut Vec<u8>, value: u64) {
    let written = serde_json::to_writer(out, &value);
    debug_assert!(written.is_ok());
}

fn put_map(out: &mut Vec<u8>, map: &Map<String, Value>) {
    let written = serde_json::to_writer(out, map);
    debug_assert!(written.is_ok());
}

fn put_list<T>(out: &mut Vec<u8>, values: &[T], mut put: impl FnMut(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        put(out, value);
    }
    out.push(b']');
}

impl Object<'_> {
    /// Begins a member. The caller writes its value.
    fn key(&mut self, name: &str) -> &mut Vec<u8> {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(b',');
        }
        put_text(self.out, name);
        self.out.push(b':');
        self.out
    }

    fn number(&mut self, name: &str, value: usize) {
        put_number(self.key(name), value as u64);
    }

    fn bytes(&mut self, name: &str, value: u64) {
        put_number(self.key(name), value);
    }

    /// A number, unless it is `None`.
    fn index(&mut self, name: &str, value: Option<usize>) {
        if let Some(value) = value {
            self.number(name, value);
        }
    }

    fn text(&mut self, name: &str, text: &str) {
        put_text(self.key(name), text);
    }

    fn optional_text(&mut self, name: &str, text: Option<&str>) {
        if let Some(text) = text {
            self.text(name, text);
        }
    }

    /// A name, unless it is empty.
    fn name(&mut self, text: &str) {
        self.optional_text("name", Some(text).filter(|text| !text.is_empty()));
    }

    /// `true`, unless it is false.
    fn flag(&mut self, name: &str, flag: bool) {
        if flag {
            self.key(name).extend(b"true");
        }
    }

    /// Numbers, unless there are none.
    fn floats(&mut self, name: &str, values: &[f32]) {
        if !values.is_empty() {
            put_list(self.key(name), values, |out, value| put_float(out, *value));
        }
    }

    fn indices(&mut self, name: &str, values: &[usize]) {
        put_list(self.key(name), values, |out, value| put_number(out, *value as u64));
    }

    fn texts(&mut self, name: &str, texts: &[&str]) {
        if !texts.is_empty() {
            put_list(self.key(name), texts, |out, text| put_text(out, text));
        }
    }

    fn map(&mut self, name: &str, map: &Map<String, Value>) {
        if !map.is_empty() {
            put_map(self.key(name), map);
        }
    }

    fn object(&mut self, name: &str, write: impl FnOnce(&mut Object<'_>)) {
        object(self.key(name), write);
    }

    /// An object for each record.
    fn records<T>(&mut self, name: &str, records: &[T], write: fn(&mut Object<'_>, &T)) {
        put_list(self.key(name), records, |out, record| object(out, |object| write(object, record)));
    }

    /// Like [`Self::records`], unless there are none.
    fn some_records<T>(&mut self, name: &str, records: &[T], write: fn(&mut Object<'_>, &T)) {
        if !records.is_empty() {
            self.records(name, records, write);
        }
    }
}

fn members(object: &mut Object<'_>, root: &Root) {
    object.object("asset", |asset| {
        asset.text("version", "2.0");
        asset.text("generator", concat!("meshlens ", env!("CARGO_PKG_VERSION")));
    });
    object.texts("extensionsUsed", &root.extensions_used);
    object.texts("extensionsRequired", &root.extensions_required);
    object.number("scene", root.scene);
    object.records("scenes", &root.scenes, |scene, nodes| scene.indices("nodes", &nodes.nodes));
    object.some_records("nodes", &root.nodes, node);
    object.some_records("meshes", &root.meshes, mesh);
    object.some_records("skins", &root.skins, skin);
    object.some_records("materials", &root.materials, material);
    object.some_records("textures", &root.textures, |object, texture| {
        object.index("sampler", texture.sampler);
        object.number("source", texture.source);
    });
    object.some_records("images", &root.images, image);
    object.some_records("samplers", &root.samplers, |object, sampler| {
        object.number("wrapS", usize::from(sampler.wrap_s));
        object.number("wrapT", usize::from(sampler.wrap_t));
    });
    object.some_records("animations", &root.animations, animation);
    object.some_records("accessors", &root.accessors, accessor);
    object.some_records("bufferViews", &root.buffer_views, view);
    object.some_records("buffers", &root.buffers, |object, buffer| {
        object.optional_text("uri", buffer.uri.as_deref());
        object.bytes("byteLength", buffer.byte_length);
        object.map("extensions", &buffer.extensions);
    });
}

fn node(object: &mut Object<'_>, node: &Node) {
    object.name(&node.name);
    if !node.children.is_empty() {
        object.indices("children", &node.children);
    }
    object.floats("translation", node.translation.as_ref().map_or(&[], |values| values));
    object.floats("rotation", node.rotation.as_ref().map_or(&[], |values| values));
    object.floats("scale", node.scale.as_ref().map_or(&[], |values| values));
    object.index("mesh", node.mesh);
    object.index("skin", node.skin);
    object.map("extensions", &node.extensions);
    object.map("extras", &node.extras);
}

fn mesh(object: &mut Object<'_>, mesh: &Mesh) {
    object.name(&mesh.name);
    object.records("primitives", &mesh.primitives, |object, primitive| {
        put_map(object.key("attributes"), &primitive.attributes.0);
        object.number("indices", primitive.indices);
        object.index("material", primitive.material);
        object.some_records("targets", &primitive.targets, |object, target| {
            object.number("POSITION", target.position);
            object.index("NORMAL", target.normal);
        });
    });
    object.floats("weights", &mesh.weights);
    object.map("extras", &mesh.extras);
}

fn skin(object: &mut Object<'_>, skin: &Skin) {
    object.number("inverseBindMatrices", skin.inverse_bind_matrices);
    object.index("skeleton", skin.skeleton);
    object.indices("joints", &skin.joints);
}

fn material(object: &mut Object<'_>, material: &Material) {
    object.name(&material.name);
    object.object("pbrMetallicRoughness", |object| {
        let pbr = &material.pbr_metallic_roughness;
        if pbr.base_color_factor != [1.0; 4] {
            object.floats("baseColorFactor", &pbr.base_color_factor);
        }
        if let Some(texture) = pbr.base_color_texture {
            object.object("baseColorTexture", |object| object.number("index", texture));
        }
        put_float(object.key("metallicFactor"), pbr.metallic_factor);
        if pbr.roughness_factor != 1.0 {
            put_float(object.key("roughnessFactor"), pbr.roughness_factor);
        }
    });
    if material.emissive_factor != [0.0; 3] {
        object.floats("emissiveFactor", &material.emissive_factor);
    }
    object.optional_text("alphaMode", material.alpha_mode);
    if let Some(cutoff) = material.alpha_cutoff {
        put_float(object.key("alphaCutoff"), cutoff);
    }
    object.flag("doubleSided", material.double_sided);
    object.map("extensions", &material.extensions);
    object.map("extras", &material.extras);
}

fn image(object: &mut Object<'_>, image: &Image) {
    object.optional_text("uri", image.uri.as_deref());
    object.optional_text("mimeType", image.mime_type);
    object.index("bufferView", image.buffer_view);
    object.optional_text("name", image.name.as_deref());
}

fn animation(object: &mut Object<'_>, animation: &Animation) {
    object.name(&animation.name);
    object.records("channels", &animation.channels, |object, channel| {
        object.number("sampler", channel.sampler);
        object.object("target", |object| {
            object.number("node", channel.node);
            object.text("path", channel.path);
        });
    });
    object.records("samplers", &animation.samplers, |object, sampler| {
        object.number("input", sampler.input);
        object.number("output", sampler.output);
        object.optional_text("interpolation", sampler.interpolation);
    });
}

fn accessor(object: &mut Object<'_>, accessor: &Accessor) {
    object.index("bufferView", accessor.buffer_view);
    if accessor.byte_offset > 0 {
        object.bytes("byteOffset", accessor.byte_offset);
    }
    object.number("componentType", accessor.component_type as usize);
    object.flag("normalized", accessor.normalized);
    object.number("count", accessor.count);
    object.text("type", accessor.kind);
    object.floats("min", &accessor.min);
    object.floats("max", &accessor.max);
    if let Some(Sparse { count, indices, index_component, values }) = accessor.sparse {
        object.object("sparse", |object| {
            object.number("count", count);
            object.object("indices", |object| {
                object.number("bufferView", indices);
                // Optional, and VTK asks for it.
                object.number("byteOffset", 0);
                object.number("componentType", index_component as usize);
            });
            object.object("values", |object| {
                object.number("bufferView", values);
                object.number("byteOffset", 0);
            });
        });
    }
}

fn view(object: &mut Object<'_>, view: &BufferView) {
    object.number("buffer", view.buffer);
    if view.byte_offset > 0 {
        object.bytes("byteOffset", view.byte_offset);
    }
    object.bytes("byteLength", view.byte_length);
    object.index("byteStride", view.byte_stride);
    object.index("target", view.target.map(usize::from));
    object.map("extensions", &view.extensions);
}
