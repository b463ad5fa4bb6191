//! Positions with a known best move. Facts: moves and lengths of mates are those of other engines
//! at length; several are in the public suite "Win at Chess".

use keima::games::chess::notation::algebraic;
use keima::games::chess::{Evaluation, fen};
use keima::minimax::engine::{Engine, Task};
use keima::minimax::score::plies_to_end;
use keima::minimax::{Control, Found, Limits, Position};

fn search(fen: &str, limits: &Limits) -> (String, Option<i32>) {
    let position = fen::parse(fen).unwrap();
    let mut engine = Engine::new(Evaluation::default(), 16);
    let found: Found<_> = engine.search(Task::new(&position), limits, &Control::new(false), |_| ());
    let best = found.best.unwrap();
    let plies = plies_to_end(best.score);
    (algebraic(&position, best.moves[0]), plies)
}

/// FEN, best move, length of the mate in moves of the winner.
const MATES: [(&str, &str, i32); 7] = [
    ("7k/5Q2/5K2/8/8/8/8/8 w - - 0 1", "Qg7#", 1),
    (
        "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1",
        "Qg6",
        2,
    ),
    (
        "r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1",
        "Qxh7+",
        2,
    ),
    (
        "5k2/6pp/p1qN4/1p1p4/3P4/2PKP2Q/PP3r2/3R4 b - - 0 1",
        "Qc4+",
        2,
    ),
    (
        "4k1r1/2p3r1/1pR1p3/3pP2p/3P2qP/P4N2/1PQ4P/5R1K b - - 0 1",
        "Qxf3+",
        2,
    ),
    (
        "r2rb1k1/pp1q1p1p/2n1p1p1/2bp4/5P2/PP1BPR1Q/1BPN2PP/R5K1 w - - 0 1",
        "Qxh7+",
        4,
    ),
    (
        "3q1rk1/p4pp1/2pb3p/3p4/6Pr/1PNQ4/P1PB1PP1/4RRK1 b - - 0 1",
        "Bh2+",
        5,
    ),
];

#[test]
fn mates_have_their_exact_length() {
    for (fen, mv, length) in MATES {
        let limits = Limits {
            nodes: Some(2_000_000),
            win_within: Some(2 * length as u32 - 1),
            ..Limits::default()
        };
        let found = search(fen, &limits);
        assert_eq!(found, (mv.to_string(), Some(2 * length - 1)), "{fen}");
    }
}

/// FEN, best move.
const WINS: [(&str, &str); 8] = [
    (
        "r4q1k/p2bR1rp/2p2Q1N/5p2/5p2/2P5/PP3PPP/R5K1 w - - 0 1",
        "Rf7",
    ),
    (
        "5rk1/1ppb3p/p1pb4/6q1/3P1p1r/2P1R2P/PP1BQ1P1/5RKN w - - 0 1",
        "Rg3",
    ),
    ("7k/p7/1R5K/6r1/6p1/6P1/8/8 w - - 0 1", "Rb7"),
    (
        "rnbqkb1r/pppp1ppp/8/4P3/6n1/7P/PPPNPPP1/R1BQKBNR b KQkq - 0 1",
        "Ne3",
    ),
    (
        "2br2k1/2q3rn/p2NppQ1/2p1P3/Pp5R/4P3/1P3PPP/3R2K1 w - - 0 1",
        "Rxh7",
    ),
    (
        "r1b1kb1r/3q1ppp/pBp1pn2/8/Np3P2/5B2/PPP3PP/R2Q1RK1 w kq - 0 1",
        "Bxc6",
    ),
    ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", "Kb1"),
    ("8/8/p1p5/1p5p/1P5p/8/PPP2K1p/4R1rk w - - 0 1", "Rf1"),
];

#[test]
fn winning_moves_are_found() {
    let limits = Limits {
        nodes: Some(1_500_000),
        ..Limits::default()
    };
    for (fen, mv) in WINS {
        assert_eq!(search(fen, &limits).0, mv, "{fen}");
    }
}

#[test]
fn won_endings_are_mated() {
    // Two rooks: six moves with best play.
    for (fen, most) in [
        ("8/8/8/3k4/8/8/R7/K6R w - - 0 1", 20),
        ("8/8/8/3k4/8/8/7Q/K7 w - - 0 1", 24),
        ("8/8/8/3k4/8/8/8/K6R w - - 0 1", 50),
    ] {
        let mut position = fen::parse(fen).unwrap();
        let mut engine = Engine::new(Evaluation::default(), 8);
        let mut history = Vec::new();
        let limits = Limits {
            nodes: Some(30_000),
            ..Limits::default()
        };
        while position.has_moves() {
            assert!(history.len() <= most && !position.is_dead(), "{fen}");
            let task = Task {
                history: &history,
                ..Task::new(&position)
            };
            let found = engine.search(task, &limits, &Control::new(false), |_| ());
            history.push(position.key());
            position.play(found.mv().unwrap());
        }
        assert!(position.is_check(), "{fen}");
    }
}
