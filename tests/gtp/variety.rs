//! Fresh games: what a search draws where moves are as good as each other.

use std::collections::BTreeSet;
use std::sync::Arc;

use keima::clock::{Clock, TimeControl};
use keima::go::{Answer, BoardSize, Move, Position, Rules, Symmetry};
use keima::player::Player;
use keima::player::params::PlayerParams;
use keima::player::search_player::SearchPlayer;
use keima::player::view::View;
use keima::search::UniformEvaluator;

const SIDE: usize = 4;

/// The first move of a game by a search that always takes the best of its moves, or one of its images.
fn first_move(seed: u64, temperature: f64) -> Move {
    let mut params = PlayerParams::default();
    params.search.seed = seed;
    params.search.temperature_early = temperature;
    params.search.temperature = temperature;
    params.limits.max_visits = Some(40);
    let view = View::new(Arc::new(UniformEvaluator));
    let mut player = SearchPlayer::new(params, Box::new(view));
    let rules = Rules::TROMP_TAYLOR;
    let position = Position::new(BoardSize::square(SIDE), rules, rules.usual_komi());
    match player
        .choose(&position, &Clock::new(TimeControl::Unlimited))
        .unwrap()
    {
        Answer::Move(mv) => mv,
        answer => panic!("{answer}"),
    }
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
