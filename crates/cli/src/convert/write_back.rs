//! Writes a model in a game format, with the files beside it.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use meshlens::model::{Clip, export};
use meshlens::scene::Node;
use meshlens::unreal::VertexEncoding;
use meshlens_gltf::PORTABLE_MORPH_TARGETS;
use meshlens_source::Source;

use super::clips::{self, Clips, ClipsFile};
use super::job::Job;
use super::textures::{TextureWriter, game_folder};
use super::written::Written;
use super::{Work, fit};
use crate::args::{Convert, Interpolation, Lod, Normals, Target, Textures, UnrealVertices};
use crate::failure::{Failure, folder_of};
use crate::outputs::mesh_name;
use crate::sink::{create_folder, is_stdout};
use crate::{engines, terminal};

/// Writes a model in a game format. `own` is the file of the model, if the result may keep what a model does not hold.
pub(super) fn write_back(work: &Work<'_>, node: &Node<'_>, own: Option<&[u8]>) -> Result<Written, Failure> {
    let mut written = Written::default();
    let made = write_node(work, node, own, &mut written)?;
    let output = &work.job.output;
    if !is_stdout(output) {
        write_clips(work, &[Clips { output, node, made }], &mut written)?;
    }
    Ok(written)
}

/// Writes the models of a scene, such as the parts of a player, as files of their own in a folder with the name of the output.
pub(super) fn write_models(work: &Work<'_>, nodes: &[Node<'_>]) -> Result<Written, Failure> {
    let job = work.job;
    if is_stdout(&job.output) {
        let count = nodes.len();
        return Err(Failure::system(format!(
            "{}: -o - takes one file, and this is {count} models",
            job.item.uri
        )));
    }
    let folder = folder_of_models(&job.output);
    create_folder(&folder)?;
    let mut written = Written::default();
    let mut models: Vec<(Job, Node<'_>)> = Vec::new();
    for node in nodes {
        let stem = |number: usize| {
            let plain = terminal::file_name(&node.name.replace(['/', '\\'], "_"));
            let stem = plain.trim_start_matches('.').to_owned();
            let stem = if stem.is_empty() { "model".to_owned() } else { stem };
            if number == 0 { stem } else { format!("{stem}_{number}") }
        };
        let output = |number: usize| folder.join(format!("{}.md3", stem(number)));
        let is_free = |path: &PathBuf| models.iter().all(|(job, _)| !same_file(&job.output, path));
        let Some(output) = (0..=models.len()).map(output).find(is_free) else { continue };
        models.push((Job { item: job.item.clone(), output, target: job.target }, node.placed()));
    }
    let mut clips = Vec::new();
    for (job, node) in &models {
        let made = write_node(&Work { job, ..*work }, node, None, &mut written)?;
        clips.push(Clips { output: &job.output, node, made });
    }
    write_clips(work, &clips, &mut written)?;
    written.outcome.notes.push(format!("{} models in {}", models.len(), folder.display()));
    Ok(written)
}

/// The folder of the models of a scene: that of an output that has the name of a part, or the output without its extension.
pub(super) fn folder_of_models(output: &Path) -> PathBuf {
    let stem = output.file_stem().unwrap_or_default();
    let is_part = ["lower", "upper", "head"].iter().any(|part| stem.eq_ignore_ascii_case(part));
    if is_part { folder_of(output) } else { output.with_extension("") }
}

/// Whether two paths may be one file, on any system.
fn same_file(a: &Path, b: &Path) -> bool {
    a.as_os_str().eq_ignore_ascii_case(b.as_os_str())
}

/// Writes the files of the clips of models in one folder.
fn write_clips(work: &Work<'_>, models: &[Clips<'_>], written: &mut Written) -> Result<(), Failure> {
    for ClipsFile { path, text, replaces } in clips::files(models, &mut written.turn)? {
        let overwrite = replaces || work.arguments.replaces();
        written.files.push(work.share.files.write(&path, &text, overwrite)?);
        written.outcome.bytes_out += text.len() as u64;
    }
    Ok(())
}

