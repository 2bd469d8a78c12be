//! `animation.cfg` files.

use meshlens_md3::animation::{Animation, AnimationConfig, AnimationName, BodyPart, Sex};

fn rows(count: usize) -> String {
    (0..count).map(|row| format!("{} {} 0 15\r\n", row * 10, row)).collect()
}

#[test]
fn keywords_in_any_order_and_case_then_rows() {
    let text = format!("FixedLegs\nFOOTSTEPS mech\nSex N\n/* x */ headoffset -1 .5 2\n{}", rows(31));
    let config = AnimationConfig::parse(text.as_bytes()).unwrap();
    assert!(config.fixed_legs && !config.fixed_torso && config.is_complete());
    assert_eq!((config.sex, config.footsteps.as_deref()), (Some(Sex::Neuter), Some("mech")));
    assert_eq!(config.head_offset, Some([-1.0, 0.5, 2.0]));
    assert_eq!(config.row(AnimationName::TorsoNegative).unwrap().first_frame, 300);
    assert_eq!(AnimationName::ALL.len(), 31);
    assert_eq!(AnimationConfig::parse(config.write().as_bytes()).unwrap(), config);
}

#[test]
fn only_legs_are_renumbered() {
    let config = AnimationConfig::parse(rows(25).as_bytes()).unwrap();
    assert_eq!(config.legs_offset(), 130 - 60);
    assert_eq!(config.clip(AnimationName::LegsTurn).unwrap().first_frame, 240 - 70);
    assert_eq!(config.clip(AnimationName::TorsoStand).unwrap().first_frame, 110);
    assert_eq!(config.clip(AnimationName::BothDead3).unwrap().first_frame, 50);
    assert_eq!(config.clip(AnimationName::TorsoGetFlag), None);

    let mut extreme = config;
    extreme.animations[AnimationName::TorsoGesture as usize].first_frame = i32::MAX;
    assert_eq!(extreme.legs_offset(), 130 - i64::from(i32::MAX));
    assert_eq!(extreme.clip(AnimationName::LegsWalkCrouched).unwrap().first_frame, i32::MAX);
    assert_eq!(extreme.clip(AnimationName::LegsWalk), None, "one row later it is no i32");
}

#[test]
fn negative_counts_play_backwards_and_no_rate_is_one_per_second() {
    let config = AnimationConfig::parse(b"20 -3 0 0").unwrap();
    let row = config.animations[0];
    assert!(row.is_reversed());
    assert_eq!(row.frames().collect::<Vec<_>>(), [22, 21, 20]);
    assert_eq!(row.rate(), 1.0);
    let extreme = Animation { first_frame: i32::MAX, frame_count: i32::MIN, ..row };
    assert_eq!(extreme.frames().len(), 1 << 31);
    assert_eq!(extreme.frames().next(), Some((1 << 32) - 2));
}

#[test]
fn the_error_for_an_invalid_row_has_its_offset() {
    let error = AnimationConfig::parse(b"1 2 three 4").unwrap_err();
    assert_eq!((error.offset(), error.format()), (4, "animation.cfg"));
    assert_eq!(AnimationConfig::parse(b"1 2 3").unwrap_err().offset(), 5);
    assert_eq!(AnimationConfig::parse(b"sex x").unwrap_err().offset(), 4);
    let config = AnimationConfig::parse(b"weapon\n1 2 3 4 nonsense 5 6 7 8").unwrap();
    assert_eq!(config.animations.len(), 2);
    assert_eq!(AnimationConfig::parse(b"1 2 3 1e39").unwrap_err().offset(), 6);
    assert_eq!(config.unknown, [(0, "weapon".into()), (15, "nonsense".into())]);
}

#[test]
fn the_clips_of_two_models_are_one_file() {
    let row = |first_frame, frame_count| Animation {
        first_frame,
        frame_count,
        loop_frames: 0,
        frames_per_second: 15.0,
    };
    // Frames 0 to 9 are shared. After them, upper.md3 has 20 frames, and lower.md3 has 30 frames.
    let upper = [
        (AnimationName::BothDeath1, row(0, 10)),
        (AnimationName::TorsoGesture, row(10, 15)),
        (AnimationName::TorsoStand, row(25, 5)),
    ];
    let lower = [
        (AnimationName::BothDeath1, row(0, 10)),
        (AnimationName::LegsWalkCrouched, row(10, 8)),
        (AnimationName::LegsTurn, row(38, -2)),
    ];
    let start = AnimationConfig { fixed_legs: true, ..AnimationConfig::default() };
    let both = [[&upper, &lower], [&lower, &upper]].map(|[a, b]| {
        let config = start.with_clips(a).unwrap();
        assert!(a.iter().all(|(name, row)| config.clip(*name) == Some(*row)), "one alone");
        config.with_clips(b).unwrap()
    });
    assert_eq!(both[0], both[1], "in any order");
    let config = AnimationConfig::parse(both[0].write().as_bytes()).unwrap();
    assert_eq!((&config, config.animations.len(), config.legs_offset()), (&both[0], 25, 20));
    assert_eq!(config.row(AnimationName::LegsTurn).unwrap().first_frame, 58);
    assert!(upper.iter().chain(&lower).all(|(name, row)| config.clip(*name) == Some(*row)));
    assert_eq!(config.with_clips(&[(AnimationName::LegsWalkCrouched, row(11, 8))]), None);
}

