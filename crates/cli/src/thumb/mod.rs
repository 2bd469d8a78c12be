//! `meshlens thumb`: pictures of models, as PNG files or on the terminal.

mod cells;
mod inline;
pub(crate) mod open;
mod screen;

use std::cell::RefCell;
use std::io::{self, Write};
use std::path::Path;

use meshlens::wire::Budget;
use meshlens_thumb::{Background, Frames, Note, Options, Picture, View};

use crate::args::{PictureBackground, PictureView, TerminalGraphics, Thumb};
use crate::batch;
use crate::failure::{Failure, folder_of};
use crate::findings;
use crate::forward::turned;
use crate::inputs::{self, Takes};
use crate::memory::Memory;
use crate::outputs::{self, Outputs, Plan, Planned};
use crate::remote;
use crate::sink::{self, Sink, create_folder};
use crate::status::Status;
use crate::terminal::{Output, is_quiet, is_verbose, tell, told};
use crate::workers;

use open::{Faults, OpenRequest};
use screen::Screen;

/// The memory of one picture.
struct Share<'b> {
    budget: &'b Budget,
    /// The limit for one imported file.
    limit: usize,
    /// The number of threads that draw a picture.
    threads: usize,
}

/// The result for one model.
struct DrawnModel {
    warnings: Vec<String>,
    /// The picture, to be drawn on the terminal.
    picture: Option<Picture>,
    bytes: u64,
}

pub(crate) fn run(arguments: &Thumb, out: &mut Output) -> io::Result<Status> {
    crate::clean_up_on_signals();
    let is_stdout = arguments.output.as_deref().is_some_and(sink::is_stdout);
    let is_drawn = arguments.output.is_none() && arguments.out_dir.is_none();
    if let Some(message) = refused(arguments, is_stdout, is_drawn, out.is_colored()) {
        tell!("{message}");
        return Ok(Status::Failed);
    }
    // With -o -, the picture goes to standard output and the report to standard error.
    let out = if is_stdout { &mut Output::new(io::stderr()) } else { out };
    if !is_drawn {
        // A reader that closes the report does not stop the work.
        out.ignore_closed();
    }
    let memory = Memory::new(arguments.max_memory);
    let Some(plan) = told(plan(arguments, &memory)) else { return Ok(Status::Failed) };
    // The terminal is asked before any work, and once.
    let screen = is_drawn.then(|| Screen::detect(arguments.graphics, arguments.size));
    let (mut worst, mut made, mut failed) = (Status::Fine, 0u64, 0u64);
    // Several pictures are made in parallel. A single picture is drawn by all threads together.
    let threads = if plan.count() == 1 { workers::count(arguments.inputs.jobs) } else { 1 };
    let work = |job: &Planned| {
        let limit = memory.of_one_file();
        let one =
            |budget: &Budget| picture(arguments, job, screen.as_ref(), &Share { budget, limit, threads });
        memory.run(one, |failure| failure.waits)
    };
    let mut jobs = plan.jobs();
    let panicked = |job: &Planned, what: String| Err(Failure::system(format!("{}: {what}", job.item.uri)));
    let workers = remote::jobs(&arguments.inputs);
    batch::map(&mut jobs, Some(plan.count()), workers, work, panicked, |job, result| {
        let result = match result.map_err(|failure| failure.tell()) {
            Ok(result) => result,
            Err(status) => {
                failed += u64::from(status != Status::Fine);
                worst = worst.max(status);
                return Ok(());
            }
        };
        made += 1;
        for warning in result.warnings.iter().filter(|_| !is_quiet()) {
            tell!("{}: warning: {warning}", job.item.uri);
        }
        if let (Some(picture), Some(screen)) = (&result.picture, &screen) {
            if plan.count() > 1 {
                writeln!(out, "{}", job.item.uri)?;
            }
            return screen.draw(picture, out);
        }
        if is_quiet() {
            return Ok(());
        }
        let to = job.output.as_deref().unwrap_or(Path::new("-")).display();
        writeln!(out, "{} -> {to}: {} bytes", job.item.uri, result.bytes)
    })?;
    worst = worst.max(batch::none_found(plan.count(), plan.status()));
    failed += plan.faults();
    if !is_quiet() && !is_drawn && (plan.count() > 1 || is_verbose()) {
        writeln!(out, "{}, {failed} failed", findings::count(made, "picture"))?;
    }
    Ok(worst)
}

/// The reason why the arguments are contradictory.
fn refused(arguments: &Thumb, is_stdout: bool, is_drawn: bool, is_colored: bool) -> Option<String> {
    if is_stdout && sink::stdout_is_terminal() && !arguments.force {
        return Some("standard output is a terminal: redirect it, or leave out -o to draw on it".into());
    }
    if is_drawn && !is_colored && arguments.graphics == TerminalGraphics::Auto {
        return Some(
            "standard output is no terminal with colors: name a file with -o FILE, or a folder with --out-dir DIR"
                .into(),
        );
    }
    if let Some(output) = &arguments.output
        && let Some(other) = other_image(output)
    {
        return Some(format!("{}: a picture is a PNG file, not {other}", output.display()));
    }
    if is_drawn && (arguments.apng || arguments.sheet.is_some()) {
        return Some("--apng and --sheet make files: use -o FILE or --out-dir DIR".into());
    }
    None
}

