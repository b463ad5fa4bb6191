//! Inputs of networks: what settings change. (That the rest is right, `net_records.rs` shows.)

#![allow(clippy::unwrap_used)]

use keima::go::{BoardSize, Komi, Position, Rules};
use keima::nn::features::{self, FeatureSettings, GLOBALS, PLANES};

/// Inputs of a position, planes as points for which they are set.
fn features_of(position: &Position, settings: FeatureSettings) -> (Vec<f32>, Vec<f32>) {
    let mut spatial = vec![0.0; position.size().area() * PLANES];
    let mut global = vec![0.0; GLOBALS];
    features::write(position, &settings, &mut spatial, &mut global);
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
    for made in ["a1", "c3", "pass"] {
        position.play(made.parse().unwrap());
    }
    position
}

#[test]
fn settings_can_hide_that_a_pass_ends_the_game() {
    let usual = FeatureSettings::default();
    let careful = FeatureSettings {
        conservative_pass: true,
        ..usual
    };
    let hiding_losses = FeatureSettings {
        hide_losing_pass: true,
        ..usual
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
    assert_eq!(told(usual, &position), (1.0, 1.0, 1.0));
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
        ..usual
    };
    assert_eq!(told(one, &position), (1.0, 1.0, 0.0));
}

#[test]
fn komi_seen_depends_on_the_side_and_on_the_worth_of_a_draw() {
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
