//! The materials of a UNIGINE mesh. Its surfaces have names, nodes (`.node`) assign materials to surfaces, and material
//! files (`.mat`, `.xml`) define these (UNIGINE: User Material File Format).

use std::convert::Infallible;
use std::sync::Arc;

use meshlens::model::{Alpha, Material, TextureAlpha, Wrap};
use meshlens::wire::Name;
use meshlens::{Limits, Model, Report};
use roxmltree::{Document, Node, ParsingOptions};

use super::find::{Places, resolve_texture};
use super::{codes, surface};
use crate::record::Record;
use crate::{AssetFile, AssetPath, Assets, Rule};

/// The folders to which exporters write materials, in the folder of the mesh or in the folder above it.
const FOLDERS: [&str; 3] = ["materials", "material", "nodes"];
/// The largest number of folders above a mesh that are searched.
const MAX_ANCESTORS: usize = 3;
/// The largest number of files that are read in a folder.
const MAX_FILES: usize = 1024;
const MAX_BYTES: u64 = 16 << 20;
/// The largest number of elements in a file.
const MAX_NODES: u32 = 1 << 18;
/// The largest number of ancestors of a material.
const MAX_PARENTS: usize = 16;
/// The names of textures that are the color of a surface.
const COLOR_TEXTURES: [&str; 2] = ["albedo", "diffuse"];

/// The materials and meshes in the files of one folder.
#[derive(Debug, Default)]
struct Library {
    materials: Vec<Entry>,
    /// Meshes, with the materials of their surfaces.
    meshes: Vec<MeshNode>,
    faults: Report,
}

/// A mesh in a node.
#[derive(Debug)]
struct MeshNode {
    /// The path of the mesh, or its identifier.
    mesh: String,
    /// The name of each surface, and the name or the identifier of its material.
    surfaces: Vec<(String, String)>,
    file: AssetFile,
}

/// A material in a file. Properties that it does not have are inherited from its parent.
#[derive(Debug)]
struct Entry {
    name: String,
    guid: String,
    /// The names and identifiers of parents. The first known one is used.
    parents: Vec<String>,
    texture: Option<(String, [Wrap; 2])>,
    color: Option<[f32; 4]>,
    two_sided: Option<bool>,
    alpha: Option<(Alpha, TextureAlpha)>,
    file: AssetFile,
}

pub(super) fn resolve(assets: &Assets, model: &mut Model<'_>, path: &AssetPath, record: &mut Record) {
    let libraries: Vec<Arc<Library>> = folders(path).iter().map(|folder| library(assets, folder)).collect();
    libraries.iter().for_each(|library| record.findings.append(library.faults.clone()));
    let nodes = || libraries.iter().flat_map(|library| &library.meshes).filter(|node| node.is_of(path));
    let entries: Vec<&Entry> = libraries.iter().flat_map(|library| &library.materials).collect();
    let entry = |name: &str| {
        let is_it =
            |entry: &&&Entry| entry.name.eq_ignore_ascii_case(name) || entry.guid.eq_ignore_ascii_case(name);
        entries.iter().find(is_it).copied().filter(|_| !name.is_empty())
    };
    for material in &mut model.materials {
        let surface = &material.name;
        let named = nodes().find_map(|node| {
            let (_, name) = node.surfaces.iter().find(|(name, _)| name.eq_ignore_ascii_case(surface))?;
            Some((node, name.as_str()))
        });
        if let Some((node, _)) = named {
            record.use_file(node.file.clone());
        }
        // Exporters name materials after their surfaces.
        let Some(first) = named.and_then(|(_, name)| entry(name)).or_else(|| entry(surface)) else {
            if let Some((_, name)) = named.filter(|(_, name)| !is_guid(name)) {
                material.name = name.into();
            }
            continue;
        };
        let mut chain = vec![first];
        while let Some(last) = chain.last().filter(|_| chain.len() < MAX_PARENTS) {
            let Some(parent) = last.parents.iter().find_map(|parent| entry(parent)) else { break };
            chain.push(parent);
        }
        let texture = chain.iter().find_map(|entry| entry.texture.as_ref().map(|texture| (*entry, texture)));
        if !first.name.is_empty() {
            material.name.clone_from(&first.name);
        }
        if let Some([r, g, b, a]) = chain.iter().find_map(|entry| entry.color) {
            material.color = [surface::to_linear(r), surface::to_linear(g), surface::to_linear(b), a];
        }
        material.two_sided = chain.iter().find_map(|entry| entry.two_sided).unwrap_or_default();
        (material.alpha, material.texture_alpha) =
            chain.iter().find_map(|entry| entry.alpha).unwrap_or_default();
        chain.iter().for_each(|entry| record.use_file(entry.file.clone()));
        if let Some((entry, (name, wrap))) = texture {
            material.wrap = *wrap;
            material.texture = Some(name.clone());
            find_texture(assets, material, name, [path, &entry.file.path], record);
        }
    }
}

