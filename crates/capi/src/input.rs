//! Opening a model of one or several files, each with a role.

use std::borrow::Cow;
use std::ffi::{c_char, c_void};
use std::path::Path;

use meshlens::decrypt_if_needed;
#[cfg(feature = "unreal")]
use meshlens::unreal::{FileKind, pairing::FileName};

use crate::asset::ml_asset;
use crate::call::{bytes, call, check_list, system_path, text};
use crate::companions::{Companion, Kind};
use crate::content::File;
use crate::enums::{ml_role, raw};
use crate::error::ml_error;
use crate::file_bytes::FileBytes;
use crate::files::Files;
use crate::handle;
use crate::options::{Options, ml_open_opts};
use crate::result::{Failure, Result, ml_result};

/// The files of a model by role.
#[derive(Default)]
pub(crate) struct Inputs {
    model: Option<(String, FileBytes)>,
    geometry: Option<(String, FileBytes)>,
    frames: Option<(String, FileBytes)>,
    companions: Vec<(ml_role, String, FileBytes)>,
}

impl Inputs {
    pub(crate) fn add(&mut self, role: raw::ml_role, name: &str, file: FileBytes) -> Result<()> {
        use ml_role::*;
        let role = self.role(role, name)?;
        let twice = Failure::argument("the model has two files of this role");
        let slot = match role {
            ML_ROLE_MODEL => &mut self.model,
            ML_ROLE_GEOMETRY => &mut self.geometry,
            ML_ROLE_FRAMES => &mut self.frames,
            _ => {
                // Each file of animations adds its own. Of the others, the last would replace the first.
                if role != ML_ROLE_ANIMATION && self.companions.iter().any(|(known, ..)| *known == role) {
                    return Err(twice);
                }
                self.companions.push((role, name.into(), file));
                return Ok(());
            }
        };
        if slot.is_some() {
            return Err(twice);
        }
        *slot = Some((name.into(), file));
        Ok(())
    }

    /// The role of a file. If the caller does not state it, it follows from the name.
    fn role(&self, role: raw::ml_role, name: &str) -> Result<ml_role> {
        use ml_role::*;
        if role != ML_ROLE_BY_NAME as i32 {
            return ml_role::of(role).ok_or(Failure::argument("there is no such role"));
        }
        #[cfg(feature = "unreal")]
        if let Some(half) = FileName::parse(name) {
            return Ok(if half.kind == FileKind::Geometry { ML_ROLE_GEOMETRY } else { ML_ROLE_FRAMES });
        }
        let name = name.to_ascii_lowercase();
        if name == "animation.cfg" {
            let model = self.model.as_ref().map_or("", |(name, _)| name);
            let part = |name: &str| stem(model).eq_ignore_ascii_case(name);
            return match (part("lower"), part("upper")) {
                (true, _) => Ok(ML_ROLE_ANIMATION_CONFIG_LEGS),
                (_, true) => Ok(ML_ROLE_ANIMATION_CONFIG_TORSO),
                _ => Err(Failure::argument(
                    "the role of an animation.cfg follows from the name of the model, lower.md3 or upper.md3, which comes first",
                )),
            };
        }
        Ok(if name.ends_with(".animation.cfg") {
            ML_ROLE_NAMED_CLIPS
        } else if name.ends_with(".skin") {
            ML_ROLE_SKIN
        } else if name.ends_with(".uc") {
            ML_ROLE_SCRIPT
        } else if name.ends_with(".anim") && self.model.is_some() {
            ML_ROLE_ANIMATION
        } else {
            ML_ROLE_MODEL
        })
    }

