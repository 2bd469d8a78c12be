//! Prints a table of models as skeletons. Distances are relative to the bound. The sizes are those of a quantized GLB file with
//! morph targets, one with the skeleton, vertex animation textures with their mesh, and USD as text.
//!
//! ```text
//! cargo run --release -p meshlens-carriers --example skeletons -- [--pictures FOLDER] MODELS...
//! ```
//!
//! `--pictures` draws the frame with the largest distance of each model: as the file has it, as the skeleton moves it, and the
//! joints, all seen by one camera.

use std::io::Write;

use meshlens::model::Material;
use meshlens::scene::Scene;
use meshlens_assets::material::ImageLimits;
use meshlens_assets::{Asset, Assets, OpenOptions};
use meshlens_carriers::skeleton::{Options, Rigged, skeleton};
use meshlens_carriers::{Error, usd, vat};
use meshlens_gltf::Export;
use meshlens_thumb::{Background, Picture, Texture, camera, picture};

/// Counts bytes.
#[derive(Default)]
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn glb(scene: &Scene<'_>, quantize: bool) -> Result<u64, meshlens_gltf::Error> {
    let options = meshlens_gltf::Options { quantize, compact_joints: true, ..Default::default() };
    Ok(Export::plan(scene, &options)?.glb_len())
}

fn textures(scene: &Scene<'_>) -> Result<u64, Box<dyn std::error::Error>> {
    let vat = vat::Vat::plan(scene, &vat::Options::default())?;
    let mut counter = Counter::default();
    vat.write_positions(&mut counter)?;
    if vat.has_normals() {
        vat.write_normals(&mut counter)?;
    }
    let description = vat.description("positions", "normals")?.len() as u64;
    Ok(counter.0 + description + glb(&vat.mesh("model", &mut Default::default())?, false)?)
}

/// The seconds that this thread had a processor on Linux; on other systems, those of a clock.
fn processor_time() -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match schedule.split(' ').next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok()) {
        Some(nanoseconds) => nanoseconds / 1e9,
        None => std::time::UNIX_EPOCH.elapsed().map_or(0.0, |time| time.as_secs_f64()),
    }
}

/// Draws the frame with the largest distance: the vertex frame, the vertices as the skeleton moves them, and the joints.
fn draw(asset: &Asset, scene: &Scene<'_>, rigged: &Rigged) -> Result<Picture, Box<dyn std::error::Error>> {
    let frame = rigged.reports[0].worst_frame;
    let mut before = scene.clone();
    before.nodes[0].rest_frame = frame;
    let mut after = rigged.scene.clone();
    let model = &mut after.nodes[0].model;
    let mut clips = scene.nodes[0].model.clips.iter();
    let clip = clips.find(|clip| (clip.first..clip.first + clip.count).contains(&frame)).ok_or("no clip")?;
    let step = if clip.reversed { clip.first + clip.count - 1 - frame } else { frame - clip.first };
    let mut pose: Vec<_> = model.joints.iter().map(|joint| joint.rest).collect();
    let animation = model.animations.iter().find(|animation| animation.name == clip.name);
    animation.ok_or("no animation")?.apply(step, &mut pose);
    model.joints.iter_mut().zip(pose).for_each(|(joint, posed)| joint.rest = posed);
    let mut joints = after.clone();
    joints.nodes[0].model.meshes.clear();

    let find = |material: &Material| {
        let image = asset.assets().texture_pixels(material, &ImageLimits::DEFAULT).ok()??;
        Texture::new(image.width, image.height, &image.rgba)
    };
    let options = meshlens_thumb::Options {
        size: 288,
        background: Background::Light,
        textures: Some(&find),
        ..Default::default()
    };
    let options = meshlens_thumb::Options { camera: Some(camera(&before, &options)?), ..options };
    let cells = [picture(&before, &options)?, picture(&after, &options)?, picture(&joints, &options)?];
    let row = options.size as usize * 4;
    let rows =
        (0..options.size as usize).flat_map(|y| cells.iter().map(move |cell| &cell.rgba[y * row..][..row]));
    Ok(Picture { width: 3 * options.size, height: options.size, rgba: rows.collect::<Vec<_>>().concat() })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let assets = Assets::new();
    let mut arguments = std::env::args().skip(1).peekable();
    let pictures = arguments.next_if_eq("--pictures").and_then(|_| arguments.next());
    println!(
        "| model | frames | vertices | joints | RMS | 99 % | max. | RMS / bound | max. / bound | s | morph KB | skin KB | ratio | VAT KB | USD KB |"
    );
    println!("|---|{}", "---:|".repeat(14));
    for path in arguments {
        let options = OpenOptions { lods: false, ..OpenOptions::default() };
        let asset = assets.user_path(&path)?.locate()?.open(&options)?;
        let mut scene = asset.scene().clone();
        // Levels of detail and other files of the model are in no carrier.
        scene.nodes.iter_mut().for_each(|node| node.companions.clear());
        let tail: Vec<&str> = path.rsplit('/').take(2).collect();
        let name = format!("{}/{}", tail.get(1).unwrap_or(&""), tail[0]);
        let model = &scene.nodes[0].model;
        let vertices: usize = model.meshes.iter().map(|mesh| mesh.point_count()).sum();
        let start = processor_time();
        let made = skeleton(&scene, &Options::default());
        let seconds = processor_time() - start;
        let fit = match &made {
            Ok(rigged) => {
                let report = &rigged.reports[0];
                format!(
                    "{} | {:.4} | {:.4} | {:.3} | {:.2} | {:.2}",
                    report.joints,
                    report.rms,
                    report.percentile_99,
                    report.max,
                    report.rms / report.asked,
                    report.max / (8.0 * report.asked),
                )
            }
            Err(Error::NoSkeleton { joints, rms, max, met_rms, met_max, .. }) => format!(
                "no: {joints} | {met_rms:.4} | | {met_max:.3} | **{:.2}** | **{:.2}**",
                met_rms / rms,
                met_max / max
            ),
            Err(Error::NothingMoves) => "nothing moves | | | | |".into(),
            Err(error) => format!("{error} | | | | |"),
        };
        if let (Some(folder), Ok(rigged)) = (&pictures, &made) {
            let stem = name.split('.').next().unwrap_or(&name).replace('/', "-");
            draw(&asset, &scene, rigged)?
                .write_png(std::fs::File::create(format!("{folder}/{stem}-skeleton.png"))?)?;
        }
        let morph = glb(&scene, true)?;
        let kb = |bytes: u64| format!("{:.1}", bytes as f64 / 1000.0);
        let skin = match &made {
            Ok(rigged) => {
                let skin = glb(&rigged.scene, true)?;
                format!("{} | {:.1}", kb(skin), morph as f64 / skin as f64)
            }
            Err(_) => " | ".into(),
        };
        let mut counter = Counter::default();
        usd::write(&scene, "model", &usd::Options::default(), &mut counter)?;
        println!(
            "| {name} | {} | {vertices} | {fit} | {seconds:.1} | {} | {skin} | {} | {} |",
            model.frame_count(),
            kb(morph),
            textures(&scene).map_or_else(|error| error.to_string(), kb),
            kb(counter.0),
        );
    }
    Ok(())
}
