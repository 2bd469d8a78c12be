//! Pictures of several moments with one camera and one canvas.

use meshlens::model::{Alpha, Mesh};
use meshlens::scene::{Node, Scene};
use meshlens::wire::{Budget, Reservation};

use crate::camera::{Extent, Lens};
use crate::geometry::Geometry;
use crate::moment::Timeline;
use crate::raster::{self, Band, Canvas, ScreenVertex, Vertex};
use crate::surface::{Surface, Vertices};
use crate::tone::{self, Tone};
use crate::{Background, Camera, Error, Limits, Note, Options, Picture, View, opaque, threads};

/// The vertices of a moment, and the triangles of joints and tags.
type Shown = (Vertices, Vec<Surface>);

/// The geometry, the camera and the canvas of several pictures with the same view.
pub(crate) struct Renderer<'s, 'a, 'o> {
    geometry: Geometry<'s, 'a>,
    pub(crate) timeline: Timeline,
    pub(crate) camera: Camera,
    /// The vertices of the only moment, and the triangles of its joints and tags.
    only: Option<Shown>,
    canvas: Canvas,
    /// The number of samples in each direction of a pixel.
    samples: u32,
    background: Background,
    /// The light and the background of all pictures, which the first picture determines.
    tone: Option<Tone>,
    notes: Option<&'o dyn Fn(Note)>,
    wireframe: bool,
    /// The number of samples that may be visited for a picture.
    work: u64,
    threads: usize,
    _held: Reservation,
}

impl<'s, 'a, 'o> Renderer<'s, 'a, 'o> {
    pub(crate) fn new(
        scene: &'s Scene<'a>,
        options: &Options<'o>,
        count: usize,
    ) -> Result<Renderer<'s, 'a, 'o>, Error> {
        let limits = &options.limits;
        if options.size == 0 || options.size > limits.size {
            let (limit, found) = (limits.size.into(), options.size.into());
            return Err(Error::Limit { what: "pixels of a side", limit, found });
        }
        let unlimited = Budget::new(usize::MAX);
        let budget = options.budget.unwrap_or(&unlimited);
        let samples = samples(options.size);
        let side = options.size.saturating_mul(samples);
        let mut timeline = Timeline::new(scene, options.frames, limits.frames)?;
        timeline.spread(count);
        check_vertices(scene, timeline.moments.len(), limits)?;
        let held = budget.reserve(
            Canvas::bytes(side, side).saturating_add(Canvas::bytes(options.size, options.size)),
            format_args!("{side} x {side} samples of a picture"),
        )?;
        let geometry = Geometry::new(scene, options, limits, budget)?;
        let (camera, only) = fit(&geometry, &timeline, options.view)?;
        Ok(Renderer {
            geometry,
            timeline,
            camera: options.camera.unwrap_or(camera),
            only,
            canvas: Canvas::new(side, side),
            samples,
            background: options.background,
            tone: None,
            notes: options.notes,
            wireframe: options.wireframe,
            work: u64::from(side).saturating_mul(side.into()).saturating_mul(limits.layers),
            threads: options.threads,
            _held: held,
        })
    }

    pub(crate) fn picture(&mut self, number: usize) -> Result<Picture, Error> {
        let Some(moment) = self.timeline.moments.get(number) else {
            return Err(Error::NoFrame { frame: number, count: self.timeline.moments.len() });
        };
        let (mut vertices, mut lines) = match self.only.take() {
            Some(only) => only,
            None => {
                let mut lines = Vec::new();
                (self.geometry.vertices(moment, &mut lines)?, lines)
            }
        };
        let mut style = Style {
            wire: self.wireframe.then_some(self.samples as f32 * 0.45),
            both_sides: false,
            fill: self.tone().fill,
        };
        let mut visited = self.draw(&vertices, &lines, style)?;
        // A flat effect may face away from the viewer. Its back is then drawn, because an empty picture is of no use.
        if visited == 0 {
            style.both_sides = true;
            visited = self.draw(&vertices, &lines, style)?;
        }
        let mut note = self.geometry.note();
        let triangles = self.geometry.triangle_count();
        // Triangles across the whole picture visit more samples, even if they are only as wide as a pixel.
        if visited < u64::from(self.canvas.width / 4) && triangles > 0 {
            self.geometry.hold_lines(triangles)?;
            let drawn = self.geometry.needles(&mut vertices, &mut lines);
            visited = self.draw(&vertices, &lines, style)?;
            note = Some(Note::Needles { drawn, count: triangles });
        }
        if self.tone.is_none() && visited > 0 {
            let fill = tone::fill(&self.canvas);
            if fill > 0.0 {
                style.fill = fill;
                self.draw(&vertices, &lines, style)?;
            }
            let background = match self.background {
                Background::Auto => tone::background(&self.canvas),
                chosen => Some(chosen),
            };
            self.tone = background.map(|background| Tone { fill, background });
        }
        let is_empty = self.canvas.colors.iter().all(|[.., alpha]| *alpha == 0);
        if let Some(tell) = self.notes
            && let Some(note) = note.or(is_empty.then_some(Note::Nothing))
        {
            tell(note);
            self.notes = None;
        }
        Ok(Picture::resolve(&self.canvas, self.samples, self.tone().background))
    }

    /// The light and the background of the pictures.
    pub(crate) fn tone(&self) -> Tone {
        self.tone.unwrap_or(Tone { fill: 0.0, background: self.background })
    }

    /// Draws the triangles of one moment on the empty canvas. Returns the number of samples that were visited.
    fn draw(&mut self, vertices: &Vertices, lines: &[Surface], style: Style) -> Result<u64, Error> {
        self.canvas.clear();
        let surfaces: Vec<&Surface> = self.geometry.surfaces.iter().chain(lines).collect();
        let lens = self.camera.lens(self.canvas.width, self.canvas.height);
        let drawing = Drawing::new(&self.geometry, &surfaces, vertices, &lens, style);
        let drawn = drawing.draw(self.canvas.bands(self.threads, self.work).collect(), self.work);
        let limit = self.work;
        drawn.map_err(|raster::TooMuchWork| Error::Limit { what: "covered samples", limit, found: limit + 1 })
    }
}

