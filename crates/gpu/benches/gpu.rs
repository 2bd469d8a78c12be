//! Stored arrays against arrays that the CPU decodes, side by side: bytes, time from the file to the ready buffer, and
//! pictures of 1,000 animated instances per second.
//!
//! `cargo bench --profile release -p meshlens-gpu --features wgpu --bench gpu`. `-- --crowd` adds pictures of 10,000 instances at
//! 1920 by 1080 pixels, which take minutes without a GPU. With `MESHLENS_REAL`, files of players and weapons are measured, too.

#[path = "../tests/common/files.rs"]
mod files;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use glam::{Mat4, Vec3};
use meshlens::Model;
use meshlens::model::Blend;
use meshlens_gpu::plan::Storage;
use meshlens_gpu::render::{Draw, Image, Instance, RenderOptions, Renderer, Textures};
use meshlens_gpu::{Gpu, GpuModel, UploadOptions};

/// The median time of some runs.
fn median<E>(runs: usize, mut run: impl FnMut() -> Result<(), E>) -> Result<Duration, E> {
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[times.len() / 2])
}

/// Instances in a grid, each blended from two frames.
fn instances(model: &GpuModel, many: usize) -> Vec<Instance> {
    let count = model.frame_count().max(1);
    // 40 columns for 1,000; always the same part of the picture.
    let columns = (many as f32 * 1.6).sqrt() as usize;
    let at = |number: usize| {
        let (x, y) = ((number % columns) as f32, (number / columns) as f32);
        let (middle, step) = (columns as f32 / 2.0, 1600.0 / columns as f32);
        let place = Vec3::new(x - middle, y - 0.6 * middle, 0.0) * step;
        let blend = Blend { a: number % count, b: (number + 1) % count, weight: 0.5 };
        Instance::new(Mat4::from_translation(place).to_cols_array_2d()).showing(blend)
    };
    (0..many).map(at).collect()
}

fn picture(
    gpu: &Gpu,
    model: &GpuModel,
    (many, size): (usize, [u32; 2]),
    runs: usize,
) -> Result<(Image, Duration), Box<dyn Error>> {
    let textures = Textures::new(gpu, model, |_| None)?;
    let mut renderer = Renderer::new(gpu);
    let instances = instances(model, many);
    let draw = [Draw { model, textures: &textures, instances: &instances }];
    let scene = RenderOptions::looking([0.0, 0.0, 1500.0], [0.0; 3], 16.0 / 9.0);
    // The first picture creates the pipelines.
    let image = renderer.render_image(&scene, &draw, size)?;
    let time = median(runs, || renderer.render_image(&scene, &draw, size).map(|_| ()))?;
    Ok((image, time))
}

fn measure(gpu: &Gpu, path: &Path) -> Result<(), Box<dyn Error>> {
    let files = files::model_files(path).ok_or("cannot be read")?;
    let document = files::document(&files).ok_or("not a model")?;
    let model = Model::new(document)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut images = Vec::new();
    for (kind, options) in [
        ("stored", UploadOptions::default()),
        ("decoded", UploadOptions { storage: Storage::Decoded, ..UploadOptions::default() }),
    ] {
        let upload = median(9, || GpuModel::new(gpu, &model, &options).and_then(|_| gpu.wait()))?;
        let uploaded = GpuModel::new(gpu, &model, &options)?;
        let memory = uploaded.memory();
        let (image, time) = picture(gpu, &uploaded, (1000, [640, 360]), 5)?;
        println!(
            "{name:<24} {kind:<8} {:>10} bytes {:>8} per frame {:>9.3} ms to upload {:>7.1} pictures/s",
            memory.total,
            memory.per_frame,
            upload.as_secs_f64() * 1e3,
            1.0 / time.as_secs_f64(),
        );
        images.push(image);
        if std::env::args().any(|argument| argument == "--crowd") {
            const CROWD: usize = 10_000;
            let (_, time) = picture(gpu, &uploaded, (CROWD, [1920, 1080]), 3)?;
            let vertices: usize = model.meshes.iter().map(|mesh| mesh.point_count()).sum();
            let pictures = 1.0 / time.as_secs_f64();
            println!(
                "{name:<24} {kind:<8} {CROWD} instances at 1920x1080: {pictures:>7.2} pictures/s, {:>8.1} million vertices/s",
                (CROWD * vertices) as f64 * pictures / 1e6,
            );
        }
    }
    let [stored, decoded] = images.as_slice() else { return Err("two pictures".into()) };
    let same = stored.pixels.iter().zip(&decoded.pixels).all(|(a, b)| a.abs_diff(*b) <= 2);
    if same { Ok(()) } else { Err(format!("{name}: the pictures differ").into()) }
}

fn main() -> Result<(), Box<dyn Error>> {
    // Arguments that cargo passes to benches are ignored.
    let gpu = Gpu::new()?;
    println!("{}", gpu.adapter_name());
    let corpus = ["animated.md3", "figure_d.3d", "wide_d.3d"];
    let real = ["sarge/upper.md3", "sorceress/lower.md3", "FLBasketball_d.3d", "kebab_d.3d"];
    let is_one = |path: &PathBuf, names: &[&str]| names.iter().any(|name| path.ends_with(name));
    let corpus = files::corpus().into_iter().filter(|path| is_one(path, &corpus));
    let real = files::real().into_iter().filter(|path| is_one(path, &real));
    for path in corpus.chain(real) {
        measure(&gpu, &path)?;
    }
    Ok(())
}
