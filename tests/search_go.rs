//! The search on Go boards small enough to be solved.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use keima::games::go::decode;
use keima::games::rollout_evaluator::{RolloutEvaluator, SensibleEvaluator};
use keima::go::{Board, BoardSize, Color, Komi, Move, Position, Rules};
use keima::search::{
    Evaluator, Game, HashEvaluator, Limits, Player, PolicyPlayer, Report, Search, SearchParams,
    SearchPlayer, Side, UniformEvaluator,
};

fn empty(side: usize, komi: f64) -> Position {
    Position::new(
        BoardSize::square(side),
        Rules::TROMP_TAYLOR,
        Komi::from_points(komi).unwrap(),
    )
}

fn searched(
    root: Position,
    params: SearchParams,
    evaluator: &dyn Evaluator<Position>,
    visits: u64,
) -> Search<Position> {
    let mut search = Search::new(params);
    search.set_root(root);
    search
        .run(evaluator, &Limits::visits(visits), &AtomicBool::new(false))
        .unwrap();
    search.validate().unwrap();
    search
}

/// Utility of the root for Black, and the best move.
fn verdict(search: &Search<Position>) -> (f64, Move) {
    let report = search.report().unwrap();
    (report.win_loss, decode(report.best().unwrap().code))
}

fn presets() -> [SearchParams; 3] {
    [
        SearchParams::default(),
        SearchParams::plain(),
        SearchParams::uct(),
    ]
}

#[test]
fn two_by_two_is_won_by_one_point() {
    for params in presets() {
        let values = [0.5, 1.0, 1.5]
            .map(|komi| verdict(&searched(empty(2, komi), params, &UniformEvaluator, 20_000)).0);
        assert!(values[0] > 0.85, "{values:?} {params:?}");
        assert!(values[1].abs() < 0.1, "{values:?} {params:?}");
        assert!(values[2] < -0.85, "{values:?} {params:?}");
    }
}

#[test]
fn three_by_three_is_won_by_nine_points_from_the_center() {
    let center = Move::Play(BoardSize::square(3).point_at(4));
    let evaluator = RolloutEvaluator::new(2, 1);
    for params in presets() {
        let (value, best) = verdict(&searched(empty(3, 8.5), params, &evaluator, 20_000));
        assert!(value > 0.8, "{value} {params:?}");
        assert_eq!(best, center);
        let (value, best) = verdict(&searched(empty(3, 9.0), params, &evaluator, 20_000));
        assert!(value.abs() < 0.2, "{value} {params:?}");
        assert_eq!(best, center);
        let (value, _) = verdict(&searched(empty(3, 9.5), params, &evaluator, 1000));
        assert_eq!(value, -1.0);
    }
}

#[test]
fn several_threads_solve_it_as_well() {
    let evaluator = RolloutEvaluator::new(1, 1);
    for (threads, batch_size) in [(2, 1), (8, 1), (4, 8)] {
        let params = SearchParams {
            threads,
            batch_size,
            ..SearchParams::default()
        };
        let (value, _) = verdict(&searched(empty(3, 8.5), params, &evaluator, 30_000));
        assert!(value > 0.7, "{value} with {threads} threads");
    }
}

#[test]
fn score_utility_wins_by_as_much_as_there_is() {
    // With komi 0.5 any result above wins; only the score tells the best moves apart.
    let params = SearchParams {
        score_scale: 3.0,
        ..SearchParams::default()
    };
    let search = searched(empty(3, 0.5), params, &RolloutEvaluator::new(2, 1), 20_000);
    let report = search.report().unwrap();
    assert!(report.score_mean > 7.5, "{}", report.score_mean);
    assert!(report.utility > 1.0 && report.utility < params.max_utility());
}

#[test]
fn a_kept_tree_survives_a_whole_game() {
    let params = SearchParams {
        threads: 2,
        batch_size: 2,
        ..SearchParams::default()
    };
    let mut position = empty(5, 0.5);
    let mut player = SearchPlayer::new(
        Arc::new(RolloutEvaluator::new(1, 3)),
        params,
        Limits::visits(300),
    );
    let mut random = PolicyPlayer::new(Arc::new(SensibleEvaluator), 1.0, 5);
    player.start(&position);
    for turn in 0..200 {
        if position.outcome().is_some() {
            break;
        }
        let code = match turn % 2 {
            0 => player.choose(&position).unwrap(),
            _ => random.choose(&position).unwrap(),
        };
        position.try_play(decode(code)).unwrap();
        player.played(code, &position);
        player.search().validate().unwrap();
    }
    let outcome = position.outcome().expect("the game ends");
    assert_eq!(
        outcome.win_loss, 1.0,
        "the searcher beats the random player"
    );
}

#[test]
fn one_thread_gives_one_answer() {
    let run = || searched(empty(9, 7.5), SearchParams::default(), &HashEvaluator, 2000).report();
    assert_eq!(run(), run());
}

#[test]
fn swapped_colors_give_the_mirrored_search() {
    let size = BoardSize::square(3);
    let komi = |points| Komi::from_points(points).unwrap();
    let white_first = Position::from_board(
        Board::new(size),
        Color::White,
        Rules::TROMP_TAYLOR,
        komi(-2.5),
    );
    let params = SearchParams {
        score_scale: 3.0,
        ..SearchParams::default()
    };
    let here = searched(empty(3, 2.5), params, &UniformEvaluator, 5000)
        .report()
        .unwrap();
    let there = searched(white_first, params, &UniformEvaluator, 5000)
        .report()
        .unwrap();
    assert_eq!(there.to_move, Side::Second);
    assert_eq!(
        Report {
            to_move: Side::First,
            ..there
        },
        here
    );
}
