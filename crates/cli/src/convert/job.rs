//! The jobs of a conversion: one for each output.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::args::{Convert, Target};
use crate::inputs::Takes;
use crate::item::Item;
use crate::memory::Memory;
use crate::outputs::{self, Outputs, Plan};
use crate::sink;

/// One output.
pub(super) struct Job {
    pub(super) item: Item,
    pub(super) output: PathBuf,
    pub(super) target: Target,
}

/// Plans all outputs, like [`outputs::plan`].
pub(super) fn plan<'a>(arguments: &'a Convert, memory: &Memory) -> Result<(Plan<'a>, Target), String> {
    let target = target(arguments)?;
    let outputs = Outputs {
        inputs: &arguments.inputs,
        file: arguments.output.as_deref(),
        folder: arguments.out_dir.as_deref(),
        extension: extension(target),
        // A folder that was converted before contains glTF outputs; they are not converted again.
        takes: if target.writes_gltf() { Takes::GameFormats } else { Takes::Gltf },
        keeps_existing: arguments.skip_existing,
        may_have_no_path: false,
    };
    Ok((outputs::plan(outputs, memory)?, target))
}

/// The jobs of a plan.
pub(super) fn jobs(plan: &Plan<'_>, target: Target) -> impl Iterator<Item = Job> {
    plan.jobs().filter_map(move |planned| Some(Job { item: planned.item, output: planned.output?, target }))
}

fn target(arguments: &Convert) -> Result<Target, String> {
    let target = target_of_name(arguments)?;
    if arguments.makes_skeleton() && !target.takes_joints() {
        return Err("--skeleton takes a format with joints: glb, gltf, usda, u3d or unigine".into());
    }
    if let (Target::Gltf, Some(output)) = (target, &arguments.output) {
        let extension = output.extension().unwrap_or_default();
        if ["glb", "bin"].iter().any(|other| extension.eq_ignore_ascii_case(other)) {
            return Err(format!(
                "{}: the JSON of a glTF file has the extension .gltf, its buffer .bin",
                output.display()
            ));
        }
    }
    if arguments.output.as_deref().is_some_and(sink::is_stdout) {
        if is_several_files(target) {
            let usda = if cfg!(feature = "carriers") { ", usda" } else { "" };
            return Err(format!("-o - takes a format of one file: glb, md3, u3d{usda} or unigine"));
        }
        if sink::stdout_is_terminal() && !arguments.force {
            return Err("standard output is a terminal: redirect it, or name a file with -o".into());
        }
    }
    Ok(target)
}

/// Whether a model becomes several files that belong together.
fn is_several_files(target: Target) -> bool {
    #[cfg(feature = "carriers")]
    if target == Target::Vat {
        return true;
    }
    matches!(target, Target::Gltf | Target::Unreal)
}

fn target_of_name(arguments: &Convert) -> Result<Target, String> {
    if arguments.separate {
        return Ok(Target::Gltf);
    }
    if let Some(target) = arguments.to {
        return Ok(target);
    }
    let Some(output) = &arguments.output else { return Ok(Target::Glb) };
    if sink::is_stdout(output) {
        return Ok(Target::Glb);
    }
    let extension = output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let extension = extension.to_ascii_lowercase();
    // The first one: the mesh of vertex animation textures is a GLB, too.
    let is_named = |target: &&Target| self::extension(**target) == extension;
    if let Some(target) = Target::value_variants().iter().find(is_named) {
        return Ok(*target);
    }
    let unknown = match extension.as_str() {
        "" => "no extension".into(),
        unknown => format!("unknown extension .{unknown}"),
    };
    let usda = if cfg!(feature = "carriers") { ", usda" } else { "" };
    let known = format!("one of glb, gltf, md3, 3d, u3d, mesh, anim{usda}, or --to FORMAT");
    Err(format!("{}: {unknown}; {known}", output.display()))
}

const fn extension(target: Target) -> &'static str {
    match target {
        Target::Glb => "glb",
        Target::Gltf => "gltf",
        Target::Md3 => "md3",
        Target::Unreal => "3d",
        Target::U3d => "u3d",
        Target::Unigine => "mesh",
        Target::UnigineAnim => "anim",
        #[cfg(feature = "carriers")]
        Target::Vat => "glb",
        #[cfg(feature = "carriers")]
        Target::Usda => "usda",
    }
}
