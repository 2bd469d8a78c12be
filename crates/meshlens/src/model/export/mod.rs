//! Writes models as files of another format, with a finding for everything that the format cannot store.
//!
//! ```
//! use meshlens::model::{Model, export};
//!
//! # let md3_bytes = meshlens::md3::write::sample(&[8.0])?;
//! let model = Model::parse(&md3_bytes)?;
//! let (unreal, losses) = export::to_unreal(&model, "flag", 1.0)?;
//! assert_eq!((unreal.files.frames.len(), losses.is_empty()), (4 + 3 * 4, false));
//! # Ok::<(), meshlens::Error>(())
//! ```

#[allow(dead_code, reason = "each format uses some of it")]
mod bake;
#[cfg(all(feature = "md3", feature = "u3d", feature = "unigine", feature = "unreal"))]
mod files;
#[allow(dead_code, reason = "each format uses some of it")]
mod finite;
mod lost;
#[cfg(feature = "md3")]
mod md3;
mod memory;
mod stored;
#[cfg(feature = "u3d")]
mod u3d;
#[cfg(feature = "unigine")]
mod unigine;
#[cfg(feature = "unreal")]
mod unreal;

#[cfg(all(feature = "md3", feature = "u3d", feature = "unigine", feature = "unreal"))]
pub use files::{ModelFiles, Target, to_files};
#[cfg(feature = "md3")]
pub use md3::{
    Md3File, PositionFit, md3_animation_config, md3_from_rest, md3_named_clips, md3_rest, to_md3,
    to_md3_measured,
};
pub use memory::reserve;
#[cfg(feature = "u3d")]
pub use u3d::to_u3d;
#[cfg(feature = "unigine")]
pub use unigine::{to_unigine, to_unigine_anim};
#[cfg(feature = "unreal")]
pub use unreal::{UnrealFiles, to_unreal, to_unreal_as};
