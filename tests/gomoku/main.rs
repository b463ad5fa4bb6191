//! Gomoku and renju: rules, wins by fours, notation, game records, search, the Piskvork protocol.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod commands;
#[path = "../common/mod.rs"]
mod common;
mod goldens;
mod networks;
mod piskvork;
mod records;
mod rules;
mod search;
mod solver;

use keima::games::gomoku::notation::parse_points;
use keima::games::gomoku::{Color, GomokuPosition, Variant};
use keima::minimax::Position;

use common::{client, folders, skipped};

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
