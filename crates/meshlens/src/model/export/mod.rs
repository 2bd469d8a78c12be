//! Writes models as files of another format, with a finding for everything that the format cannot store.
//!
//! ```
//! use meshlens::model::{Model, export};
//!
//! # use meshlens::md3::write;
//! # let mut file = write::Model::new("flag")?;
//! # file.frames.push(write::Frame::named("idle")?);
//! # let mut surface = write::Surface::new("flag")?;
//! # surface.triangles.push([0, 1, 2]);
//! # surface.texcoords.extend([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
//! # surface.add_frame(&[[0.0, 0.0, 0.0], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]], &[[1.0, 0.0, 0.0]; 3])?;
//! # file.surfaces.push(surface);
//! # let md3_bytes = file.write()?;
//! let model = Model::parse(&md3_bytes)?;
//! let (unreal, losses) = export::to_unreal(&model, "flag", 1.0)?;
//! assert_eq!((unreal.files.frames.len(), losses.is_empty()), (4 + 3 * 4, false));
//! # Ok::<(), meshlens::Error>(())
//! ```

mod bake;
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

#[cfg(feature = "md3")]
pub use md3::{Md3File, PositionFit, md3_animation_config, md3_named_clips, to_md3, to_md3_measured};
pub use memory::reserve;
#[cfg(feature = "u3d")]
pub use u3d::to_u3d;
#[cfg(feature = "unigine")]
pub use unigine::{to_unigine, to_unigine_anim};
#[cfg(feature = "unreal")]
pub use unreal::{UnrealFiles, to_unreal, to_unreal_as};
