//! The files of the world, and the positions of its models.

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};

use meshlens_md3::write;
use meshlens_source::ArchiveWriter;
use meshlens_stream::{Plan, PlanTable, PlanTableBuilder};

/// The number of different files of each kind. The other files are hard links to these.
const DIFFERENT: usize = 50;
/// Every tenth model is a player.
const PLAYERS: usize = 10;
const FRAMES: u32 = 32;
/// Vertices of a surface, in rows of 20.
const VERTICES: usize = 400;
/// The distance between neighbours.
const SPACING: f32 = 5.0;

/// The kinds of files: their names, surfaces and tags. The last kind is a model, the others are the parts of a player.
const KINDS: [(&str, u32, &[&str]); 4] = [
    ("lower", 1, &["tag_torso"]),
    ("upper", 1, &["tag_torso", "tag_head"]),
    ("head", 1, &["tag_head"]),
    ("model", 2, &[]),
];

pub(crate) struct World {
    pub(crate) entities: Vec<Place>,
    /// The layout of the files of each kind. Files of one kind differ only in their values.
    plans: Vec<Plan>,
    folder: tempfile::TempDir,
}

/// A model or a player in the world.
pub(crate) struct Place {
    /// The name in the search path.
    pub(crate) name: String,
    pub(crate) position: [f32; 2],
}

/// The view of a camera.
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

    /// The distance of a place in view, which is at most 45 degrees to the left or to the right. `None` if the place is
    /// not in view.
    pub(crate) fn distance(&self, place: [f32; 2]) -> Option<f32> {
        let to = [place[0] - self.position[0], place[1] - self.position[1]];
        let distance = to[0].hypot(to[1]);
        let ahead = to[0] * self.direction.cos() + to[1] * self.direction.sin();
        (distance <= Self::VIEW && ahead >= distance * std::f32::consts::FRAC_1_SQRT_2).then_some(distance)
    }
}

impl World {
    /// Writes the files of a world of `count` models in a temporary folder.
    pub(crate) fn new(count: usize) -> Result<World, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut plans = Vec::new();
        for (kind, surfaces, tags) in KINDS {
            for number in 0..DIFFERENT {
                let bytes = model(number as f32, surfaces, tags)?;
                std::fs::write(folder.path().join(format!("{kind}{number}")), &bytes)?;
                if number == 0 {
                    plans.push(Plan::of(&[&bytes])?);
                }
            }
        }
        let side = (count as f32).sqrt().ceil() as usize;
        let mut entities = Vec::new();
        for number in 0..count {
            let name = add_entity(folder.path(), number)?;
            let position = [(number / side) as f32 * SPACING, (number % side) as f32 * SPACING];
            entities.push(Place { name, position });
        }
        let world = World { entities, plans, folder };
        world.write_archives()?;
        Ok(world)
    }

    /// Writes an archive of the files with deflated entries, and a pack of them.
    fn write_archives(&self) -> Result<(), Box<dyn Error>> {
        let deflated = zip::write::SimpleFileOptions::default().compression_level(Some(1));
        let mut archive = zip::ZipWriter::new(std::fs::File::create(self.archive())?);
        let (mut pack, mut table) = (ArchiveWriter::create(self.pack(), false)?, PlanTableBuilder::default());
        let mut files = Vec::new();
        for place in &self.entities {
            match place.name.ends_with(".md3") {
                true => files.push(place.name.clone()),
                false => {
                    files.extend(KINDS[..3].iter().map(|(kind, ..)| format!("{}/{kind}.md3", place.name)));
                    files.push(format!("{}/animation.cfg", place.name));
                }
            }
        }
        for name in files {
            let bytes = std::fs::read(self.folder().join(&name))?;
            archive.start_file(&*name, deflated)?;
            archive.write_all(&bytes)?;
            pack.add(&name, &bytes)?;
            if name.ends_with(".md3") {
                table.add(&[(&name, &bytes)])?;
            }
        }
        archive.finish()?;
        pack.add(PlanTable::NAME, &table.finish())?;
        Ok(pack.finish()?)
    }

    pub(crate) fn archive(&self) -> PathBuf {
        self.folder().join("archive.pk3")
    }

    pub(crate) fn pack(&self) -> PathBuf {
        self.folder().join("pack.pk3")
    }

    /// The folder of the files.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The plan of the file of a node.
    pub(crate) fn plan(&self, node: &str) -> &Plan {
        let kind = KINDS.iter().position(|(kind, ..)| *kind == node);
        &self.plans[kind.unwrap_or(KINDS.len() - 1)]
    }

    /// The length of the file of a model that is not a player.
    pub(crate) fn file_len(&self) -> u64 {
        self.plan("model").file_lens().iter().sum()
    }
}

/// Links the files of a model, or of a player. Returns its name.
fn add_entity(root: &Path, number: usize) -> std::io::Result<String> {
    let link = |kind: &str, path: &str| {
        std::fs::hard_link(root.join(format!("{kind}{}", number % DIFFERENT)), root.join(path))
    };
    if !number.is_multiple_of(PLAYERS) {
        let folder = format!("models/mapobjects/{number}");
        std::fs::create_dir_all(root.join(&folder))?;
        let name = format!("{folder}/{number}.md3");
        link("model", &name)?;
        return Ok(name);
    }
    let name = format!("models/players/{number}");
    std::fs::create_dir_all(root.join(&name))?;
    for (kind, ..) in &KINDS[..3] {
        link(kind, &format!("{name}/{kind}.md3"))?;
    }
    // Six clips of both parts, seven of the upper and twelve of the lower part: first frame, number of frames, looping
    // frames, and frames per second.
    let clips = ["0 8 0 15\n".repeat(6), "8 24 24 15\n".repeat(7), "32 24 24 15\n".repeat(12)];
    std::fs::write(root.join(&name).join("animation.cfg"), clips.concat())?;
    Ok(name)
}

/// A model of waving surfaces.
fn model(seed: f32, surfaces: u32, tags: &[&str]) -> meshlens::Result<Vec<u8>> {
    let mut model = write::Model::new("wave")?;
    model.tags_per_frame = tags.len() as u32;
    for frame in 0..FRAMES {
        model.frames.push(write::Frame::named(&format!("wave{frame}"))?);
        for tag in tags {
            let axis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            model.tags.push(write::Tag { name: write::name(tag)?, origin: [0.0, 0.0, frame as f32], axis });
        }
    }
    for surface in 0..surfaces {
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
