//! Pictures of models of every format, without a GPU, a display or a driver.
//!
//! ```
//! use meshlens_thumb::{Options, Part, picture};
//!
//! # let bytes = meshlens_testkit::corpus::files().into_iter().find(|(path, _)| path == "md3/static.md3").ok_or("no file")?.1;
//! let model = meshlens::Model::parse(&bytes)?;
//! let picture = picture(&[Part::new(&model)], &Options { size: 128, ..Options::default() })?;
//! assert_eq!((picture.width, picture.height), (128, 128));
//! assert!(picture.to_png()?.starts_with(b"\x89PNG"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Models are converted to the space of glTF, in which they look along Z with Y up, so that all formats are seen from the
//! same side. Faces are culled by the winding of the format, except those of two-sided materials. Light comes from the
//! front, from above and from the left of the model. Each pixel is the average of several samples.
//!
//! # The same picture on every machine
//!
//! A picture has the same bytes on every machine, for these reasons:
//!
//! - Corners are rounded to 1/256 of a sample. Which samples a triangle covers is computed with integers.
//! - Everything else is additions, multiplications, divisions and square roots of `f32` and `f64` in a fixed order. IEEE 754
//!   defines their results to the bit, and Rust does not contract them to fused operations. Powers and rounding are those of
//!   `libm`, which is written in Rust. No function of the platform is called.
//! - Transforms are computed by this crate. `glam` uses different instructions on each processor.
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
//! The software rasterizers on crates.io compute coverage with floating-point numbers and take colors from closures. None
//! states that results are equal on all machines, which the tests of this crate and of programs that use it rest on.
#![forbid(unsafe_code)]

mod affine;
mod camera;
mod error;
mod moment;
mod picture;
mod raster;
mod stage;
mod sticks;
mod texture;

use std::io::Write;

use meshlens::Model;
use meshlens::model::{Alpha, Material};
use meshlens::wire::Budget;

pub use camera::{Camera, View};
pub use error::Error;
pub use moment::Frames;
pub use picture::{Background, Picture};
pub use texture::Texture;

use moment::Timeline;
use raster::{Canvas, Vertex};
use stage::{Stage, Surface, Vertices};

/// One model of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Part<'m, 'a> {
    /// The model.
    pub model: &'m Model<'a>,
    /// Where the model is attached: the index of an earlier part, and the index of a tag of its model.
    pub attach: Option<(usize, usize)>,
    /// The frame that is shown while no clip plays.
    pub rest: usize,
}

impl<'m, 'a> Part<'m, 'a> {
    /// A model that is not attached to another one, and shows its first frame.
    pub const fn new(model: &'m Model<'a>) -> Self {
        Part { model, attach: None, rest: 0 }
    }
}

/// Finds the texture of a material. It is called once for each path and kind of alpha.
pub type FindTexture<'o> = &'o dyn Fn(&Material) -> Option<Texture>;

/// How a picture is made.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The width and the height of a picture, or of each cell of a sheet, in pixels.
    pub size: u32,
    /// The frames to show. A picture shows the first of them.
    pub frames: Frames<'o>,
    /// The direction of view.
    pub view: View,
    /// Whether to draw the edges of triangles.
    pub wireframe: bool,
    /// The background.
    pub background: Background,
    /// Finds textures. Surfaces without a texture get a color of their own.
    pub textures: Option<FindTexture<'o>>,
    /// Limits on the work.
    pub limits: Limits,
    /// The memory of pictures and of everything needed to make them; `None` for no limit.
    pub budget: Option<&'o Budget>,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("size", &self.size).field("view", &self.view).finish_non_exhaustive()
    }
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            size: 512,
            frames: Frames::Rest,
            view: View::Iso,
            wireframe: false,
            background: Background::Light,
            textures: None,
            limits: Limits::DEFAULT,
            budget: None,
        }
    }
}

/// Limits on the work of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest width and height of a picture, and of a cell of a sheet.
    pub size: u32,
    /// The largest number of pixels of a sheet.
    pub pixels: u64,
    /// The largest number of triangles of all models.
    pub triangles: u64,
    /// The largest number of frames of a clip.
    pub frames: usize,
    /// The largest number of textures. Further ones are not used.
    pub textures: usize,
    /// The number of times that all samples of a picture may be covered by triangles.
    pub layers: u64,
}

impl Limits {
    /// Pictures of 4096 by 4096 pixels, sheets of 64 Mi pixels, 16 Mi triangles, 4096 frames, 1024 textures and 256 layers.
    pub const DEFAULT: Limits =
        Limits { size: 4096, pixels: 1 << 26, triangles: 1 << 24, frames: 4096, textures: 1024, layers: 256 };
}

