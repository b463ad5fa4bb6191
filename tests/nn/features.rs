//! Effects of settings on network inputs. (`net_records.rs` checks the inputs themselves.)

use keima::go::{BoardSize, Color, KoRule, Komi, Position, Rules, Scoring, Tax};
use keima::nn::desc::InputVersion;
use keima::nn::features::{self, FeatureSettings, GLOBALS, PLANES};

/// Inputs of a position, planes as points for which they are set.
fn features_of(position: &Position, settings: FeatureSettings) -> (Vec<f32>, Vec<f32>) {
    let mut spatial = vec![0.0; position.size().area() * PLANES];
    let mut global = vec![0.0; GLOBALS];
    features::write(
        InputVersion::V7,
        position,
        &settings,
        &mut spatial,
        &mut global,
    );
    (spatial, global)
}

fn plane(spatial: &[f32], plane: usize) -> Vec<f32> {
    spatial
        .iter()
        .skip(plane)
        .step_by(PLANES)
        .copied()
        .collect()
}

/// White has all of a 5x5 board but for one black stone, and Black has just passed.
fn black_has_passed() -> Position {
    let komi = Komi::from_half(1);
    let mut position = Position::new(BoardSize::square(5), Rules::TROMP_TAYLOR, komi);
    for mv in ["a1", "c3", "pass"] {
        position.play(mv.parse().unwrap());
    }
    position
}

#[test]
fn settings_can_hide_that_a_pass_ends_the_game() {
    let defaults = FeatureSettings::default();
    let careful = FeatureSettings {
        conservative_pass: true,
        ..defaults
    };
    let hiding_losses = FeatureSettings {
        hide_losing_pass: true,
        ..defaults
    };
    let position = black_has_passed();
    let told = |settings: FeatureSettings, position: &Position| {
        let (spatial, global) = features_of(position, settings);
        (
            global[0],
            global[14],
            plane(&spatial, 10).iter().sum::<f32>(),
        )
    };
    assert_eq!(told(defaults, &position), (1.0, 1.0, 1.0));
    assert_eq!(told(careful, &position), (0.0, 0.0, 0.0));
    assert_eq!(
        told(hiding_losses, &position),
        (1.0, 1.0, 1.0),
        "White wins by passing"
    );
    let mut lost = position.clone();
    lost.set_komi(Komi::from_half(-20));
    assert_eq!(
        told(hiding_losses, &lost),
        (0.0, 0.0, 0.0),
        "White loses by passing"
    );
    let one = FeatureSettings {
        max_history: 1,
        ..defaults
    };
    assert_eq!(told(one, &position), (1.0, 1.0, 0.0));
}

#[test]
fn komi_input_depends_on_side_and_draw_value() {
    let mut position = black_has_passed();
    position.set_komi(Komi::from_half(14));
    let good = FeatureSettings {
        draw_value: 1.0,
        ..FeatureSettings::default()
    };
    assert_eq!(
        features_of(&position, FeatureSettings::default()).1[5],
        7.0 / 20.0
    );
    assert_eq!(features_of(&position, good).1[5], 7.5 / 20.0);
    position.play("b2".parse().unwrap());
    assert_eq!(features_of(&position, good).1[5], -7.5 / 20.0);
    position.set_komi(Komi::from_half(13));
    assert_eq!(
        features_of(&position, good).1[5],
        -6.5 / 20.0,
        "no draw is possible"
    );
}

/// All inputs of one version.
fn inputs(version: InputVersion, position: &Position) -> (Vec<f32>, Vec<f32>) {
    let (planes, globals) = version.channels();
    let mut spatial = vec![0.0; position.size().area() * planes];
    let mut global = vec![0.0; globals];
    let settings = FeatureSettings::default();
    features::write(version, position, &settings, &mut spatial, &mut global);
    (spatial, global)
}

