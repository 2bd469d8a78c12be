//! Measures readers of containers, which `run` asks for: from the name of a file to buffers that can be drawn.
//!
//! `containers JOB` reads a job as JSON and prints the records of its measurements as JSON. `containers one JOB ROW MODEL` reads one
//! model once, from a cold cache, and prints the memory and the bytes that this took.

mod readers;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use meshlens_source::{Archive, FileArchive, ReadAt, Source, read_into};
use readers::{Buffers, Mesh, Reader, Refused, Task};
use rustix::fs::{Advice, fadvise};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Job {
    rows: Vec<Row>,
    models: Vec<Model>,
    /// The archive with all models, for the container `pack`.
    pack: PathBuf,
    /// The seconds in which the rows of a model take turns for each task, with a warm cache. A cold cache takes as long.
    seconds: f64,
    /// The name of a row that reads everything ten times: a planted fault.
    slow: Option<String>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    container: String,
    reader: Reader,
    is_mapped: bool,
    /// The largest difference to the values of meshlens: of positions, in units, of components of normals, and of texture
    /// coordinates.
    tolerance: [f32; 3],
}

#[derive(Deserialize)]
struct Model {
    name: String,
    /// The files, by the container.
    files: BTreeMap<String, PathBuf>,
}

/// A measurement: medians of `turns` readings.
#[derive(Serialize)]
struct Record<'a> {
    row: &'a str,
    model: &'a str,
    frames: usize,
    vertices: usize,
    task: Task,
    is_cold: bool,
    seconds: f64,
    /// The difference between the quartiles, divided by the median.
    spread: f64,
    turns: usize,
    /// The largest differences to the values of meshlens: positions, normals, texture coordinates.
    differences: [f32; 3],
}

/// A row that was not measured for a model.
#[derive(Serialize)]
struct Failure<'a> {
    row: &'a str,
    model: &'a str,
    why: String,
}

/// The memory and the bytes of one reading of the first frame from a cold cache.
#[derive(Serialize)]
struct Cost<'a> {
    row: &'a str,
    model: &'a str,
    /// The largest resident memory, less that before and the output.
    peak_bytes: u64,
    /// What the system read from the disk.
    read_bytes: u64,
}

/// An opened pack, from which entries are read or mapped.
enum Pack {
    Closed,
    Read(FileArchive),
    Mapped(Archive),
}

/// A row, and what it keeps between models.
struct Opened<'a> {
    row: &'a Row,
    pack: Pack,
    bytes: Vec<u8>,
    times: u32,
}

impl<'a> Opened<'a> {
    fn new(job: &'a Job, row: &'a Row) -> Opened<'a> {
        let times = if job.slow.as_ref() == Some(&row.name) { 10 } else { 1 };
        Opened { row, pack: Pack::Closed, bytes: Vec::new(), times }
    }

    fn path<'m>(&self, job: &'m Job, model: &'m Model) -> &'m Path {
        if self.row.container == "pack" { &job.pack } else { &model.files[&self.row.container] }
    }

    /// Opens the pack, if this row is one of packs.
    fn open(&mut self, job: &Job) -> Result<(), Refused> {
        self.pack = match (&*self.row.container, self.row.is_mapped) {
            ("pack", false) => Pack::Read(Archive::open_file(&job.pack, Default::default())?),
            // SAFETY: nobody changes the files of this job.
            ("pack", true) => Pack::Mapped(Archive::open(unsafe { Source::map(&job.pack)? })?),
            _ => Pack::Closed,
        };
        Ok(())
    }

    /// From the name to the output.
    fn read(&mut self, job: &Job, model: &Model, task: Task, out: &mut Buffers) -> Result<(), Refused> {
        for _ in 0..self.times {
            match &self.pack {
                Pack::Read(pack) => self.decode(&read_entry(pack, &model.name)?, task, out)?,
                Pack::Mapped(pack) => self.decode(&read_entry(pack, &model.name)?, task, out)?,
                Pack::Closed if self.row.is_mapped => {
                    // SAFETY: nobody changes the files of this job.
                    let source = unsafe { Source::map(self.path(job, model))? };
                    self.decode(&source, task, out)?;
                }
                Pack::Closed => {
                    let mut bytes = std::mem::take(&mut self.bytes);
                    read_into(self.path(job, model), &mut bytes)?;
                    self.decode(&bytes, task, out)?;
                    self.bytes = bytes;
                }
            }
        }
        Ok(())
    }

    fn decode(&self, bytes: &[u8], task: Task, out: &mut Buffers) -> Result<(), Refused> {
        readers::read(self.row.reader, bytes, task, out)
    }

    /// Drops the file from the page cache.
    fn chill(&mut self, job: &Job, model: &Model) -> Result<(), Refused> {
        self.pack = Pack::Closed;
        let file = File::open(self.path(job, model))?;
        fadvise(&file, 0, None, Advice::DontNeed)?;
        self.open(job)
    }
}

