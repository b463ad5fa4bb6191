//! Draughts: rules of all variants, notation, game records, search.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "../common/client.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod client;
mod commands;
mod draws;
mod dxp;
mod endings;
#[path = "../common/guarded.rs"]
mod guarded;
mod hub;
mod perft;
mod records;
mod rules;
mod search;
#[path = "../common/under_test.rs"]
mod under_test;

use keima::games::draughts::notation::parse_position;
use keima::games::draughts::{DraughtsPosition, Variant};

/// The initial position of a variant, or one in its notation.
fn position(variant: &str, text: &str) -> DraughtsPosition {
    let variant = Variant::named(Some(variant)).unwrap();
    match text {
        "start" => DraughtsPosition::start(variant),
        _ => parse_position(variant, text).unwrap(),
    }
}
