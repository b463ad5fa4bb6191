//! The signature of the draughts search: nodes of searches to a fixed depth with one thread.

use super::evaluate::Evaluation;
use super::notation::parse_position;
use super::position::DraughtsPosition;
use super::variant::{VARIANTS, Variant};
use crate::games::board_game;

/// Depth in plies.
const DEPTH: u32 = 9;

/// Middle games and endings besides the initial position of each variant.
const POSITIONS: [(&str, &str); 4] = [
    (
        "international",
        "W:W25,27,28,30,32,33,34,35,37,38:B12,13,14,16,18,19,21,23,24,26",
    ),
    ("russian", "W:WK1,22,23,26:BK32,7,10,11"),
    ("czech", "W:W5,6,7,8:B25,26,27,28"),
    ("english", "B:W22,25,26,29,30,31:B1,3,4,6,10,11"),
];

/// Searches all positions, tells `note` the nodes of each, returns their sum.
pub fn signature(note: impl FnMut(&str, u64)) -> u64 {
    let starts = VARIANTS
        .iter()
        .map(|variant| (variant.name.to_owned(), DraughtsPosition::start(variant)));
    let others = POSITIONS.iter().filter_map(|(name, text)| {
        let variant = Variant::named(Some(name)).ok()?;
        Some(((*text).to_owned(), parse_position(variant, text).ok()?))
    });
    board_game::signature(DEPTH, Evaluation::default, starts.chain(others), note)
}
