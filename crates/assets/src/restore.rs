//! The files of a game from the companions of a node: beside the model that was made, with their own bytes.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use meshlens::Report;
use meshlens::md3::animation::BodyPart;
use meshlens::md3::skin::Entry;
use meshlens::md3::{AnimationConfig, Skin, clips};
use meshlens::model::export::{self, ModelFiles, PositionFit, Target};
use meshlens::model::{Material, Model};
use meshlens::scene::{Companion, CompanionKind, Node, Variant};
use meshlens::unreal::pairing::FileName;
use meshlens::unreal::{ParseOptions, Script, Unreal};

use crate::material::{drawn, key, shader_text};
use crate::same::{is_same, same_clips};
use crate::{body_part, codes};

/// The file that states the clips of models in one folder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClipsCompanion {
    /// The name of the file.
    pub name: String,
    /// The bytes of the companion, if they still state the clips of all models.
    pub bytes: Option<Arc<[u8]>>,
    /// The content of an `animation.cfg`, to which clips that have changed can be added.
    pub config: Option<AnimationConfig>,
}

/// The companion that states the clips of models in one folder, such as the parts of a player, each with the name of its file
/// without the extension; `None` if they have none.
pub fn clips_companion(models: &[(&str, &Node<'_>)]) -> Option<ClipsCompanion> {
    let of =
        |node: &&Node<'_>| node.companions.iter().find(|file| file.kind == CompanionKind::Clips).cloned();
    let file = models.iter().find_map(|(_, node)| of(node))?;
    let is_config = file.name.eq_ignore_ascii_case("animation.cfg");
    let config = Some(&file).filter(|_| is_config).and_then(|file| AnimationConfig::parse(&file.bytes).ok());
    let states = |(stem, node): &(&str, &Node<'_>)| {
        let other = of(node);
        let is_own = other.as_ref().is_none_or(|other| other.bytes == file.bytes);
        is_own && is_stated(&file, config.as_ref(), body_part(stem), &node.model)
    };
    let bytes = models.iter().all(states).then(|| file.bytes.clone());
    let name = match models {
        [(stem, _)] if !is_config => renamed(&file, stem),
        _ => file.name.clone(),
    };
    Some(ClipsCompanion { name, bytes, config })
}

/// Whether a companion states exactly the clips of a model.
fn is_stated(
    file: &Companion,
    config: Option<&AnimationConfig>,
    part: Option<BodyPart>,
    model: &Model<'_>,
) -> bool {
    let mut stated = model.clone();
    match (config, part) {
        (Some(config), Some(part)) => drop(stated.set_animation_config(config, part)),
        // It states no clips of the head.
        (Some(_), None) => return true,
        _ => match clips::parse(&file.bytes) {
            Ok(named) => drop(stated.set_named_clips(&named)),
            Err(_) => return false,
        },
    }
    same_clips(&stated.clips, &model.clips)
}

/// The name of a companion beside the model `stem`: the name of its own model is replaced.
fn renamed(file: &Companion, stem: &str) -> String {
    let rest =
        file.name.split_at_checked(file.of.len()).filter(|(own, _)| own.eq_ignore_ascii_case(&file.of));
    match rest {
        Some((own, rest)) if own != stem && !file.of.is_empty() => format!("{stem}{rest}"),
        _ => file.name.clone(),
    }
}

/// Adds the companions of a node to the files that were made from its model with lengths multiplied by `scale`: skins, shaders
/// and levels of detail beside an MD3, and materials beside a UNIGINE mesh. `stem` is the name of the model's file without the
/// extension. An MD3 becomes the file that the companions are from if the model is the same. A variant without a skin becomes
/// a skin, and a material of an imported model a shader if its image alone is not drawn as it is. The file of the clips is that of [`clips_companion`].
pub fn add_companions(made: &mut ModelFiles, target: Target, node: &Node<'_>, stem: &str, scale: f32) {
    let of = |kind: CompanionKind| node.companions.iter().filter(move |file| file.kind == kind);
    let copies = |kind| of(kind).map(|file| (file.name.clone(), file.bytes.to_vec()));
    match target {
        Target::Md3 => {
            let is_same = of(CompanionKind::Rest).any(|rest| restore(made, rest, &node.model, scale));
            let is_edited = !is_same && of(CompanionKind::Rest).next().is_some();
            let mut skins: Vec<String> = Vec::new();
            for file in of(CompanionKind::Skin) {
                let name = renamed(file, stem);
                if is_edited {
                    report_missing(&name, &file.bytes, &node.model, &mut made.losses);
                }
                skins.push(name.to_ascii_lowercase());
                made.files.push((name, file.bytes.to_vec()));
            }
            for variant in &node.variants {
                let name = format!("{stem}_{}.skin", plain(&variant.name));
                if !skins.contains(&name.to_ascii_lowercase()) {
                    let skin = skin(variant, &node.model);
                    made.files.push((name, skin.write().into_bytes()));
                }
            }
            let mut shaders: Vec<Vec<u8>> =
                of(CompanionKind::Shader).map(|file| [&file.bytes, &b"\n"[..]].concat()).collect();
            if !is_same && node.model.format.is_none() {
                shaders.extend(new_shaders(made, node));
            }
            if !shaders.is_empty() {
                made.files.push((format!("{stem}.shader"), shaders.join(&b"\n"[..])));
            }
            made.files.extend(copies(CompanionKind::Icon));
            for file in of(CompanionKind::Level) {
                let name = renamed(file, stem);
                if is_edited {
                    let message =
                        format_args!("{name}: the level of detail of the model before it was edited");
                    made.losses.lose(&codes::COMPANION_OUTDATED, 1, format_args!("{name}"), message);
                }
                made.files.push((name, file.bytes.to_vec()));
            }
            if node.model.format.is_none() {
                add_levels(made, node, stem, scale);
            }
        }
        Target::Unreal if restore_unreal(made, node, scale).is_none() => {
            let scripts = of(CompanionKind::Script).count() as u64;
            let message = format_args!("the script: the mesh is another one, and has a new script");
            made.losses.lose(&codes::COMPANION_LOST, scripts, format_args!(""), message);
        }
        Target::Unigine => made.files.extend(copies(CompanionKind::Material)),
        _ => {}
    }
    let is_kept = |kind: CompanionKind| match kind {
        CompanionKind::Material => target == Target::Unigine,
        CompanionKind::Script | CompanionKind::Mesh => target == Target::Unreal,
        _ => target == Target::Md3,
    };
    let variants = node.variants.len();
    if target != Target::Md3 && variants > 0 {
        let message = format_args!("{variants} variants of materials");
        made.losses.lose(&meshlens::codes::VARIANT_LOST, variants as u64, format_args!(""), message);
    }
    let lost: Vec<&str> =
        node.companions.iter().filter(|file| !is_kept(file.kind)).map(|file| file.name.as_str()).collect();
    if let Some(first) = lost.first() {
        let count = lost.len();
        let message = format_args!("{count} files of another format, the first one {first}");
        made.losses.lose(&codes::COMPANION_LOST, count as u64, format_args!(""), message);
    }
}

/// Adds the coarser levels of an imported model, unless they travel as files.
fn add_levels(made: &mut ModelFiles, node: &Node<'_>, stem: &str, scale: f32) {
    for (number, level) in (1..).zip(&node.lods) {
        let name = format!("{stem}_{number}.md3");
        if made.files.iter().any(|(file, _)| file.eq_ignore_ascii_case(&name)) {
            continue;
        }
        let mut level = level.clone();
        // Its surfaces name the same images as those of the finest level, which may be in other files now.
        for material in &mut level.materials {
            let is_same =
                |number: usize| node.model.materials.get(number).is_some_and(|own| own.name == material.name);
            if let Some((path, _)) = made.shaders.iter().find(|(_, number)| is_same(*number)) {
                material.texture = Some(path.clone());
            }
        }
        match export::to_md3_measured(&level, stem, scale) {
            Ok(file) => made.files.push((name, file.bytes)),
            Err(error) => {
                let message = format_args!("level of detail {number}: {error}");
                made.losses.lose(&meshlens::codes::LOD_LOST, 1, format_args!("{name}"), message);
            }
        }
    }
}

/// Shaders for the materials that the image alone does not draw as they are, unless a shader travels for them. The losses of
/// materials become those of the shaders.
fn new_shaders(made: &mut ModelFiles, node: &Node<'_>) -> Vec<Vec<u8>> {
    let carried = node.companions.iter().filter(|file| file.kind == CompanionKind::Shader);
    let mut known: HashMap<String, Option<Material>> = carried.map(|file| (key(&file.name), None)).collect();
    let (mut texts, mut lost) = (Vec::new(), BTreeMap::new());
    for (path, number) in &made.shaders {
        let Some(material) = node.model.materials.get(*number) else { continue };
        let drawn = known.entry(key(path)).or_insert_with(|| {
            let has_image = material.texture.is_some() || material.image.is_some();
            let text = if has_image { shader_text(path, material) } else { None };
            let drawn = text.as_deref().and_then(drawn).unwrap_or_else(|| Material::new(""));
            texts.extend(text.map(String::into_bytes));
            Some(drawn)
        });
        let message = drawn.as_ref().and_then(|drawn| material.lost(drawn));
        lost.extend(message.map(|message| (*number, (&material.name, message))));
    }
    made.losses.retain(|code| *code != meshlens::codes::MATERIAL_LOST);
    for (name, message) in lost.into_values() {
        let code = &meshlens::codes::MATERIAL_LOST;
        made.losses.lose(code, 1, format_args!("material {name}"), format_args!("{message}"));
    }
    texts
}

/// Replaces an MD3 by the file that the rest is from, if the model is the same. It then has lost nothing.
fn restore(made: &mut ModelFiles, rest: &Companion, model: &Model<'_>, scale: f32) -> bool {
    let [(_, bytes), ..] = &mut made.files[..] else { return false };
    let Some(whole) = export::md3_from_rest(&rest.bytes, bytes, model, scale) else { return false };
    *bytes = whole;
    (made.losses, made.fit) = (Report::default(), PositionFit::default());
    true
}

/// Replaces the files of an Unreal mesh by those that its script imports, and the script by that script, if they still are the
/// model and have the same names.
fn restore_unreal(made: &mut ModelFiles, node: &Node<'_>, scale: f32) -> Option<()> {
    let of = |kind: CompanionKind| node.companions.iter().filter(move |file| file.kind == kind);
    let (script, mut halves) = (of(CompanionKind::Script).next()?, of(CompanionKind::Mesh));
    let (geometry, frames) = (halves.next()?, halves.next()?);
    let [(first, first_bytes), (second, second_bytes), (name, text)] = &mut made.files[..] else {
        return None;
    };
    if !first.eq_ignore_ascii_case(&geometry.name) || !second.eq_ignore_ascii_case(&frames.name) {
        return None;
    }
    let unreal = Unreal::parse(&geometry.bytes, &frames.bytes).ok()?;
    let parsed = Script::parse_with(&script.bytes, &ParseOptions::LENIENT).ok()?;
    let mut own = Model::new(unreal.into()).ok()?;
    own.set_script(&unreal, &parsed, FileName::parse(&geometry.name)?.stem)?;
    if !is_same(&own, &node.model, scale) {
        return None;
    }
    (*first_bytes, *second_bytes, *text) =
        (geometry.bytes.to_vec(), frames.bytes.to_vec(), script.bytes.to_vec());
    name.clone_from(&script.name);
    (made.losses, made.fit) = (Report::default(), PositionFit::default());
    Some(())
}

/// Adds a finding about the surfaces that a skin names and an edited model does not have.
fn report_missing(name: &str, text: &[u8], model: &Model<'_>, losses: &mut Report) {
    let Ok(skin) = Skin::parse(text) else { return };
    let has = |surface: &str| model.meshes.iter().any(|mesh| mesh.name.eq_ignore_ascii_case(surface));
    let missing: Vec<&str> = skin
        .entries
        .iter()
        .filter(|entry| !entry.is_tag() && !has(&entry.surface))
        .map(|entry| entry.surface.as_str())
        .collect();
    let message = format_args!("{name}: the model has no surface {}", missing.join(", "));
    losses.lose(&codes::COMPANION_OUTDATED, missing.len() as u64, format_args!("{name}"), message);
}

/// A variant as a skin of all meshes and tags.
fn skin(variant: &Variant, model: &Model<'_>) -> Skin {
    let entry = |surface: &str, path: &str| {
        let (surface, path) = (surface.to_owned(), path.to_owned());
        Entry { surface, path, others: Vec::new(), offset: 0 }
    };
    let own = |mesh: usize| model.materials.get(model.meshes.get(mesh)?.material?);
    let meshes = model.meshes.iter().enumerate().filter_map(|(number, mesh)| {
        let material: &Material =
            variant.materials.get(number).and_then(Option::as_ref).or_else(|| own(number))?;
        Some(entry(&mesh.name, material.texture.as_deref().unwrap_or(&material.name)))
    });
    Skin { entries: meshes.chain(model.tags.iter().map(|tag| entry(&tag.name, ""))).collect() }
}

/// A name without the characters that the name of a file must not have.
fn plain(name: &str) -> String {
    name.chars().map(|c| if c.is_alphanumeric() || matches!(c, '-' | '.') { c } else { '_' }).collect()
}
