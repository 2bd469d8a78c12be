//! Translation of WGSL to other languages with naga.

use core::fmt;

use naga::back::{glsl, hlsl};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::wgsl;

/// The error for a module that is invalid or cannot be translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TranslateError(String);

fn error(error: impl fmt::Display) -> TranslateError {
    TranslateError(error.to_string())
}

/// Parses and validates a module of WGSL.
///
/// # Errors
///
/// [`TranslateError`] with the problem and its location.
pub fn validate(text: &str) -> Result<(naga::Module, ModuleInfo), TranslateError> {
    let module = naga::front::wgsl::parse_str(text).map_err(|found| error(found.emit_to_string(text)))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::SHADER_FLOAT16_IN_FLOAT32);
    let info = validator.validate(&module).map_err(|found| error(found.emit_to_string(text)))?;
    Ok((module, info))
}

/// Translates a module of WGSL to HLSL for shader model 5.0.
///
/// # Errors
///
/// The errors of [`validate`], and features that HLSL does not support.
pub fn to_hlsl(text: &str) -> Result<String, TranslateError> {
    let (module, info) = validate(text)?;
    let options = hlsl::Options { shader_model: hlsl::ShaderModel::V5_0, ..hlsl::Options::default() };
    let pipeline = hlsl::PipelineOptions::default();
    let mut out = String::new();
    hlsl::Writer::new(&mut out, &options, &pipeline).write(&module, &info, None).map_err(error)?;
    Ok(out)
}

/// Translates a vertex or fragment entry point of a module to GLSL ES 3.00, the language of WebGL2.
///
/// # Errors
///
/// The errors of [`validate`], and features that GLSL ES 3.00 does not support.
pub fn to_glsl(text: &str, stage: naga::ShaderStage, entry_point: &str) -> Result<String, TranslateError> {
    let (module, info) = validate(text)?;
    let options = glsl::Options { version: glsl::Version::new_gles(300), ..glsl::Options::default() };
    let pipeline =
        glsl::PipelineOptions { shader_stage: stage, entry_point: entry_point.into(), multiview: None };
    let mut out = String::new();
    let policies = naga::proc::BoundsCheckPolicies::default();
    let mut writer =
        glsl::Writer::new(&mut out, &module, &info, &options, &pipeline, policies).map_err(error)?;
    writer.write().map_err(error)?;
    Ok(out)
}

/// Every piece in HLSL: functions without entry points.
///
/// # Errors
///
/// Never fails for the pieces of this crate.
pub fn pieces_to_hlsl() -> Result<String, TranslateError> {
    to_hlsl(wgsl::all_pieces().as_text())
}

/// Every piece in GLSL ES 3.00: functions without entry points or a version line, to include in a shader.
///
/// # Errors
///
/// Never fails for the pieces of this crate.
pub fn pieces_to_glsl() -> Result<String, TranslateError> {
    // naga writes only functions that an entry point calls, so a temporary entry point calls every function. It is then
    // removed.
    let mut module = wgsl::all_pieces();
    let (parsed, _) = validate(module.as_text())?;
    let mut calls = String::new();
    for (_, function) in parsed.functions.iter() {
        let name = function.name.as_deref().unwrap_or_default();
        let arguments: Result<Vec<String>, _> =
            function.arguments.iter().map(|argument| zero(&parsed.types[argument.ty].inner)).collect();
        calls.push_str(&format!("    let result_of_{name} = {name}({});\n", arguments?.join(", ")));
    }
    module.push(&format!("@fragment\nfn entry_point() {{\n{calls}}}"));
    let text = to_glsl(module.as_text(), naga::ShaderStage::Fragment, "entry_point")?;
    let functions = text.split_once("precision highp int;").map_or(text.as_str(), |(_, rest)| rest);
    let functions = functions.rsplit_once("void main()").map_or(functions, |(before, _)| before);
    Ok(format!("{}\n", functions.trim()))
}

/// A value of a WGSL type.
fn zero(inner: &naga::TypeInner) -> Result<String, TranslateError> {
    let name = |scalar: &naga::Scalar| match scalar.kind {
        naga::ScalarKind::Float => "f32",
        naga::ScalarKind::Sint => "i32",
        _ => "u32",
    };
    Ok(match inner {
        naga::TypeInner::Scalar(scalar) => format!("{}()", name(scalar)),
        naga::TypeInner::Vector { size, scalar } => format!("vec{}<{}>()", *size as u8, name(scalar)),
        naga::TypeInner::Matrix { columns, rows, scalar } => {
            format!("mat{}x{}<{}>()", *columns as u8, *rows as u8, name(scalar))
        }
        _ => return Err(error("an argument of another type")),
    })
}
