//! Fresh games: what a search draws where moves are as good as each other.

use std::collections::BTreeSet;
use std::sync::Arc;

use keima::clock::{Clock, TimeControl};
use keima::go::{Answer, BoardSize, Color, Move, Position, Rules, Symmetry};
use keima::player::Player;
use keima::player::params::PlayerParams;
use keima::player::search_player::SearchPlayer;
use keima::player::view::View;
use keima::search::{Evaluation, Evaluator, UniformEvaluator};

use crate::evaluators::{By, by_weights};

const SIDE: usize = 4;

/// The first move of a game, where to the evaluator all moves are the same.
fn first_move(seed: u64, temperature: f64) -> Move {
    let rules = Rules::TROMP_TAYLOR;
    let start = Position::new(BoardSize::square(SIDE), rules, rules.usual_komi());
    choice(params(seed, temperature), UniformEvaluator, &start)
}

fn params(seed: u64, temperature: f64) -> PlayerParams {
    let mut params = PlayerParams::default();
    params.search.seed = seed;
    params.search.temperature_early = temperature;
    params.search.temperature = temperature;
    params.limits.max_visits = Some(40);
    params
}

/// The move that a player chooses.
fn choice(
    params: PlayerParams,
    evaluator: impl Evaluator<Position> + 'static,
    position: &Position,
) -> Move {
    let view = View::new(Arc::new(evaluator));
    let mut player = SearchPlayer::new(params, Box::new(view));
    let clock = Clock::new(TimeControl::Unlimited);
    match player.choose(position, &clock).unwrap() {
        Answer::Move(mv) => mv,
        answer => panic!("{answer}"),
    }
}

/// An evaluator with a best move and one that is nearly as good: 30 and 29 % more wins than losses for Black.
fn with_two_moves(best: Move, second: Move) -> impl Evaluator<Position> {
    By(move |position: &Position| {
        let is_black = |mv: Move| {
            let board = position.board();
            let color = mv.point().and_then(|point| board.color_at(point));
            color == Some(Color::Black)
        };
        let for_black: f32 = match (is_black(best), is_black(second)) {
            (true, _) => 0.3,
            (false, true) => 0.29,
            (false, false) => -0.5,
        };
        let weight = |mv: Move| match mv {
            _ if mv == best => 60.0,
            _ if mv == second => 35.0,
            Move::Pass => 1e-4,
            Move::Play(_) => 0.4,
        };
        Evaluation {
            win_loss: for_black * f32::from(position.to_move().sign()),
            ..by_weights(position, weight)
        }
    })
}

#[test]
fn moves_nearly_as_good_as_the_best_are_played_at_first() {
    let rules = Rules::TROMP_TAYLOR;
    let mut position = Position::new(BoardSize::square(SIDE), rules, rules.usual_komi());
    // No symmetry is left.
    for mv in ["A1", "B1"] {
        position.play(mv.parse().unwrap());
    }
    let [best, second]: [Move; 2] = ["D4", "C3"].map(|mv| mv.parse().unwrap());
    let played = |variety: Option<f64>| -> BTreeSet<String> {
        let by_seed = (0..60).map(|seed| {
            let mut params = params(seed, 1e-6);
            params.root.variety = variety.unwrap_or(params.root.variety);
            choice(params, with_two_moves(best, second), &position).to_string()
        });
        by_seed.collect()
    };
    let both = [best, second].map(|mv| mv.to_string());
    assert_eq!(played(Some(0.0)), BTreeSet::from([both[0].clone()]));
    assert_eq!(played(None), BTreeSet::from(both));
}

#[test]
fn any_image_of_a_move_is_played_on_an_empty_board() {
    let played: BTreeSet<String> = (0..60)
        .map(|seed| first_move(seed, 1e-6).to_string())
        .collect();
    let first = first_move(0, 1e-6);
    let images: BTreeSet<String> = Symmetry::all()
        .map(|symmetry| symmetry.apply(BoardSize::square(SIDE), first).to_string())
        .collect();
    assert!(images.len() >= 4, "{images:?}");
    assert_eq!(played, images);
}

#[test]
fn the_same_seed_plays_the_same_image() {
    let twice = |seed| [0, 1].map(|_| first_move(seed, 0.5));
    for seed in 0..5 {
        let [first, second] = twice(seed);
        assert_eq!(first, second);
    }
}

#[test]
fn without_temperature_all_games_begin_alike() {
    let played: BTreeSet<String> = (0..20)
        .map(|seed| first_move(seed, 0.0).to_string())
        .collect();
    assert_eq!(played.len(), 1, "{played:?}");
}