/// Checks the work of moving all vertices and joints.
fn check_vertices(scene: &Scene<'_>, moments: usize, limits: &Limits) -> Result<(), Error> {
    let of_mesh = |mesh: &Mesh<'_>| mesh.corner_count().max(mesh.point_count());
    let of_node = |node: &Node<'_>| {
        let vertices = node.model.meshes.iter().map(of_mesh).fold(0, usize::saturating_add);
        // Every mesh with a skin has a matrix for each joint.
        let skins = node.model.meshes.iter().filter(|mesh| mesh.skin.is_some()).count();
        vertices.saturating_add(node.model.joints.len().saturating_mul(skins.saturating_add(1)))
    };
    let all = scene.nodes.iter().map(of_node).fold(0, usize::saturating_add);
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

/// The camera that shows all moments. For a single moment, also returns its vertices, so that they are not computed
/// again.
fn fit(
    geometry: &Geometry<'_, '_>,
    timeline: &Timeline,
    view: View,
) -> Result<(Camera, Option<Shown>), Error> {
    // The extent of the visible parts, and the extent of all triangles, for models without visible parts.
    let (mut visible, mut all) = (Extent::new(view, 1.0), Extent::new(view, 1.0));
    let steps = geometry.steps();
    let mut only = None;
    for moment in &timeline.moments {
        let mut lines = Vec::new();
        let vertices = geometry.vertices(moment, &mut lines)?;
        for surface in geometry.surfaces.iter().chain(&lines) {
            let mesh: &[Vertex] = vertices.get(surface.mesh).map_or(&[], Vec::as_slice);
            let paint = geometry.paint(surface);
            opaque::points(surface, &paint, mesh, steps, |point| visible.add(point));
            if visible.is_empty() {
                opaque::points(surface, &paint, mesh, 0, |point| all.add(point));
            }
        }
        if timeline.moments.len() == 1 {
            only = Some((vertices, lines));
        }
    }
    let seen = if visible.is_empty() { all } else { visible };
    Ok((seen.camera(), only))
}

/// How all surfaces are drawn.
#[derive(Clone, Copy)]
struct Style {
    /// The half width of edges in samples, if edges are drawn.
    wire: Option<f32>,
    /// Whether to draw the backs of all surfaces.
    both_sides: bool,
    /// The light that is added to surfaces, as stored in pictures.
    fill: f32,
}

