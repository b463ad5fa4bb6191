//! Swap2: the first player puts three stones; the other takes a color, or puts two more and lets the first
//! choose.

use anyhow::{Context, Result};

use super::super::board::Point;
use super::super::notation::{pair_text, point_at};
use super::super::position::GomokuPosition;
use super::super::rule::Variant;
use super::think::Thought;

/// Three stones around the center, Black, White and Black: the search finds neither side better under the freestyle
/// rule (keima's own, with 150,000 nodes).
const OPENINGS: [[(isize, isize); 3]; 6] = [
    [(1, -2), (-1, -3), (0, 3)],
    [(-2, 2), (3, 1), (2, -1)],
    [(-3, 1), (-1, -2), (2, 0)],
    [(-3, -3), (-1, -1), (3, -2)],
    [(3, 0), (-2, 3), (-3, 0)],
    [(0, -2), (-2, -3), (2, 1)],
];

/// The three stones of the first player; another opening for each number as far as there are some.
pub fn opening(variant: Variant, number: usize) -> Result<String> {
    let place = |&(dx, dy): &(isize, isize)| {
        let x = (variant.width / 2).checked_add_signed(dx)?;
        let y = (variant.height / 2).checked_add_signed(dy)?;
        Some(pair_text(variant, point_at(variant, x, y)?))
    };
    let stones: Option<Vec<String>> = OPENINGS[number % OPENINGS.len()]
        .iter()
        .map(place)
        .collect();
    let stones = stones.context("the board is too small for an opening")?;
    Ok(stones.join(" "))
}

/// Takes the better side: White, who is to move, by a move; Black by `SWAP`.
pub fn answer(position: &GomokuPosition, thought: &Thought) -> Option<(String, Option<Point>)> {
    let point = thought.mv?;
    let text = match thought.score {
        ..0 => "SWAP".to_owned(),
        _ => pair_text(position.variant(), point),
    };
    Some((text, None))
}
