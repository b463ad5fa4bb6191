//! The search against games small enough to know everything about.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::drawn::Drawn;
use crate::in_time::in_time;
use crate::search_player::SearchPlayer;
use crate::tictactoe::TicTacToe;
use anyhow::{Result, bail};
use keima::params::Parameters;
use keima::search::evaluator::Evaluation;
use keima::search::{
    Detail, Errors, Evaluator, Game, HashEvaluator, Limits, MoveCode, PolicyPlayer, Progress,
    Report, Request, Search, SearchParams, Side, UniformEvaluator, value_move,
};

fn drawn(text: &str) -> Drawn {
    Drawn::parse(text)
}

fn never() -> AtomicBool {
    AtomicBool::new(false)
}

/// A search of `root` that has made `visits` visits and left a valid tree.
fn searched<G: Game>(
    root: G,
    params: SearchParams,
    evaluator: &dyn Evaluator<G>,
    visits: u64,
) -> Search<G> {
    let mut search = Search::new(params);
    search.set_root(root);
    search
        .run(evaluator, &Limits::visits(visits), &never())
        .unwrap();
    search.validate().unwrap();
    search
}

fn report<G: Game>(search: &Search<G>) -> Report {
    search.report().unwrap()
}

fn cold(params: SearchParams) -> SearchParams {
    SearchParams {
        temperature: 0.0,
        temperature_early: 0.0,
        ..params
    }
}

fn all_presets() -> [SearchParams; 4] {
    [
        cold(SearchParams::default()),
        SearchParams::plain(),
        SearchParams::alphazero(),
        SearchParams::uct(),
    ]
}

#[test]
fn first_visits_follow_the_prior_and_count_exactly() {
    let search = searched(drawn("(AB)"), SearchParams::plain(), &UniformEvaluator, 3);
    let report = report(&search);
    // The own evaluation is 0; the first move wins (+1), so it is chosen again: (0 + 1 + 1) / 3.
    assert_eq!(report.visits, 3);
    assert_eq!(report.moves.len(), 1);
    assert_eq!(report.moves[0].code, MoveCode(0));
    assert_eq!(report.moves[0].edge_visits, 2);
    assert_eq!(report.moves[0].win_loss, 1.0);
    assert!((report.win_loss - 2.0 / 3.0).abs() < 1e-12);
}

#[test]
fn values_negate_with_side_to_move() {
    // The only first move leads to a choice of the second player, who wins by its second move.
    let search = searched(
        drawn("((AB))"),
        SearchParams::plain(),
        &UniformEvaluator,
        101,
    );
    let report = report(&search);
    assert!(report.win_loss < -0.9, "{report:?}");
    assert_eq!(report.moves[0].pv, [MoveCode(0), MoveCode(1)]);
    assert_eq!(report.to_move, Side::First);
}

#[test]
fn best_play_is_found_in_drawn_trees() {
    let trees = [
        "(AB)",
        "(BA)",
        "(DB)",
        "((AB)(AA))",
        "((AB)(AD)(BB))",
        "(((AB)(BB))((AA)(AB)B))",
        "((((A(BA)B)D)A)((B(AD))(DDA)))",
    ];
    for tree in trees {
        for params in all_presets() {
            let root = drawn(tree);
            let search = searched(root.clone(), params, &UniformEvaluator, 4000);
            let value = root.minimax();
            assert!(
                (report(&search).win_loss as f32 - value).abs() < 0.1,
                "{tree} {params:?}"
            );
            let mut next = root.clone();
            next.play(search.choose(0).unwrap());
            assert_eq!(next.minimax(), value, "{tree} {params:?}");
        }
    }
}

#[test]
fn a_proven_loss_is_not_chosen_where_a_draw_is_proven() {
    let params = SearchParams {
        proves: true,
        ..SearchParams::plain()
    };
    // The first move loses, the second one draws.
    let root = drawn("((B)D)");
    for root in [root.swapped(), root] {
        let report = report(&searched(root, params, &UniformEvaluator, 100));
        assert!(report.visits < 100, "nothing is proven: {report:?}");
        let values = report.moves.iter().map(|mv| (mv.code, mv.selection_value));
        let values: Vec<(MoveCode, f64)> = values.collect();
        assert_eq!((values[0].0, values[1]), (MoveCode(1), (MoveCode(0), 0.0)));
        assert!(values[0].1 > 0.0);
    }
    // Where all moves lose, they keep their visits.
    let report = report(&searched(drawn("(BB)"), params, &UniformEvaluator, 100));
    assert!(report.moves.iter().all(|mv| mv.selection_value > 0.0));
}

