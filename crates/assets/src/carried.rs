//! The files that belong to a model, as companions of its node: a format that does not know them carries them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use meshlens::md3::{Md3, Skin};
use meshlens::model::{Material, export};
use meshlens::scene::{Companion, CompanionKind, Node, Scene, Variant};
use meshlens::{Format, Limits, Model, Report};

use crate::companions::{Companions, clips_file, skin_files, skins};
use crate::material::{named_shader, resolve};
use crate::record::Record;
use crate::{Asset, AssetFile, AssetPath, Assets, Bytes, FoundFile, Rule, player};

impl Asset {
    /// The scene with the [companions](Node::companions) of each node, as [`node_with_companions`](Self::node_with_companions)
    /// reads them, and the findings about all of them.
    pub fn scene_with_companions(&self, variants: bool) -> (Scene<'_>, Report) {
        let (mut scene, mut report) = (self.scene().clone(), Report::default());
        for (number, node) in scene.nodes.iter_mut().enumerate() {
            if let Some((carrying, found)) = self.node_with_companions(number, variants) {
                *node = carrying;
                report.append(found);
            }
        }
        (scene, report)
    }

    /// A node with its [companions](Node::companions), for a format that carries them such as glTF: the clips, all skins and
    /// levels of detail and the shaders of an MD3, the icons of a player, the bytes that do not follow from the model, the script
    /// and the files of an Unreal mesh, and the material files of a UNIGINE mesh. With `variants`, it also has the materials of
    /// all its skins. A file that cannot be read is a finding. `None` if the node is out of range. Reads the files.
    pub fn node_with_companions(&self, number: usize, variants: bool) -> Option<(Node<'_>, Report)> {
        let (mut node, mut record) = (self.scene().nodes.get(number)?.clone(), Record::default());
        if let (Some(path), Some(assets), Some(format)) =
            (self.node_path(number), self.node_assets(number), node.model.format)
        {
            let bytes = self.node_bytes().get(number).copied().unwrap_or_default();
            let mut carrier = Carrier { assets, path, companions: Vec::new(), record: &mut record };
            match format {
                Format::Md3 => carrier.md3(&node, bytes),
                Format::Unreal => carrier.unreal(self, bytes),
                Format::Unigine => carrier.used(self, Rule::MaterialFile, CompanionKind::Material),
                _ => {}
            }
            node.companions.append(&mut carrier.companions);
            if variants && format == Format::Md3 {
                node.variants.extend(carrier.variants(bytes));
            }
        }
        Some((node, record.findings))
    }
}

/// Collects the companions of one model.
struct Carrier<'s> {
    assets: &'s Assets,
    path: &'s AssetPath,
    companions: Vec<Companion>,
    record: &'s mut Record,
}

