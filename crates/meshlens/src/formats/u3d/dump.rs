//! Dumps Ultimate 3D with the names of its documents: normals decoded but not scaled, borrowed triangles null.

use meshlens_lens::{AnyLens, Encoding};
use meshlens_u3d::{Bone, Keys, Material, Mesh, Texture, U3d, lens::Semantic};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::dump::array::{Array, Arrays, listed};
use crate::dump::{Sequence, Serializable};

impl<'a> Serializable<'a> for U3d<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let u3d = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", meshlens_u3d::FORMAT)?;
        map.serialize_entry("version", &alloc::format!("{}", u3d.version()))?;
        map.serialize_entry("meshes", &Sequence(|| u3d.meshes().map(move |mesh| MeshDump { mesh, arrays })))?;
        map.serialize_entry("materials", &Sequence(|| u3d.materials().map(MaterialDump)))?;
        map.serialize_entry("bones", &Sequence(|| u3d.bones().map(move |bone| BoneDump { bone, arrays })))?;
        map.serialize_entry("actions", &Sequence(|| u3d.actions().map(ActionDump)))?;
        map.end()
    }
}

struct MeshDump<'d, 'a> {
    mesh: Mesh<'d, 'a>,
    arrays: Arrays,
}

impl Serialize for MeshDump<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let MeshDump { mesh, arrays } = *self;
        let vertices = mesh.vertex_count();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &mesh.name().to_text())?;
        map.serialize_entry("lod", &mesh.lod_index())?;
        map.serialize_entry("frame", &mesh.frame())?;
        map.serialize_entry("mesh_in_frame", &mesh.mesh_in_frame())?;
        map.serialize_entry("normal_scalar", &mesh.normal_scalar())?;
        for (name, semantic) in [("positions", Semantic::Position), ("normals", Semantic::Normal)] {
            let values = || listed::<f32>(mesh.arrays(), semantic);
            map.serialize_entry(name, &Array::new(arrays, &[vertices, 3], values))?;
        }
        // Borrowed texture coordinates are listed with the mesh that owns them.
        let sets = || (0..8).filter_map(|set| mesh.texcoords(set));
        map.serialize_entry("texcoords", &Sequence(|| sets().map(|set| floats(set, arrays))))?;
        map.serialize_entry("skin_weights", &mesh.skin_weights().map(|weights| floats(weights, arrays)))?;
        let bones = || listed::<u8>(mesh.arrays(), Semantic::Joints);
        let has_skin = mesh.skin_weight_count() > 0;
        map.serialize_entry("skin_bones", &has_skin.then(|| Array::new(arrays, &[vertices, 4], bones)))?;
        let count = mesh.owns_triangles().then(|| mesh.triangle_count());
        let triangles = || listed::<u32>(mesh.arrays(), Semantic::Triangles);
        map.serialize_entry("triangles", &count.map(|count| Array::new(arrays, &[count, 3], triangles)))?;
        let materials = || listed::<u16>(mesh.arrays(), Semantic::Materials);
        map.serialize_entry(
            "triangle_materials",
            &count.map(|count| Array::new(arrays, &[count], materials)),
        )?;
        map.end()
    }
}

/// An array of groups of floats.
fn floats(floats: AnyLens<'_>, arrays: Arrays) -> impl Serialize {
    let components = floats.format().float_components();
    let element = move |index| floats.get_floats(index).into_iter().flatten().take(components);
    Array::new(arrays, &[floats.len(), components], move || (0..floats.len()).flat_map(element))
}

struct MaterialDump<'a>(Material<'a>);

impl Serialize for MaterialDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let material = &self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &material.name().to_text())?;
        map.serialize_entry("ambient", &material.ambient())?;
        map.serialize_entry("diffuse", &material.diffuse())?;
        map.serialize_entry("specular", &material.specular())?;
        map.serialize_entry("emissive", &material.emissive())?;
        map.serialize_entry("specular_power", &material.specular_power())?;
        map.serialize_entry("opaque", &material.is_opaque())?;
        map.serialize_entry("textures", &Sequence(|| material.textures().map(TextureDump)))?;
        map.end()
    }
}

struct TextureDump<'a>(Texture<'a>);

impl Serialize for TextureDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let texture = &self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("stage", &texture.stage)?;
        map.serialize_entry("width", &texture.width)?;
        map.serialize_entry("height", &texture.height)?;
        map.serialize_entry("cube", &texture.is_cube)?;
        map.serialize_entry("normal_map", &texture.is_normal_map)?;
        map.serialize_entry("files", &Sequence(|| texture.files().map(|file| file.name().to_text())))?;
        map.end()
    }
}

struct BoneDump<'a> {
    bone: Bone<'a>,
    arrays: Arrays,
}

impl Serialize for BoneDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let BoneDump { bone, arrays } = *self;
        let matrices = || (0..bone.mesh_count()).map_while(|index| bone.mesh_to_bone(index));
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &bone.name().to_text())?;
        map.serialize_entry("parent", &bone.parent())?;
        map.serialize_entry("bone_frame", &bone.bone_frame())?;
        map.serialize_entry("pass_on_bone_frame", &bone.passes_on_bone_frame())?;
        map.serialize_entry("meshes", &Sequence(|| bone.meshes().iter()))?;
        let rows = |matrix: [[f32; 4]; 4]| Sequence(move || matrix.into_iter().flatten());
        map.serialize_entry("mesh_to_bone", &Sequence(|| matrices().map(rows)))?;
        map.serialize_entry("scaling_keys", &KeysDump { keys: bone.scaling_keys(), arrays })?;
        map.serialize_entry("translation_keys", &KeysDump { keys: bone.translation_keys(), arrays })?;
        map.serialize_entry("rotation_keys", &KeysDump { keys: bone.rotation_keys(), arrays })?;
        map.end()
    }
}

struct KeysDump<'a, E> {
    keys: Keys<'a, E>,
    arrays: Arrays,
}

impl<E: Encoding<Value = [f32; N]>, const N: usize> Serialize for KeysDump<'_, E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let KeysDump { keys, arrays } = *self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("frames", &Array::new(arrays, &[keys.len()], || keys.frames.iter()))?;
        let values = || keys.values.into_iter().flatten();
        map.serialize_entry("values", &Array::new(arrays, &[keys.len(), N], values))?;
        map.end()
    }
}

struct ActionDump<'a>(meshlens_u3d::Action<'a>);

impl Serialize for ActionDump<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", &self.0.name.to_text())?;
        map.serialize_entry("first", &self.0.first)?;
        map.serialize_entry("last", &self.0.last)?;
        map.end()
    }
}