/// The extension of the output, if it belongs to another image format.
fn other_image(output: &Path) -> Option<String> {
    let extension = output.extension()?.to_str()?.to_ascii_lowercase();
    let others = ["jpg", "jpeg", "gif", "webp", "bmp", "tga", "tif", "tiff", "svg", "avif"];
    (others.contains(&&*extension) && !output.is_dir()).then_some(extension)
}

fn plan<'a>(arguments: &'a Thumb, memory: &Memory) -> Result<Plan<'a>, String> {
    let output = arguments.output.as_deref();
    // For a folder or an archive, the output is a folder of pictures.
    let is_file = output.is_some_and(|output| sink::is_stdout(output) || is_file(output, arguments));
    let outputs = Outputs {
        inputs: &arguments.inputs,
        file: output.filter(|_| is_file),
        folder: output.filter(|_| !is_file).or(arguments.out_dir.as_deref()),
        extension: "png",
        takes: Takes::Joined,
        keeps_existing: false,
        may_have_no_path: true,
    };
    outputs::plan(outputs, memory)
}

/// Whether `-o` names a file, not a folder.
fn is_file(output: &Path, arguments: &Thumb) -> bool {
    if output.is_dir() || output.as_os_str().to_string_lossy().ends_with(['/', '\\']) {
        return false;
    }
    let extension = output.extension().unwrap_or_default();
    let is_picture = extension.eq_ignore_ascii_case("png") || extension.eq_ignore_ascii_case("apng");
    is_picture || inputs::is_single(&arguments.inputs.paths)
}

/// Makes one picture, and writes it if it has a path.
fn picture(
    arguments: &Thumb,
    job: &Planned,
    screen: Option<&Screen>,
    share: &Share<'_>,
) -> Result<DrawnModel, Failure> {
    let moves = arguments.apng || arguments.sheet.is_some();
    let wanted = OpenRequest {
        skin: arguments.skin.as_deref(),
        animations: &arguments.anim,
        moves: moves || arguments.frame.is_some() || arguments.clip.is_some(),
    };
    let (asset, warnings) = open::open(&job.item, &arguments.inputs.password, &wanted, share.limit)?;
    let scene = &*turned(asset.scene(), arguments.forward)?;
    let faults = RefCell::new(Faults { warnings, failure: None });
    let (assets, uri) = (asset.assets(), &job.item.uri);
    let find = |material: &_| open::texture(assets, material, uri, share.budget, &mut faults.borrow_mut());
    let note = |note: Note| faults.borrow_mut().warnings.push(note.to_string());
    let failed = |error| open::failure(uri, scene, error);
    let options = Options {
        textures: Some(&find),
        notes: Some(&note),
        threads: share.threads,
        budget: Some(share.budget),
        ..options(arguments)
    };
    let Some(path) = &job.output else {
        let size = screen.map_or(options.size, Screen::size);
        let options = Options { size, background: Background::Transparent, ..options };
        let picture = meshlens_thumb::picture(scene, &options);
        let warnings = faults.into_inner().warnings()?;
        let picture = picture.map_err(failed)?;
        return Ok(DrawnModel { warnings, picture: Some(picture), bytes: 0 });
    };
    let mut file = create(arguments, path)?;
    let written = if arguments.apng {
        meshlens_thumb::write_apng(scene, &options, &mut file)
    } else {
        let made = match arguments.sheet {
            Some((columns, rows)) => meshlens_thumb::sheet(scene, &options, columns, rows),
            None => meshlens_thumb::picture(scene, &options),
        };
        made.and_then(|picture| picture.write_png(&mut file))
    };
    if let Some(error) = file.failed.take() {
        return Err(Failure::output(path, &error));
    }
    let warnings = faults.into_inner().warnings()?;
    written.map_err(failed)?;
    let bytes = file.sink.bytes;
    Sink::commit_all(vec![file.sink])?;
    Ok(DrawnModel { warnings, picture: None, bytes })
}

/// The options of a picture, according to the arguments.
fn options(arguments: &Thumb) -> Options<'_> {
    Options {
        size: arguments.size.unwrap_or(512),
        frames: match (&arguments.clip, arguments.frame) {
            (Some(clip), _) => Frames::Clip(clip),
            (None, Some(frame)) => Frames::One(frame),
            (None, None) if arguments.apng || arguments.sheet.is_some() || !arguments.anim.is_empty() => {
                Frames::Moving
            }
            (None, None) => Frames::Rest,
        },
        view: match arguments.view {
            PictureView::Iso => View::Iso,
            PictureView::Front => View::Front,
            PictureView::Side => View::Side,
            PictureView::Top => View::Top,
        },
        wireframe: arguments.wireframe,
        background: match arguments.background {
            PictureBackground::Auto => Background::Auto,
            PictureBackground::Light => Background::Light,
            PictureBackground::Dark => Background::Dark,
            PictureBackground::None => Background::Transparent,
        },
        ..Options::default()
    }
}

/// Creates the file of a picture before any work, because it may exist already.
fn create(arguments: &Thumb, path: &Path) -> Result<PictureFile, Failure> {
    if arguments.out_dir.is_some() || arguments.output.as_deref() != Some(path) {
        create_folder(&folder_of(path))?;
    }
    Ok(PictureFile { sink: Sink::create(path, arguments.force)?, failed: None })
}

/// An output that keeps its first error, because the encoder may wrap it.
struct PictureFile {
    sink: Sink,
    failed: Option<io::Error>,
}

impl Write for PictureFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.write(bytes).map_err(|error| {
            let kind = error.kind();
            self.failed.get_or_insert(error);
            kind.into()
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}