impl MeshNode {
    /// Whether this is the mesh at `path`: by its identifier, or by the end of its path.
    fn is_of(&self, path: &AssetPath) -> bool {
        if let Some(guid) = self.mesh.strip_prefix("guid://") {
            return path.stem().eq_ignore_ascii_case(guid);
        }
        let mesh = self.mesh.replace('\\', "/");
        let same =
            mesh.rsplit('/').zip(path.as_str().rsplit('/')).take_while(|(a, b)| a.eq_ignore_ascii_case(b));
        same.count() > 0
    }
}

/// The folders that may have the materials of a mesh, the nearest first.
fn folders(mesh: &AssetPath) -> Vec<AssetPath> {
    let mut found = Vec::new();
    for folder in mesh.folder().up_to_root().take(MAX_ANCESTORS) {
        found.push(folder.clone());
        found.extend(FOLDERS.iter().filter_map(|name| folder.join(name).ok()));
    }
    found
}

/// Finds a texture by its path, which starts at the folder of the project, or by its identifier, which is its file name
/// in the engine.
fn find_texture(
    assets: &Assets,
    material: &mut Material,
    name: &str,
    from: [&AssetPath; 2],
    record: &mut Record,
) {
    let mut places = Places { bases: vec![AssetPath::root()], folders: Vec::new() };
    for path in from {
        let folder = path.folder();
        let above = folder.up_to_root().take_while(|folder| !folder.is_root());
        places.bases.extend(above.take((2 * MAX_PARENTS).saturating_sub(places.bases.len())));
        places.folders.push(folder.clone());
        places.folders.extend(folder.join("textures").ok());
    }
    let name = match name.strip_prefix("guid://") {
        Some(guid) if is_guid(guid) => format!(".runtimes/{}/{guid}", guid.get(..2).unwrap_or_default()),
        _ => name.to_owned(),
    };
    resolve_texture(assets, &places, material, &name, record);
}

fn is_guid(name: &str) -> bool {
    name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The materials in the files of a folder. They are read once for all meshes.
fn library(assets: &Assets, folder: &AssetPath) -> Arc<Library> {
    if !assets.has_folder(folder) {
        return Arc::default();
    }
    let read = || {
        let mut library = Library::default();
        let mut left = MAX_BYTES;
        let paths = assets.files(folder).into_iter().map(|name| folder.child(&name));
        let files = paths.filter(|path| ["mat", "xml", "node"].iter().any(|end| path.has_extension(end)));
        for (number, path) in files.enumerate() {
            if number == MAX_FILES {
                library.fault(
                    &path,
                    &format_args!("not read, like the files after it: there are more than {MAX_FILES}"),
                );
                break;
            }
            let Some(file) = assets.find_file(&path) else { continue };
            match assets.read_limited(&file, left.min(Limits::DEFAULT.text)) {
                Ok(text) => {
                    left = left.saturating_sub(text.len() as u64);
                    let len = text.len() as u64;
                    let file = AssetFile { name: file.to_string(), path, rule: Rule::MaterialFile, len };
                    library.add(&file, &text);
                }
                Err(error) => library.fault(&path, &error),
            }
        }
        Ok::<_, Infallible>(Arc::new(library))
    };
    let Ok(library) = assets.cache().named(folder.folded(), read);
    library
}

impl Library {
    fn fault(&mut self, path: &AssetPath, error: &dyn std::fmt::Display) {
        let message = format_args!("{path}: {error}");
        self.faults.lose(&codes::MATERIAL_FILE_FAULTY, 1, format_args!("{path}"), message);
    }

    /// Adds the content of a file.
    fn add(&mut self, file: &AssetFile, text: &[u8]) {
        let text = Name::new(text).to_text();
        let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        let document = match Document::parse_with_options(text.trim_start_matches('\u{feff}'), options) {
            Ok(document) => document,
            // Other formats may have the same extensions.
            Err(_) if !file.path.has_extension("mat") => return,
            Err(error) => return self.fault(&file.path, &error),
        };
        for node in document.root_element().descendants().filter(Node::is_element) {
            match node.tag_name().name() {
                "material" if !file.path.has_extension("node") => self.materials.push(Entry::new(node, file)),
                "node" => self.meshes.extend(MeshNode::new(node, file)),
                _ => {}
            }
        }
    }
}

fn children<'d>(node: Node<'d, 'd>, name: &'static str) -> impl Iterator<Item = Node<'d, 'd>> {
    node.children().filter(move |child| child.tag_name().name() == name)
}

