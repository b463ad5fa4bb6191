//! The signature of the gomoku search: nodes of searches to a fixed depth with one thread.

use super::evaluate::Evaluation;
use super::notation::parse_position;
use super::rule::Variant;
use crate::games::board_game;

/// Depth in plies.
const DEPTH: u32 = 6;

/// Positions with their variants.
const POSITIONS: [(&str, &str); 6] = [
    ("freestyle-15", ""),
    ("freestyle-15", "h8i9h9h10i10"),
    ("standard-20", "k10l11k12j11m10k9"),
    ("renju-15", "h8h9j10i7j9i9k8"),
    ("caro-19", "j10k11j12k10k12"),
    ("freestyle-15", "h8g9i9i10j10g7k11h7g8"),
];

/// Searches all positions, tells `note` the nodes of each, returns their sum.
pub fn signature(note: impl FnMut(&str, u64)) -> u64 {
    let positions = POSITIONS.iter().filter_map(|(name, text)| {
        let variant = Variant::named(Some(name)).ok()?;
        Some((
            format!("{name} {text}"),
            parse_position(variant, text).ok()?,
        ))
    });
    board_game::signature(DEPTH, Evaluation::default, positions, note)
}
