//! Pictures of models of every format, without a GPU, a display or a driver.
//!
//! ```
//! use meshlens::scene::Scene;
//! use meshlens_thumb::{Options, picture};
//!
//! # let bytes = meshlens_testkit::corpus::files().into_iter().find(|(path, _)| path == "md3/static.md3").ok_or("no file")?.1;
//! let scene = Scene::from(meshlens::Model::parse(&bytes)?);
//! let picture = picture(&scene, &Options { size: 128, ..Options::default() })?;
//! assert_eq!((picture.width, picture.height), (128, 128));
//! assert!(picture.to_png()?.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Models are converted to the space of glTF, in which they look along Z with Y up, so that all formats are seen from
//! the same side. Faces are culled by the winding of the format, except faces with two-sided materials. Light comes
//! from the front, from above and from the left of the model. Each pixel is the average of several samples.
//!
//! # The same picture on every machine
//!
//! A picture has the same bytes on every machine, for these reasons:
//!
//! - Corners are rounded to 1/256 of a sample. Which samples a triangle covers is computed with integers.
//! - Everything else is additions, multiplications, divisions and square roots of `f32` and `f64` in a fixed order.
//!   IEEE 754 defines their results to the bit, and Rust does not contract them to fused operations. Powers and
//!   rounding are computed by `libm`, which is written in Rust. No function of the platform is called.
//! - Transforms are computed in `f64` by this crate and by [`meshlens::scene`].
//! - Arrays of normals are decoded by the scalar kernel. Positions are the same at every level of instructions.
//! - Textures are sampled with integers.
//!
//! The inverse bind matrices of joints come from the model. For Ultimate 3D, `glam` inverts them, which may differ in the
//! last bit between kinds of processors; corners are rounded much more coarsely than that.
//!
//! # Limits
//!
//! [`Limits`] bound triangles, pixels, frames and covered samples, and a [`Budget`] the memory. Memory is
//! reserved from products of counts before it is allocated. Vertices that are not finite are left out. No input causes a
//! panic.
//!
//! # Why not another rasterizer
//!
//! The software rasterizers on crates.io compute coverage with floating-point numbers and take colors from closures.
//! None states that results are equal on all machines, which is what the tests of this crate and of its users depend
//! on.
#![forbid(unsafe_code)]

mod affine;
mod camera;
mod error;
mod geometry;
mod lines;
mod mesh;
mod moment;
mod note;
mod opaque;
mod options;
mod paint;
mod picture;
mod raster;
mod renderer;
mod surface;
mod texture;
#[doc(hidden)]
pub mod threads;
mod tone;

use std::io::Write;

use meshlens::scene::Scene;
use meshlens::wire::Budget;

pub use camera::{Camera, View};
pub use error::Error;
pub use moment::Frames;
pub use note::Note;
pub use options::{FindTexture, Limits, Options};
pub use paint::surface_color;
pub use picture::{Background, Picture};
pub use texture::Texture;
pub use tone::Tone;

use renderer::Renderer;

/// Draws a picture of the first requested frame.
///
/// A model without triangles is drawn as its points, or as its joints and tags; triangles that are too thin to be seen
/// are drawn as lines. [`Options::notes`] reports both. Surfaces of dark models get a little light. An empty model
/// gives a picture of the background.
///
/// # Errors
///
/// The requested frames do not exist, a limit or the budget is exceeded, or an index in the file is out of range.
pub fn picture(scene: &Scene<'_>, options: &Options<'_>) -> Result<Picture, Error> {
    Renderer::new(scene, options, 1)?.picture(0)
}

/// Draws a contact sheet of `columns` by `rows` cells, from left to right and from top to bottom. The cells show frames
/// at even distances in the requested frames. Cells without a frame are empty.
///
/// # Errors
///
/// Same as [`picture()`].
pub fn sheet(scene: &Scene<'_>, options: &Options<'_>, columns: u32, rows: u32) -> Result<Picture, Error> {
    let pixels = [columns, rows, options.size, options.size].map(u64::from).into_iter();
    let pixels = pixels.fold(1, u64::saturating_mul);
    if pixels > options.limits.pixels || pixels == 0 {
        return Err(Error::Limit { what: "pixels of a sheet", limit: options.limits.pixels, found: pixels });
    }
    // The sheet has four bytes for each of at most `limits.pixels` pixels.
    let unlimited = Budget::new(usize::MAX);
    let budget = options.budget.unwrap_or(&unlimited);
    let bytes = usize::try_from(pixels).unwrap_or(usize::MAX).saturating_mul(4);
    let _held = budget.reserve(bytes, format_args!("{pixels} pixels of a sheet"))?;
    let cells = (columns as usize).saturating_mul(rows as usize);
    let mut renderer = Renderer::new(scene, options, cells)?;
    let size = options.size;
    let mut sheet = None;
    for cell in 0..renderer.timeline.moments.len() {
        let picture = renderer.picture(cell)?;
        // The first picture determines the background.
        let empty = || Picture::empty(columns * size, rows * size, renderer.tone().background);
        let sheet = sheet.get_or_insert_with(empty);
        let (column, row) = (cell as u32 % columns, cell as u32 / columns);
        sheet.put(column * size, row * size, &picture);
    }
    Ok(sheet.unwrap_or_else(|| Picture::empty(columns * size, rows * size, options.background)))
}

/// Writes the requested frames as an animated PNG (APNG) that repeats forever. A still picture is an animation with one
/// frame.
///
/// # Errors
///
/// Same as [`picture()`], and errors of `out`.
pub fn write_apng(scene: &Scene<'_>, options: &Options<'_>, out: impl Write) -> Result<(), Error> {
    let mut renderer = Renderer::new(scene, options, usize::MAX)?;
    let count = u32::try_from(renderer.timeline.moments.len()).unwrap_or(u32::MAX);
    let rate = renderer.timeline.rate;
    picture::write_apng(out, count, rate, |number| renderer.picture(number as usize))
}

/// Returns the light and the background of a picture, for programs that draw the same view: a renderer on the GPU cannot
/// measure its own picture without waiting for it. A picture of 64 pixels is enough to measure. O(triangles + pixels).
///
/// # Errors
///
/// Same as [`picture()`].
pub fn tone(scene: &Scene<'_>, options: &Options<'_>) -> Result<Tone, Error> {
    let mut renderer = Renderer::new(scene, options, 1)?;
    renderer.picture(0)?;
    Ok(renderer.tone())
}

/// Returns the camera of a picture, for programs that draw the same view.
///
/// # Errors
///
/// Same as [`picture()`].
pub fn camera(scene: &Scene<'_>, options: &Options<'_>) -> Result<Camera, Error> {
    Ok(Renderer::new(scene, options, 1)?.camera)
}