#[test]
fn swapped_sides_give_the_mirrored_search() {
    let root = drawn("((A(BA)(DA(AB)))(B(AD)((AB)A)((BA)B)))");
    for params in all_presets() {
        let here = report(&searched(root.clone(), params, &HashEvaluator, 500));
        let there = report(&searched(root.swapped(), params, &HashEvaluator, 500));
        assert_eq!(there.to_move, Side::Second);
        assert_eq!(
            Report {
                to_move: Side::First,
                ..there
            },
            here
        );
    }
}

#[test]
fn one_thread_gives_one_answer() {
    for batch_size in [1, 5] {
        let params = SearchParams {
            batch_size,
            noise_weight: 0.25,
            ..SearchParams::default()
        };
        let first = searched(TicTacToe::default(), params, &HashEvaluator, 700);
        let second = searched(TicTacToe::default(), params, &HashEvaluator, 700);
        assert_eq!(report(&first), report(&second));
        assert_eq!(first.choose(3), second.choose(3));
    }
}

#[test]
fn tictactoe_is_a_draw() {
    for params in [cold(SearchParams::default()), SearchParams::plain()] {
        let search = searched(TicTacToe::default(), params, &UniformEvaluator, 20_000);
        assert!(
            report(&search).win_loss.abs() < 0.1,
            "{}",
            report(&search).win_loss
        );
        let mut position = TicTacToe::default();
        let (evaluator, limits) = (Arc::new(UniformEvaluator), Limits::visits(3000));
        let mut player = SearchPlayer::new(evaluator, params, limits, &position);
        while position.outcome().is_none() {
            let code = player.choose().unwrap();
            position.play(code);
            player.played(code, &position);
        }
        assert_eq!(position.outcome().unwrap().win_loss, 0.0, "{position:?}");
    }
}

#[test]
fn tactical_wins_are_found_by_any_number_of_threads() {
    // X wins at once by 2; and must stop O at 5.
    let winning = TicTacToe::from_moves(&[0, 3, 1, 4]);
    // X to move must block 5 (O holds 3 and 4) and cannot win at once.
    let blocking = TicTacToe::from_moves(&[0, 4, 8, 3]);
    for threads in [1, 2, 8] {
        for batch_size in [1, 4] {
            let params = SearchParams {
                threads,
                batch_size,
                ..cold(SearchParams::default())
            };
            let search = searched(winning.clone(), params, &UniformEvaluator, 200);
            assert_eq!(search.choose(0), Some(MoveCode(2)), "{threads} threads");
            assert_eq!(report(&search).visits, 200);
            let search = searched(blocking.clone(), params, &UniformEvaluator, 600);
            assert_eq!(search.choose(0), Some(MoveCode(5)), "{threads} threads");
        }
    }
}

#[test]
fn search_with_many_collisions_ends() {
    let narrow = format!("{}A{}", "(".repeat(60), ")".repeat(60));
    let params = SearchParams {
        threads: 16,
        batch_size: 64,
        ..SearchParams::default()
    };
    for _ in 0..20 {
        let search = searched(drawn(&narrow), params, &HashEvaluator, 2000);
        assert_eq!(report(&search).visits, 2000);
    }
    let search = searched(
        TicTacToe::default(),
        params,
        &Slow(Duration::from_micros(50)),
        3000,
    );
    assert_eq!(report(&search).visits, 3000);
}

/// Longer than anything takes that ends.
const A_MINUTE: Duration = Duration::from_secs(60);

/// Takes its time and knows nothing.
struct Slow(Duration);

impl<G: Game> Evaluator<G> for Slow {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        std::thread::sleep(self.0);
        HashEvaluator.evaluate(requests)
    }
}

