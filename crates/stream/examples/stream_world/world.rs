//! The files of the world, and where its models stand.

use std::error::Error;

use meshlens_md3::write;
use meshlens_source::Source;
use meshlens_stream::backend::MappedBackend;
use meshlens_stream::{FileName, Part, Plan};

/// Different files; the others are hard links of these.
const DIFFERENT: usize = 50;
const SURFACES: u32 = 2;
const FRAMES: u32 = 32;
/// Vertices of a surface, in rows of 20.
const VERTICES: usize = 400;
/// The distance between neighbours.
const SPACING: f32 = 5.0;

pub(crate) struct World {
    pub(crate) entities: Vec<Place>,
    /// What lies where in all files, which differ in their values alone.
    pub(crate) plan: Plan,
    _folder: tempfile::TempDir,
}

/// A model in the world.
pub(crate) struct Place {
    pub(crate) file: FileName,
    pub(crate) position: [f32; 2],
}

/// What a camera sees.
pub(crate) struct Camera {
    pub(crate) position: [f32; 2],
    /// In radians from the X axis.
    pub(crate) direction: f32,
}

impl Camera {
    const VIEW: f32 = 160.0;
    pub(crate) const NEAR: f32 = 25.0;

    /// The camera after some seconds of its path: it goes along the X axis and looks around.
    pub(crate) fn at(seconds: f32) -> Camera {
        Camera { position: [20.0 * seconds, 110.0], direction: (seconds * 1.5).sin() * 0.5 }
    }

    /// The distance of a place in view: at most 45 degrees to the left or to the right. `None` for others.
    pub(crate) fn distance(&self, place: [f32; 2]) -> Option<f32> {
        let to = [place[0] - self.position[0], place[1] - self.position[1]];
        let distance = to[0].hypot(to[1]);
        let ahead = to[0] * self.direction.cos() + to[1] * self.direction.sin();
        (distance <= Self::VIEW && ahead >= distance * std::f32::consts::FRAC_1_SQRT_2).then_some(distance)
    }
}

impl World {
    /// Writes the files of a world of `count` models in a folder that goes with it.
    pub(crate) fn new(count: usize) -> Result<World, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut plan = None;
        for number in 0..DIFFERENT.min(count.max(1)) {
            let bytes = model(number as f32)?;
            std::fs::write(folder.path().join(format!("{number}.md3")), &bytes)?;
            plan = plan.or(Some(Plan::of(&[&bytes])?));
        }
        let side = (count as f32).sqrt().ceil() as usize;
        let mut entities = Vec::new();
        for number in 0..count {
            let path = folder.path().join(format!("{number}.md3"));
            if number >= DIFFERENT {
                std::fs::hard_link(folder.path().join(format!("{}.md3", number % DIFFERENT)), &path)?;
            }
            let file = path.to_str().ok_or("a path that is UTF-8")?.into();
            let position = [(number / side) as f32 * SPACING, (number % side) as f32 * SPACING];
            entities.push(Place { file, position });
        }
        Ok(World { entities, plan: plan.ok_or("no file")?, _folder: folder })
    }

    /// Maps all files.
    pub(crate) fn map(&self, maps: &MappedBackend) -> Result<(), Box<dyn Error>> {
        for place in &self.entities {
            // SAFETY: the folder is this program's own, which changes no file once it is written.
            let source = unsafe { Source::map(std::path::Path::new(&*place.file))? };
            maps.insert(place.file.clone(), source);
        }
        Ok(())
    }

    pub(crate) fn file_len(&self) -> u64 {
        self.plan.file_lens().iter().sum()
    }

    /// What a near model needs first: a vertex and an index buffer of each mesh.
    pub(crate) fn near_parts() -> impl Iterator<Item = Part> {
        (0..SURFACES).map(|mesh| Part::Mesh { mesh, frame: 0 })
    }

    /// And then: all other frames, and the tags.
    pub(crate) fn full_parts() -> impl Iterator<Item = Part> {
        let of_mesh = |mesh| (1..FRAMES).map(move |frame| Part::Frame { mesh, frame });
        (0..SURFACES).flat_map(of_mesh)
    }
}

/// A model of two waving surfaces.
fn model(seed: f32) -> meshlens::Result<Vec<u8>> {
    let mut model = write::Model::new("wave")?;
    for frame in 0..FRAMES {
        model.frames.push(write::Frame::named(&format!("wave{frame}"))?);
    }
    for surface in 0..SURFACES {
        let mut wave = write::Surface::new(&format!("surface{surface}"))?;
        let row = 20u32;
        for quad in 0..(VERTICES as u32 / row - 1) * row {
            if quad % row + 1 < row {
                wave.triangles.extend([[quad, quad + 1, quad + row], [quad + 1, quad + row + 1, quad + row]]);
            }
        }
        let places: Vec<[f32; 2]> =
            (0..VERTICES).map(|at| [(at % row as usize) as f32, (at / row as usize) as f32]).collect();
        wave.texcoords = places.iter().map(|[x, y]| [x / 20.0, y / 20.0]).collect();
        for frame in 0..FRAMES {
            let height = |x: f32| ((x + seed) * 0.6 + frame as f32 * 0.2).sin() * 4.0;
            let positions: Vec<[f32; 3]> =
                places.iter().map(|[x, y]| [*x, *y, height(*x) + 8.0 * surface as f32]).collect();
            wave.add_frame(&positions, &vec![[0.0, 0.0, 1.0]; VERTICES])?;
        }
        model.surfaces.push(wave);
    }
    model.write()
}
