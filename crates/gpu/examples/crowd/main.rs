//! Draws hundreds of animated models, each at its own time, from the stored arrays of their files.
//!
//! `crowd [--frames N] [FILES]` opens a window, which needs the feature `window`, and closes it after N pictures.
//!
//! `crowd --offscreen out.png [FILES]` draws one picture without a window, compares it with a picture of arrays that
//! the CPU decoded, and checks that every model is visible.
//!
//! Without files, the models of the corpus are drawn. For an Unreal mesh, give the geometry file (`_d.3d`).

mod crowd;
#[path = "../../tests/common/files.rs"]
mod files;
#[cfg(feature = "window")]
mod window;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use meshlens_gpu::plan::Storage;
use meshlens_gpu::render::{Image, Renderer};
use meshlens_gpu::{Gpu, UploadOptions};
use meshlens_thumb::Picture;

use crowd::Crowd;

/// The size of the picture.
const SIZE: [u32; 2] = [1280, 720];

/// The numbers of columns and rows of models.
const COLUMNS: usize = 20;
const ROWS: usize = 12;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crowd: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut offscreen = None;
    let mut frames = None;
    let mut paths = Vec::new();
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--offscreen" {
            offscreen =
                Some(PathBuf::from(arguments.next().ok_or("--offscreen needs the path of a picture")?));
        } else if argument == "--frames" {
            let count = arguments.next().and_then(|count| count.to_str()?.parse().ok());
            frames = Some(count.ok_or("--frames needs a number")?);
        } else {
            paths.push(PathBuf::from(argument));
        }
    }
    if paths.is_empty() {
        paths = corpus();
    }
    match offscreen {
        Some(out) => draw(&Gpu::new()?, &paths, &out),
        None => show(&paths, frames),
    }
}

/// Opens the models and places their instances.
#[cfg(feature = "window")]
fn show(paths: &[PathBuf], frames: Option<u64>) -> Result<(), Box<dyn Error>> {
    let open = |gpu: &Gpu| {
        let mut crowd = Crowd::open(gpu, paths, &UploadOptions::default())?;
        crowd.place(COLUMNS * ROWS, COLUMNS);
        Ok(crowd)
    };
    window::show(open, frames)
}

#[cfg(not(feature = "window"))]
fn show(_: &[PathBuf], _: Option<u64>) -> Result<(), Box<dyn Error>> {
    Err("built without the feature window: crowd --offscreen out.png [FILES]".into())
}

/// The animated MD3 and Unreal models of the corpus.
fn corpus() -> Vec<PathBuf> {
    let wanted = ["animated.md3", "tagged.md3", "multi_surface.md3", "lower.md3", "upper.md3", "head.md3"];
    let unreal = ["figure_d.3d", "wide_d.3d", "ring_d.3d", "padded_d.3d"];
    let named = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| wanted.contains(&name) || unreal.contains(&name))
    };
    files::corpus().into_iter().filter(named).collect()
}

/// Draws the picture, checks it, and writes it.
fn draw(gpu: &Gpu, paths: &[PathBuf], out: &PathBuf) -> Result<(), Box<dyn Error>> {
    let mut crowd = Crowd::open(gpu, paths, &UploadOptions::default())?;
    crowd.place(COLUMNS * ROWS, COLUMNS);
    let mut renderer = Renderer::new(gpu);
    let scene = crowd.scene(SIZE);
    let image = renderer.render_image(&scene, &crowd.draws(2.37), SIZE)?;

    let mut decoded =
        Crowd::open(gpu, paths, &UploadOptions { storage: Storage::Decoded, ..UploadOptions::default() })?;
    decoded.place(COLUMNS * ROWS, COLUMNS);
    let expected = renderer.render_image(&scene, &decoded.draws(2.37), SIZE)?;
    let far = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 2);
    let pixels = |image: &Image| image.pixels.as_chunks::<4>().0.to_vec();
    let differing = pixels(&image).iter().zip(&pixels(&expected)).filter(|pair| far(*pair)).count();

    // Each model is drawn separately, so that other models do not hide it.
    let mut missing = 0;
    for model in 0..crowd.model_count() {
        let alone = renderer.render_image(&scene, &crowd.draws(2.37)[model..=model], SIZE)?;
        missing += crowd.missing(model, &alone, &scene);
    }
    let (stored, floats) = (crowd.memory(), decoded.memory());
    println!(
        "{} instances of {} models on {}",
        crowd.instance_count(),
        crowd.model_count(),
        gpu.adapter_name()
    );
    println!("{stored} bytes as they are stored, {floats} bytes decoded");
    println!(
        "{differing} pixels differ from the decoded picture by more than 2 of 255; {missing} instances are missing"
    );
    // The picture is written to a temporary file, so that no reader sees an incomplete picture.
    let temporary = out.with_extension("png.part");
    let picture = Picture { width: image.width, height: image.height, rgba: image.pixels };
    std::fs::write(&temporary, picture.to_png()?)?;
    std::fs::rename(&temporary, out)?;
    if differing > 0 || missing > 0 {
        return Err("the picture is not as it should be".into());
    }
    Ok(())
}