/// Two threads, one of which does not get its first answer before the other has made 100 playouts more,
/// or none for a while.
#[test]
fn workers_wait_for_slow_evaluation() {
    struct OneStalls {
        asked: AtomicUsize,
        most_ahead: AtomicUsize,
    }
    impl Evaluator<TicTacToe> for OneStalls {
        fn evaluate(&self, requests: &[Request<TicTacToe>]) -> Result<Vec<Evaluation>> {
            let number = self.asked.fetch_add(1, Ordering::SeqCst);
            if number == 50 {
                let mut known = 0;
                for _ in 0..20 {
                    std::thread::sleep(Duration::from_millis(10));
                    known = self.asked.load(Ordering::SeqCst) - number - 1;
                    if known >= 100 {
                        break;
                    }
                }
                self.most_ahead.store(known, Ordering::SeqCst);
            }
            HashEvaluator.evaluate(requests)
        }
    }
    let evaluator = OneStalls {
        asked: AtomicUsize::new(0),
        most_ahead: AtomicUsize::new(usize::MAX),
    };
    let params = SearchParams {
        threads: 2,
        ..SearchParams::default()
    };
    let search = searched(TicTacToe::default(), params, &evaluator, 1000);
    assert_eq!(report(&search).visits, 1000);
    // As many as there are threads, and 2.4 times as many.
    let ahead = evaluator.most_ahead.into_inner();
    assert!(ahead <= 6, "{ahead}");
}

#[test]
fn limits_are_kept() {
    let mut search = Search::new(SearchParams {
        threads: 4,
        ..SearchParams::default()
    });
    search.set_root(TicTacToe::default());
    search
        .run(&HashEvaluator, &Limits::playouts(50), &never())
        .unwrap();
    assert_eq!(report(&search).visits, 51);
    search
        .run(&HashEvaluator, &Limits::playouts(50), &never())
        .unwrap();
    assert_eq!(
        (report(&search).visits, report(&search).playouts),
        (101, 50)
    );
    search
        .run(&HashEvaluator, &Limits::visits(80), &never())
        .unwrap();
    assert_eq!((report(&search).visits, report(&search).playouts), (101, 0));
    let begun = Instant::now();
    let limits = Limits::time(Duration::from_millis(30));
    search
        .run(&Slow(Duration::from_millis(1)), &limits, &never())
        .unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(30));
    assert!(begun.elapsed() < A_MINUTE);
    search
        .run(&HashEvaluator, &Limits::default(), &AtomicBool::new(true))
        .unwrap();
    assert_eq!(report(&search).playouts, 0);
    search.validate().unwrap();
}

#[test]
fn no_time_still_gives_a_move() {
    let mut search = Search::new(SearchParams::default());
    search.set_root(TicTacToe::default());
    assert_eq!(search.choose(0), None);
    search
        .run(&HashEvaluator, &Limits::time(Duration::ZERO), &never())
        .unwrap();
    assert!(report(&search).visits >= 2);
    assert!(search.choose(0).is_some());
    search.set_root(TicTacToe::default());
    search
        .run(
            &HashEvaluator,
            &Limits::time(Duration::MAX),
            &AtomicBool::new(true),
        )
        .unwrap();
    assert!(search.choose(0).is_some(), "the policy will do");
}

#[test]
fn another_thread_can_stop_a_search() {
    in_time(|| {
        let stop = never();
        let mut search = Search::new(SearchParams {
            threads: 3,
            ..SearchParams::default()
        });
        search.set_root(TicTacToe::default());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                stop.store(true, Ordering::Relaxed);
            });
            search
                .run(&Slow(Duration::from_millis(1)), &Limits::default(), &stop)
                .unwrap();
        });
        search.validate().unwrap();
    });
}

#[test]
fn a_full_memory_ends_the_search() {
    let params = SearchParams {
        max_tree_bytes: 100_000,
        ..SearchParams::default()
    };
    let mut search = Search::new(params);
    search.set_root(TicTacToe::default());
    search
        .run(&HashEvaluator, &Limits::default(), &never())
        .unwrap();
    assert!(
        (100..5000).contains(&report(&search).visits),
        "{}",
        report(&search).visits
    );
}