/// Six stones, whose liberties are counted by hand.
#[test]
fn seed_9x9_has_ten_planes() {
    let size = BoardSize::square(9);
    let mut position = Position::new(size, Rules::TROMP_TAYLOR, Komi::from_half(14));
    let planes = |position: &Position| -> Vec<Vec<String>> {
        let (spatial, global) = inputs(InputVersion::Seed, position);
        assert!(global.is_empty());
        let points: Vec<_> = size.points().collect();
        let of_plane = |plane: usize| {
            let values = spatial.iter().skip(plane).step_by(10);
            let set = values.zip(&points).filter(|(value, _)| **value == 1.0);
            let mut set: Vec<String> = set.map(|(_, point)| point.to_string()).collect();
            set.sort();
            set
        };
        assert!(spatial.iter().all(|value| [0.0, 1.0].contains(value)));
        (0..10).map(of_plane).collect()
    };
    let all = |plane: &[String]| plane.len() == 81;
    let empty = planes(&position);
    assert!(all(&empty[0]) && empty[1..].iter().all(Vec::is_empty));
    for mv in ["c3", "e5", "a1", "a2", "b5", "c4"] {
        position.play(mv.parse().unwrap());
    }
    let black = planes(&position);
    assert!(all(&black[0]));
    assert_eq!(black[1], ["A1", "B5", "C3"]);
    assert_eq!(black[2], ["A2", "C4", "E5"]);
    assert_eq!(black[3], ["A1"]);
    assert_eq!(black[4], ["A2"]);
    assert_eq!(black[5], ["C3", "C4"]);
    assert_eq!(
        (&black[7][..], &black[8][..]),
        (&["C4".to_owned()][..], &["B5".to_owned()][..])
    );
    assert!(black[6].is_empty() && black[9].is_empty());
    position.play("pass".parse().unwrap());
    let white = planes(&position);
    assert_eq!(white[1], black[2]);
    assert!(white[7].is_empty());
    assert_eq!(white[8], ["C4"]);
    assert!(all(&white[9]), "komi is White's");
}

#[test]
fn seed_9x9_has_ko_plane() {
    let size = BoardSize::square(9);
    let mut position = Position::new(size, Rules::CHINESE, Komi::from_half(15));
    for mv in ["c4", "d4", "b3", "e3", "c2", "d2", "d3", "c3"] {
        position.play(mv.parse().unwrap());
    }
    let (spatial, _) = inputs(InputVersion::Seed, &position);
    let banned = size.points().zip(spatial.iter().skip(6).step_by(10));
    let banned = banned.filter(|(_, value)| **value == 1.0);
    let banned: Vec<String> = banned.map(|(point, _)| point.to_string()).collect();
    assert_eq!(banned, ["D3"], "White has just taken there");
}

#[test]
fn old_inputs_use_nearest_known_rules() {
    let game = |rules| {
        let mut position = Position::new(BoardSize::square(7), rules, Komi::from_half(13));
        for mv in ["c3", "e5", "d4", "d5"] {
            position.play(mv.parse().unwrap());
        }
        position
    };
    let known = Rules {
        ko: KoRule::Situational,
        ..Rules::TROMP_TAYLOR
    };
    let unknown = [
        Rules {
            ko: KoRule::Simple,
            ..known
        },
        Rules {
            tax: Tax::All,
            ..known
        },
        Rules {
            has_button: true,
            ..known
        },
        Rules {
            scoring: Scoring::Territory,
            tax: Tax::Seki,
            ..known
        },
    ];
    for version in [InputVersion::V3, InputVersion::V4, InputVersion::V5] {
        let expected = inputs(version, &game(known));
        for rules in unknown {
            assert_eq!(
                inputs(version, &game(rules)),
                expected,
                "{version:?} {rules:?}"
            );
        }
        let positional = inputs(version, &game(Rules::TROMP_TAYLOR));
        assert_eq!(positional.1[6..8], [1.0, 0.5]);
        assert_eq!(expected.1[6..8], [1.0, -0.5]);
    }
    for version in [InputVersion::V6, InputVersion::V7] {
        let expected = inputs(version, &game(known));
        assert_ne!(inputs(version, &game(unknown[0])), expected, "{version:?}");
        assert_ne!(inputs(version, &game(unknown[3])), expected, "{version:?}");
    }
}

#[test]
fn version_6_history_ends_at_illegal_move() {
    let rules = Rules {
        suicide: false,
        ..Rules::TROMP_TAYLOR
    };
    let mut position = Position::new(BoardSize::square(5), rules, Komi::from_half(13));
    let moves = ["b1", "e5", "b2", "e4", "a3", "e3", "c5", "a2", "d5", "a1"];
    for (index, mv) in moves.into_iter().enumerate() {
        let color = [Color::Black, Color::White][index % 2];
        position.play_reported(color, mv.parse().unwrap()).unwrap();
    }
    assert!(
        position.board().is_empty("a1".parse().unwrap()),
        "a suicide"
    );
    position.play("c3".parse().unwrap());
    let shown = |version| {
        let (spatial, _) = inputs(version, &position);
        (9..14)
            .map(|index| plane(&spatial, index).iter().sum())
            .collect::<Vec<f32>>()
    };
    assert_eq!(shown(InputVersion::V7), [1.0; 5]);
    assert_eq!(shown(InputVersion::V6), [1.0, 0.0, 0.0, 0.0, 0.0]);
}
