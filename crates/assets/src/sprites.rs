//! The surfaces of an MD3 that shaders draw as sprites.

use std::collections::HashMap;

use meshlens::Document;
use meshlens::Limits;
use meshlens::md3::Skin;

use crate::companions::skin_files;
use crate::index::Extension;
use crate::material::{Shader, ShaderScript, key, named_shader};
use crate::{AssetPath, Assets, Bytes, Located};

/// Whether a shader draws every four vertices as one square.
fn is_of_sprites(shader: &Shader) -> bool {
    shader
        .deforms
        .iter()
        .any(|kind| ["autosprite", "autosprite2"].iter().any(|name| kind.eq_ignore_ascii_case(name)))
}

impl Located {
    /// The surfaces of an MD3 whose shader draws every four vertices as one sprite (`deformVertexes autosprite` and
    /// `autosprite2`). The shaders are those that the surfaces and the skins beside the model name, in the scripts of the search
    /// path and in the folder of the model. Reads the skins and the scripts.
    pub fn sprite_surfaces(&self, document: &Document<'_>) -> Vec<usize> {
        let (Document::Md3(md3), assets) = (document, self.assets()) else { return Vec::new() };
        let folder = self.path().folder();
        let skins = skin_files(assets, self.path()).into_iter();
        let skins: Vec<Skin> =
            skins.filter_map(|(_, name)| Skin::parse(&text(assets, &folder, &name)?).ok()).collect();
        let beside = assets.files_with(&folder, Extension::Shader).into_iter();
        let beside: Vec<ShaderScript> =
            beside.filter_map(|name| ShaderScript::parse(&text(assets, &folder, &name)?).ok()).collect();
        let (shaders, paths) = (assets.shaders(), skins.iter().map(Skin::paths).collect::<Vec<_>>());
        let mut by_name: HashMap<String, &Shader> = HashMap::new();
        for shader in beside.iter().flat_map(|script| &script.shaders) {
            by_name.entry(key(&shader.name)).or_insert(shader);
        }
        let is_sprite = |name: &str| {
            let own = || by_name.get(&key(name)).copied();
            named_shader(&shaders, name).map(|found| found.shader).or_else(own).is_some_and(is_of_sprites)
        };
        let surfaces = md3.surfaces().enumerate().filter(|(_, surface)| {
            let name = surface.name().to_text();
            surface.shaders().any(|shader| is_sprite(&shader.name.to_text()))
                || paths.iter().filter_map(|paths| paths.get(&name)).any(is_sprite)
        });
        surfaces.map(|(number, _)| number).collect()
    }
}

fn text(assets: &Assets, folder: &AssetPath, name: &str) -> Option<Bytes> {
    let file = assets.find_any(&folder.child(name))?;
    assets.read_limited(&file, Limits::DEFAULT.text).ok()
}
