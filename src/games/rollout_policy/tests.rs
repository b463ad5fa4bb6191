use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::learning::{Example, Learner, PatternCounts};
use super::surroundings::{
    at_place, canonical_without_place, images, images_without_place, opposite, surroundings,
    with_place,
};
use super::*;
use crate::go::{Board, BoardSize, Color, Point, diagram};

/// Weights of which none is zero, with the patterns of some rollouts.
fn weights(seed: u64) -> Weights {
    let mut counts = PatternCounts::default();
    random_moves(9, 300, seed, &mut |example| counts.count(example));
    let mut weights = counts.weights(400, 1);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for number in &mut weights.numbers {
        *number = (rng.next_u32() % 2000) as f32 / 1000.0 - 1.0;
    }
    weights
}

/// Shows moves of a random game.
fn random_moves(side: usize, moves: usize, seed: u64, look: &mut dyn FnMut(&Example<'_>)) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut board = Board::new(BoardSize::square(side));
    let (mut mover, mut recent) = (Color::Black, Recent::default());
    let mut removed = Vec::new();
    for _ in 0..moves {
        let is_open = |p: &Point| board.is_legal(*p, mover, false);
        let legal: Vec<Point> = board.points().filter(is_open).collect();
        if legal.is_empty() {
            return;
        }
        let played = legal[rng.next_u32() as usize % legal.len()];
        look(&Example {
            board: &board,
            mover,
            recent,
            played,
        });
        removed.clear();
        board.play(played, mover, &mut removed);
        recent = recent.after(Some(played), &removed);
        mover = !mover;
    }
}

#[test]
fn patterns_are_the_same_under_symmetries() {
    random_moves(7, 200, 3, &mut |example| {
        let code = surroundings(example.board, example.played, example.mover);
        for image in images_without_place(code) {
            assert_eq!(
                canonical_without_place(image),
                canonical_without_place(code)
            );
        }
        for place in 0..12 {
            assert!(images(with_place(code, place)).contains(&with_place(code, place)));
        }
    });
}

#[test]
fn a_place_is_seen_back_from_the_opposite_one() {
    let point = Point::new(9, 9);
    for place in 0..12 {
        let other = at_place(point, place).unwrap();
        assert_eq!(at_place(other, opposite(place)), Some(point));
    }
    assert_eq!(at_place(Point::new(0, 0), 3), None, "off the array");
}

#[test]
fn kept_factors_are_those_computed_anew() {
    let tables = Arc::new(Tables::new(&weights(1)));
    let mut moves = 0;
    for (side, seed) in [
        (3, 1),
        (4, 2),
        (5, 3),
        (6, 4),
        (7, 5),
        (9, 6),
        (13, 7),
        (19, 8),
        (25, 9),
    ] {
        let mut kept = Sampler::new(Arc::clone(&tables));
        kept.reset(&Board::new(BoardSize::square(side)), Recent::default());
        random_moves(side, 700, seed, &mut |example| {
            let mut fresh = Sampler::new(Arc::clone(&tables));
            fresh.reset(example.board, example.recent);
            let anew = fresh.probabilities(example.board, example.mover);
            let now = kept.probabilities(example.board, example.mover);
            assert_eq!(now, anew, "move {moves} on {side}x{side}");
            let mut after = example.board.clone();
            let mut removed = Vec::new();
            kept.before_move(example.board, example.played);
            after.play(example.played, example.mover, &mut removed);
            kept.after_move(&after, example.played, &removed);
            moves += 1;
        });
    }
    assert!(moves > 1500, "{moves} moves");
}

#[test]
fn games_and_learning_agree_about_probabilities() {
    let weights = weights(2);
    let tables = Arc::new(Tables::new(&weights));
    let mut learner = Learner::new(weights);
    let mut compared = 0;
    random_moves(9, 300, 5, &mut |example| {
        let judged = learner.judge(example);
        let mut sampler = Sampler::new(Arc::clone(&tables));
        sampler.reset(example.board, example.recent);
        let all = sampler.probabilities(example.board, example.mover);
        let played = all.iter().find(|(point, _)| *point == example.played);
        assert_eq!(judged.moves, u64::from(played.is_some()));
        if let Some((_, probability)) = played {
            let nats = -f64::from(probability.ln());
            assert!((judged.nats - nats).abs() < 1e-3, "{judged:?}, {nats}");
            assert!((judged.uniform_nats - (all.len() as f64).ln()).abs() < 1e-9);
            compared += 1;
        }
    });
    assert!(compared > 100, "{compared}");
}

#[test]
fn learning_lowers_the_cross_entropy() {
    let mut counts = PatternCounts::default();
    // A player who prefers points beside the last move.
    let imitate = |learn: &mut dyn FnMut(&Example<'_>)| {
        for seed in 0..20 {
            random_moves(9, 60, seed, &mut |example| {
                let near = example.recent.last.map(Point::neighbors);
                let mut near = near.into_iter().flatten();
                let is_open = |p: &Point| example.board.is_legal(*p, example.mover, false);
                if let Some(played) = near.find(is_open) {
                    learn(&Example { played, ..*example });
                }
            });
        }
    };
    imitate(&mut |example| counts.count(example));
    let mut learner = Learner::new(counts.weights(100, 2));
    let mut before = learning::Judged::default();
    imitate(&mut |example| before.add(learner.learn(example, 0.1)));
    let mut after = learning::Judged::default();
    imitate(&mut |example| after.add(learner.judge(example)));
    assert!((before.uniform_cross_entropy() - after.uniform_cross_entropy()).abs() < 1e-9);
    assert!(after.cross_entropy() < 0.5 * before.uniform_cross_entropy());
    assert!(after.accuracy() > 0.3, "{after:?}");
}

#[test]
fn the_vital_point_of_a_captured_bulky_five_is_found() {
    let size = BoardSize::square(9);
    let points = |list: &[(usize, usize)]| -> Vec<Point> {
        list.iter()
            .map(|&(x, y)| size.point_at(9 * y + x))
            .collect()
    };
    let vital = |list: &[(usize, usize)]| {
        let recent = Recent::default().after(Some(size.point_at(0)), &points(list));
        recent.vital
    };
    let bulky = [(2, 2), (3, 2), (2, 3), (3, 3), (4, 3)];
    assert_eq!(vital(&bulky), Some(points(&[(3, 3)])[0]));
    assert_eq!(vital(&[(2, 2), (3, 2), (4, 2)]), Some(points(&[(3, 2)])[0]));
    assert_eq!(
        vital(&[(2, 2), (3, 2), (2, 3), (3, 3)]),
        None,
        "a square four"
    );
    assert_eq!(
        vital(&[(2, 2), (3, 2), (4, 2), (5, 2)]),
        None,
        "four in a row"
    );
}

#[test]
fn weights_are_read_as_they_are_written() {
    let weights = weights(4);
    let text = weights.to_json();
    let read = Weights::from_json(&text).unwrap();
    assert_eq!(read.to_json(), text);
    assert_eq!(read.len(), weights.len());
    let difference = weights.numbers.iter().zip(&read.numbers);
    assert!(difference.into_iter().all(|(a, b)| (a - b).abs() <= 0.0006));
}

#[test]
fn files_of_others_are_refused_with_a_reason() {
    let text = weights(5).to_json();
    let refusal = |text: &str| format!("{:#}", Weights::from_json(text).unwrap_err());
    assert!(refusal("").contains("no rollout policy"));
    assert!(refusal("{\"weights\":[1]}").contains("no rollout policy"));
    let newer = text.replace("\"version\":1", "\"version\":2");
    assert!(refusal(&newer).contains("version 2"), "{}", refusal(&newer));
    let short = text.replace("\"ko\":[", "\"ko\":[0,");
    assert!(refusal(&short).contains("ko: 2 numbers instead of 1"));
    let missing = text.replace("\"responses\"", "\"others\"");
    assert!(refusal(&missing).contains("no responses"));
}

#[test]
fn the_built_in_policy_captures_and_saves() {
    let weights = Weights::from_json(BUILT_IN).unwrap();
    assert!(weights.liberties.len() > 1000 && weights.responses.len() > 1000);
    let board = diagram::parse("...../.XO../.O.../...../.....").unwrap();
    let mut sampler = Sampler::new(built_in());
    sampler.reset(&board, Recent::default());
    let all = sampler.probabilities(&board, Color::Black);
    let total: f32 = all.iter().map(|(_, probability)| probability).sum();
    assert!((total - 1.0).abs() < 1e-4);
}
