//! Prints a table of models as skeletons: frames, points, joints, distances, and the sizes of quantized GLB files with morph
//! targets and with the skeleton.

use std::time::Instant;

use meshlens::scene::Scene;
use meshlens_assets::{Assets, OpenOptions};
use meshlens_carriers::skeleton::{Options, skeleton};
use meshlens_gltf::Export;

fn size(scene: &Scene<'_>) -> Result<u64, meshlens_gltf::Error> {
    let options =
        meshlens_gltf::Options { quantize: true, compact_joints: true, ..meshlens_gltf::Options::default() };
    Ok(Export::plan(scene, &options)?.glb_len())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let assets = Assets::new();
    println!("frames points joints    RMS   99 %    max RMS/h%  max/h%    morph     skin ratio   s model");
    for path in std::env::args().skip(1) {
        let options = OpenOptions { lods: false, ..OpenOptions::default() };
        let asset = assets.user_path(&path)?.locate()?.open(&options)?;
        let tail: Vec<&str> = path.rsplit('/').take(2).collect();
        let tail = format!("{}/{}", tail.get(1).unwrap_or(&""), tail[0]);
        let start = Instant::now();
        let rigged = skeleton(asset.scene(), &Options::default());
        let seconds = start.elapsed().as_secs_f64();
        let rigged = match rigged {
            Ok(rigged) => rigged,
            Err(error) => {
                println!("{seconds:.1} s {tail}: {error}");
                continue;
            }
        };
        let (morph, skin) = (size(asset.scene())?, size(&rigged.scene)?);
        for report in &rigged.reports {
            let share = |distance: f64| 100.0 * distance / report.height;
            println!(
                "{:6} {:6} {:6} {:6.4} {:6.4} {:6.3} {:6.3} {:7.3} {morph:8} {skin:8} {:5.1} {seconds:3.1} {tail} {}",
                report.frames,
                report.points,
                report.joints,
                report.rms,
                report.percentile_99,
                report.max,
                share(report.rms),
                share(report.max),
                morph as f64 / skin as f64,
                report.name,
            );
        }
    }
    Ok(())
}