/// Writes a model and the files beside it, except those of its clips, which it returns.
fn write_node(
    work: &Work<'_>,
    node: &Node<'_>,
    own: Option<&[u8]>,
    written: &mut Written,
) -> Result<Vec<Clip>, Failure> {
    let Work { arguments, job, share, .. } = *work;
    let _reserved =
        export::reserve(&node.model, share.budget).map_err(|over| Failure::memory(&job.item.uri, &over))?;
    let mut warnings: Vec<String> = Vec::new();
    let to_stdout = is_stdout(&job.output);
    let images = node.model.materials.iter().filter(|material| material.image.is_some()).count();
    warnings.extend(ignored(&for_gltf(arguments, images > 0 || game_folder(job).is_some())));
    let textures = TextureWriter::new(work);
    let model = &*textures.carried(&node.model);
    let (texture_files, unusable) = textures.finish()?;
    warnings.extend(unusable);
    if images > 0 && to_stdout && arguments.textures != Some(Textures::None) {
        warnings.push(format!("the images of {images} materials are not written to standard output"));
    }
    // Other targets are not written here.
    let target = job.target.game_format().unwrap_or(export::Target::Md3);
    let vertices = arguments.vertices.map(|vertices| match vertices {
        UnrealVertices::Packed32 => VertexEncoding::Packed,
        UnrealVertices::I16x4 => VertexEncoding::Wide,
    });
    let name = name(job, node);
    let engine = arguments.engine.as_deref().and_then(engines::find);
    let packs = vertices.is_none() && engine.is_some_and(engines::Engine::packs_vertices);
    let vertices = if packs { Some(VertexEncoding::Packed) } else { vertices };
    let own_u3d = own.filter(|_| job.target == Target::U3d);
    let mut made = match own_u3d.and_then(|own| export::ModelFiles::rewritten_u3d(own, &name)) {
        Some(made) => made,
        None => export::to_files(model, target, &name, arguments.scale, vertices)
            .map_err(|error| Failure::input(format!("{}: {error}", job.item.uri)))?,
    };
    let keeps_flags = own.is_some_and(|own| fit::keep_flags(&mut made, own));
    let count = made.files.len();
    // Normal maps that are files now are not lost.
    let mut node = Cow::Borrowed(node);
    for (number, material) in model.materials.iter().enumerate().filter(|(_, own)| own.normal_map.is_none()) {
        if node.model.materials.get(number).is_some_and(|own| own.normal_map.is_some()) {
            node.to_mut().model.materials[number].normal_map = material.normal_map.clone();
        }
    }
    let node = &*node;
    let stem = job.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    meshlens_assets::add_companions(&mut made, target, node, &stem, arguments.scale);
    let beside = made.files.split_off(count);
    if !beside.is_empty() && to_stdout {
        warnings.push(format!("{} files beside the model are not written to standard output", beside.len()));
    }
    let split = match engine {
        Some(engine) => fit::split(engine, &mut made, job, share)?,
        None => None,
    };
    let mut notes: Vec<String> = split.into_iter().collect();
    fit::judge(engine, &made, &mut warnings, &mut notes)
        .map_err(|error| Failure::input(format!("{}: {error}", job.item.uri)))?;
    for (file, bytes) in &made.files {
        let beside = job.output.with_file_name(file);
        let path = if count == 1 { &job.output } else { &beside };
        written.files.push(share.files.write(path, bytes, arguments.replaces())?);
        written.outcome.bytes_out += bytes.len() as u64;
    }
    for (file, bytes) in beside.iter().filter(|_| !to_stdout) {
        let path = place(job, file);
        if same_file(&path, &job.output) || written.beside.iter().any(|other| same_file(other, &path)) {
            continue;
        }
        // A file that is there as it is to be is left as it is, such as a skin of several models.
        if Source::read_limited(&path, bytes.len() as u64).is_ok_and(|there| there[..] == bytes[..]) {
            continue;
        }
        if let Some(folder) = path.parent() {
            create_folder(folder)?;
        }
        let made = share.files.write_beside(&path, bytes, arguments.replaces(), &mut warnings)?;
        written.outcome.bytes_out += made.as_ref().map_or(0, |_| bytes.len() as u64);
        written.files.extend(made);
        written.beside.push(path);
    }
    written.files.extend(texture_files);
    let better_scale = made.fit.better_scale;
    let better = better_scale.map(|scale| format!("; --scale {scale} helps")).unwrap_or_default();
    warnings.extend(made.fit.warning().map(|text| text + &better));
    written.keeps_flags |= keeps_flags;
    written.outcome.scale_is_named |= better_scale.is_some();
    written.outcome.losses.append(made.losses);
    written.outcome.warnings.extend(warnings);
    written.outcome.notes.extend(notes);
    Ok(made.clips)
}

/// The path of a file beside a model. In the folder of a game, engines find shaders in `scripts`, where each file needs a name of
/// its own: `weapons_gun.shader` for `models/weapons/gun/gun.md3`.
fn place(job: &Job, file: &str) -> PathBuf {
    let beside = job.output.with_file_name(file);
    let is_shader = beside.extension().is_some_and(|extension| extension == "shader");
    match game_folder(job).filter(|_| is_shader) {
        Some(folder) => {
            let up = folder.split('/').map(|_| "..").collect::<PathBuf>();
            let root = folder_of(&job.output).join(up);
            let mut names: Vec<&str> = folder.split('/').skip(1).collect();
            let stem = file.strip_suffix(".shader").unwrap_or(file);
            names.extend(Some(stem).filter(|stem| names.last() != Some(stem)));
            let name = format!("{}.shader", names.join("_"));
            root.canonicalize().unwrap_or(root).join("scripts").join(name)
        }
        None => beside,
    }
}

/// The name of the model in its files. The name for x.3d and x_d.3d is x.
fn name<'a>(job: &'a Job, node: &'a Node<'_>) -> Cow<'a, str> {
    if job.target != Target::Unreal {
        return Cow::Borrowed(&node.name);
    }
    let stem = job.output.file_stem().unwrap_or_default().to_string_lossy();
    Cow::Owned(mesh_name(&stem).to_owned())
}

/// The options in use that only apply to glTF outputs.
pub(super) fn for_gltf(arguments: &Convert, has_images: bool) -> Vec<&'static str> {
    let options = [
        ("--frames", arguments.frames.is_some()),
        ("--clip", arguments.clip.is_some()),
        ("--frame", arguments.frame.is_some()),
        ("--quantize", arguments.quantize),
        ("--normals", arguments.normals == Normals::Base),
        ("--max-targets", arguments.max_targets != PORTABLE_MORPH_TARGETS),
        ("--meshopt", arguments.meshopt.is_some()),
        ("--lod", arguments.lod == Lod::All),
        ("--interpolation", arguments.interpolation == Interpolation::Step),
        ("--textures", arguments.textures.is_some_and(|asked| !has_images || asked == Textures::Embed)),
        ("--embed", arguments.embed),
        ("--variants", arguments.variants),
    ];
    options.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name).collect()
}

/// The warning about options that have no effect.
pub(super) fn ignored(options: &[&str]) -> Option<String> {
    (!options.is_empty()).then(|| format!("only for glTF, and ignored: {}", options.join(", ")))
}