/// The bytes of an entry, which are not compared with its checksum: those of files are not, either.
fn read_entry<'p, B: ReadAt>(pack: &'p Archive<B>, name: &str) -> Result<Cow<'p, [u8]>, Refused> {
    Ok(pack.read_unverified(&pack.find(name).ok_or("no such entry")?)?)
}

/// The largest differences of the corners of all frames, in turn: positions, normals, texture coordinates. Triangles have the
/// same order, but may begin at another corner.
fn differences(ours: &Buffers, theirs: &Buffers) -> Result<[f32; 3], Refused> {
    // Meshes without triangles are left out by some readers.
    let drawn =
        |out: &Buffers| out.meshes().iter().copied().filter(|mesh| mesh.indices > 0).collect::<Vec<Mesh>>();
    let counts =
        |out: &Buffers| drawn(out).iter().map(|mesh| (mesh.frames, mesh.indices)).collect::<Vec<_>>();
    if counts(ours) != counts(theirs) {
        let (theirs, ours) = (counts(theirs), counts(ours));
        return Err(format!("other frames and indices of meshes: {theirs:?}, not {ours:?}").into());
    }
    let mut largest = [0f32; 3];
    for (a, b) in drawn(ours).into_iter().zip(drawn(theirs)) {
        for triangle in (0..a.indices).step_by(3) {
            let compare = |turn: usize, frame: usize| {
                let vertex = |out: &Buffers, mesh: Mesh, corner: usize| {
                    let index = out.indices[mesh.first_index + triangle + corner] as usize;
                    out.vertices[mesh.first_vertex + frame * mesh.vertices + index]
                };
                let mut largest = [0f32; 3];
                for corner in 0..3 {
                    let (ours, theirs) = (vertex(ours, a, corner), vertex(theirs, b, (corner + turn) % 3));
                    for (at, (ours, theirs)) in ours.into_iter().zip(theirs).enumerate() {
                        let difference = (ours - theirs).abs();
                        largest[at / 3] =
                            if difference.is_nan() { f32::INFINITY } else { largest[at / 3].max(difference) };
                    }
                }
                largest
            };
            let sum = |turn: &usize| compare(*turn, 0).iter().sum::<f32>();
            let turn = (0..3).min_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap_or(0);
            for frame in 0..a.frames {
                for (largest, found) in largest.iter_mut().zip(compare(turn, frame)) {
                    *largest = largest.max(found);
                }
            }
        }
    }
    Ok(largest)
}

/// The rows whose values are those of meshlens, with their differences; and why others are not measured.
fn check<'a>(
    job: &'a Job,
    model: &'a Model,
    task: Task,
    ours: &mut Buffers,
    theirs: &mut Buffers,
    failures: &mut Vec<Failure<'a>>,
) -> Result<Vec<(Opened<'a>, [f32; 3])>, Refused> {
    readers::read(Reader::Meshlens, &fs::read(&model.files["md3"])?, task, ours)?;
    let mut rows = Vec::new();
    for row in &job.rows {
        let mut opened = Opened::new(job, row);
        opened.open(job)?;
        theirs.vertices.fill([f32::NAN; 8]);
        let compared = opened.read(job, model, task, theirs).and_then(|()| match row.reader {
            Reader::None => Ok([0.0; 3]),
            _ => differences(ours, theirs),
        });
        match compared {
            Ok(found) if found.iter().zip(row.tolerance).all(|(found, limit)| *found <= limit) => {
                rows.push((opened, found))
            }
            Ok(found) => failures.push(Failure {
                row: &row.name,
                model: &model.name,
                why: format!("{task:?}: other values: {found:?}, at most {:?}", row.tolerance),
            }),
            Err(error) => failures.push(Failure {
                row: &row.name,
                model: &model.name,
                why: format!("{task:?}: {error}"),
            }),
        }
    }
    Ok(rows)
}

/// The median, and the difference between the quartiles divided by it.
fn middle(mut seconds: Vec<f64>) -> (f64, f64) {
    seconds.sort_by(f64::total_cmp);
    let at = |quarters: usize| seconds[(seconds.len() - 1) * quarters / 4];
    (at(2), (at(3) - at(1)) / at(2))
}

/// How often each row takes its turn at least.
const TURNS: usize = 7;

