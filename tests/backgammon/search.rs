//! Searches and evaluations.

use std::sync::Arc;

use keima::games::backgammon::bench::POSITIONS;
use keima::games::backgammon::board::Board;
use keima::games::backgammon::linear::Linear;
use keima::games::backgammon::model::{Judge, Model};
use keima::games::backgammon::player;
use keima::games::backgammon::{BackgammonPosition, Dice, Stakes, fibs};
use keima::games::weighted::Weighted;
use keima::minimax::StaticEval;
use keima::minimax::chance::tree::{Method, Tree};

use super::position;

fn judge(stakes: Stakes) -> Judge {
    Judge {
        model: Model::built_in_net().unwrap(),
        stakes,
    }
}

fn positions(stakes: Stakes) -> Vec<BackgammonPosition> {
    let rolled = |(id, dice): (&str, [u8; 2])| {
        let board = fibs::read_position_id(id).unwrap();
        let start = BackgammonPosition::start(stakes);
        BackgammonPosition { board, ..start }.rolled(Dice::new(dice[0], dice[1]))
    };
    POSITIONS.into_iter().map(rolled).collect()
}

#[test]
fn algorithms_agree_and_star2_reads_half_the_leaves() {
    for stakes in [Stakes::OnePoint, Stakes::Points] {
        let judge = judge(stakes);
        let (mut all, mut star2) = (0, 0);
        for position in positions(stakes) {
            let mut full = Tree::new(&judge, Method::Expectiminimax);
            let value = full.value(&position, 2);
            all += full.leaves;
            for method in [Method::Star1, Method::Star2] {
                let mut plain = Tree::new(&judge, method);
                let mut ordered = Tree::new(&judge, method).with_order_and_table(12);
                for tree in [&mut plain, &mut ordered] {
                    let found = tree.value(&position, 2);
                    assert!((found - value).abs() < 1e-9, "{method:?}: {found}, {value}");
                }
                star2 += u64::from(method == Method::Star2) * ordered.leaves;
            }
        }
        assert!(2 * star2 < all, "{star2} of {all}");
    }
}

#[test]
fn evaluations_are_the_same_from_both_sides() {
    let judge = judge(Stakes::Points);
    for first in positions(Stakes::Points) {
        let second = BackgammonPosition {
            turn: !first.turn,
            ..first
        };
        let value = |position| Tree::new(&judge, Method::Star2).value(position, 1);
        assert!((value(&first) + value(&second)).abs() < 1e-9);
    }
}

#[test]
fn built_in_evaluations_know_the_opening() {
    let player = |name: &str| {
        player::player(name, &|_| anyhow::bail!("no files"))
            .unwrap()
            .unwrap()
    };
    let opening = BackgammonPosition::start(Stakes::OnePoint).rolled(Dice::new(3, 1));
    for name in ["net", "linear", "keima"] {
        let best = player(name).rated(&opening).swap_remove(0);
        let text = keima::games::backgammon::notation::play_text(&best.play);
        assert_eq!(text, "8/5 6/5", "{name}");
    }
}

#[test]
fn races_to_bear_off_are_exact() {
    // A last man on point 6 against one on point 1: 27 rolls of 36 bear it off.
    let last = position(&[(6, 1)], &[(1, 1)], [2, 1]);
    for model in [Model::Linear(Linear::blank()), Model::Net(random_net())] {
        let outcome = model.outcome(&last.board, Stakes::Points);
        assert!((outcome.win - 27.0 / 36.0).abs() < 1e-6, "{outcome:?}");
        assert_eq!(outcome.win_gammon, 0.0);
    }
}

fn random_net() -> keima::games::backgammon::net::Net {
    use rand::SeedableRng;
    keima::games::backgammon::net::Net::random(4, &mut rand_chacha::ChaCha8Rng::seed_from_u64(1))
}

#[test]
fn linear_weights_are_features_times_weights() {
    let linear = Linear::default();
    let weights: Vec<f64> = linear
        .weights()
        .iter()
        .map(|&weight| weight.into())
        .collect();
    for position in positions(Stakes::OnePoint) {
        let odds = linear.features(&position).value(&weights) / 1000.0;
        let win = 1.0 / (1.0 + (-odds).exp());
        let found = f64::from(linear.outcome(&position.board).win);
        assert!((found - win).abs() < 0.01, "{found} {win}");
        let score = linear.evaluate(&position);
        assert!((f64::from(score) / 100.0 - (2.0 * win - 1.0)).abs() < 0.03);
    }
    assert_eq!(
        linear
            .groups()
            .iter()
            .map(|group| group.size)
            .sum::<usize>(),
        weights.len()
    );
}

#[test]
fn evaluations_prefer_the_side_that_is_ahead() {
    let ahead = position(
        &[(6, 5), (5, 5), (4, 5)],
        &[(18, 5), (12, 5), (8, 5)],
        [2, 1],
    )
    .board;
    for model in [
        Model::built_in_net().unwrap(),
        Arc::new(Model::Linear(Linear::default())),
    ] {
        let win = model.outcome(&ahead, Stakes::OnePoint).win;
        assert!(win > 0.9, "{win}");
        let win = model.outcome(&ahead.turned(), Stakes::OnePoint).win;
        assert!(win < 0.2, "{win}");
        let start = model.outcome(&Board::start(), Stakes::OnePoint).win;
        assert!((0.48..0.58).contains(&start), "{start}");
    }
}
