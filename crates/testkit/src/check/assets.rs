//! Search paths: only listed files are read, independent of the names of files and of the names that files contain.

use meshlens::scene::{Attachment, Socket};
use meshlens_assets::material::{Image, ImageLimits, Material, TextureAlpha};
use meshlens_assets::{Asset, AssetPath, Assets, Error, FindOptions, OpenOptions, resolve};
use meshlens_gltf::Gltf;

use super::explained;
use crate::files::Files;
use crate::meter::within;
use meshlens_wire::Budget;

/// Opens every model of the files in `bytes`, in every possible way, with all its companions. The file system panics on
/// a read of a file that it did not list.
pub fn assets(bytes: &[u8]) {
    let files = Files::unpack(bytes);
    let mut assets = files.mounted();
    assets.add_importer(Gltf);
    for name in files.names() {
        paths(name);
        opened(assets.open(name), &files);
        opened(assets.open(&name.to_ascii_uppercase()), &files);
        if let Some((folder, _)) = name.rsplit_once('/') {
            opened(assets.open(folder), &files);
            opened(assets.open(&format!("{name}!{folder}")), &files);
        }
    }
    let found = assets.find_models(
        &AssetPath::root(),
        &FindOptions { imported: true, content: true, archives: true, ..FindOptions::default() },
    );
    for error in &found.faults {
        assert!(!error.to_string().is_empty());
    }
    for model in found.models {
        let options = OpenOptions { skin: Some("default".into()), ..OpenOptions::default() };
        opened(model.clone().open(&options), &files);
        opened(model.open(&OpenOptions { materials: false, ..OpenOptions::default() }), &files);
    }
}

/// Names are refused or resolved to paths inside the mounts.
fn paths(name: &str) {
    let bases = [AssetPath::root(), AssetPath::new("models/players/sarge").expect("an ordinary path")];
    for base in bases {
        if let Some(path) = explained(resolve(&base, name)) {
            let components = path.as_str().split('/');
            assert!(components.clone().all(|part| !part.is_empty() && part != "." && part != ".."));
            assert!(!path.as_str().contains(['\0', '\\']), "{path}");
            assert_eq!(AssetPath::new(path.as_str()).as_ref(), Ok(&path), "a path resolves to itself");
        }
    }
}

fn opened(opened: Result<Asset, Error>, files: &Files) {
    let Some(asset) = explained(opened) else { return };
    assert!(!asset.files().is_empty() && !asset.scene().nodes.is_empty());
    let nodes = &asset.scene().nodes;
    for (index, node) in nodes.iter().enumerate() {
        assert!(asset.node_path(index).is_some());
        if let Some(Attachment { node: parent, socket }) = node.attachment {
            assert!(matches!(socket, Socket::Tag(tag) if tag < nodes[parent].model.tags.len()));
        }
        for material in &node.model.materials {
            textures(asset.assets(), material);
        }
    }
    for finding in asset.findings().findings() {
        assert!(!finding.message.is_empty());
    }
    // A found file is a file of the mount, or an entry of an archive in it.
    for found in asset.lookups().iter().filter_map(|lookup| lookup.found.as_ref()) {
        let name = found.path().as_str();
        assert!(found.archive().is_some() || files.names().any(|known| known == name), "{found}");
    }
}

/// The memory budget of one texture: its file, its pixels, and the converted file.
const BUDGET: usize = 1 << 20;
/// The memory for the tables of decoders and for messages.
const TABLES: usize = 4 << 20;

/// Reads a texture as a file and as pixels, each within a budget. Afterwards, the budget is free again.
fn textures(assets: &Assets, material: &Material) {
    let budget = Budget::new(BUDGET);
    let mut assets = assets.clone();
    assets.set_budget(budget.clone());
    let limits = ImageLimits::DEFAULT;
    let file = within(BUDGET + TABLES, "texture file", || assets.texture_file(material, &limits));
    if let Some(file) = explained(file).flatten() {
        assert!(!file.bytes.is_empty());
        // A file that is kept unchanged may have any number of pixels. The pixels of a written file fit into the
        // budget.
        if !file.is_unchanged {
            let image = Image::decode(&file.bytes, file.extension(), TextureAlpha::Stored, &limits);
            assert!(image.is_ok(), "{image:?}");
        }
    }
    let image = within(BUDGET + TABLES, "texture image", || assets.texture_image(material, &limits));
    if let Some(image) = explained(image).flatten() {
        assert!(image.rgba.len() <= budget.reserved());
    }
    assert_eq!(budget.reserved(), 0);
}
