//! A player of Quake 3 from its archive to a picture: `player_gpu OUT.png [PAK.pk3 models/players/sarge]`. Without an
//! archive, the player of the corpus is drawn.

use std::error::Error;

use glam::Vec3;
use meshlens::model::Space;
use meshlens_assets::Assets;
use meshlens_assets::material::ImageLimits;
use meshlens_gpu::render::{GpuScene, RenderOptions, Renderer, Textures};
use meshlens_gpu::{Gpu, UploadOptions};
use meshlens_thumb::Picture;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let out = arguments.first().ok_or("player_gpu OUT.png [PAK.pk3 models/players/sarge]")?;
    let mut assets = Assets::new();
    let name = match arguments.get(1..3) {
        Some([archive, name]) => {
            assets.mount_archive(archive)?;
            name
        }
        _ => {
            assets.mount_folder(concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/md3"))?;
            "player"
        }
    };
    // Legs, torso and head, each attached to a tag of the previous part, with skin and clips.
    let player = assets.open(name)?;
    let scene = player.scene();
    let view = scene.view(&Space::GLTF);

    let gpu = Gpu::new()?;
    let uploaded = GpuScene::new(&gpu, &view, &UploadOptions::default(), |node, model| {
        let assets = player.node_assets(node).unwrap_or(&assets);
        let (textures, errors) = Textures::of_assets(&gpu, model, assets, &ImageLimits::DEFAULT)?;
        errors.iter().for_each(|error| eprintln!("{error}"));
        Ok(textures)
    })?;

    // The legs run while the torso attacks.
    let pose = scene.pose(&[("LEGS_RUN", 0.25), ("TORSO_ATTACK", 0.1)])?;
    let bounds = view.bounds(&pose)?.ok_or("nothing to draw")?;
    let (min, max) = (Vec3::from(bounds.min), Vec3::from(bounds.max));
    let (center, size) = ((min + max) * 0.5, (max - min).length());
    let camera = center + Vec3::new(0.5, 0.3, 1.0) * size * 1.2;
    let options = RenderOptions::looking(camera.to_array(), center.to_array(), 0.75);

    let instances = uploaded.instances(&view, &pose);
    let mut renderer = Renderer::new(&gpu).with_antialiasing();
    let image = renderer.render_image(&options, &uploaded.draws(&instances), [480, 640])?;
    let picture = Picture { width: image.width, height: image.height, rgba: image.pixels };
    std::fs::write(out, picture.to_png()?)?;
    println!("{} nodes on {}", scene.nodes.len(), gpu.adapter_name());
    Ok(())
}
