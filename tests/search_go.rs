//! The search on Go boards small enough to be solved.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anyhow::Result;
use keima::games::go::{code, decode};
use keima::games::rollout::RolloutPolicy;
use keima::games::rollout_evaluator::{RolloutEvaluator, RolloutParams, SensibleEvaluator};
use keima::games::rollout_mix::RolloutMix;
use keima::go::{Board, BoardSize, Color, Komi, Move, Position, Rules};
use keima::search::{
    Evaluation, Evaluator, Game, HashEvaluator, Limits, Player, PolicyPlayer, Report, Request,
    Search, SearchParams, SearchPlayer, Side, UniformEvaluator,
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

/// Counts what another evaluator is asked.
struct Counting(HashEvaluator, AtomicUsize);

impl Evaluator<Position> for Counting {
    fn evaluate(&self, requests: &[Request<Position>]) -> Result<Vec<Evaluation>> {
        self.1.fetch_add(requests.len(), Ordering::Relaxed);
        self.0.evaluate(requests)
    }
}

#[test]
fn transposed_positions_are_searched_once() {
    let asked = |graph_search, threads| {
        let params = SearchParams {
            graph_search,
            threads,
            ..SearchParams::default()
        };
        let counting = Counting(HashEvaluator, AtomicUsize::new(0));
        let search = searched(empty(7, 0.5), params, &counting, 3000);
        assert_eq!(search.report().unwrap().visits, 3000);
        counting.1.load(Ordering::Relaxed)
    };
    let (all, shared) = (asked(false, 1), asked(true, 1));
    assert!(shared < all, "{shared} of {all}");
    assert_eq!(asked(true, 1), shared);
    assert!(asked(true, 4) <= 3000);
}

/// The position after moves in turn from the empty board.
fn after(side: usize, moves: &str) -> Position {
    let mut position = empty(side, 7.5);
    for made in moves.split_whitespace() {
        position.try_play(made.parse().unwrap()).unwrap();
    }
    position
}

#[test]
fn positions_are_shared_where_nothing_can_soon_repeat() {
    let shared = |moves| after(9, moves).transposition();
    assert!(shared("C3 G7 D4").is_some());
    assert_eq!(shared("C3 G7 D4"), shared("D4 G7 C3"));
    assert_ne!(shared("C3 G7 D4"), shared("G7 C3 D4"));
    assert_ne!(after(9, "C3 G7 D4").key(), after(9, "D4 G7 C3").key());
    assert_eq!(shared("C3 G7 pass"), None);
    // White's stone has a liberty, and no room, in the corner.
    assert_eq!(shared("A2 G7 B2 F7 C1 A1"), None);
    // On a board of nine points all may soon be refilled.
    assert_eq!(after(3, "B2").transposition(), None);
}

#[test]
fn patterns_are_local_and_know_the_last_move() {
    let pattern = |moves: &str, next: &str| after(19, moves).pattern(code(next.parse().unwrap()));
    let usual = pattern("Q16 D4 Q4 D16", "C3");
    assert!(usual.is_some());
    assert_eq!(pattern("Q10 D4 K4 D16", "C3"), usual);
    // The move before, the mover, the place, the stones around, and a stone in atari.
    assert_ne!(pattern("Q16 D16 Q4 D4", "C3"), usual);
    assert_ne!(pattern("Q16 D4 Q4 D16 K10 D10", "C3"), usual);
    assert_ne!(pattern("Q16 D4 Q4 D16", "C4"), usual);
    assert_ne!(pattern("Q16 D4 B2 D16", "C3"), usual);
    let free = pattern("A1 K10 Q16 D16", "B2");
    assert_ne!(pattern("A1 A2 Q16 D16", "B2"), free);
    assert_eq!(pattern("Q16 D4", "pass"), None);
    assert_eq!(pattern("", "C3"), None);
    // At the edge the window reaches beyond the board.
    assert_ne!(pattern("Q16 D4", "A1"), pattern("Q16 D4", "T1"));
}

#[test]
fn games_tell_of_moves_not_yet_tried() {
    let evaluator = RolloutEvaluator::new(1, 4);
    let params = SearchParams::rave();
    // The games of other moves change what is tried.
    let uct = SearchParams::uct();
    let tried = [params, uct].map(|params| {
        let search = searched(empty(9, 7.5), params, &evaluator, 300);
        let report = search.report().unwrap();
        let visits = report.moves.iter().map(|made| made.visits);
        visits.collect::<Vec<u32>>()
    });
    assert_ne!(tried[0], tried[1]);
    let (value, best) = verdict(&searched(empty(3, 3.5), params, &evaluator, 3000));
    assert!(value > 0.5, "{value}");
    assert_eq!(best, Move::Play(BoardSize::square(3).point_at(4)));
    // Without games it is as if there were nothing but UCB1.
    let plain = SearchParams {
        ucb1_exploration: params.ucb1_exploration,
        ..SearchParams::uct()
    };
    let reports = [params, plain].map(|params| {
        let search = searched(empty(3, 0.5), params, &HashEvaluator, 300);
        search.report().unwrap()
    });
    assert_eq!(reports[0], reports[1]);
}

#[test]
fn trees_with_games_are_kept_and_repeat_themselves() {
    let play = || {
        let evaluator = RolloutEvaluator::new(2, 9);
        let mut search = Search::new(SearchParams::rave());
        let mut position = empty(4, 0.5);
        search.set_root(position.clone());
        let mut moves = Vec::new();
        while position.outcome().is_none() && moves.len() < 40 {
            let limits = Limits::visits(150);
            search
                .run(&evaluator, &limits, &AtomicBool::new(false))
                .unwrap();
            search.validate().unwrap();
            let made = search.choose(moves.len()).unwrap();
            Game::play(&mut position, made);
            search.advance(made, position.clone());
            moves.push(made);
        }
        moves
    };
    let moves = play();
    assert!(moves.len() > 8, "{moves:?}");
    assert_eq!(moves, play());
}

#[test]
fn light_games_are_others_and_agree_on_what_is_settled() {
    let answer = |policy, position: &Position| {
        let params = RolloutParams {
            rollouts: 40,
            policy,
        };
        let request = Request {
            wants_games: true,
            ..Request::root(position.clone())
        };
        let evaluator = RolloutEvaluator::with_params(params, 1);
        evaluator.evaluate(&[request]).unwrap().remove(0)
    };
    let policies = [RolloutPolicy::Uniform, RolloutPolicy::Light];
    let board = keima::go::diagram::parse("..XO./XXXO./.XXOO/XXXO./.XXOO").unwrap();
    let komi = Komi::from_points(0.5).unwrap();
    let settled = Position::from_board(board, Color::White, Rules::TROMP_TAYLOR, komi);
    for policy in policies {
        let answer = answer(policy, &settled);
        assert!(answer.win_loss < -0.9, "{policy}: {}", answer.win_loss);
        assert_eq!(answer.games.len(), 40);
    }
    let open = empty(9, 7.5);
    let [uniform, light] = policies.map(|policy| answer(policy, &open));
    assert_ne!(uniform.games, light.games);
    for game in uniform.games.iter().chain(&light.games) {
        let mut points: Vec<u16> = game.moves.iter().map(|made| made.1.0).collect();
        points.sort_unstable();
        points.dedup();
        assert_eq!(points.len(), game.moves.len(), "a move is told twice");
        assert!(points.len() > 50 && points.len() <= 81, "{}", points.len());
    }
}

#[test]
fn random_games_are_mixed_into_values_by_their_share() {
    let request = Request::inner(empty(5, 0.5));
    let ask = |evaluator: &dyn Evaluator<Position>| {
        let requests = std::slice::from_ref(&request);
        evaluator.evaluate(requests).unwrap().remove(0)
    };
    let played = ask(&RolloutEvaluator::new(1, 6)).win_loss;
    assert_eq!(played.abs(), 1.0);
    let mix = RolloutMix::new(Arc::new(UniformEvaluator), 0.0, 6);
    assert_eq!(ask(&mix), ask(&UniformEvaluator));
    let before = mix.fingerprint(false);
    mix.set_share(0.25);
    assert_eq!(ask(&mix).win_loss, 0.25 * played);
    assert_ne!(mix.fingerprint(false), before);
}