#[test]
fn the_tree_is_kept_between_moves() {
    let mut search = searched(
        TicTacToe::default(),
        SearchParams::default(),
        &HashEvaluator,
        500,
    );
    let best = report(&search).best().unwrap().clone();
    let mut position = TicTacToe::default();
    position.play(best.code);
    search.advance(best.code, position.clone());
    search.validate().unwrap();
    assert_eq!(report(&search).visits, best.visits);
    search
        .run(&HashEvaluator, &Limits::visits(600), &never())
        .unwrap();
    search.validate().unwrap();
    assert_eq!(report(&search).visits, 600);
    assert_eq!(report(&search).playouts, 600 - u64::from(best.visits));
    // A move the search has never tried starts anew.
    let mut search = searched(
        TicTacToe::default(),
        SearchParams::default(),
        &HashEvaluator,
        2,
    );
    let untried = (0..9)
        .map(MoveCode)
        .find(|&code| code != report(&search).moves[0].code);
    let mut position = TicTacToe::default();
    position.play(untried.unwrap());
    search.advance(untried.unwrap(), position);
    assert_eq!(search.report(), None);
}

#[test]
fn excluded_moves_are_neither_searched_nor_chosen() {
    let winning = TicTacToe::from_moves(&[0, 3, 1, 4]);
    let mut search = searched(
        winning,
        cold(SearchParams::default()),
        &UniformEvaluator,
        200,
    );
    search.exclude(&[MoveCode(2)]);
    assert_ne!(search.choose(0), Some(MoveCode(2)));
    for _ in 0..2 {
        search
            .run(&UniformEvaluator, &Limits::playouts(200), &never())
            .unwrap();
        search.validate().unwrap();
        let report = report(&search);
        assert!(report.moves.iter().all(|m| m.code != MoveCode(2)));
        assert_eq!(
            search.choose(0),
            Some(MoveCode(5)),
            "the second best move blocks"
        );
    }
    search.exclude(&[]);
    search
        .run(&UniformEvaluator, &Limits::playouts(400), &never())
        .unwrap();
    assert_eq!(search.choose(0), Some(MoveCode(2)));
    search.exclude(&(0..9).map(MoveCode).collect::<Vec<_>>());
    assert!(
        search
            .run(&UniformEvaluator, &Limits::playouts(9), &never())
            .is_err()
    );
    assert_eq!(search.choose(0), None);
}

#[test]
fn root_noise_changes_the_search_and_nothing_else() {
    let quiet = SearchParams {
        noise_weight: 0.0,
        ..SearchParams::default()
    };
    let noisy = SearchParams {
        noise_weight: 0.25,
        noise_concentration: 1.0,
        ..quiet
    };
    let priors = |params| -> HashMap<MoveCode, f32> {
        let search = searched(TicTacToe::default(), params, &HashEvaluator, 3000);
        report(&search)
            .moves
            .iter()
            .map(|m| (m.code, m.prior))
            .collect()
    };
    let (quiet, loud) = (priors(quiet), priors(noisy));
    assert_ne!(quiet, loud);
    assert_ne!(loud, priors(SearchParams { seed: 1, ..noisy }));
    assert_eq!(loud.len(), 9);
    assert!((loud.values().sum::<f32>() - 1.0).abs() < 1e-5);
    assert!(
        loud.iter()
            .all(|(code, prior)| *prior >= 0.75 * quiet[code] - 1e-6)
    );
}

#[test]
fn temperature_spreads_the_choice() {
    let warm = SearchParams {
        temperature_early: 1.0,
        temperature: 0.0,
        ..SearchParams::default()
    };
    let chosen = |turn: usize| -> usize {
        let mut codes: Vec<MoveCode> = (0..20)
            .map(|seed| SearchParams { seed, ..warm })
            .map(|params| searched(TicTacToe::default(), params, &UniformEvaluator, 300))
            .map(|search| search.choose(turn).unwrap())
            .collect();
        codes.sort();
        codes.dedup();
        codes.len()
    };
    assert!(chosen(0) > 3);
    assert_eq!(chosen(100_000), 1);
}

#[test]
fn moves_without_prior_are_left_alone_by_uct() {
    /// Gives the middle point all the prior, or none to any.
    struct Fixed(f32);
    impl Evaluator<TicTacToe> for Fixed {
        fn evaluate(&self, requests: &[Request<TicTacToe>]) -> Result<Vec<Evaluation>> {
            let mut moves = Vec::new();
            Ok(requests
                .iter()
                .map(|request| {
                    request.position.legal_moves(&mut moves);
                    let prior = |m: &MoveCode| if m.0 == 4 { self.0 } else { 0.0 };
                    let policy = moves.iter().map(prior).collect();
                    Evaluation {
                        policy,
                        ..Evaluation::default()
                    }
                })
                .collect())
        }
    }
    let search = searched(TicTacToe::default(), SearchParams::uct(), &Fixed(1.0), 500);
    assert_eq!(report(&search).moves.len(), 1);
    let search = searched(TicTacToe::default(), SearchParams::uct(), &Fixed(0.0), 500);
    assert_eq!(report(&search).moves.len(), 9);
}

