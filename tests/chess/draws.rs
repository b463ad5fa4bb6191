//! Ends of games: mate, stalemate, fifty moves, dead positions, repetition.

use keima::games::chess::notation::parse_coordinates;
use keima::games::chess::{ChessPosition, Evaluation, fen};
use keima::minimax::engine::{Engine, Task};
use keima::minimax::line::{Line, occurrences};
use keima::minimax::{Control, Limits, Position, Verdict};

fn verdict(fen: &str) -> Option<Verdict> {
    let position = fen::parse(fen).unwrap();
    position.verdict(!position.has_moves())
}

/// Keys of the positions before the last, and the last, of a line of moves.
fn played(fen: &str, moves: &str) -> (Vec<u64>, ChessPosition) {
    let mut position = fen::parse(fen).unwrap();
    let mut history = Vec::new();
    for mv in moves.split_whitespace() {
        history.push(position.key());
        position.play(parse_coordinates(&position, mv, false).unwrap());
    }
    (history, position)
}

fn score(position: &ChessPosition, history: &[u64], depth: u32) -> i32 {
    let task = Task {
        history,
        ..Task::new(position)
    };
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let mut engine = Engine::new(Evaluation::default(), 4);
    let found = engine.search(task, &limits, &Control::new(false), |_| ());
    found.best.unwrap().score
}

#[test]
fn mate_and_stalemate() {
    assert_eq!(
        verdict("7k/6Q1/5K2/8/8/8/8/8 b - - 0 1"),
        Some(Verdict::Lost)
    );
    assert_eq!(
        verdict("7k/5Q2/5K2/8/8/8/8/8 b - - 0 1"),
        Some(Verdict::Drawn)
    );
    assert_eq!(verdict("7k/5Q2/5K2/8/8/8/8/8 w - - 0 1"), None);
}

#[test]
fn fifty_moves_are_a_draw_unless_they_end_in_mate() {
    assert_eq!(
        verdict("7k/4Q3/8/5K2/8/8/8/8 b - - 100 80"),
        Some(Verdict::Drawn)
    );
    assert_eq!(verdict("7k/4Q3/8/5K2/8/8/8/8 b - - 99 80"), None);
    assert_eq!(
        verdict("7k/6Q1/5K2/8/8/8/8/8 b - - 100 80"),
        Some(Verdict::Lost)
    );
}

#[test]
fn dead_positions_are_draws() {
    for fen in [
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KN2 w - - 0 1",
        "4k3/8/8/8/8/8/8/4KB2 w - - 0 1",
        // All bishops on light squares.
        "4k3/8/8/8/8/3b4/2b5/4KB2 w - - 0 1",
    ] {
        assert_eq!(verdict(fen), Some(Verdict::Drawn), "{fen}");
    }
    for fen in [
        "4k3/8/8/8/8/8/8/3NKN2 w - - 0 1",
        "4k3/8/8/8/8/8/8/2b1KB2 b - - 0 1",
        "4kn2/8/8/8/8/8/8/4KN2 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    ] {
        assert_eq!(verdict(fen), None, "{fen}");
    }
}

#[test]
fn key_ignores_en_passant_squares_without_capture() {
    let key = |fen: &str| fen::parse(fen).unwrap().key();
    let plain = key("4k3/8/8/8/4P3/8/8/4K3 b - - 0 1");
    assert_eq!(key("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1"), plain);
    let taken = key("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1");
    assert_ne!(taken, key("4k3/8/8/8/3pP3/8/8/4K3 b - - 0 1"));
    // The capture would leave the king in check.
    let pinned = key("8/8/8/8/k2pP2R/8/8/4K3 b - e3 0 1");
    assert_eq!(pinned, key("8/8/8/8/k2pP2R/8/8/4K3 b - - 0 1"));
}

#[test]
fn losing_side_repeats() {
    // White is a rook down, and checks on e8 and h5 for ever.
    let fen = "6k1/6p1/8/7Q/8/2r5/1q4PP/7K w - - 0 1";
    let (history, position) = played(fen, "");
    let value = score(&position, &history, 8);
    assert_eq!(value, 0);
}

#[test]
fn position_that_occurs_a_third_time_is_a_draw() {
    let fen = "4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1";
    let once = "d2d3 e8f8 d3d2 f8e8";
    for (moves, times) in [(once.to_string(), 2), (format!("{once} {once}"), 3)] {
        let (history, position) = played(fen, &moves);
        let is_repetition =
            Line::new(&history).is_repetition(position.key(), position.reversible());
        assert_eq!(is_repetition, times == 3);
        assert_eq!(occurrences(&history, position.key()), times);
    }
}

#[test]
fn winning_side_avoids_repetition() {
    let fen = "4k3/8/8/8/8/8/3Q4/4K3 w - - 0 1";
    let (history, position) = played(fen, "d2d3 e8f8 d3d2 f8e8 d2d3 e8f8 d3d2 f8f7");
    assert!(score(&position, &history, 6) > 500);
}