fn text<'d>(node: Node<'d, 'd>) -> &'d str {
    node.text().unwrap_or_default().trim()
}

impl MeshNode {
    fn new<'d>(node: Node<'d, 'd>, file: &AssetFile) -> Option<MeshNode> {
        let mesh = ["mesh_name", "mesh"].into_iter().find_map(|name| children(node, name).next()?.text())?;
        let surfaces = children(node, "surface").filter_map(|surface| {
            Some((surface.attribute("name")?.to_owned(), surface.attribute("material")?.to_owned()))
        });
        let surfaces: Vec<(String, String)> = surfaces.collect();
        (!surfaces.is_empty()).then(|| MeshNode { mesh: mesh.trim().into(), surfaces, file: file.clone() })
    }
}

impl Entry {
    fn new<'d>(node: Node<'d, 'd>, file: &AssetFile) -> Entry {
        let attribute = |name: &str| node.attribute(name).unwrap_or_default().to_owned();
        let of_name = |tag: &'static str, names: &[&str]| {
            names
                .iter()
                .find_map(|name| children(node, tag).find(|child| child.attribute("name") == Some(name)))
        };
        // Flags are attributes of `options` in older files, and separate elements in newer ones.
        let flag = |name: &str| {
            let option = children(node, "options").find_map(|options| options.attribute(name));
            let element = ["option", "state"].into_iter().find_map(|tag| of_name(tag, &[name]));
            option.or(element.map(text)).and_then(|value| value.parse::<u32>().ok())
        };
        let name = attribute("name");
        // In a file with one material, the material is named after the file.
        let name = if name.is_empty() { file.path.stem().to_owned() } else { name };
        let texture = of_name("texture", &COLOR_TEXTURES).filter(|texture| !text(*texture).is_empty());
        let color = of_name("parameter", &["albedo_color", "diffuse_color"]).and_then(|color| {
            let mut numbers = text(color).split_ascii_whitespace().map(|number| number.parse::<f32>().ok());
            let mut next = || numbers.next().flatten().filter(|number| number.is_finite());
            Some([next()?, next()?, next()?, next()?])
        });
        let blend = children(node, "blend").next().map(|blend| {
            let factor = |name| blend.attribute(name).unwrap_or_default();
            (factor("src"), factor("dest"))
        });
        let blended = |alpha| Some((Alpha::Blend, alpha));
        let alpha = match (flag("transparent"), flag("alpha_test"), blend) {
            (_, _, Some(("one", "one"))) => blended(TextureAlpha::Add),
            (_, _, Some(("src_alpha", "one"))) => blended(TextureAlpha::AddAlpha),
            (_, _, Some(("dest_color", "zero") | ("zero", "src_color"))) => blended(TextureAlpha::Multiply),
            (Some(1), _, _) | (_, Some(1), _) => Some((Alpha::Mask, TextureAlpha::Stored)),
            (Some(2), _, _) => blended(TextureAlpha::Stored),
            (_, _, Some((source, _))) if !matches!(source, "none" | "") => blended(TextureAlpha::Stored),
            (Some(0), _, _) => Some((Alpha::Opaque, TextureAlpha::Stored)),
            _ => None,
        };
        Entry {
            name,
            guid: attribute("guid"),
            parents: ["parent", "parent_name", "base_material"].map(attribute).into(),
            texture: texture.map(|texture| (text(texture).to_owned(), wrap(texture.attribute("wrap")))),
            color,
            two_sided: flag("two_sided").map(|value| value != 0),
            alpha,
            file: file.clone(),
        }
    }
}

/// A border mode is most similar to clamping.
fn wrap(value: Option<&str>) -> [Wrap; 2] {
    match value.unwrap_or_default() {
        "clamp" | "border" => [Wrap::Clamp; 2],
        "clamp_x" | "border_x" => [Wrap::Clamp, Wrap::Repeat],
        "clamp_y" | "border_y" => [Wrap::Repeat, Wrap::Clamp],
        _ => [Wrap::Repeat; 2],
    }
}
