//! Exports of what is shown.

use meshlens::model::{ImageBytes, Material};
use meshlens_assets::material::ImageLimits;
use meshlens_gltf::{Export, Options, Texture};
use meshlens_thumb::Picture;

use crate::State;
use crate::text;

impl State {
    /// The open model as a GLB file: with its skin, textures and clips, all its levels of detail, and the model that is
    /// attached to it. O(vertices x frames).
    ///
    /// # Errors
    ///
    /// The reason why no file can be made: no model is open, or it does not fit into a GLB.
    pub fn export_glb(&self) -> Result<Vec<u8>, String> {
        let (Some(opened), Some(scene)) = (self.model(), self.joined_scene()) else {
            return Err("no model is open".into());
        };
        let attached = self.attached.as_ref();
        // The textures of each model are found in its own search path.
        let find = |material: &Material| {
            let models = [Some(opened), attached.map(|attached| &attached.opened)];
            models.into_iter().flatten().find_map(|opened| {
                let file = opened.assets().texture_file(material, &ImageLimits::DEFAULT).ok()??;
                Some(Texture::Embedded { mime_type: file.mime_type, bytes: ImageBytes::new(file.bytes) })
            })
        };
        let options = Options { lods: true, textures: Some(&find), ..Options::default() };
        let shown = |error: meshlens_gltf::Error| text::line(&error.to_string());
        let export = Export::plan(&scene, &options).map_err(shown)?;
        let mut bytes = Vec::new();
        export.write_glb(&mut bytes).map_err(shown)?;
        Ok(bytes)
    }
}

/// Encodes a part of a picture of a window as a PNG file. `rgba` is `width` pixels wide, and the part is the rectangle
/// from `start` with this `size`, in pixels. Parts outside of the picture are left out.
///
/// # Errors
///
/// No part of the rectangle is in the picture.
pub fn export_png(rgba: &[u8], width: usize, start: [usize; 2], size: [usize; 2]) -> Result<Vec<u8>, String> {
    let (pixels, _) = rgba.as_chunks::<4>();
    let columns = start[0].min(width)..start[0].saturating_add(size[0]).min(width);
    let rows = pixels.chunks_exact(width.max(1)).skip(start[1]).take(size[1]);
    let cut: Vec<u8> =
        rows.clone().filter_map(|row| row.get(columns.clone())).flatten().flatten().copied().collect();
    let (width, height) = (columns.len() as u32, rows.count() as u32);
    if width == 0 || height == 0 {
        return Err("the picture is empty".into());
    }
    Picture { width, height, rgba: cut }.to_png().map_err(|error| error.to_string())
}

/// The name of a file for an export of a model of the list: its name without folders, with another extension.
/// Characters that are not allowed in the names of files on some systems are replaced by `_`.
///
/// ```
/// use meshlens_viewer::export_name;
///
/// assert_eq!(export_name("pak0.pk3!models/gun.md3", "glb"), "gun.glb");
/// assert_eq!(export_name("sarge (player)", "png"), "sarge.png");
/// assert_eq!(export_name("a<b>.u3d", "glb"), "a_b_.glb");
/// ```
pub fn export_name(name: &str, extension: &str) -> String {
    let name = name.strip_suffix(" (player)").unwrap_or(name);
    let name = name.rsplit(['/', '\\', '!']).find(|name| !name.is_empty()).unwrap_or("model");
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_safe = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ' | '+');
    let stem: String = stem.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
    let stem = stem.trim_matches([' ', '.']);
    format!("{}.{extension}", if stem.is_empty() { "model" } else { stem })
}
