//! The models of the crowd, their positions, and their animation.

use std::error::Error;
use std::path::PathBuf;

use glam::{Mat4, Vec3};
use meshlens::Model;
use meshlens::model::{Clip, Space};
use meshlens_gpu::render::{Draw, Image, Instance, RenderOptions, Textures};
use meshlens_gpu::{Gpu, GpuModel, UploadOptions};

use crate::files;

/// A model with its instances.
struct Actor {
    model: GpuModel,
    textures: Textures,
    clips: Vec<Clip>,
    /// From the model to a box of height 1 on the ground, in a world whose Y points up.
    stand: Mat4,
    /// The middle of the model in its first frame, as stored.
    middle: Vec3,
    color: Vec3,
    instances: Vec<Instance>,
    /// The positions of the instances.
    places: Vec<Vec3>,
}

/// All models.
pub(crate) struct Crowd {
    actors: Vec<Actor>,
    columns: usize,
    rows: usize,
}

impl Crowd {
    /// Reads and uploads models.
    pub(crate) fn open(
        gpu: &Gpu,
        paths: &[PathBuf],
        options: &UploadOptions,
    ) -> Result<Crowd, Box<dyn Error>> {
        let mut actors = Vec::new();
        for path in paths {
            let name = path.display();
            let files = files::model_files(path).ok_or_else(|| format!("{name}: cannot be read"))?;
            let document = files::document(&files).ok_or_else(|| format!("{name}: not a model"))?;
            let model = Model::new(document)?;
            let turn = Mat4::from_cols_array_2d(&model.space.to(&Space::GLTF).linear());
            let points: Vec<Vec3> = model
                .points_at_rest(0)
                .into_iter()
                .map(|point| turn.transform_point3(point.into()))
                .collect();
            let min = points.iter().copied().fold(Vec3::INFINITY, Vec3::min);
            let max = points.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
            let size = (max - min).max_element();
            if points.is_empty() || !(size > 0.0 && size.is_finite()) {
                return Err(format!("{name}: nothing to draw").into());
            }
            let foot = Vec3::new((min.x + max.x) * 0.5, min.y, (min.z + max.z) * 0.5);
            let scale = Mat4::from_scale(Vec3::splat(1.0 / size));
            let stand = scale * Mat4::from_translation(-foot) * turn;
            let uploaded = GpuModel::new(gpu, &model, options)?;
            // Without texture files, each model has a different color.
            let hue = actors.len() as u8;
            let color = [
                150 + hue.wrapping_mul(67) % 105,
                150 + hue.wrapping_mul(101) % 105,
                150 + hue.wrapping_mul(29) % 105,
                255,
            ];
            let image = Image { width: 1, height: 1, pixels: color.to_vec() };
            let textures = Textures::new(gpu, &uploaded, |_| Some(image.clone()))?;
            let middle = turn.inverse().transform_point3((min + max) * 0.5);
            let [red, green, blue, _] = color.map(f32::from);
            let color = Vec3::new(red, green, blue).normalize();
            let clips = model.clips.clone();
            actors.push(Actor {
                model: uploaded,
                textures,
                clips,
                stand,
                middle,
                color,
                instances: Vec::new(),
                places: Vec::new(),
            });
        }
        Ok(Crowd { actors, columns: 1, rows: 1 })
    }

    /// Places `count` instances in rows of `columns`, one model after the other.
    pub(crate) fn place(&mut self, count: usize, columns: usize) {
        (self.columns, self.rows) = (columns, count.div_ceil(columns));
        let kinds = self.actors.len().max(1);
        for number in 0..count {
            let (column, row) = (number % columns, number / columns);
            let place = Vec3::new(column as f32 - (columns - 1) as f32 * 0.5, 0.0, -(row as f32)) * 1.25;
            if let Some(actor) = self.actors.get_mut((number + row) % kinds) {
                actor.places.push(place);
            }
        }
    }

    /// The camera in front of the crowd, above it.
    pub(crate) fn scene(&self, [width, height]: [u32; 2]) -> RenderOptions {
        let depth = self.rows as f32 * 1.25;
        let camera = [0.0, depth * 0.9 + 2.0, self.columns as f32 * 0.62 + 2.5];
        RenderOptions::looking(camera, [0.0, 0.0, -depth * 0.38], width as f32 / height as f32)
    }

    /// Every model with its instances, `time` seconds after the start. Each instance starts at a different time.
    pub(crate) fn draws(&mut self, time: f32) -> Vec<Draw<'_>> {
        for actor in &mut self.actors {
            actor.instances.clear();
            for (number, place) in actor.places.iter().enumerate() {
                let clip = actor.clips.get(number % actor.clips.len().max(1));
                let clip = clip.filter(|clip| clip.animation.is_none());
                let blend = clip.map_or(0.into(), |clip| {
                    let length = clip.duration().max(1e-3);
                    let blend = clip.sample((time + number as f32 * 0.37) % length);
                    // In some models of the corpus, two frames are half a turn apart, so that nothing is visible
                    // halfway between them.
                    if clip.count < 3 { blend.a.into() } else { blend }
                });
                let turn = Mat4::from_rotation_y(number as f32 * 0.3 - 0.6);
                let transform = Mat4::from_translation(*place) * turn * actor.stand;
                actor.instances.push(Instance::new(transform.to_cols_array_2d()).showing(blend));
            }
        }
        self.actors.iter().map(Actor::draw).collect()
    }

    /// The number of instances of a model for which no pixel around the center has their color, after
    /// [`draws`](Self::draws).
    pub(crate) fn missing(&self, model: usize, image: &Image, scene: &RenderOptions) -> usize {
        let is_of = |color: Vec3, x: i64, y: i64| {
            let pixel = u32::try_from(x).ok().zip(u32::try_from(y).ok()).and_then(|(x, y)| image.pixel(x, y));
            pixel.is_some_and(|[red, green, blue, _]| {
                let found = Vec3::from([red, green, blue].map(f32::from));
                // Light makes a color darker, but never this dark.
                found.max_element() > 30.0 && found.normalize().dot(color) > 0.998
            })
        };
        let there = |actor: &Actor, instance: &Instance| {
            let on_screen = |point: Vec3| {
                let clip = Mat4::from_cols_array_2d(&scene.view_projection).project_point3(point);
                let (x, y) = (clip.x * 0.5 + 0.5, 0.5 - clip.y * 0.5);
                ((x * image.width as f32) as i64, (y * image.height as f32) as i64)
            };
            let middle = Mat4::from_cols_array_2d(&instance.transform).transform_point3(actor.middle);
            let ((x, y), (_, top)) = (on_screen(middle), on_screen(middle + Vec3::Y * 0.6));
            let reach = (y - top).max(10);
            (-reach..=reach).any(|dy| (-reach..=reach).any(|dx| is_of(actor.color, x + dx, y + dy)))
        };
        let instances =
            |actor: &Actor| actor.instances.iter().filter(|instance| !there(actor, instance)).count();
        self.actors.get(model).map_or(0, instances)
    }

    pub(crate) fn instance_count(&self) -> usize {
        self.actors.iter().map(|actor| actor.places.len()).sum()
    }

    pub(crate) fn model_count(&self) -> usize {
        self.actors.len()
    }

    /// The GPU memory of all models in bytes.
    pub(crate) fn memory(&self) -> u64 {
        self.actors.iter().map(|actor| actor.model.memory().total).sum()
    }
}

impl Actor {
    fn draw(&self) -> Draw<'_> {
        Draw { model: &self.model, textures: &self.textures, instances: &self.instances }
    }
}