    /// Opens the model.
    pub(crate) fn open(self, options: Options) -> Result<File> {
        let (name, files) = match (self.model, self.geometry, self.frames) {
            (Some((name, file)), None, None) => (name, Files::One(decrypt(file, &options)?)),
            (None, None, None) => return Err(Failure::argument("there is no file of the model")),
            (Some(_), ..) => {
                return Err(Failure::argument("there is a model of one file, and files of an Unreal mesh"));
            }
            #[cfg(feature = "unreal")]
            (None, Some((name, geometry)), Some((_, frames))) => (name, Files::Pair { geometry, frames }),
            #[cfg(feature = "unreal")]
            (None, Some((name, file)), None) => (name, Files::Half(FileKind::Geometry, file)),
            #[cfg(feature = "unreal")]
            (None, None, Some((name, file))) => (name, Files::Half(FileKind::Frames, file)),
            #[cfg(not(feature = "unreal"))]
            (None, ..) => {
                let text = "this build of the library does not read Unreal meshes";
                return Err(Failure::new(ml_result::ML_ERROR_UNSUPPORTED, text).of("unreal"));
            }
        };
        let mesh = options.script_mesh.clone().unwrap_or_else(|| mesh_name(&name).to_owned());
        let companions = self.companions.into_iter().map(|(role, name, file)| {
            let kind = match role {
                ml_role::ML_ROLE_SCRIPT => Kind::Script(mesh.clone()),
                ml_role::ML_ROLE_ANIMATION_CONFIG_LEGS => Kind::AnimationConfig { is_legs: true },
                ml_role::ML_ROLE_ANIMATION_CONFIG_TORSO => Kind::AnimationConfig { is_legs: false },
                ml_role::ML_ROLE_NAMED_CLIPS => Kind::NamedClips,
                ml_role::ML_ROLE_SKIN => Kind::Skin,
                _ => Kind::Animation(stem(&name).to_owned()),
            };
            Companion { kind, file }
        });
        let companions: Vec<Companion> = companions.collect();
        File::open(files, options.format, &companions, options.memory)
    }
}

/// The name of a file without its folder and its extension.
fn stem(name: &str) -> &str {
    Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default()
}

/// The name of the mesh in a file.
fn mesh_name(name: &str) -> &str {
    #[cfg(feature = "unreal")]
    if let Some(half) = FileName::parse(name) {
        return half.stem;
    }
    stem(name)
}

/// Decrypts a file if it is encrypted.
fn decrypt(file: FileBytes, options: &Options) -> Result<FileBytes> {
    let found = decrypt_if_needed(file.as_ref(), options.password.as_deref())?;
    let Cow::Owned(plain) = found else { return Ok(file) };
    options.copy(&plain, "the decrypted file")
}

/// A file of a model. `{"lower.md3"}` is a file of the operating system, `{NULL, data, size}` one in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ml_input_file {
    /// The path of the file: any bytes on Unix, UTF-8 elsewhere. For a file in memory, its name, of which `role` needs the
    /// last part, or NULL.
    pub path: *const c_char,
    /// The bytes of a file in memory, which may have any alignment; NULL for a file that is read.
    pub data: *const c_void,
    /// The number of bytes in memory.
    pub size: usize,
    /// The role of the file, or ML_ROLE_BY_NAME, which is 0.
    pub role: raw::ml_role,
}

impl ml_input_file {
    /// The name of the file without its folder, and its bytes.
    ///
    /// # Safety
    ///
    /// The path is NULL or a text, and the data NULL or `size` bytes, which stay unchanged if they are borrowed.
    unsafe fn load(&self, options: &Options) -> Result<(String, FileBytes)> {
        // SAFETY: guaranteed by the caller.
        unsafe {
            let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if self.data.is_null() && (self.size > 0 || self.path.is_null()) {
                return Err(Failure::argument("a file has neither a path nor data"));
            }
            if self.data.is_null() {
                let path = system_path(self.path)?;
                return Ok((name(path), options.load(path)?));
            }
            let name = text(self.path)?.map(|path| name(Path::new(path))).unwrap_or_default();
            Ok((name, options.take(bytes(self.data.cast(), self.size)?)?))
        }
    }
}

