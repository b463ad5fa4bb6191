//! The search on Go boards small enough to be solved.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crate::evaluators::{By, by_weights};
use crate::search_player::SearchPlayer;
use anyhow::Result;
use keima::games::go::{code, decode};
use keima::games::rollout::RolloutPolicy;
use keima::games::rollout_evaluator::{RolloutEvaluator, RolloutParams, SensibleEvaluator};
use keima::games::rollout_mix::RolloutMix;
use keima::games::root_bonus::{GoBonus, ending_shares};
use keima::go::{Board, BoardSize, Color, Komi, Move, Position, Rules};
use keima::search::{
    Evaluation, Evaluator, Game, HashEvaluator, Limits, PolicyPlayer, Report, Request, Search,
    SearchParams, Side, UniformEvaluator,
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
    run(Search::new(params), root, evaluator, visits)
}

/// As [`searched`], with bonuses for the root's moves.
fn searched_with(
    root: Position,
    params: SearchParams,
    bonus: GoBonus,
    evaluator: &dyn Evaluator<Position>,
    visits: u64,
) -> Search<Position> {
    let search = Search::new(params).with_root_bonus(Arc::new(bonus));
    run(search, root, evaluator, visits)
}

fn run(
    mut search: Search<Position>,
    root: Position,
    evaluator: &dyn Evaluator<Position>,
    visits: u64,
) -> Search<Position> {
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
        &position,
    );
    let mut random = PolicyPlayer::new(1.0, 5);
    for turn in 0..200 {
        if position.outcome().is_some() {
            break;
        }
        let code = match turn % 2 {
            0 => player.choose().unwrap(),
            _ => random.choose(&SensibleEvaluator, &position).unwrap(),
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

/// Counts the requests to another evaluator.
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
    for mv in moves.split_whitespace() {
        position.try_play(mv.parse().unwrap()).unwrap();
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
    let expected = pattern("Q16 D4 Q4 D16", "C3");
    assert!(expected.is_some());
    assert_eq!(pattern("Q10 D4 K4 D16", "C3"), expected);
    // The move before, the mover, the place, the stones around, and a stone in atari.
    assert_ne!(pattern("Q16 D16 Q4 D4", "C3"), expected);
    assert_ne!(pattern("Q16 D4 Q4 D16 K10 D10", "C3"), expected);
    assert_ne!(pattern("Q16 D4 Q4 D16", "C4"), expected);
    assert_ne!(pattern("Q16 D4 B2 D16", "C3"), expected);
    let free = pattern("A1 K10 Q16 D16", "B2");
    assert_ne!(pattern("A1 A2 Q16 D16", "B2"), free);
    assert_eq!(pattern("Q16 D4", "pass"), None);
    assert_eq!(pattern("", "C3"), None);
    // At the edge the window reaches beyond the board.
    assert_ne!(pattern("Q16 D4", "A1"), pattern("Q16 D4", "T1"));
}

#[test]
fn rave_ranks_untried_moves() {
    let evaluator = RolloutEvaluator::new(1, 4);
    let params = SearchParams::rave();
    // The games of other moves change what is tried.
    let uct = SearchParams::uct();
    let tried = [params, uct].map(|params| {
        let search = searched(empty(9, 7.5), params, &evaluator, 300);
        let report = search.report().unwrap();
        let visits = report.moves.iter().map(|mv| mv.visits);
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
fn rave_trees_are_reused_and_reproducible() {
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
            let mv = search.choose(moves.len()).unwrap();
            Game::play(&mut position, mv);
            search.advance(mv, position.clone());
            moves.push(mv);
        }
        moves
    };
    let moves = play();
    assert!(moves.len() > 8, "{moves:?}");
    assert_eq!(moves, play());
}

#[test]
fn light_rollouts_differ_and_agree_on_settled_points() {
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
        let mut points: Vec<u16> = game.moves.iter().map(|mv| mv.1.0).collect();
        points.sort_unstable();
        points.dedup();
        assert_eq!(points.len(), game.moves.len(), "a move is told twice");
        assert!(points.len() > 50 && points.len() <= 81, "{}", points.len());
    }
}

#[test]
fn rollout_mix_weights_values() {
    let request = Request::inner(empty(5, 0.5));
    let ask = |evaluator: &dyn Evaluator<Position>| {
        let requests = std::slice::from_ref(&request);
        evaluator.evaluate(requests).unwrap().remove(0)
    };
    let played = ask(&RolloutEvaluator::new(1, 6)).win_loss;
    assert_eq!(played.abs(), 1.0);
    let mix = |share| {
        RolloutMix::new(
            Arc::new(UniformEvaluator),
            share,
            RolloutEvaluator::new(1, 6),
        )
    };
    assert_eq!(ask(&mix(0.0)), ask(&UniformEvaluator));
    assert_eq!(ask(&mix(0.25)).win_loss, 0.25 * played);
    assert_ne!(mix(0.25).fingerprint(false), mix(0.0).fingerprint(false));
}

/// Ownership for a side, drawn in rows from the top left (`X`, `O`, or neither).
fn ownership_of(rows: &str, mover: Color) -> Vec<f32> {
    let points = rows.chars().filter(|&c| c != '/');
    points
        .map(|c| match (c, mover) {
            ('X', Color::Black) | ('O', Color::White) => 1.0,
            ('X' | 'O', _) => -1.0,
            _ => 0.0,
        })
        .collect()
}

/// Evaluates all positions alike: this [ownership](ownership_of), and Black a little ahead, with a policy of its own.
fn settled(rows: &'static str, favorite: Move) -> impl Evaluator<Position> {
    By(move |position: &Position| {
        let mover = position.to_move();
        let sign = f32::from(mover.sign());
        Evaluation {
            win_loss: sign * 0.8,
            score_mean: sign * 4.0,
            score_stdev: 6.0,
            lead: sign * 4.0,
            ownership: ownership_of(rows, mover),
            ..by_weights(position, |mv| if mv == favorite { 0.04 } else { 0.03 })
        }
    })
}

fn drawn(text: &str, to_move: Color, rules: Rules) -> Position {
    let board = keima::go::diagram::parse(text).unwrap();
    // Black wins as the board stands.
    Position::from_board(board, to_move, rules, Komi::from_points(-3.5).unwrap())
}

fn play(index: usize) -> Move {
    Move::Play(BoardSize::square(5).point_at(index))
}

/// Both sides are alive, with dame between them.
const NEUTRAL: &str = ".X.O./.X.O./.X.O./.X.O./.X.O.";
const NEUTRAL_OWNERS: &str = "XX.OO/XX.OO/XX.OO/XX.OO/XX.OO";

#[test]
fn ending_penalties_equal_katago() {
    let shares = |text: &str, to_move, rules, ownership: &[f32]| {
        let mut shares: Vec<(Move, f64)> = ending_shares(&drawn(text, to_move, rules), ownership)
            .into_iter()
            .map(|(mv, share)| (decode(mv), share))
            .collect();
        shares.sort_by_key(|(mv, _)| code(*mv));
        shares.iter().map(|(_, share)| *share).collect::<Vec<f64>>()
    };
    let neutral = ownership_of(NEUTRAL_OWNERS, Color::Black);
    // Ten points of the two sides, and the bonus of passing.
    let points = vec![-1.0; 10];
    let chinese = shares(NEUTRAL, Color::Black, Rules::CHINESE, &neutral);
    assert_eq!(chinese, points);
    let button = shares(NEUTRAL, Color::Black, Rules::AGA_BUTTON, &neutral);
    assert_eq!(button, [vec![-0.5], points.clone()].concat());
    let japanese = shares(NEUTRAL, Color::Black, Rules::JAPANESE, &neutral);
    assert_eq!(japanese, [vec![-2.0 / 3.0], points].concat());
    // Doubt takes off, as far as it goes.
    let doubts = [0.949, 0.975, 1.0].map(|certainty: f32| {
        let ownership: Vec<f32> = neutral.iter().map(|owner| owner * certainty).collect();
        shares(NEUTRAL, Color::Black, Rules::CHINESE, &ownership)
    });
    assert!(doubts[0].is_empty() && doubts[2][0] == -1.0);
    assert!(doubts[1].iter().all(|share| (share + 0.5).abs() < 1e-5));
    // To take a stone is never a waste of one's own points, and of the opponent's where area counts.
    let dead = "OX.O./.X.O./XX.O./.X.O./.X.O.";
    for rules in [Rules::CHINESE, Rules::JAPANESE] {
        let position = drawn(dead, Color::Black, rules);
        let found = ending_shares(&position, &neutral);
        assert!(found.iter().all(|(mv, _)| *mv != code(play(5))));
    }
    let theirs = ownership_of("OOOOO/OO.OO/OO.OO/OO.OO/OO.OO", Color::Black);
    let capture = |rules| {
        let position = drawn(dead, Color::Black, rules);
        let found = ending_shares(&position, &theirs);
        found.iter().any(|(mv, _)| *mv == code(play(5)))
    };
    assert!(!capture(Rules::CHINESE) && capture(Rules::JAPANESE));
    // Connecting a chain that is not alive by itself is not pointless.
    let cut = "XX.../...../XX.../...../.....";
    let mine = vec![1.0; 25];
    let found = ending_shares(&drawn(cut, Color::Black, Rules::CHINESE), &mine);
    let has = |index| found.iter().any(|(mv, _)| *mv == code(play(index)));
    assert!(!has(5) && !has(6) && has(7) && has(24));
    // Nor are threats while there is a ko.
    let mut ko = drawn(
        ".XO../XO.O./.XO../...../.....",
        Color::Black,
        Rules::CHINESE,
    );
    assert!(!ending_shares(&ko, &mine).is_empty());
    ko.try_play(play(7)).unwrap();
    assert!(ko.ko().is_some() && ending_shares(&ko, &mine).is_empty());
}

#[test]
fn the_search_leaves_settled_areas_alone() {
    let best = |ending_points, rules, favorite| {
        let bonus = GoBonus {
            ending_points,
            ..GoBonus::default()
        };
        let params = SearchParams {
            temperature: 0.0,
            temperature_early: 0.0,
            ..SearchParams::default()
        };
        let search = searched_with(
            drawn(NEUTRAL, Color::Black, rules),
            params.for_board(25),
            bonus,
            &settled(NEUTRAL_OWNERS, favorite),
            400,
        );
        let chosen = decode(search.choose(0).unwrap());
        assert_eq!(chosen, verdict(&search).1);
        chosen
    };
    let neutral = [2, 7, 12, 17, 22].map(play);
    for (rules, favorite) in [
        (Rules::CHINESE, play(10)),
        (Rules::CHINESE, play(14)),
        (Rules::JAPANESE, play(10)),
        (Rules::JAPANESE, Move::Pass),
    ] {
        assert_eq!(best(0.0, rules, favorite), favorite);
        let mv = best(0.5, rules, favorite);
        assert!(neutral.contains(&mv) || mv == Move::Pass, "{mv}");
        assert_ne!(mv, favorite, "{rules:?}");
    }
}

/// Takes Black for the winner, and likes one move.
fn winner(favorite: Move) -> impl Evaluator<Position> {
    By(move |position: &Position| Evaluation {
        win_loss: 0.99 * f32::from(position.to_move().sign()),
        ..by_weights(position, |mv| if mv == favorite { 0.9 } else { 0.01 })
    })
}

#[test]
fn avoid_repeating_penalises_leader() {
    let simple = Rules::JAPANESE;
    // Never passes while there is another move.
    let restless = By(|position: &Position| {
        by_weights(position, |mv| if mv == Move::Pass { 1e-9 } else { 1.0 })
    });
    let (mut found, mut searches) = (0, 0);
    for seed in 0..50_u64 {
        let size = BoardSize::square(3);
        // Black wins however it ends.
        let mut position = Position::new(size, simple, Komi::from_points(-20.5).unwrap());
        let mut seen = vec![position.situation_key()];
        let mut random = PolicyPlayer::new(1.0, seed);
        while !position.is_over() && position.turn() < 300 {
            let repeats = |mv: &Move| {
                let mut after = position.clone();
                after.play(*mv);
                mv.point().is_some() && seen.contains(&after.situation_key())
            };
            for mv in position.legal_moves() {
                assert_eq!(position.repeats_position(mv), repeats(&mv), "{mv}");
            }
            let repeating = position.legal_moves().find(repeats);
            if let Some(mv) = repeating {
                found += 1;
                let mut after = position.clone();
                after.play(mv);
                if position.to_move() == Color::Black && !after.is_over() && searches < 5 {
                    let best = |avoid_repeating| {
                        let bonus = GoBonus {
                            avoid_repeating,
                            ..GoBonus::default()
                        };
                        let params = SearchParams::default();
                        let search =
                            searched_with(position.clone(), params, bonus, &winner(mv), 20);
                        verdict(&search).1
                    };
                    // Where the search does not see a third time coming.
                    if best(0.0) == mv {
                        searches += 1;
                        assert_ne!(best(1.0), mv);
                    }
                }
            }
            let mv = decode(random.choose(&restless, &position).unwrap());
            if mv == Move::Pass {
                // Nothing counts that was before a pass.
                seen.clear();
            }
            position.play(mv);
            seen.push(position.situation_key());
        }
    }
    assert!(found > 20 && searches == 5, "{found} {searches}");
}