#[test]
fn evaluator_errors_are_returned_and_tree_stays_valid() {
    /// Fails from the given call on.
    struct Failing(AtomicUsize);
    impl Evaluator<TicTacToe> for Failing {
        fn evaluate(&self, requests: &[Request<TicTacToe>]) -> Result<Vec<Evaluation>> {
            let left = self
                .0
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
            if left.is_err() {
                bail!("out of order");
            }
            HashEvaluator.evaluate(requests)
        }
    }
    let mut search = Search::new(SearchParams {
        threads: 4,
        ..SearchParams::default()
    });
    search.set_root(TicTacToe::default());
    let failing = Failing(AtomicUsize::new(100));
    let error = search
        .run(&failing, &Limits::visits(1000), &never())
        .unwrap_err();
    assert_eq!(error.to_string(), "out of order");
    search.validate().unwrap();
    search
        .run(&HashEvaluator, &Limits::visits(1000), &never())
        .unwrap();
    search.validate().unwrap();
    assert_eq!(report(&search).visits, 1000);
}

#[test]
fn malformed_evaluations_are_errors() {
    struct Odd(Evaluation);
    impl Evaluator<TicTacToe> for Odd {
        fn evaluate(&self, requests: &[Request<TicTacToe>]) -> Result<Vec<Evaluation>> {
            Ok(vec![self.0.clone(); requests.len()])
        }
    }
    let good = Evaluation {
        policy: vec![0.1; 9],
        ..Evaluation::default()
    };
    let bad = [
        Evaluation {
            policy: vec![0.1; 8],
            ..good.clone()
        },
        Evaluation {
            policy: vec![f32::NAN; 9],
            ..good.clone()
        },
        Evaluation {
            win_loss: f32::NAN,
            ..good.clone()
        },
        Evaluation {
            win_loss: 2.0,
            ..good.clone()
        },
        Evaluation {
            score_mean: f32::INFINITY,
            ..good
        },
    ];
    for evaluation in bad {
        let mut search = Search::new(SearchParams::default());
        search.set_root(TicTacToe::default());
        assert!(
            search
                .run(&Odd(evaluation), &Limits::visits(1), &never())
                .is_err()
        );
    }
    let mut search: Search<TicTacToe> = Search::new(SearchParams::default());
    assert!(
        search
            .run(&HashEvaluator, &Limits::visits(1), &never())
            .is_err(),
        "no root"
    );
    search.set_root(TicTacToe::from_moves(&[0, 3, 1, 4, 2]));
    assert!(
        search
            .run(&HashEvaluator, &Limits::visits(1), &never())
            .is_err(),
        "game over"
    );
}

#[test]
fn a_panic_in_one_thread_ends_all() {
    struct Panicking(AtomicUsize);
    impl Evaluator<TicTacToe> for Panicking {
        fn evaluate(&self, requests: &[Request<TicTacToe>]) -> Result<Vec<Evaluation>> {
            assert!(self.0.fetch_add(1, Ordering::SeqCst) != 100, "for the test");
            HashEvaluator.evaluate(requests)
        }
    }
    let mut search = Search::new(SearchParams {
        threads: 8,
        ..SearchParams::default()
    });
    search.set_root(TicTacToe::default());
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        search.run(
            &Panicking(AtomicUsize::new(0)),
            &Limits::default(),
            &never(),
        )
    }));
    assert!(result.is_err());
    assert_eq!(search.report(), None);
}

#[test]
fn progress_is_reported() {
    let mut reports: Vec<Report> = Vec::new();
    let stop = never();
    let mut search = Search::new(SearchParams {
        threads: 2,
        ..SearchParams::default()
    });
    search.set_root(TicTacToe::default());
    let mut sink = |report| {
        reports.push(report);
        stop.store(reports.len() > 2, Ordering::Relaxed);
    };
    let progress = Progress {
        first: Duration::from_millis(2),
        interval: Duration::from_millis(5),
        detail: Detail::default(),
        sink: &mut sink,
    };
    // Without reports it would never be stopped.
    let limits = Limits::time(A_MINUTE);
    search
        .run_reporting(
            &Slow(Duration::from_millis(1)),
            &limits,
            &stop,
            Some(progress),
        )
        .unwrap();
    assert!(reports.len() > 2, "{}", reports.len());
    assert!(reports.is_sorted_by_key(|report| report.visits));
}