impl Carrier<'_> {
    fn add(&mut self, kind: CompanionKind, name: &str, bytes: impl Into<Arc<[u8]>>) {
        let (name, of) = (name.to_owned(), self.path.stem().to_owned());
        self.companions.push(Companion { kind, name, of, bytes: bytes.into() });
    }

    /// Reads a file and adds it. A file that cannot be read is a finding.
    fn add_file(&mut self, kind: CompanionKind, file: &FoundFile, limit: u64) -> Option<Bytes> {
        let bytes = self.record.optional(self.assets.read_limited(file, limit))?;
        self.add(kind, file.path().file_name(), &bytes[..]);
        Some(bytes)
    }

    fn beside(&self, name: &str) -> Option<FoundFile> {
        self.assets.find_any(&self.path.folder().child(name))
    }

    /// Adds the files that an asset was made from by a rule.
    fn used(&mut self, asset: &Asset, rule: Rule, kind: CompanionKind) {
        for file in asset.files().iter().filter(|file| file.rule == rule) {
            if let Some(found) = self.assets.find_any(&file.path) {
                self.add_file(kind, &found, Limits::DEFAULT.text);
            }
        }
    }

    /// Adds the script of an Unreal mesh, and the two files that it imports.
    fn unreal(&mut self, asset: &Asset, bytes: &[Bytes]) {
        self.used(asset, Rule::Script, CompanionKind::Script);
        let is_own = |file: &&AssetFile| matches!(file.rule, Rule::Named | Rule::Pair);
        let names: Vec<&str> =
            asset.files().iter().filter(is_own).map(|file| file.path.file_name()).collect();
        if let ([geometry, frames], [first, second], 1) = (&names[..], bytes, self.companions.len()) {
            self.add(CompanionKind::Mesh, geometry, &first[..]);
            self.add(CompanionKind::Mesh, frames, &second[..]);
        }
    }

    fn md3(&mut self, node: &Node<'_>, bytes: &[Bytes]) {
        let text = Limits::DEFAULT.text;
        let stem = self.path.stem().to_owned();
        let config = player::body_part(&stem).and_then(|_| self.beside("animation.cfg"));
        if let Some(file) = config.or_else(|| self.beside(&clips_file(&stem))) {
            self.add_file(CompanionKind::Clips, &file, text);
        }
        let mut shaders: Vec<String> =
            node.model.materials.iter().map(|material| material.name.clone()).collect();
        for (_, name) in skin_files(self.assets, self.path) {
            let file = self.beside(&name);
            let read = file.and_then(|file| self.add_file(CompanionKind::Skin, &file, text));
            let skin = read.and_then(|text| Skin::parse(&text).ok()).unwrap_or_default();
            shaders.extend(skin.entries.into_iter().map(|entry| entry.path));
        }
        if stem.eq_ignore_ascii_case("head") {
            let names = self.assets.files(&self.path.folder()).into_iter();
            for name in names.filter(|name| CompanionKind::Icon.has_name(name)) {
                let file = self.beside(&name);
                file.and_then(|file| self.add_file(CompanionKind::Icon, &file, text));
            }
        }
        let record = &mut Record::default();
        for file in (Companions { assets: self.assets, path: self.path, record }).levels() {
            self.add_file(CompanionKind::Level, &file, self.assets.limit());
        }
        let [file] = bytes else { return };
        if let Ok(md3) = Md3::parse(file) {
            let named = |surface: meshlens::md3::Surface<'_>| {
                surface.shaders().map(|shader| shader.name.to_text().into_owned()).collect::<Vec<_>>()
            };
            shaders.extend(md3.surfaces().flat_map(named));
        }
        self.shaders(&shaders);
        let model = &node.model;
        let is_written = |mesh: usize| {
            model.meshes.get(mesh).is_some_and(|mesh| {
                let material = mesh.material.and_then(|material| model.materials.get(material));
                let is_drawn = mesh.point_count() > 0 && mesh.triangle_count() > 0;
                is_drawn && !material.is_some_and(|material| material.hidden)
            })
        };
        if let Ok(rest) = export::md3_rest(file, model, is_written) {
            self.add(CompanionKind::Rest, &format!("{stem}.md3"), rest);
        }
    }

    /// Adds the text of each shader once.
    fn shaders(&mut self, names: &[String]) {
        let shaders = self.assets.shaders();
        let mut scripts: HashMap<String, Option<Bytes>> = HashMap::new();
        let mut known: HashSet<(&str, u64)> = HashSet::new();
        for found in
            names.iter().filter(|name| !name.is_empty()).filter_map(|name| named_shader(&shaders, name))
        {
            let place = (found.file.path().as_str(), found.shader.offset);
            if !known.insert(place) {
                continue;
            }
            let read = || self.assets.read_limited(found.file, Limits::DEFAULT.text).ok();
            let script = scripts.entry(found.file.to_string()).or_insert_with(read);
            let range = found.shader.offset as usize..found.shader.end as usize;
            if let Some(text) = script.as_ref().and_then(|script| script.get(range)) {
                self.add(CompanionKind::Shader, &found.shader.name, text);
            }
        }
    }

    /// The materials of each skin. No variants if there is only one skin.
    fn variants(&mut self, bytes: &[Bytes]) -> Vec<Variant> {
        let names = skins(self.assets, self.path);
        let Some(Ok(model)) = bytes.first().filter(|_| names.len() > 1).map(|file| Model::parse(file)) else {
            return Vec::new();
        };
        let mut all = Vec::new();
        for name in names {
            let record = &mut Record::default();
            let mut companions = Companions { assets: self.assets, path: self.path, record };
            let Ok(Some(skin)) = companions.skin(&model, &name, false) else { continue };
            let mut worn = model.clone();
            worn.set_skin(&skin);
            // The findings about its textures are those of a skin that is not worn.
            resolve(self.assets, &mut worn, self.path, &mut Record::default());
            let paths = skin.paths();
            let material = |mesh: &meshlens::model::Mesh<'_>| -> Option<Material> {
                paths.get(&mesh.name).filter(|path| !path.is_empty())?;
                worn.materials.get(mesh.material?).cloned()
            };
            let materials = worn.meshes.iter().map(material).collect();
            all.push(Variant { name, materials });
        }
        all
    }
}
