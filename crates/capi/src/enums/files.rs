//! Enumerations of files and findings.

/// A file format. Formats for which this version of the header has no constant also have a number and an
/// ml_format_name.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_format {
    /// In options: detect the format by the first bytes.
    ML_FORMAT_DETECT = 0,
    /// Quake 3 MD3.
    ML_FORMAT_MD3 = 1,
    /// Ultimate 3D.
    ML_FORMAT_U3D = 2,
    /// Unreal vertex meshes.
    ML_FORMAT_UNREAL = 3,
    /// UNIGINE meshes and animations.
    ML_FORMAT_UNIGINE = 4,
    /// No format: makes the type 32 bits wide.
    ML_FORMAT_FORCE_32_BITS = 0x7fff_ffff,
}

/// The role of a file in a model.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_role {
    /// The role that its name implies: see ml_add_memory.
    ML_ROLE_BY_NAME = 0,
    /// The model itself: an .md3, .u3d, .mesh or .anim file.
    ML_ROLE_MODEL = 1,
    /// The triangles of an Unreal mesh: x_d.3d, DATAnn.3d.
    ML_ROLE_GEOMETRY = 2,
    /// The vertices of an Unreal mesh: x_a.3d, ANIVnn.3d.
    ML_ROLE_FRAMES = 3,
    /// The script of an Unreal mesh: .uc.
    ML_ROLE_SCRIPT = 4,
    /// The animation.cfg of a player, for its legs (lower.md3).
    ML_ROLE_ANIMATION_CONFIG_LEGS = 5,
    /// The animation.cfg of a player, for its torso (upper.md3).
    ML_ROLE_ANIMATION_CONFIG_TORSO = 6,
    /// The clips of an MD3 model that is not part of a player: x.animation.cfg.
    ML_ROLE_NAMED_CLIPS = 7,
    /// The skin of an MD3 model: x.skin.
    ML_ROLE_SKIN = 8,
    /// Animations for a UNIGINE mesh: .anim.
    ML_ROLE_ANIMATION = 9,
    /// No role: makes the type 32 bits wide.
    ML_ROLE_FORCE_32_BITS = 0x7fff_ffff,
}

/// How ml_open_file and ml_add_file access the bytes of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_access {
    /// Read the file into memory.
    ML_ACCESS_READ = 0,
    /// Map the file. It must not be truncated or written to before ml_close, by this process or any other. A file that
    /// cannot be mapped is read.
    ML_ACCESS_MAP = 1,
    /// No access: makes the type 32 bits wide.
    ML_ACCESS_FORCE_32_BITS = 0x7fff_ffff,
}

/// The owner of the bytes of ml_open_memory and ml_add_memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_ownership {
    /// The caller: the bytes must stay in place, unchanged, until ml_close. Nothing is copied.
    ML_OWNERSHIP_BORROW = 0,
    /// The file gets a copy.
    ML_OWNERSHIP_COPY = 1,
    /// No ownership: makes the type 32 bits wide.
    ML_OWNERSHIP_FORCE_32_BITS = 0x7fff_ffff,
}

/// The severity of a finding. The numbers are the same as in reports of the Khronos glTF-Validator.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_severity {
    /// The content is broken: some reader fails, or shows something wrong.
    ML_SEVERITY_ERROR = 0,
    /// The content is legal or tolerated, but a known engine refuses it or shows it differently.
    ML_SEVERITY_WARNING = 1,
    /// Information that does not need a change.
    ML_SEVERITY_INFO = 2,
    /// A detail that makes no difference to readers.
    ML_SEVERITY_HINT = 3,
    /// No severity: makes the type 32 bits wide.
    ML_SEVERITY_FORCE_32_BITS = 0x7fff_ffff,
}
