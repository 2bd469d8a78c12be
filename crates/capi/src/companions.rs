//! Companion files: their effect on a model, and the findings about them.

#[cfg(feature = "md3")]
use meshlens::md3::{AnimationConfig, Skin, animation::BodyPart, clips};
#[cfg(feature = "unreal")]
use meshlens::unreal::{ParseOptions, Script, validate_script, validate_sequences};
use meshlens::{Document, Model, Partial, Report};

use crate::file_bytes::FileBytes;
use crate::memory::Limited;
use crate::result::{Failure, Result, ml_result};

/// A companion file of a model.
pub(crate) struct Companion {
    pub(crate) kind: Kind,
    pub(crate) file: FileBytes,
}

/// The kind of a companion.
pub(crate) enum Kind {
    /// The script of the Unreal mesh with this name.
    Script(String),
    AnimationConfig {
        is_legs: bool,
    },
    NamedClips,
    Skin,
    /// Animations; animations without a name get this name.
    Animation(String),
}

/// Applies companions to a model. Returns the findings about them, and about content that the model does not use.
#[cfg_attr(
    not(all(feature = "md3", feature = "unreal", feature = "unigine")),
    allow(unused_variables, unused_mut, reason = "each format uses some of them")
)]
pub(crate) fn apply<'a>(
    document: &Document<'a, Partial>,
    model: &mut Model<'a>,
    companions: &[Companion],
    memory: &Limited,
) -> Result<(Report, Report)> {
    let (mut findings, mut losses) = (Report::default(), Report::default());
    for Companion { kind, file } in companions {
        let text = file.as_ref();
        match kind {
            #[cfg(feature = "unreal")]
            Kind::Script(name) => script(document, model, text, name, &mut findings, &mut losses)?,
            #[cfg(feature = "md3")]
            Kind::AnimationConfig { is_legs } => animation_config(model, text, *is_legs, &mut losses)?,
            #[cfg(feature = "md3")]
            Kind::NamedClips => {
                needs_md3(model, "only MD3 models take an .animation.cfg")?;
                for name in model.set_named_clips(&clips::parse(text)?) {
                    lose_frames(&mut losses, &name);
                }
            }
            #[cfg(feature = "md3")]
            Kind::Skin => {
                needs_md3(model, "only MD3 models take a .skin")?;
                model.set_skin(&Skin::parse(text)?);
            }
            #[cfg(feature = "unigine")]
            Kind::Animation(name) => {
                let Document::UnigineAnim(anim) = Document::parse_as(meshlens::Format::Unigine, text)? else {
                    let text = "the file of animations is a mesh";
                    return Err(Failure::new(ml_result::ML_ERROR_UNSUPPORTED, text).of("unigine"));
                };
                // The animations are decoded, so that the file can be dropped.
                let frames = anim.animations().map(|animation| animation.frame_count());
                // A size that saturates exceeds every limit.
                let frames = frames.fold(0usize, usize::saturating_add);
                let transforms =
                    frames.saturating_mul(model.joints.len().min(anim.skeleton().bones().count()));
                let bytes = transforms.saturating_mul(size_of::<meshlens::model::Transform>());
                model.hold(memory.reserve(bytes, "the frames of an animation")?);
                losses.append(model.add_anim(&anim, name));
            }
            #[allow(unreachable_patterns, reason = "a build with every format takes every companion")]
            _ => {
                let text = "this build of the library does not read the format of a companion";
                return Err(Failure::new(ml_result::ML_ERROR_UNSUPPORTED, text));
            }
        }
    }
    Ok((findings, losses))
}

#[cfg(feature = "unreal")]
fn script<'a>(
    document: &Document<'a, Partial>,
    model: &mut Model<'a>,
    text: &[u8],
    name: &str,
    findings: &mut Report,
    losses: &mut Report,
) -> Result<()> {
    let unsupported = |text| Failure::new(ml_result::ML_ERROR_UNSUPPORTED, text).of("unreal");
    let Document::Unreal(unreal) = document else {
        return Err(unsupported("only Unreal meshes of two files take a script"));
    };
    let script = Script::parse_with(text, &ParseOptions::LENIENT)?;
    let Some(lost) = model.set_script(unreal, &script, name)? else {
        let text = format_args!("unreal: the script does not import a mesh {name}, nor one mesh alone");
        return Err(Failure::owned(ml_result::ML_ERROR_MISSING, text).of("unreal"));
    };
    losses.append(lost);
    validate_script(&script, findings);
    if let Some(mesh) = script.mesh(&model.name) {
        validate_sequences(mesh.sequences(), unreal.frame_count(), findings);
    }
    Ok(())
}

#[cfg(feature = "md3")]
fn animation_config(model: &mut Model<'_>, text: &[u8], is_legs: bool, losses: &mut Report) -> Result<()> {
    needs_md3(model, "only MD3 models take an animation.cfg")?;
    let config = AnimationConfig::parse(text)?;
    let part = if is_legs { BodyPart::Legs } else { BodyPart::Torso };
    for name in model.set_animation_config(&config, part) {
        lose_frames(losses, &name);
    }
    for (_, word) in &config.unknown {
        let (code, file) = (&meshlens::codes::COMPANION_WORD_UNKNOWN, format_args!("animation.cfg"));
        losses.lose(code, 1, file, format_args!("{file}: unknown word {word}"));
    }
    Ok(())
}

#[cfg(feature = "md3")]
fn needs_md3(model: &Model<'_>, text: &'static str) -> Result<()> {
    if model.format == Some(meshlens::Format::Md3) {
        return Ok(());
    }
    Err(Failure::new(ml_result::ML_ERROR_UNSUPPORTED, text).of("md3"))
}

#[cfg(feature = "md3")]
fn lose_frames(losses: &mut Report, name: &str) {
    let message = format_args!("clip {name}: the model does not have its frames");
    losses.lose(&meshlens::codes::CLIP_FRAMES_MISSING, 1, format_args!("clip {name}"), message);
}