#[test]
fn score_decides_between_won_games() {
    /// Every move wins; each by as many points as its code.
    #[derive(Clone, Debug)]
    struct Greedy(Option<u16>);
    impl Game for Greedy {
        fn to_move(&self) -> Side {
            Side::First
        }
        fn legal_moves(&self, moves: &mut Vec<MoveCode>) {
            moves.clear();
            moves.extend((1..=9).map(MoveCode));
        }
        fn play(&mut self, code: MoveCode) {
            self.0 = Some(code.0);
        }
        fn outcome(&self) -> Option<keima::search::Outcome> {
            self.0.map(|score| keima::search::Outcome {
                win_loss: 1.0,
                score: f32::from(score),
                no_result: false,
            })
        }
        fn key(&self) -> u128 {
            0
        }
    }
    let params = SearchParams {
        score_scale: 3.0,
        ..cold(SearchParams::default())
    };
    let search = searched(Greedy(None), params, &UniformEvaluator, 2000);
    assert_eq!(search.choose(0), Some(MoveCode(9)));
    let best = report(&search).moves[0].clone();
    assert_eq!(
        (best.score_mean, best.lead, best.score_stdev),
        (9.0, 9.0, 0.5)
    );
    assert!(best.utility > 1.0 && best.utility < params.max_utility());
}

#[test]
fn simple_players_choose_what_they_should() {
    let position = TicTacToe::from_moves(&[0, 3, 1, 4]);
    let value = |position: &TicTacToe| value_move(&UniformEvaluator, position).unwrap();
    assert_eq!(value(&position), MoveCode(2), "wins at once");
    // The second player sees the results with the other sign.
    let position = TicTacToe::from_moves(&[0, 3, 8, 4, 7]);
    assert_eq!(value(&position), MoveCode(5));
    // Values of unfinished children are the opponent's.
    let root = drawn("((AA)(BB)(AB))");
    struct Knowing;
    impl Evaluator<Drawn> for Knowing {
        fn evaluate(&self, requests: &[Request<Drawn>]) -> Result<Vec<Evaluation>> {
            assert_eq!(requests.len(), 3, "one batch of all the children");
            let value =
                |r: &Request<Drawn>| r.position.to_move().sign() as f32 * r.position.minimax();
            Ok(requests
                .iter()
                .map(|r| Evaluation {
                    win_loss: value(r),
                    ..Evaluation::default()
                })
                .collect())
        }
    }
    assert_eq!(value_move(&Knowing, &root).unwrap(), MoveCode(0));
    let root = drawn("((BB)(AB)(AA))");
    assert_eq!(value_move(&Knowing, &root).unwrap(), MoveCode(2));
    let mut random = PolicyPlayer::new(1.0, 7);
    let mut seen: Vec<MoveCode> = (0..200)
        .map(|_| {
            random
                .choose(&UniformEvaluator, &TicTacToe::default())
                .unwrap()
        })
        .collect();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 9);
    let mut first = PolicyPlayer::new(0.0, 7);
    let mut choose = |position: &TicTacToe| first.choose(&UniformEvaluator, position);
    assert_eq!(choose(&position).unwrap(), MoveCode(1));
    assert!(choose(&TicTacToe::from_moves(&[0, 3, 1, 4, 2])).is_err());
}

#[test]
fn players_beat_each_other_as_expected() {
    let uct = SearchParams::uct();
    let mut points = 0.0;
    for seed in 0..20 {
        let (evaluator, limits) = (Arc::new(UniformEvaluator), Limits::visits(400));
        let mut position = TicTacToe::default();
        let mut strong = SearchPlayer::new(evaluator, uct, limits, &position);
        let mut weak = PolicyPlayer::new(1.0, seed);
        let strong_side = if seed % 2 == 0 {
            Side::First
        } else {
            Side::Second
        };
        while position.outcome().is_none() {
            let code = if position.to_move() == strong_side {
                strong.choose().unwrap()
            } else {
                weak.choose(&UniformEvaluator, &position).unwrap()
            };
            position.play(code);
            strong.played(code, &position);
        }
        points += strong_side.sign() * f64::from(position.outcome().unwrap().win_loss);
    }
    assert!(points >= 14.0, "{points} of 20");
}