/// All triangles at their positions in the picture, in drawing order.
struct Drawing<'d> {
    lens: &'d Lens,
    surfaces: &'d [&'d Surface],
    paints: Vec<raster::Paint<'d>>,
    vertices: &'d Vertices,
    places: Vec<Vec<Option<ScreenVertex>>>,
    /// The triangles that are blended, each with the number of its surface, from back to front.
    blended: Vec<(f64, usize, [u32; 3])>,
}

impl<'d> Drawing<'d> {
    fn new(
        geometry: &'d Geometry<'_, '_>,
        surfaces: &'d [&'d Surface],
        vertices: &'d Vertices,
        lens: &'d Lens,
        style: Style,
    ) -> Drawing<'d> {
        let paint = |surface: &&'d Surface| {
            let paint = geometry.paint(surface);
            // Blended surfaces keep their effect on the colors below, so they get no additional light.
            let fill = if paint.alpha == Alpha::Blend { 0.0 } else { style.fill };
            raster::Paint { wire: style.wire, two_sided: paint.two_sided || style.both_sides, fill, ..paint }
        };
        let place = |vertex: &Vertex| ScreenVertex::new(lens, vertex.position);
        let mut drawing = Drawing {
            lens,
            surfaces,
            paints: surfaces.iter().map(paint).collect(),
            vertices,
            places: vertices.iter().map(|mesh| mesh.iter().map(place).collect()).collect(),
            blended: Vec::new(),
        };
        let mut blended = Vec::new();
        for (number, (surface, _)) in drawing.surfaces_with(|alpha| alpha == Alpha::Blend) {
            for triangle in &surface.triangles {
                let Some(corners) = drawing.corners(surface, triangle) else { continue };
                let [a, b, c] = corners.map(|(_, place)| place.depth);
                blended.push((a + b + c, number, *triangle));
            }
        }
        blended.sort_by(|(a, ..), (b, ..)| a.total_cmp(b));
        drawing.blended = blended;
        drawing
    }

    fn surfaces_with(
        &self,
        is_wanted: fn(Alpha) -> bool,
    ) -> impl Iterator<Item = (usize, (&&'d Surface, &raster::Paint<'d>))> {
        let all = self.surfaces.iter().zip(&self.paints).enumerate();
        all.filter(move |(_, (_, paint))| is_wanted(paint.alpha))
    }

    /// The corners of a triangle; `None` if one of them is not finite.
    fn corners(&self, surface: &Surface, triangle: &[u32; 3]) -> Option<[(&Vertex, ScreenVertex); 3]> {
        let (mesh, places) = (self.vertices.get(surface.mesh)?, self.places.get(surface.mesh)?);
        let corner = |corner: u32| Some((mesh.get(corner as usize)?, (*places.get(corner as usize)?)?));
        let [a, b, c] = triangle.map(corner);
        Some([a?, b?, c?])
    }

    /// Draws all triangles, each band on its own thread: opaque triangles first, then blended ones from back to front.
    /// Returns the number of samples that were visited.
    fn draw(&self, bands: Vec<Band<'_>>, limit: u64) -> Result<u64, raster::TooMuchWork> {
        let count = bands.len();
        let visited = threads::map(bands, count, |band| self.draw_band(band));
        let sum = visited.into_iter().try_fold(0u64, |sum, visited| Ok(sum.saturating_add(visited?)))?;
        if sum > limit { Err(raster::TooMuchWork) } else { Ok(sum) }
    }

    fn draw_band(&self, mut band: Band<'_>) -> Result<u64, raster::TooMuchWork> {
        let before = band.work();
        for (_, (surface, paint)) in self.surfaces_with(|alpha| alpha != Alpha::Blend) {
            for triangle in &surface.triangles {
                if let Some(corners) = self.corners(surface, triangle) {
                    band.triangle(self.lens, corners, paint)?;
                }
            }
        }
        for (_, number, triangle) in &self.blended {
            let (Some(surface), Some(paint)) = (self.surfaces.get(*number), self.paints.get(*number)) else {
                continue;
            };
            if let Some(corners) = self.corners(surface, triangle) {
                band.triangle(self.lens, corners, paint)?;
            }
        }
        Ok(before - band.work())
    }
}
