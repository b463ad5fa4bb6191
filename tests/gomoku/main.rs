//! Gomoku and renju: rules, wins by fours, notation, game records, search, the Piskvork protocol.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/client.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod client;
mod commands;
#[path = "../common/folders.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod folders;
mod goldens;
#[path = "../common/guarded.rs"]
mod guarded;
mod networks;
mod piskvork;
mod records;
mod rules;
mod search;
mod solver;
#[path = "../common/under_test.rs"]
mod under_test;

use keima::games::gomoku::notation::parse_points;
use keima::games::gomoku::{Color, GomokuPosition, Variant};
use keima::minimax::Position;

fn variant(name: &str) -> Variant {
    Variant::named(Some(name)).unwrap()
}

/// The position after moves.
fn after(name: &str, moves: &str) -> GomokuPosition {
    let variant = variant(name);
    let mut position = GomokuPosition::start(variant);
    for mv in parse_points(variant, moves).unwrap() {
        position.check(mv).unwrap();
        position.play(mv);
    }
    position
}

/// The position with these stones of Black and White.
fn with_stones(name: &str, black: &str, white: &str) -> GomokuPosition {
    let variant = variant(name);
    let stones = [(black, Color::Black), (white, Color::White)].map(|(text, color)| {
        let points = parse_points(variant, text).unwrap();
        points
            .into_iter()
            .map(|point| (point, color))
            .collect::<Vec<_>>()
    });
    GomokuPosition::with_stones(variant, &stones.concat()).unwrap()
}
