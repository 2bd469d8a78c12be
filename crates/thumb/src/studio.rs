//! Pictures of several moments with one camera and one canvas.

use meshlens::model::{Alpha, Mesh};
use meshlens::wire::{Budget, Reservation};

use crate::moment::Timeline;
use crate::raster::{self, Canvas, Place, Vertex};
use crate::stage::Stage;
use crate::surface::{Surface, Vertices};
use crate::{Background, Camera, Error, Limits, Options, Part, Picture, View};

/// The vertices of a moment, and the triangles of joints and tags.
type Shown = (Vertices, Vec<Surface>);

/// The camera, the canvas and the stage of several pictures with the same view.
pub(crate) struct Studio<'m, 'a, 't> {
    stage: Stage<'m, 'a, 't>,
    pub(crate) timeline: Timeline,
    pub(crate) camera: Camera,
    /// The vertices of the only moment, and the triangles of its joints and tags.
    only: Option<Shown>,
    canvas: Canvas,
    /// The number of samples in each direction of a pixel.
    samples: u32,
    background: Background,
    wireframe: bool,
    work: u64,
    _held: Reservation,
}

impl<'m, 'a, 't> Studio<'m, 'a, 't> {
    pub(crate) fn open(
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
        check_vertices(parts, timeline.moments.len(), limits)?;
        let held = budget.reserve(
            Canvas::bytes(side, side).saturating_add(Canvas::bytes(options.size, options.size)),
            format_args!("{side} x {side} samples of a picture"),
        )?;
        let stage = Stage::new(parts, options, limits, budget)?;
        let (camera, only) = fit(&stage, &timeline, options.view)?;
        Ok(Studio {
            stage,
            timeline,
            camera,
            only,
            canvas: Canvas::new(side, side),
            samples,
            background: options.background,
            wireframe: options.wireframe,
            work: u64::from(side).saturating_mul(side.into()).saturating_mul(limits.layers),
            _held: held,
        })
    }

    pub(crate) fn picture(&mut self, number: usize) -> Result<Picture, Error> {
        self.canvas.clear(self.work);
        let Some(moment) = self.timeline.moments.get(number) else {
            return Err(Error::NoFrame { frame: number, count: self.timeline.moments.len() });
        };
        let (vertices, sticks) = match self.only.take() {
            Some(only) => only,
            None => {
                let mut sticks = Vec::new();
                (self.stage.vertices(moment, &mut sticks)?, sticks)
            }
        };
        let surfaces: Vec<&Surface> = self.stage.surfaces.iter().chain(&sticks).collect();
        let wire = self.wireframe.then_some(self.samples as f32 * 0.45);
        let mut draw = |both_sides| {
            let style = Style { wire, both_sides };
            draw(&mut self.canvas, &self.stage, &surfaces, &vertices, &self.camera, style)
        };
        // A flat effect may turn its back to the viewer. An empty picture would be of no use.
        let drawn = match draw(false) {
            Ok(0) => draw(true),
            other => other,
        };
        let limit = self.work;
        drawn.map_err(|raster::TooMuchWork| Error::Limit {
            what: "covered samples",
            limit,
            found: limit + 1,
        })?;
        Ok(Picture::resolve(&self.canvas, self.samples, self.background))
    }
}

/// Checks the work of moving all vertices and joints.
fn check_vertices(parts: &[Part<'_, '_>], moments: usize, limits: &Limits) -> Result<(), Error> {
    let of_mesh = |mesh: &Mesh<'_>| mesh.corner_count().max(mesh.point_count());
    let of_part = |part: &Part<'_, '_>| {
        let vertices = part.model.meshes.iter().map(of_mesh).fold(0, usize::saturating_add);
        // Every mesh with a skin has a matrix for each joint.
        let skins = part.model.meshes.iter().filter(|mesh| mesh.skin.is_some()).count();
        vertices.saturating_add(part.model.joints.len().saturating_mul(skins.saturating_add(1)))
    };
    let all = parts.iter().map(of_part).fold(0, usize::saturating_add);
    let found = (all as u64).saturating_mul(moments as u64);
    if found > limits.vertices {
        return Err(Error::Limit { what: "vertices of all frames", limit: limits.vertices, found });
    }
    Ok(())
}

/// The number of samples in each direction of a pixel.
const fn samples(size: u32) -> u32 {
    match size {
        0..=256 => 4,
        257..=1024 => 3,
        _ => 2,
    }
}

/// The camera that sees all moments. If there is only one, also its vertices, which need not be computed again.
fn fit(stage: &Stage<'_, '_, '_>, timeline: &Timeline, view: View) -> Result<(Camera, Option<Shown>), Error> {
    let mut points = Vec::new();
    let mut only = None;
    for moment in &timeline.moments {
        let mut sticks = Vec::new();
        let vertices = stage.vertices(moment, &mut sticks)?;
        let drawn = |surface: &Surface| {
            let mesh: &[Vertex] = vertices.get(surface.mesh).map_or(&[], Vec::as_slice);
            bounds(mesh, &surface.triangles)
        };
        points.extend(stage.surfaces.iter().chain(&sticks).filter_map(drawn).flatten());
        if timeline.moments.len() == 1 {
            only = Some((vertices, sticks));
        }
    }
    Ok((Camera::fit(points.iter().copied(), view, 1.0), only))
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

/// How all surfaces are drawn.
#[derive(Clone, Copy)]
struct Style {
    /// The half width of edges in samples, if edges are drawn.
    wire: Option<f32>,
    /// Whether to draw the backs of all surfaces.
    both_sides: bool,
}

/// Draws all surfaces: opaque ones first, then those that are blended, from back to front. Returns the number of samples that
/// were visited.
fn draw(
    canvas: &mut Canvas,
    stage: &Stage<'_, '_, '_>,
    surfaces: &[&Surface],
    vertices: &Vertices,
    camera: &Camera,
    style: Style,
) -> Result<u64, raster::TooMuchWork> {
    let before = canvas.work();
    let paint = |surface: &Surface| {
        let paint = stage.paint(surface);
        raster::Paint { wire: style.wire, two_sided: paint.two_sided || style.both_sides, ..paint }
    };
    let lens = camera.lens(canvas.width, canvas.height);
    let place = |vertex: &Vertex| Place::new(&lens, vertex.position);
    let places: Vec<Vec<Option<Place>>> =
        vertices.iter().map(|mesh| mesh.iter().map(place).collect()).collect();
    let corners = |surface: &Surface, triangle: &[u32; 3]| {
        let (mesh, places) = (vertices.get(surface.mesh)?, places.get(surface.mesh)?);
        // A triangle with a corner that is not finite is left out.
        let corner = |corner: u32| Some((mesh.get(corner as usize)?, (*places.get(corner as usize)?)?));
        let [a, b, c] = triangle.map(corner);
        Some([a?, b?, c?])
    };
    let mut blended = Vec::new();
    for (number, surface) in surfaces.iter().enumerate() {
        let paint = paint(surface);
        for triangle in &surface.triangles {
            let Some(corners) = corners(surface, triangle) else { continue };
            if paint.alpha != Alpha::Blend {
                canvas.triangle(&lens, corners, &paint)?;
                continue;
            }
            let [a, b, c] = corners.map(|(_, place)| place.depth);
            blended.push((a + b + c, number, *triangle));
        }
    }
    blended.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
    for (_, number, triangle) in &blended {
        let Some(surface) = surfaces.get(*number) else { continue };
        if let Some(corners) = corners(surface, triangle) {
            canvas.triangle(&lens, corners, &paint(surface))?;
        }
    }
    Ok(before - canvas.work())
}