#[test]
fn words_are_read_in_any_case() {
    for (text, sex, letter) in [("Male", Sex::Male, "m"), ("f", Sex::Female, "f"), ("N", Sex::Neuter, "n")] {
        assert_eq!((text.parse::<Sex>().unwrap(), sex.to_string()), (sex, letter.into()));
    }
    let error = "x".parse::<Sex>().unwrap_err();
    assert_eq!(error.to_string(), "animation.cfg: expected m, f or n");
    assert!("".parse::<Sex>().is_err());
    let walk = AnimationName::LegsWalk;
    assert_eq!("legs_walk".parse::<AnimationName>().unwrap(), walk);
    assert_eq!(format!("{walk:>10}"), " LEGS_WALK");
    let error = "LEGS".parse::<AnimationName>().unwrap_err();
    assert_eq!(error.to_string(), "animation.cfg: expected the name of an animation, such as LEGS_WALK");
    let parts = [AnimationName::BothDead3, AnimationName::TorsoGesture, walk, AnimationName::TorsoNegative];
    let wanted = [BodyPart::Both, BodyPart::Torso, BodyPart::Legs, BodyPart::Torso];
    assert_eq!(parts.map(AnimationName::body_part), wanted);
}

#[test]
fn missing_words_are_errors_at_the_end() {
    for text in ["sex", "headoffset 1 2", "footsteps", "1 2"] {
        let error = AnimationConfig::parse(text.as_bytes()).unwrap_err();
        assert_eq!((error.code(), error.offset()), ("SYNTAX", text.len() as u64), "{text}");
    }
    assert_eq!(AnimationConfig::parse(b"headoffset 1 x 2").unwrap_err().offset(), 13);
    assert_eq!(AnimationConfig::parse(b"1 2 3 4\nrest").unwrap().unknown, [(8, "rest".into())]);
    let words = "a ".repeat((1 << 16) + 1);
    let error = AnimationConfig::parse(words.as_bytes()).unwrap_err();
    assert_eq!((error.code(), error.offset()), ("LIMIT", 2 << 16));
}

#[test]
fn rows_may_have_names_and_other_words_may_have_values() {
    let text = b"sex m\ndefault_weapon wp_bo\nspeed 300\n\
        BOTH_DEATH1 0 16 0 20\nBOTH_LADDER 16 4 4 30 // climbs\nTORSO_GESTURE 20 10 0 20 250\n\
        LEGS_WALKCR 30 8 8 10\nlegs_dance 38 2 0 5\nTORSO_STAND -1 x\n";
    let config = AnimationConfig::parse(text).unwrap();
    let row = |first_frame, frame_count, loop_frames, rate| Animation {
        first_frame,
        frame_count,
        loop_frames,
        frames_per_second: rate,
    };
    let clips =
        |part| config.clips(part).into_iter().map(|row| (row.name, row.animation)).collect::<Vec<_>>();
    let death = ("BOTH_DEATH1".to_owned(), row(0, 16, 0, 20.0));
    let ladder = ("BOTH_LADDER".to_owned(), row(16, 4, 4, 30.0));
    // The legs are numbered after the torso, which begins at 20.
    let walk = ("LEGS_WALKCR".to_owned(), row(20, 8, 8, 10.0));
    let dance = ("legs_dance".to_owned(), row(28, 2, 0, 5.0));
    assert_eq!(clips(BodyPart::Legs), [death.clone(), walk, ladder.clone(), dance]);
    assert_eq!(clips(BodyPart::Torso), [death, ("TORSO_GESTURE".into(), row(20, 10, 0, 20.0)), ladder]);
    let words: Vec<&str> = config.unknown.iter().map(|(_, word)| word.as_str()).collect();
    assert_eq!(words, ["default_weapon", "wp_bo", "speed", "TORSO_STAND", "x"]);
    assert!(config.animations.is_empty() && config.sex == Some(Sex::Male) && !config.is_complete());

    let written = AnimationConfig::parse(config.write().as_bytes()).unwrap();
    assert_eq!((&written.named, written.unknown.len()), (&config.named, 0));
    // Other clips of the torso move the legs behind them.
    let longer = config.with_clips(&[(AnimationName::TorsoGesture, row(20, 40, 0, 20.0))]).unwrap();
    assert_eq!(longer.clips(BodyPart::Legs).last(), config.clips(BodyPart::Legs).last());
    assert_eq!(longer.named.last().unwrap().animation.first_frame, 68);
    assert_eq!(AnimationConfig::parse(longer.write().as_bytes()).unwrap().named, longer.named);
}
