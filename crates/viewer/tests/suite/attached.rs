//! Models on tags, such as weapons.

use glam::Vec3;
use meshlens::md3::write;
use meshlens::scene::{Attachment, Socket};
use meshlens_viewer::playback::{Playback, Repeat};

use crate::{origin, view};

#[test]
fn a_model_is_attached_to_a_tag() {
    let mut state = view(&["md3/tagged.md3", "md3/static.md3"]);
    state.select(0);
    state.attach(Attachment { node: 0, socket: Socket::Tag(0) }, 1).unwrap();
    // tag_hand is at (0, 10, 14). In the world, whose Y points up, this is (10, 14, 0).
    let origin = origin(&state, 1);
    assert!(origin.abs_diff_eq(Vec3::new(10.0, 14.0, 0.0), 1e-3), "{origin}");
    state.detach();
    assert_eq!(state.scene().unwrap().nodes.len(), 1);
}

#[test]
fn an_attached_model_starts_again_and_steps_with_the_others() {
    let mut state = view(&["md3/tagged.md3", "md3/animated.md3"]);
    state.select(0);
    state.attach(Attachment { node: 0, socket: Socket::Tag(0) }, 1).unwrap();
    state.playback = Playback { playing: true, repeat: Repeat::Once, ..Playback::default() };
    let frame = |state: &meshlens_viewer::State| state.attached.as_ref().unwrap().tracks[0].frame();
    // 5 frames, 10 each second.
    state.advance(3.0);
    assert_eq!((frame(&state), state.playback.playing), (4, false));
    state.toggle_playing();
    assert_eq!(frame(&state), 0);
    state.step(true);
    assert_eq!(frame(&state), 1);
}

#[test]
fn a_weapon_is_attached_to_its_tag() {
    let mut state = view(&["md3/player", "md3/static.md3"]);
    let hand = state.weapon_tag().unwrap();
    assert_eq!(state.model().unwrap().scene().nodes[hand.node].name, "upper");
    let weapon = state.library.items().iter().position(|item| item.name == "static.md3").unwrap();
    assert!(state.weapons().contains(&weapon) && !state.weapons().contains(&0));
    state.attach(hand, weapon).unwrap();
    let at = origin(&state, 3) - origin(&state, hand.node);
    // The tag is at (8, 4, 7) in the torso, and 0.75 higher in TORSO_STAND. The legs rotate the torso around the
    // vertical axis.
    assert!((at.y - 7.75).abs() < 1e-3 && (at.x.hypot(at.z) - 8.0f32.hypot(4.0)).abs() < 1e-3, "{at}");
    // A model without this tag cannot hold a weapon.
    state.select(weapon);
    assert_eq!(state.weapon_tag(), None);
    assert!(state.attached.is_none());
}

#[test]
fn weapons_come_first_in_the_list() {
    let file = |name: &str| (name.to_owned(), std::fs::read(crate::corpus("md3/static.md3")).unwrap());
    let mut state = meshlens_viewer::State::default();
    state.add_files(["models/armor.md3", "models/box.md3", "models/weapons2/gun.md3"].map(file));
    let names: Vec<&str> =
        state.weapons().into_iter().map(|index| state.library.items()[index].name.as_str()).collect();
    assert_eq!(names, ["models/weapons2/gun.md3", "models/box.md3"]);
}

#[test]
fn a_weapon_has_its_barrel() {
    let folder = tempfile::tempdir().unwrap();
    let part = |name: &str, tag: Option<&str>| {
        let mut file = write::Model::new(name).unwrap();
        file.frames.push(write::Frame::named("idle").unwrap());
        if let Some(tag) = tag {
            let axis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
            file.tags.push(write::Tag { name: write::name(tag).unwrap(), origin: [0.0, 0.0, 6.0], axis });
            file.tags_per_frame = 1;
        }
        let mut surface = write::Surface::new(name).unwrap();
        surface.triangles.push([0, 1, 2]);
        surface.texcoords.extend([[0.0; 2]; 3]);
        let corners = [[0.0; 3], [0.0, 8.0, 0.0], [0.0, 0.0, 8.0]];
        surface.add_frame(&corners, &[[1.0, 0.0, 0.0]; 3]).unwrap();
        file.surfaces.push(surface);
        std::fs::write(folder.path().join(format!("{name}.md3")), file.write().unwrap()).unwrap();
    };
    part("gun", Some("tag_barrel"));
    part("gun_barrel", None);
    let state = meshlens_viewer::State::of_paths([folder.path().join("gun.md3")]);
    let names: Vec<String> = state.scene().unwrap().nodes.iter().map(|node| node.name.clone()).collect();
    assert_eq!((names, state.tracks.len()), (vec!["gun".to_owned(), "gun_barrel".to_owned()], 2));
    // Z is up in MD3, and Y in the world.
    assert_eq!(origin(&state, 1), Vec3::Y * 6.0);
}
