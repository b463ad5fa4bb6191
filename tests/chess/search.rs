//! Alpha-beta against minimax in chess, the effect of the table, reproducible results, reports, the end of pondering.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use keima::games::chess::{ChessPosition, Evaluation, fen};
use keima::minimax::engine::{Engine, Task};
use keima::minimax::limits::MoveTime;
use keima::minimax::perft::perft;
use keima::minimax::plain::{Method, Plain};
use keima::minimax::{
    Control, Found, Limits, MinimaxParams, Position, Report, Score, StaticEval, Wanted,
};

/// Opening, middle games, an end game.
const POSITIONS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "8/pp3pk1/2p3p1/4n2p/4P2P/1P3BP1/P4PK1/8 w - - 0 1",
];

fn engine_value(
    position: &ChessPosition,
    depth: u32,
    params: MinimaxParams,
) -> Found<cozy_chess::Move> {
    let mut engine = Engine::new(Evaluation::default(), 8);
    engine.params = params;
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    engine.search(Task::new(position), &limits, &Control::new(false), |_| ())
}

#[test]
fn alpha_beta_and_engine_return_minimax_value_at_depth_3() {
    let evaluation = Evaluation::default();
    for text in POSITIONS {
        let position = fen::parse(text).unwrap();
        let minimax = Plain::new(&evaluation, Method::Minimax).search(&position, &[], 3);
        for method in [Method::AlphaBeta, Method::OrderedAlphaBeta] {
            let found = Plain::new(&evaluation, method).search(&position, &[], 3);
            assert_eq!(found.score, minimax.score, "{text}");
        }
        for table in [true, false] {
            let params = MinimaxParams {
                table,
                ..MinimaxParams::exact()
            };
            let found = engine_value(&position, 3, params);
            assert_eq!(found.best.unwrap().score, minimax.score, "{text}");
        }
    }
}

#[test]
fn minimax_visits_all_positions() {
    let position = ChessPosition::start();
    let found = Plain::new(&Evaluation::default(), Method::Minimax).search(&position, &[], 3);
    assert_eq!(
        found.nodes,
        (0..=3).map(|depth| perft(&position, depth)).sum::<u64>()
    );
    assert_eq!(found.leaves, perft(&position, 3));
}

#[test]
fn killers_and_history_visit_a_twentieth_of_minimax_nodes() {
    for text in &POSITIONS[..4] {
        let position = fen::parse(text).unwrap();
        let minimax: u64 = (0..=4).map(|depth| perft(&position, depth)).sum();
        let found = engine_value(&position, 4, MinimaxParams::exact());
        assert!(
            found.nodes * 20 <= minimax,
            "{text}: {} of {minimax}",
            found.nodes
        );
    }
}

#[test]
fn table_saves_nodes_and_keeps_the_value() {
    let position = fen::parse(POSITIONS[4]).unwrap();
    let with = engine_value(&position, 5, MinimaxParams::exact());
    let without = engine_value(
        &position,
        5,
        MinimaxParams {
            table: false,
            ..MinimaxParams::exact()
        },
    );
    assert_eq!(with.best.unwrap().score, without.best.unwrap().score);
    assert!(with.nodes < without.nodes);
}

#[test]
fn principal_variations_are_legal() {
    for text in POSITIONS {
        let mut position = fen::parse(text).unwrap();
        let found = engine_value(&position, 7, MinimaxParams::default());
        let moves = found.best.unwrap().moves;
        assert!(moves.len() >= 2, "{text}");
        for mv in moves {
            let mut legal = Vec::new();
            position.moves(Wanted::All, &mut legal);
            assert!(legal.contains(&mv), "{text}: {mv}");
            position.play(mv);
        }
    }
}

#[test]
fn depths_at_which_nothing_was_searched_are_not_reported() {
    let position = ChessPosition::start();
    let search = |limits: Limits| {
        let depths = Mutex::new(Vec::new());
        let mut engine = Engine::new(Evaluation::default(), 8);
        let control = Control::new(false);
        let found = engine.search(Task::new(&position), &limits, &control, |report| {
            if let Report::Variation(found) = report {
                depths.lock().unwrap().push(found.depth);
            }
        });
        (found.nodes, depths.into_inner().unwrap())
    };
    let (nodes, depths) = search(Limits {
        depth: Some(4),
        ..Limits::default()
    });
    assert_eq!(depths.last(), Some(&4));
    let of_nodes = |nodes| Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    // One node of the next depth.
    let (_, depths) = search(of_nodes(nodes + 1));
    assert_eq!(depths.last(), Some(&4), "{depths:?}");
    let (_, depths) = search(of_nodes(1));
    assert_eq!(depths, [0]);
}

/// Says in the middle of a search that the expected move was played.
struct Hitting<'a> {
    control: &'a Control,
    evaluated: AtomicU64,
    evaluation: Evaluation,
}

/// Evaluations before that.
const BEFORE_HIT: u64 = 20_000;

impl StaticEval<ChessPosition> for Hitting<'_> {
    fn evaluate(&self, position: &ChessPosition) -> Score {
        if self.evaluated.fetch_add(1, Ordering::Relaxed) == BEFORE_HIT {
            self.control.ponder_hit();
        }
        self.evaluation.evaluate(position)
    }
}

#[test]
fn the_only_move_is_played_at_once_after_a_ponder_hit() {
    let position = ChessPosition::start();
    let mut legal = Vec::new();
    position.moves(Wanted::All, &mut legal);
    let control = Control::new(true);
    let hitting = Hitting {
        control: &control,
        evaluated: AtomicU64::new(0),
        evaluation: Evaluation::default(),
    };
    let mut engine = Engine::new(hitting, 8);
    let limits = Limits {
        time: Some(MoveTime {
            soft: Some(Duration::from_secs(100)),
            hard: Duration::from_secs(200),
        }),
        ..Limits::default()
    };
    let task = Task {
        allowed: &legal[..1],
        ..Task::new(&position)
    };
    let found = engine.search(task, &limits, &control, |_| ());
    assert_eq!(found.mv(), Some(legal[0]));
    let evaluated = engine.evaluator.evaluated.load(Ordering::Relaxed);
    assert!(evaluated < BEFORE_HIT + 1_000, "{evaluated}");
}
