//! The numbers of a model: counts, sizes and times.

use meshlens::Model;
use meshlens_viewer::text;

use super::App;
use super::gpu::Viewport;

/// The numbers of the open model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Numbers {
    /// The format and its version.
    pub format: String,
    /// The number of parts: the models that a player consists of.
    pub parts: usize,
    /// The number of meshes of all parts.
    pub meshes: usize,
    /// The number of vertices of the finest level of detail.
    pub vertices: usize,
    /// The number of triangles of the finest level of detail.
    pub triangles: usize,
    /// The largest number of vertex frames of a part.
    pub frames: usize,
    /// The number of joints.
    pub joints: usize,
    /// The number of tags.
    pub tags: usize,
    /// The number of clips.
    pub clips: usize,
    /// The size of the files of the parts in bytes.
    pub file_bytes: u64,
    /// The size of the model in video memory in bytes, without textures. `None` without a GPU.
    pub video_bytes: Option<u64>,
    /// The time of reading and validating the files, in seconds.
    pub open_seconds: f64,
    /// The time of decoding the positions of one frame on the CPU, in seconds.
    pub decode_seconds: f64,
    /// The time of uploading all frames and textures, in seconds.
    pub upload_seconds: f64,
}

impl App {
    /// The numbers of the open model.
    pub fn numbers(&self) -> Option<Numbers> {
        let opened = self.state.model()?;
        let (vertices, triangles, frames) = opened.numbers();
        let sum = |count: fn(&Model<'_>) -> usize| -> usize {
            opened.scene().nodes.iter().map(|part| count(&part.model)).sum()
        };
        let viewport = self.viewport.as_ref().ok();
        Some(Numbers {
            format: opened.format.clone(),
            parts: opened.scene().nodes.len(),
            meshes: sum(|model| model.meshes.len()),
            vertices,
            triangles,
            frames,
            joints: sum(|model| model.joints.len()),
            tags: sum(|model| model.tags.len()),
            clips: sum(|model| model.clips.len()),
            file_bytes: opened.file_bytes,
            video_bytes: viewport.map(Viewport::memory),
            open_seconds: opened.seconds,
            decode_seconds: opened.decode_seconds,
            upload_seconds: viewport.map_or(0.0, Viewport::upload_seconds),
        })
    }

    /// Waits until the picture has been drawn. Browsers do not wait.
    pub fn wait(&self) {
        if let Ok(viewport) = &self.viewport {
            viewport.wait();
        }
    }
}

impl Numbers {
    /// The names and the values, for people.
    pub(crate) fn rows(&self) -> [(&'static str, String); 14] {
        let milliseconds = |seconds: f64| format!("{:.2} ms", seconds * 1e3);
        [
            ("Format", self.format.clone()),
            ("Parts", self.parts.to_string()),
            ("Meshes", self.meshes.to_string()),
            ("Vertices", self.vertices.to_string()),
            ("Triangles", self.triangles.to_string()),
            ("Frames", self.frames.to_string()),
            ("Joints", self.joints.to_string()),
            ("Tags", self.tags.to_string()),
            ("Clips", self.clips.to_string()),
            ("Files", text::bytes(self.file_bytes)),
            ("Video memory", self.video_bytes.map_or("none".into(), text::bytes)),
            ("Open and validate", milliseconds(self.open_seconds)),
            ("Decode a frame", milliseconds(self.decode_seconds)),
            ("Upload all frames", milliseconds(self.upload_seconds)),
        ]
    }
}
