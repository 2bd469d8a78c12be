//! Clips: the frames that are shown after some time.

use meshlens::model::Blend;
use meshlens_viewer::playback::{Playback, Repeat};

use crate::view;

/// The shown frame and the weight of the next one, for the first part.
fn shown(state: &meshlens_viewer::State) -> Blend {
    state.pose(&state.scene().unwrap()).node(0).unwrap().frames
}

/// `animated.md3` has 5 frames; without `animation.cfg`, 10 frames are shown per second.
fn playing(repeat: Repeat) -> meshlens_viewer::State {
    let mut state = view(&["md3/animated.md3"]);
    assert_eq!((state.tracks[0].frame_count(), state.tracks[0].clip().unwrap().rate.get()), (5, 10.0));
    state.playback = Playback { playing: true, repeat, ..Playback::default() };
    state
}

#[test]
fn time_blends_two_frames_and_the_speed_is_a_factor() {
    let mut state = playing(Repeat::Loop);
    state.advance(0.125);
    assert_eq!(shown(&state), Blend { a: 1, b: 2, weight: 0.25 });
    state.playback.blending = false;
    assert_eq!(shown(&state), Blend { a: 1, b: 2, weight: 0.0 });
    state.playback.speed = 2.0;
    state.advance(0.0625);
    assert_eq!(state.tracks[0].frame(), 2);
}

#[test]
fn a_clip_stops_restarts_or_reverses() {
    let mut once = playing(Repeat::Once);
    once.advance(3.0);
    assert_eq!((shown(&once).a, once.playback.playing), (4, false));
    // A clip at its end starts again.
    once.toggle_playing();
    assert_eq!(shown(&once).a, 0);

    let mut again = playing(Repeat::Loop);
    again.advance(0.5);
    assert_eq!((shown(&again).a, again.playback.playing), (0, true));

    let mut back = playing(Repeat::PingPong);
    back.advance(0.4);
    assert_eq!(shown(&back).a, 4);
    back.advance(0.1);
    assert_eq!(shown(&back).a, 3);
    back.advance(0.4);
    assert_eq!(shown(&back).a, 1);
}

#[test]
fn steps_wrap_around_and_stop_playback() {
    let mut state = playing(Repeat::Loop);
    state.step(false);
    assert_eq!((shown(&state), state.playback.playing), (Blend { a: 4, b: 4, weight: 0.0 }, false));
    state.step(true);
    assert_eq!(shown(&state).a, 0);
    state.tracks[0].go_to(1_000_000);
    assert_eq!(state.tracks[0].frame(), 4);
}

#[test]
fn players_play_a_clip_in_each_part() {
    let mut state = view(&["md3/player"]);
    assert_eq!(state.tracks[0].clip().unwrap().name, "LEGS_IDLE");
    assert_eq!(state.tracks[1].clip().unwrap().name, "TORSO_STAND");
    assert!(state.tracks[0].select_named("legs_run"));
    assert!(!state.tracks[0].select_named("no such clip"));
    state.playback.playing = true;
    // 10 frames each second.
    state.advance(0.1);
    assert_eq!(state.tracks[0].frame(), 1);
}

#[test]
fn joints_move_with_a_clip_of_joints() {
    let mut state = view(&["unigine/skinned_ms11.mesh"]);
    let tracks = &state.tracks[0];
    assert!(tracks.clip().unwrap().animation.is_some(), "{:?}", tracks.clips());
    let joints =
        |state: &meshlens_viewer::State| state.pose(&state.scene().unwrap()).node(0).unwrap().joints.clone();
    let rest = joints(&state);
    state.step(true);
    assert_ne!(joints(&state), rest);
}

#[test]
fn hostile_times_and_speeds_have_no_effect() {
    let mut state = playing(Repeat::PingPong);
    for speed in [f32::NAN, f32::INFINITY, -1.0] {
        state.playback.speed = speed;
        state.playback.playing = true;
        state.advance(0.1);
        assert_eq!(shown(&state), Blend { a: 0, b: 1, weight: 0.0 });
    }
}

#[test]
fn clips_come_from_scripts_animation_files_and_actions() {
    let names = |name: &str| -> Vec<String> {
        let state = view(&[name]);
        state.tracks[0].clips().iter().map(|clip| clip.name.clone()).collect()
    };
    // Clips of the script Figure.uc, of animation.cfg, of walker_walk.anim, and an action inside the file.
    assert_eq!(names("unreal/Models/figure_d.3d"), ["All", "Turn"]);
    assert!(names("md3/player").iter().any(|name| name == "LEGS_RUN"));
    assert!(names("gallery/walker.mesh").iter().any(|name| name == "walk"));
    assert_eq!(names("gallery/walker.u3d"), ["walk"]);
    // If the file does not state a rate, a rate is assumed.
    let script = view(&["unreal/Models/figure_d.3d"]);
    let turn = &script.tracks[0].clips()[1];
    assert_eq!((turn.rate.get(), turn.is_rate_assumed), (7.5, false));
    assert!(view(&["gallery/walker.u3d"]).tracks[0].clips()[0].is_rate_assumed);
}
