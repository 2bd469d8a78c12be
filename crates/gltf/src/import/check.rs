//! Checks the indices of a document, and the rules that the types of its records do not express. Errors begin with a JSON
//! pointer.

use std::fmt;

use super::broken;
use super::document::{Document, Material, Primitive};
use super::json::Escaped;
use crate::Error;
use crate::json::{Accessor, Animation, BufferView, Property};
use crate::meshopt;

/// The extension of compressed primitives, which is not supported.
const DRACO: &str = "KHR_draco_mesh_compression";

/// Checks that an index is below the length of a list.
fn index(index: impl Into<Option<usize>>, len: usize, at: fmt::Arguments<'_>) -> Result<(), Error> {
    match index.into() {
        Some(index) if index >= len => {
            Err(broken(format_args!("{at}: expected an index below {len}, found {index}")))
        }
        _ => Ok(()),
    }
}

/// Checks the indices of a list.
fn indices(list: &[usize], len: usize, at: fmt::Arguments<'_>) -> Result<(), Error> {
    list.iter().enumerate().try_for_each(|(place, found)| index(*found, len, format_args!("{at}/{place}")))
}

/// Checks each record of a list.
fn each<T>(
    list: &[T],
    name: impl fmt::Display,
    mut check: impl FnMut(&T, fmt::Arguments<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    list.iter().enumerate().try_for_each(|(index, record)| check(record, format_args!("{name}/{index}")))
}

impl Document {
    pub(super) fn check(&self) -> Result<(), Error> {
        let (accessors, nodes) = (self.accessors.len(), self.nodes.len());
        each(&self.buffer_views, "/bufferViews", |view, at| self.check_view(view, at))?;
        each(&self.accessors, "/accessors", |accessor, at| self.check_accessor(accessor, at))?;
        each(&self.images, "/images", |image, at| {
            index(image.buffer_view, self.buffer_views.len(), format_args!("{at}/bufferView"))
        })?;
        each(&self.textures, "/textures", |texture, at| {
            index(texture.sampler, self.samplers.len(), format_args!("{at}/sampler"))?;
            index(texture.source, self.images.len(), format_args!("{at}/source"))?;
            texture.extensions.iter().try_for_each(|(name, extension)| {
                let at = format_args!("{at}/extensions/{}/source", Escaped(name));
                index(extension.source, self.images.len(), at)
            })
        })?;
        each(&self.materials, "/materials", |material, at| self.check_material(material, at))?;
        each(&self.meshes, "/meshes", |mesh, at| {
            let name = format_args!("{at}/primitives");
            each(&mesh.primitives, name, |primitive, at| self.check_primitive(primitive, at))
        })?;
        each(&self.skins, "/skins", |skin, at| {
            index(skin.skeleton, nodes, format_args!("{at}/skeleton"))?;
            indices(&skin.joints, nodes, format_args!("{at}/joints"))?;
            index(skin.inverse_bind_matrices, accessors, format_args!("{at}/inverseBindMatrices"))
        })?;
        each(&self.nodes, "/nodes", |node, at| {
            indices(&node.children, nodes, format_args!("{at}/children"))?;
            indices(&node.levels, nodes, format_args!("{at}/extensions/MSFT_lod/ids"))?;
            index(node.mesh, self.meshes.len(), format_args!("{at}/mesh"))?;
            index(node.skin, self.skins.len(), format_args!("{at}/skin"))?;
            index(node.camera, self.cameras.len(), format_args!("{at}/camera"))?;
            let instances = node.instances.unwrap_or_default();
            let at = format_args!("{at}/extensions/EXT_mesh_gpu_instancing/attributes");
            index(instances.translation, accessors, format_args!("{at}/TRANSLATION"))?;
            index(instances.rotation, accessors, format_args!("{at}/ROTATION"))?;
            index(instances.scale, accessors, format_args!("{at}/SCALE"))
        })?;
        each(&self.animations, "/animations", |animation, at| self.check_animation(animation, at))?;
        each(&self.scenes, "/scenes", |scene, at| indices(&scene.nodes, nodes, format_args!("{at}/nodes")))?;
        index(self.scene, self.scenes.len(), format_args!("/scene"))
    }

    fn check_view(&self, view: &BufferView, at: fmt::Arguments<'_>) -> Result<(), Error> {
        index(view.buffer, self.buffers.len(), format_args!("{at}/buffer"))?;
        if let Some(stride) = view.byte_stride.filter(|stride| !(4..=252).contains(stride)) {
            return Err(broken(format_args!("{at}/byteStride: expected 4 to 252 bytes, found {stride}")));
        }
        let Some((name, compressed)) = view.compressed() else { return Ok(()) };
        let at = format_args!("{at}/extensions/{name}");
        index(compressed.buffer, self.buffers.len(), format_args!("{at}/buffer"))?;
        let layout = compressed.layout();
        if let Some(expected) = layout.fault() {
            return Err(broken(format_args!("{at}: expected {expected}")));
        }
        let meshopt::Layout { count, stride, .. } = layout;
        if count.checked_mul(stride) != usize::try_from(view.byte_length).ok() {
            let len = view.byte_length;
            return Err(broken(format_args!(
                "{at}: expected the {len} bytes of the view, found {count} elements x {stride} bytes"
            )));
        }
        Ok(())
    }

    fn check_accessor(&self, accessor: &Accessor, at: fmt::Arguments<'_>) -> Result<(), Error> {
        let views = self.buffer_views.len();
        index(accessor.buffer_view, views, format_args!("{at}/bufferView"))?;
        let Some(sparse) = &accessor.sparse else { return Ok(()) };
        index(sparse.indices.buffer_view, views, format_args!("{at}/sparse/indices/bufferView"))?;
        index(sparse.values.buffer_view, views, format_args!("{at}/sparse/values/bufferView"))?;
        if !sparse.indices.component_type.is_unsigned() {
            let found = sparse.indices.component_type as u64;
            return Err(broken(format_args!(
                "{at}/sparse/indices/componentType: expected an unsigned component type, found {found}"
            )));
        }
        Ok(())
    }

    fn check_material(&self, material: &Material, at: fmt::Arguments<'_>) -> Result<(), Error> {
        let pbr = &material.pbr_metallic_roughness;
        let textures = [
            ("normalTexture", &material.normal_texture),
            ("occlusionTexture", &material.occlusion_texture),
            ("emissiveTexture", &material.emissive_texture),
            ("pbrMetallicRoughness/baseColorTexture", &pbr.base_color_texture),
            ("pbrMetallicRoughness/metallicRoughnessTexture", &pbr.metallic_roughness_texture),
        ];
        textures.into_iter().try_for_each(|(name, texture)| {
            let found = texture.as_ref().map(|texture| texture.index);
            index(found, self.textures.len(), format_args!("{at}/{name}/index"))
        })
    }

    fn check_primitive(&self, primitive: &Primitive, at: fmt::Arguments<'_>) -> Result<(), Error> {
        let accessors = self.accessors.len();
        for (name, accessor) in &primitive.attributes {
            let at = format_args!("{at}/attributes/{}", Escaped(name));
            if !is_semantic(name) {
                return Err(broken(format_args!(
                    "{at}: expected a known attribute, or a name that begins with an underscore"
                )));
            }
            index(*accessor, accessors, at)?;
        }
        let is_empty = |(_, accessor): &(String, usize)| self.accessors[*accessor].is_empty();
        if primitive.extensions.draco.is_some() && primitive.attributes.iter().any(is_empty) {
            // A compressed primitive without views has no fallback.
            return Err(Error::Extension { name: DRACO.into() });
        }
        let Some(positions) = primitive.get("POSITION") else {
            return Err(broken(format_args!("{at}/attributes: the member POSITION is missing")));
        };
        if self.accessors[positions].min.len() != 3 || self.accessors[positions].max.len() != 3 {
            return Err(broken(format_args!(
                "/accessors/{positions}: expected min and max of 3 numbers each, as it has the positions of {at}"
            )));
        }
        index(primitive.indices, accessors, format_args!("{at}/indices"))?;
        index(primitive.material, self.materials.len(), format_args!("{at}/material"))?;
        let variants = format_args!("{at}/extensions/KHR_materials_variants/mappings");
        each(&primitive.extensions.variants.mappings, variants, |mapping, at| {
            index(Some(mapping.material), self.materials.len(), format_args!("{at}/material"))?;
            let names = self.extensions.variants.variants.len();
            indices(&mapping.variants, names, format_args!("{at}/variants"))
        })?;
        each(&primitive.targets, format_args!("{at}/targets"), |target, at| {
            index(target.position, accessors, format_args!("{at}/POSITION"))?;
            index(target.normal, accessors, format_args!("{at}/NORMAL"))?;
            index(target.tangent, accessors, format_args!("{at}/TANGENT"))
        })
    }

    fn check_animation(&self, animation: &Animation, at: fmt::Arguments<'_>) -> Result<(), Error> {
        each(&animation.samplers, format_args!("{at}/samplers"), |sampler, at| {
            index(sampler.input, self.accessors.len(), format_args!("{at}/input"))?;
            index(sampler.output, self.accessors.len(), format_args!("{at}/output"))
        })?;
        each(&animation.channels, format_args!("{at}/channels"), |channel, at| {
            index(channel.sampler, animation.samplers.len(), format_args!("{at}/sampler"))?;
            index(channel.target.node, self.nodes.len(), format_args!("{at}/target/node"))?;
            if channel.target.node.is_some() && channel.target.path == Property::Other {
                return Err(broken(format_args!(
                    "{at}/target/path: expected translation, rotation, scale or weights"
                )));
            }
            Ok(())
        })
    }
}

/// Whether an attribute has a name that glTF defines, or a name that applications may use.
fn is_semantic(name: &str) -> bool {
    let is_set = |prefix| {
        name.strip_prefix(prefix).is_some_and(|set: &str| !set.is_empty() && set.parse::<u32>().is_ok())
    };
    matches!(name, "POSITION" | "NORMAL" | "TANGENT")
        || name.starts_with('_')
        || ["TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"].into_iter().any(is_set)
}
