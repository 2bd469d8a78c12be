//! Resolves the materials of a model: applies shaders and finds textures.

use meshlens::md3::Skin;
use meshlens::md3::skin::Entry;
use meshlens::model::{Alpha, ImageSource, Material, NormalMap};
use meshlens::{Format, Model};

use super::find::{Places, ShortName, normal_map, resolve_texture, resolve_textures};
use super::scripts::Shaders;
use super::{codes, unigine, unreal};
use crate::record::Record;
use crate::{AssetPath, Assets, Rule};

/// The names that skins use for surfaces that are not drawn.
const HIDDEN: [&str; 2] = ["nodraw", "*off"];

/// Resolves the materials of a model and finds their textures, without reading these. After that, [`Material::texture`]
/// is the path of an image in the mounts, in their spelling, for each texture that was found.
///
/// `path` is the path of the model's file.
pub(crate) fn resolve(assets: &Assets, model: &mut Model<'_>, path: &AssetPath, record: &mut Record) {
    let folder = path.folder();
    match model.format {
        Some(Format::Md3) => {
            let shaders = assets.shaders();
            let places = Places::of_folder(&folder);
            for material in &mut model.materials {
                quake(assets, &shaders, &places, material, record);
                let image = material.texture.as_deref().and_then(|path| AssetPath::new(path).ok());
                // Surfaces without lighting have none.
                let image = image.filter(|_| !material.unlit);
                if let Some(file) = image.and_then(|image| normal_map(assets, &image)) {
                    let path = file.path().clone();
                    let image = ImageSource::File(path.as_str().into());
                    material.normal_map = Some(NormalMap { image, is_y_down: true });
                    record.look(Rule::Texture, path, Some(file));
                }
            }
        }
        Some(Format::Unreal) => unreal::resolve(assets, model, path, record),
        Some(Format::Unigine) => unigine::resolve(assets, model, path, record),
        Some(Format::U3d) => {
            let mut places = Places::of_folder(&folder);
            // The `*` in a path stands for the engine's own folder.
            for base in [AssetPath::root(), folder] {
                places.folders.extend(["gfx", "textures"].iter().filter_map(|name| base.join(name).ok()));
            }
            places.bases.extend(places.folders.clone());
            resolve_textures(assets, &mut model.materials, &places, record);
        }
        _ => {
            let places = Places::of_folder(&folder);
            for material in &mut model.materials {
                if let Some(map) = &mut material.normal_map {
                    let mut alone = map.material(false);
                    has_image(assets, &folder, &mut alone, record);
                    match alone.image {
                        Some(image) => map.image = image,
                        None => material.normal_map = None,
                    }
                }
                if !has_image(assets, &folder, material, record) {
                    resolve_textures(assets, std::slice::from_mut(material), &places, record);
                }
            }
        }
    }
}

/// The skin of the images `SURFACE_NUMBER` in the folder of a model, which engines of Quake 1 use. With `is_default`, only
/// surfaces whose own image is missing have one.
pub(crate) fn numbered_skin(
    assets: &Assets,
    model: &Model<'_>,
    path: &AssetPath,
    number: usize,
    is_default: bool,
) -> Skin {
    let beside = Places { bases: vec![path.folder()], folders: Vec::new() };
    let places = Places::of_folder(&path.folder());
    let has_image = |material: &Material| {
        let name = material.texture.as_ref().unwrap_or(&material.name);
        named_shader(&assets.shaders(), name).is_some() || places.has(assets, name)
    };
    let entries = model.meshes.iter().filter_map(|mesh| {
        let image = beside.find(assets, &format!("{}_{number}", mesh.name)).found?;
        let own = mesh.material.and_then(|material| model.materials.get(material));
        let path = image.path().as_str().into();
        (!is_default || !own.is_some_and(has_image)).then(|| Entry {
            surface: mesh.name.clone(),
            path,
            others: Vec::new(),
            offset: 0,
        })
    });
    Skin { entries: entries.collect() }
}

/// Finds the image file that a material names apart from its texture. Returns whether the material has an image: the name
/// of its texture is not looked up then.
fn has_image(assets: &Assets, folder: &AssetPath, material: &mut Material, record: &mut Record) -> bool {
    let Some(ImageSource::File(name)) = &material.image else { return material.image.is_some() };
    let found = assets.resolve(folder, name).ok().and_then(|path| assets.find_file(&path));
    material.image = found.as_ref().map(|file| ImageSource::File(file.path().as_str().into()));
    if let Some(file) = found {
        record.look(Rule::Texture, file.path().clone(), Some(file));
    }
    material.image.is_some()
}

/// Resolves a material of Quake 3: by the shader with its name, or else by the image with its name, which is opaque and
/// lit.
fn quake(assets: &Assets, shaders: &Shaders, places: &Places, material: &mut Material, record: &mut Record) {
    let Some(name) = material.texture.clone() else {
        // The surface names no shader: it may have an image with its own name.
        material.alpha = Alpha::Opaque;
        let name = material.name.clone();
        if places.has(assets, &name) {
            resolve_texture(assets, places, material, &name, record);
        } else {
            let message =
                format_args!("surface {}: names no shader, and no image has its name", ShortName(&name));
            let pointer = format_args!("material {}", ShortName(&name));
            record.findings.lose(&codes::TEXTURE_NOT_FOUND, 1, pointer, message);
        }
        return;
    };
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    if HIDDEN.iter().any(|hidden| last.eq_ignore_ascii_case(hidden)) {
        (material.hidden, material.texture) = (true, None);
        return;
    }
    let Some(found) = named_shader(shaders, &name) else {
        material.alpha = Alpha::Opaque;
        if !name.is_empty() {
            resolve_texture(assets, places, material, &name, record);
        }
        return;
    };
    record.use_found(Rule::Shader, found.file, found.len);
    let shader = found.shader;
    shader.apply(material, &mut record.findings);
    if let Some(image) = shader.image() {
        resolve_texture(assets, places, material, image, record);
        return;
    }
    material.texture = None;
    if material.hidden || !shader.stages.is_empty() {
        return;
    }
    // The shader has no stage: its name may be the name of an image, and editors show another image.
    for image in [Some(name.as_str()), shader.editor_image.as_deref()].into_iter().flatten() {
        if places.has(assets, image) {
            resolve_texture(assets, places, material, image, record);
            let message =
                format_args!("shader {}: no stage; image {}", ShortName(&shader.name), ShortName(image));
            let pointer = format_args!("shader {}", ShortName(&shader.name));
            record.findings.lose(&codes::SHADER_IMAGE_GUESSED, 1, pointer, message);
            return;
        }
    }
}

/// The shader with this name. Names that were written on another machine are looked up from the folder of a game on.
pub(crate) fn named_shader<'s>(shaders: &'s Shaders, name: &str) -> Option<super::FoundShader<'s>> {
    let normal = name.replace('\\', "/");
    let normal = normal.trim_start_matches('/');
    let from = |folder: &str| {
        let at = normal.to_ascii_lowercase().find(&format!("/{folder}/"))?;
        normal.get(at.saturating_add(1)..)
    };
    shaders
        .get(normal)
        .or_else(|| ["models", "textures"].into_iter().find_map(|folder| shaders.get(from(folder)?)))
}