#[test]
fn root_requests_are_marked() {
    struct Watching(Mutex<Vec<bool>>);
    impl Evaluator<TicTacToe> for Watching {
        fn evaluate(&self, requests: &[Request<TicTacToe>]) -> Result<Vec<Evaluation>> {
            self.0
                .lock()
                .unwrap()
                .extend(requests.iter().map(|r| r.is_root));
            HashEvaluator.evaluate(requests)
        }
    }
    let watching = Watching(Mutex::default());
    let mut search = searched(TicTacToe::default(), SearchParams::default(), &watching, 50);
    let best = report(&search).best().unwrap().code;
    let mut position = TicTacToe::default();
    position.play(best);
    search.advance(best, position);
    search
        .run(&watching, &Limits::playouts(5), &never())
        .unwrap();
    let asked = watching.0.lock().unwrap().clone();
    assert!(asked[0]);
    assert_eq!(asked.iter().filter(|is_root| **is_root).count(), 2);
}

#[test]
fn parameters_are_set_by_name() {
    let mut params = SearchParams::default();
    params.set("cpuctExploration", " 2.5 ").unwrap();
    params.set("rule", "ucb1").unwrap();
    params.set("numSearchThreads", "4").unwrap();
    params.set("fpuFromParent", "false").unwrap();
    assert_eq!(
        (params.cpuct, params.threads, params.fpu_from_parent),
        (2.5, 4, false)
    );
    for (name, text) in [
        ("cpuctExploration", "-1"),
        ("cpuctExploration", "NaN"),
        ("numSearchThreads", "0"),
        ("rule", "x"),
    ] {
        assert!(params.set(name, text).is_err(), "{name} {text}");
    }
    assert!(params.set("cpucd", "1").is_err());
    let mut copy = SearchParams::plain();
    for entry in params.list() {
        assert!(!entry.meaning.is_empty());
        copy.set(entry.name, &entry.value).unwrap();
    }
    assert_eq!(copy, params);
}

#[test]
fn wide_noise_looks_at_more_moves_and_repeats_itself() {
    let tried = |wide_root_noise| {
        let params = SearchParams {
            wide_root_noise,
            ..SearchParams::default()
        };
        let search = searched(TicTacToe::default(), params, &HashEvaluator, 40);
        let moves = report(&search).moves;
        moves
            .iter()
            .map(|mv| (mv.code, mv.edge_visits))
            .collect::<Vec<_>>()
    };
    assert!(tried(1.0).len() > tried(0.0).len());
    assert_eq!(tried(1.0), tried(1.0));
}

#[test]
fn every_new_term_changes_the_search() {
    let figures = |params| {
        let search = searched(TicTacToe::default(), params, &Hesitant, 300);
        let report = report(&search);
        let moves = report.moves.iter();
        (
            report.utility,
            moves.map(|mv| mv.selection_value).collect::<Vec<_>>(),
        )
    };
    let defaults = figures(SearchParams::default());
    for (name, value) in [
        ("uncertaintyCoeff", "0"),
        ("uncertaintyMaxWeight", "2"),
        ("noisePruneUtilityScale", "0"),
        ("valueWeightExponent", "0"),
        ("lcbStdevs", "0"),
        ("choiceTrim", "false"),
    ] {
        let mut params = SearchParams::default();
        params.set(name, value).unwrap();
        assert_ne!(figures(params), defaults, "{name}");
    }
}

/// Makes up evaluations, and how sure it is of them.
struct Hesitant;

impl<G: Game> Evaluator<G> for Hesitant {
    fn evaluate(&self, requests: &[Request<G>]) -> Result<Vec<Evaluation>> {
        let mut answers = HashEvaluator.evaluate(requests)?;
        for (request, answer) in requests.iter().zip(&mut answers) {
            answer.errors = Some(Errors {
                win_loss: (request.position.key() % 7) as f32 / 10.0,
                score: 0.0,
                time_left: 0.0,
            });
        }
        Ok(answers)
    }
}