/// Opens a model of one or several files, each in memory or of the operating system: a pair of Unreal files, and
/// companions, such as a script or an animation. Other companions are not looked up: see ml_open_path. Files of the
/// operating system are read, or mapped with ML_ACCESS_MAP. Companions are applied to the model. ml_validate reports problems
/// with them. With ML_ROLE_BY_NAME, the name of a file determines its role:
///
/// | name | role |
/// |---|---|
/// | x_d.3d, DATAnn.3d | ML_ROLE_GEOMETRY |
/// | x_a.3d, ANIVnn.3d | ML_ROLE_FRAMES |
/// | x.uc | ML_ROLE_SCRIPT |
/// | animation.cfg | ML_ROLE_ANIMATION_CONFIG_LEGS or _TORSO, by the name of the model, which comes first |
/// | x.animation.cfg | ML_ROLE_NAMED_CLIPS |
/// | x.skin | ML_ROLE_SKIN |
/// | x.anim | ML_ROLE_ANIMATION if a model comes first, else ML_ROLE_MODEL |
/// | everything else | ML_ROLE_MODEL |
///
/// With ML_OWNERSHIP_BORROW, which is the default, data in memory is not copied: it must stay in place, unchanged, until
/// ml_close. On success, `*asset` is a new handle, to be closed with ml_close; otherwise it is NULL. `opts` and `error` may be
/// NULL.
///
/// Cost: O(size) to read files; O(headers) for maps and for memory; O(companions); animations are decoded. Decryption and
/// ML_OWNERSHIP_COPY are O(size).
/// Threads: any.
/// Errors: those of ml_open_memory; ML_ERROR_NOT_FOUND, ML_ERROR_IO, ML_ERROR_CANCELLED; ML_ERROR_ARGUMENT if there is no
/// model, or two files of one role, except ML_ROLE_ANIMATION; ML_ERROR_UNSUPPORTED for a companion of another format, ML_ERROR_MISSING if the script does
/// not import the mesh, ML_ERROR_SYNTAX.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ml_open_files(
    files: *const ml_input_file,
    count: usize,
    opts: *const ml_open_opts,
    asset: *mut *mut ml_asset,
    error: *mut ml_error,
) -> ml_result {
    call!(error, {
        handle::clear(asset)?;
        let options = Options::read(opts)?;
        check_list(files, count, "the list of files is NULL or not aligned")?;
        let mut inputs = Inputs::default();
        for index in 0..count {
            let file = &*files.wrapping_add(index);
            let (name, bytes) = file.load(&options)?;
            inputs.add(file.role, &name, bytes)?;
        }
        handle::open(asset, inputs.open(options)?.into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_bytes::Bytes;
    use ml_role::*;

    fn file() -> FileBytes {
        FileBytes { bytes: Bytes::Shared(bytes::Bytes::new()), _held: None }
    }

    #[test]
    #[cfg(feature = "unreal")]
    fn roles_follow_from_names() {
        let mut inputs = Inputs::default();
        let role = |inputs: &Inputs, name: &str| inputs.role(0, name).ok();
        let names = [
            ("x.md3", ML_ROLE_MODEL),
            ("Gun_D.3d", ML_ROLE_GEOMETRY),
            ("ANIV01.3D", ML_ROLE_FRAMES),
            ("Gun.uc", ML_ROLE_SCRIPT),
            ("x.animation.cfg", ML_ROLE_NAMED_CLIPS),
            ("lower_red.SKIN", ML_ROLE_SKIN),
            ("wave.anim", ML_ROLE_MODEL),
            ("", ML_ROLE_MODEL),
        ];
        for (name, wanted) in names {
            assert_eq!(role(&inputs, name), Some(wanted), "{name}");
        }
        assert_eq!(role(&inputs, "animation.cfg"), None);
        inputs.add(0, "Lower.md3", file()).unwrap();
        assert_eq!(role(&inputs, "Animation.cfg"), Some(ML_ROLE_ANIMATION_CONFIG_LEGS));
        assert_eq!(role(&inputs, "wave.anim"), Some(ML_ROLE_ANIMATION));
        assert!(inputs.add(0, "upper.md3", file()).is_err(), "two models");
        assert!(inputs.role(10, "x").is_err() && inputs.role(-1, "x").is_err());
    }
}