/// A picture of the first of the requested frames.
///
/// A model without triangles is drawn as its joints and tags; a model that has none of these either gives a picture of
/// the background.
///
/// # Errors
///
/// The requested frames do not exist, a limit or the budget is exceeded, or an index in the file is out of range.
pub fn picture(parts: &[Part<'_, '_>], options: &Options<'_>) -> Result<Picture, Error> {
    Studio::open(parts, options, 1)?.picture(0)
}

/// A contact sheet: `columns` by `rows` cells, from left to right and from top to bottom, with frames that are spread evenly
/// over the requested ones. Cells that are left over are empty.
///
/// # Errors
///
/// Same as [`picture()`].
pub fn sheet(
    parts: &[Part<'_, '_>],
    options: &Options<'_>,
    columns: u32,
    rows: u32,
) -> Result<Picture, Error> {
    let pixels = [columns, rows, options.size, options.size].map(u64::from).into_iter();
    let pixels = pixels.fold(1, u64::saturating_mul);
    if pixels > options.limits.pixels || pixels == 0 {
        return Err(Error::Limit { what: "pixels of a sheet", limit: options.limits.pixels, found: pixels });
    }
    // Four bytes for each of at most `limits.pixels` pixels, in the sheet.
    let unlimited = Budget::new(usize::MAX);
    let budget = options.budget.unwrap_or(&unlimited);
    let bytes = usize::try_from(pixels).unwrap_or(usize::MAX).saturating_mul(4);
    let _held = budget.reserve(bytes, format_args!("a sheet of {pixels} pixels"))?;
    let cells = (columns as usize).saturating_mul(rows as usize);
    let mut studio = Studio::open(parts, options, cells)?;
    let size = options.size;
    let mut sheet = Picture::empty(columns * size, rows * size, options.background);
    for cell in 0..studio.timeline.moments.len() {
        let picture = studio.picture(cell)?;
        let (column, row) = (cell as u32 % columns, cell as u32 / columns);
        sheet.put(column * size, row * size, &picture);
    }
    Ok(sheet)
}

/// Writes the requested frames as an animated PNG (APNG) that repeats without an end. A still picture is an animation of one
/// frame.
///
/// # Errors
///
/// Same as [`picture()`], and errors of `out`.
pub fn write_apng(parts: &[Part<'_, '_>], options: &Options<'_>, out: impl Write) -> Result<(), Error> {
    let mut studio = Studio::open(parts, options, usize::MAX)?;
    let count = u32::try_from(studio.timeline.moments.len()).unwrap_or(u32::MAX);
    let rate = studio.timeline.rate;
    picture::write_apng(out, count, rate, |number| studio.picture(number as usize))
}

/// The camera of a picture: for programs that draw the same view.
///
/// # Errors
///
/// Same as [`picture()`].
pub fn camera(parts: &[Part<'_, '_>], options: &Options<'_>) -> Result<Camera, Error> {
    Ok(Studio::open(parts, options, 1)?.camera)
}

/// The camera, the canvas and the stage of several pictures with the same view.
struct Studio<'m, 'a, 't> {
    stage: Stage<'m, 'a, 't>,
    timeline: Timeline,
    camera: Camera,
    canvas: Canvas,
    /// The number of samples in each direction of a pixel.
    samples: u32,
    background: Background,
    wireframe: bool,
    work: u64,
    _held: meshlens::wire::Reservation,
}

