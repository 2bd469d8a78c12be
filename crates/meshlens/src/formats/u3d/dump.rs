//! Dumps Ultimate 3D with the names of its documents: normals decoded but not scaled, borrowed triangles null.

use meshlens_lens::{AnyLens, Encoding};
use meshlens_u3d::{Action, Bone, Keys, Material, Mesh, Texture, U3d, lens::Semantic};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::dump::array::{Array, Arrays, listed};
use crate::dump::{Sequence, Serializable, With, object, objects};

impl<'a> Serializable<'a> for U3d<'a> {
    fn serialize<S: Serializer>(&self, arrays: Arrays, serializer: S) -> Result<S::Ok, S::Error> {
        let u3d = self;
        object! { serializer;
            "format": meshlens_u3d::FORMAT,
            "version": alloc::format!("{}", u3d.version()),
            "meshes": Sequence(|| u3d.meshes().map(move |mesh| With(mesh, arrays))),
            "materials": Sequence(|| u3d.materials().map(MaterialDump)),
            "bones": Sequence(|| u3d.bones().map(move |bone| With(bone, arrays))),
            "actions": Sequence(|| u3d.actions().map(ActionDump)),
        }
    }
}

/// The number of triangles that the mesh does not borrow.
fn own_triangles(mesh: &Mesh<'_, '_>) -> Option<usize> {
    mesh.owns_triangles().then(|| mesh.triangle_count())
}

/// An array of groups of floats.
fn floats(floats: AnyLens<'_>, arrays: Arrays) -> impl Serialize {
    let components = floats.format().float_components();
    let element = move |index| floats.get_floats(index).into_iter().flatten().take(components);
    Array::new(arrays, &[floats.len(), components], move || (0..floats.len()).flat_map(element))
}

struct MaterialDump<'a>(Material<'a>);

struct TextureDump<'a>(Texture<'a>);

struct ActionDump<'a>(Action<'a>);

objects! {
    impl[] With<Mesh<'_, '_>>, &With(mesh, arrays) => {
        "name": mesh.name().to_text(),
        "lod": mesh.lod_index(),
        "frame": mesh.frame(),
        "mesh_in_frame": mesh.mesh_in_frame(),
        "normal_scalar": mesh.normal_scalar(),
        ..[("positions", Semantic::Position), ("normals", Semantic::Normal)].map(|(name, semantic)| {
            let values = move || listed::<f32>(mesh.arrays(), semantic);
            (name, Array::new(arrays, &[mesh.vertex_count(), 3], values))
        }),
        // Borrowed texture coordinates are listed with the mesh that owns them.
        "texcoords": Sequence(|| {
            (0..8).filter_map(|set| mesh.texcoords(set)).map(|set| floats(set, arrays))
        }),
        "skin_weights": mesh.skin_weights().map(|weights| floats(weights, arrays)),
        "skin_bones": (mesh.skin_weight_count() > 0).then(|| {
            let bones = || listed::<u8>(mesh.arrays(), Semantic::Joints);
            Array::new(arrays, &[mesh.vertex_count(), 4], bones)
        }),
        "triangles": own_triangles(&mesh).map(|count| {
            Array::new(arrays, &[count, 3], || listed::<u32>(mesh.arrays(), Semantic::Triangles))
        }),
        "triangle_materials": own_triangles(&mesh).map(|count| {
            Array::new(arrays, &[count], || listed::<u16>(mesh.arrays(), Semantic::Materials))
        }),
    }

    impl[] MaterialDump<'_>, MaterialDump(material) => {
        "name": material.name().to_text(),
        "ambient": material.ambient(),
        "diffuse": material.diffuse(),
        "specular": material.specular(),
        "emissive": material.emissive(),
        "specular_power": material.specular_power(),
        "opaque": material.is_opaque(),
        "textures": Sequence(|| material.textures().map(TextureDump)),
    }

    impl[] TextureDump<'_>, TextureDump(texture) => {
        "stage": texture.stage,
        "width": texture.width,
        "height": texture.height,
        "cube": texture.is_cube,
        "normal_map": texture.is_normal_map,
        "files": Sequence(|| texture.files().map(|file| file.name().to_text())),
    }

    impl[] With<Bone<'_>>, &With(bone, arrays) => {
        "name": bone.name().to_text(),
        "parent": bone.parent(),
        "bone_frame": bone.bone_frame(),
        "pass_on_bone_frame": bone.passes_on_bone_frame(),
        "meshes": Sequence(|| bone.meshes().iter()),
        "mesh_to_bone": Sequence(|| {
            let matrices = (0..bone.mesh_count()).map_while(|index| bone.mesh_to_bone(index));
            matrices.map(|matrix| Sequence(move || matrix.into_iter().flatten()))
        }),
        "scaling_keys": With(bone.scaling_keys(), arrays),
        "translation_keys": With(bone.translation_keys(), arrays),
        "rotation_keys": With(bone.rotation_keys(), arrays),
    }

    impl[E: Encoding<Value = [f32; N]>, const N: usize] With<Keys<'_, E>>, &With(keys, arrays) => {
        "frames": Array::new(arrays, &[keys.len()], || keys.frames.iter()),
        "values": Array::new(arrays, &[keys.len(), N], || keys.values.into_iter().flatten()),
    }

    impl[] ActionDump<'_>, ActionDump(action) => {
        "name": action.name.to_text(),
        "first": action.first,
        "last": action.last,
    }
}
