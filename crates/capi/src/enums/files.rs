//! Enumerations of files and what is found in them.

/// A file format. A format that this version of the header has no constant for has a number and an ml_format_name too.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_format {
    /// In options: find out by the first bytes.
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

/// What a file is to a model.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_role {
    /// What its name says: see ml_add_memory.
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
    /// The clips of an MD3 model that is no player: x.animation.cfg.
    ML_ROLE_NAMED_CLIPS = 7,
    /// The skin of an MD3 model: .skin.
    ML_ROLE_SKIN = 8,
    /// Animations for a UNIGINE mesh: .anim.
    ML_ROLE_ANIMATION = 9,
    /// No role: makes the type 32 bits wide.
    ML_ROLE_FORCE_32_BITS = 0x7fff_ffff,
}

/// How ml_open_file and ml_add_file get at the bytes of a file.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_access {
    /// Read the file into memory.
    ML_ACCESS_READ = 0,
    /// Map the file. Nobody may shorten it or write to it before ml_close: not this process, nor another one. What cannot
    /// be mapped is read.
    ML_ACCESS_MAP = 1,
    /// No access: makes the type 32 bits wide.
    ML_ACCESS_FORCE_32_BITS = 0x7fff_ffff,
}

/// Whose the bytes of ml_open_memory and ml_add_memory are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_ownership {
    /// The caller's: they must stay where they are, unchanged, until ml_close. Nothing is copied.
    ML_OWNERSHIP_BORROW = 0,
    /// The file gets a copy.
    ML_OWNERSHIP_COPY = 1,
    /// No ownership: makes the type 32 bits wide.
    ML_OWNERSHIP_FORCE_32_BITS = 0x7fff_ffff,
}

/// How bad a finding is; the numbers are those of the Khronos glTF-Validator report.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ml_severity {
    /// The content is broken: some reader will fail or show something wrong.
    ML_SEVERITY_ERROR = 0,
    /// Legal or tolerated, but a known engine refuses it or shows it differently.
    ML_SEVERITY_WARNING = 1,
    /// Worth knowing.
    ML_SEVERITY_INFO = 2,
    /// A matter of style.
    ML_SEVERITY_HINT = 3,
    /// No severity: makes the type 32 bits wide.
    ML_SEVERITY_FORCE_32_BITS = 0x7fff_ffff,
}
