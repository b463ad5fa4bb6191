//! Draughts: rules of all variants, notation, game records, search.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod commands;
#[path = "../common/mod.rs"]
mod common;
mod draws;
mod dxp;
mod endings;
mod hub;
mod perft;
mod records;
mod rules;
mod search;

use keima::games::draughts::notation::parse_position;
use keima::games::draughts::{DraughtsPosition, Variant};

use common::{client, guarded, under_test};

/// The initial position of a variant, or one in its notation.
fn position(variant: &str, text: &str) -> DraughtsPosition {
    let variant = Variant::named(Some(variant)).unwrap();
    match text {
        "start" => DraughtsPosition::start(variant),
        _ => parse_position(variant, text).unwrap(),
    }
}