fn measure(job: &Job) -> Result<serde_json::Value, Refused> {
    let (mut records, mut failures) = (Vec::new(), Vec::new());
    for model in &job.models {
        let bytes = fs::read(&model.files["md3"])?;
        let parsed = meshlens::Model::parse(&bytes)?;
        let frames = parsed.frame_count().max(1);
        let (vertices, triangles) = parsed.meshes.iter().fold((0, 0), |(vertices, triangles), mesh| {
            (vertices + mesh.point_count(), triangles + mesh.triangle_count())
        });
        // assimp gives three vertices for each triangle.
        let room = || Buffers::with_room(frames * vertices.max(3 * triangles), 3 * triangles);
        let (mut ours, mut out) = (room(), room());
        for task in [Task::First, Task::All, Task::Blend] {
            let mut rows = check(job, model, task, &mut ours, &mut out, &mut failures)?;
            for is_cold in [false, true] {
                let mut seconds = vec![Vec::new(); rows.len()];
                let start = Instant::now();
                while seconds[0].len() < TURNS || start.elapsed() < Duration::from_secs_f64(job.seconds) {
                    for ((opened, _), seconds) in rows.iter_mut().zip(&mut seconds) {
                        if is_cold {
                            opened.chill(job, model)?;
                        } else {
                            // The code and the memory of this reader, after those of another.
                            opened.read(job, model, task, &mut out)?;
                        }
                        let start = Instant::now();
                        opened.read(job, model, task, &mut out)?;
                        seconds.push(start.elapsed().as_secs_f64());
                        if is_cold {
                            // A map keeps its pages in the cache; and the system still reads ahead.
                            opened.pack = Pack::Closed;
                            sleep(Duration::from_millis(3));
                        }
                    }
                }
                for ((opened, differences), seconds) in rows.iter().zip(seconds) {
                    let turns = seconds.len();
                    let (seconds, spread) = middle(seconds);
                    let (row, model, differences) = (&*opened.row.name, &*model.name, *differences);
                    records.push(Record {
                        row,
                        model,
                        frames,
                        vertices,
                        task,
                        is_cold,
                        seconds,
                        spread,
                        turns,
                        differences,
                    });
                }
            }
        }
        eprint!(".");
    }
    eprintln!();
    Ok(serde_json::json!({ "records": records, "failures": failures }))
}

/// The number after a name in a file of /proc/self.
fn proc_number(file: &str, name: &str) -> Result<u64, Refused> {
    let text = fs::read_to_string(format!("/proc/self/{file}"))?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such line")?;
    Ok(line.split_whitespace().next().ok_or("no number")?.parse()?)
}

fn one(job: &Job, row: &str, model: &str) -> Result<(), Refused> {
    let row = job.rows.iter().find(|one| one.name == row).ok_or("no such row")?;
    let model = job.models.iter().find(|one| one.name == model).ok_or("no such model")?;
    let mut out = Buffers::with_room(1 << 17, 1 << 18);
    let mut opened = Opened::new(job, row);
    // The code of the reader is loaded by reading the smallest other model.
    let smallest = job
        .models
        .iter()
        .filter(|other| other.name != model.name)
        .min_by_key(|other| fs::metadata(&other.files["md3"]).map_or(u64::MAX, |data| data.len()));
    opened.open(job)?;
    opened.read(job, smallest.ok_or("no other model")?, Task::First, &mut out)?;
    opened.chill(job, model)?;
    // Sets the peak to the memory of now.
    fs::write("/proc/self/clear_refs", "5")?;
    let (memory, read) = (proc_number("status", "VmRSS:")?, proc_number("io", "read_bytes:")?);
    opened.read(job, model, Task::First, &mut out)?;
    let cost = Cost {
        row: &row.name,
        model: &model.name,
        peak_bytes: proc_number("status", "VmHWM:")?.saturating_sub(memory) << 10,
        read_bytes: proc_number("io", "read_bytes:")? - read,
    };
    println!("{}", serde_json::to_string(&cost)?);
    Ok(())
}

fn main() -> Result<(), Refused> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let job = |path: &str| -> Result<Job, Refused> { Ok(serde_json::from_slice(&fs::read(path)?)?) };
    match arguments[..] {
        ["one", path, row, model] => one(&job(path)?, row, model),
        [path] => {
            let asked = job(path)?;
            let mut result = measure(&asked)?;
            let mut costs: Vec<serde_json::Value> = Vec::new();
            for (row, model) in
                asked.rows.iter().flat_map(|row| asked.models.iter().map(move |model| (row, model)))
            {
                let mut child = Command::new(std::env::current_exe()?);
                let output = child.args(["one", path, &row.name, &model.name]).output()?;
                if output.status.success() {
                    costs.push(serde_json::from_slice(&output.stdout)?);
                }
            }
            result["costs"] = costs.into();
            println!("{result}");
            Ok(())
        }
        _ => Err("usage: containers JOB".into()),
    }
}