impl<'m, 'a, 't> Studio<'m, 'a, 't> {
    fn open(
        parts: &'t [Part<'m, 'a>],
        options: &Options<'_>,
        count: usize,
    ) -> Result<Studio<'m, 'a, 't>, Error> {
        let limits = &options.limits;
        if options.size == 0 || options.size > limits.size {
            let (limit, found) = (limits.size.into(), options.size.into());
            return Err(Error::Limit { what: "pixels of a side", limit, found });
        }
        let unlimited = Budget::new(usize::MAX);
        let budget = options.budget.unwrap_or(&unlimited);
        let samples = samples(options.size);
        let side = options.size.saturating_mul(samples);
        let mut timeline = Timeline::new(parts, options.frames, limits.frames)?;
        timeline.spread(count);
        let held = budget.reserve(
            Canvas::bytes(side, side).saturating_add(Canvas::bytes(options.size, options.size)),
            format_args!("a picture of {side} x {side} samples"),
        )?;
        let stage = Stage::new(parts, options, limits, budget)?;
        let camera = fit(&stage, &timeline, options.view)?;
        Ok(Studio {
            stage,
            timeline,
            camera,
            canvas: Canvas::new(side, side),
            samples,
            background: options.background,
            wireframe: options.wireframe,
            work: u64::from(side).saturating_mul(side.into()).saturating_mul(limits.layers),
            _held: held,
        })
    }

    fn picture(&mut self, number: usize) -> Result<Picture, Error> {
        self.canvas.clear(self.work);
        let mut sticks = Vec::new();
        let Some(moment) = self.timeline.moments.get(number) else {
            return Err(Error::NoFrame { frame: number, count: self.timeline.moments.len() });
        };
        let vertices = self.stage.vertices(moment, &mut sticks)?;
        let surfaces: Vec<&Surface> = self.stage.surfaces.iter().chain(&sticks).collect();
        let drawn = draw(
            &mut self.canvas,
            &self.stage,
            &surfaces,
            &vertices,
            &self.camera,
            self.wireframe.then_some(self.samples as f32 * 0.45),
        );
        let limit = self.work;
        drawn.map_err(|raster::TooMuchWork| Error::Limit {
            what: "covered samples",
            limit,
            found: limit + 1,
        })?;
        Ok(Picture::resolve(&self.canvas, self.samples, self.background))
    }
}

/// The number of samples in each direction of a pixel.
const fn samples(size: u32) -> u32 {
    match size {
        0..=256 => 4,
        257..=1024 => 3,
        _ => 2,
    }
}

/// The camera that sees all moments.
fn fit(stage: &Stage<'_, '_, '_>, timeline: &Timeline, view: View) -> Result<Camera, Error> {
    let mut points = Vec::new();
    for moment in &timeline.moments {
        let mut sticks = Vec::new();
        let vertices = stage.vertices(moment, &mut sticks)?;
        let drawn = |surface: &Surface| {
            let mesh: &[Vertex] = vertices.get(surface.mesh).map_or(&[], Vec::as_slice);
            bounds(mesh, &surface.triangles)
        };
        points.extend(stage.surfaces.iter().chain(&sticks).filter_map(drawn).flatten());
    }
    Ok(Camera::fit(points.iter().copied(), view, 1.0))
}

/// The corners of the box around the vertices of triangles; `None` if there are none.
fn bounds(vertices: &[Vertex], triangles: &[[u32; 3]]) -> Option<[[f32; 3]; 8]> {
    let corners = triangles.as_flattened().iter().filter_map(|corner| vertices.get(*corner as usize));
    let finite =
        corners.map(|vertex| vertex.position).filter(|point| point.iter().all(|axis| axis.is_finite()));
    let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for point in finite {
        for axis in 0..3 {
            least[axis] = least[axis].min(point[axis]);
            most[axis] = most[axis].max(point[axis]);
        }
    }
    let corner =
        |corner: usize| [0, 1, 2].map(|axis| if corner >> axis & 1 == 0 { least[axis] } else { most[axis] });
    (least[0] <= most[0]).then(|| [0, 1, 2, 3, 4, 5, 6, 7].map(corner))
}

/// Draws all surfaces: opaque ones first, then those that are blended, from back to front.
fn draw(
    canvas: &mut Canvas,
    stage: &Stage<'_, '_, '_>,
    surfaces: &[&Surface],
    vertices: &Vertices,
    camera: &Camera,
    wire: Option<f32>,
) -> Result<(), raster::TooMuchWork> {
    let lens = camera.lens(canvas.width, canvas.height);
    let corners = |surface: &Surface, triangle: &[u32; 3]| {
        let mesh = vertices.get(surface.mesh)?;
        let [a, b, c] = triangle.map(|corner| mesh.get(corner as usize));
        Some([a?, b?, c?])
    };
    let mut blended = Vec::new();
    for (number, surface) in surfaces.iter().enumerate() {
        let paint = raster::Paint { wire, ..stage.paint(surface) };
        for triangle in &surface.triangles {
            let Some(corners) = corners(surface, triangle) else { continue };
            if paint.alpha != Alpha::Blend {
                canvas.triangle(&lens, corners, &paint)?;
                continue;
            }
            let depths = corners.map(|corner| lens.project(corner.position).map(|[_, _, depth]| depth));
            if let [Some(a), Some(b), Some(c)] = depths {
                blended.push((a + b + c, number, *triangle));
            }
        }
    }
    blended.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    for (_, number, triangle) in &blended {
        let Some(surface) = surfaces.get(*number) else { continue };
        if let Some(corners) = corners(surface, triangle) {
            canvas.triangle(&lens, corners, &raster::Paint { wire, ..stage.paint(surface) })?;
        }
    }
    Ok(())
}
