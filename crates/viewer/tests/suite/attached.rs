//! Models on tags, such as weapons.

use glam::Vec3;

use crate::view;

#[test]
fn a_model_is_attached_to_a_tag() {
    let mut state = view(&["md3/tagged.md3", "md3/static.md3"]);
    state.select(0);
    state.attach(0, 0, 1).unwrap();
    let poses = state.poses();
    // tag_hand is at (0, 10, 14): in the world, whose Y points up, at (10, 14, 0).
    let attached = state.attached_poses(&poses);
    assert_eq!(attached.len(), 1);
    let origin = attached[0].transform.w_axis.truncate();
    assert!(origin.abs_diff_eq(Vec3::new(10.0, 14.0, 0.0), 1e-3), "{origin}");
    state.detach();
    assert!(state.attached_poses(&poses).is_empty());
}

#[test]
fn a_weapon_is_put_on_its_tag() {
    let mut state = view(&["md3/player", "md3/static.md3"]);
    let (part, tag) = state.weapon_tag().unwrap();
    assert_eq!(state.model().unwrap().parts()[part].name, "upper");
    let weapon = state.library.items().iter().position(|item| item.name == "static.md3").unwrap();
    assert!(state.weapons().contains(&weapon) && !state.weapons().contains(&0));
    state.attach(part, tag, weapon).unwrap();
    let poses = state.poses();
    let at =
        state.attached_poses(&poses)[0].transform.w_axis.truncate() - poses[part].transform.w_axis.truncate();
    // The tag is at (8, 4, 7) in the torso, and 0.75 higher in TORSO_STAND; the legs turn the torso around the vertical.
    assert!((at.y - 7.75).abs() < 1e-3 && (at.x.hypot(at.z) - 8.0f32.hypot(4.0)).abs() < 1e-3, "{at}");
    // A model without such a tag takes no weapon.
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
