//! Pictures of any model have the requested size, are reproducible, and respect their limits.

use meshlens::scene::{Attachment, Node, Scene, Socket};
use meshlens_thumb::{Background, Frames, Limits, Options, View, picture, sheet, write_apng};
use meshlens_wire::Budget;

use super::explained;
use super::model::with_model;

/// Limits that keep pictures of hostile content fast.
const LIMITS: Limits =
    Limits { triangles: 1 << 16, frames: 64, vertices: 1 << 20, layers: 64, ..Limits::DEFAULT };

/// Makes pictures of the model of the bytes. The last byte chooses the options.
pub fn thumb(bytes: &[u8]) {
    let Some(how) = bytes.last().copied() else { return };
    with_model(bytes, |model| {
        let name = model.clips.first().map(|clip| clip.name.clone()).unwrap_or_default();
        let budget = Budget::new(64 << 20);
        let options = Options {
            size: 16,
            frames: match how >> 2 & 3 {
                0 => Frames::Rest,
                1 => Frames::One(usize::from(how >> 4)),
                2 => Frames::Clip(&name),
                _ => Frames::Moving,
            },
            view: [View::Iso, View::Front, View::Side, View::Top][usize::from(how & 3)],
            camera: None,
            wireframe: how & 64 > 0,
            background: if how & 128 > 0 { Background::Transparent } else { Background::Auto },
            textures: None,
            notes: None,
            limits: LIMITS,
            threads: 1,
            budget: Some(&budget),
        };
        // The scene holds the same model again, at a tag or without an attachment.
        let mut scene = Scene::from(model.clone());
        let held = Node { rest_frame: usize::from(how), ..Node::new("held", model.clone()) };
        match model.tags.first() {
            Some(tag) => drop(scene.attach(held, Attachment { node: 0, socket: Socket::Tag(tag.index) })),
            None => scene.nodes.push(held),
        }
        if let Some(made) = explained(picture(&scene, &options)) {
            assert_eq!((made.width, made.height, made.rgba.len()), (16, 16, 16 * 16 * 4));
            let two = Options { threads: 2, ..options };
            assert_eq!(picture(&scene, &two).expect("it was made before"), made);
            let is_opaque = options.background != Background::Transparent;
            assert!(!is_opaque || made.rgba.chunks(4).all(|pixel| pixel[3] == 255));
            assert!(made.to_png().expect("memory takes everything").starts_with(b"\x89PNG"));
        }
        if let Ok(made) = sheet(&scene, &options, 2, 2) {
            assert_eq!((made.width, made.height), (32, 32));
        }
        let _ = write_apng(&Scene::from(model.clone()), &options, std::io::sink());
        assert_eq!(budget.reserved(), 0, "everything is released");
    });
}
