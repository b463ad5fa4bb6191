//! How a move is chosen: a row that can be completed, a win by fours, then a search.

use anyhow::Result;

use super::super::board::Point;
use super::super::notation::point_text;
use super::super::position::GomokuPosition;
use super::super::vcf::{Vcf, solve};
use crate::games::chooser::{Chooser, Chosen};
use crate::minimax::{Control, Limits};

/// Most fours tried before a search.
const MOST_FOURS: u64 = 200_000;
/// Fours tried for each millisecond of a move.
const FOURS_PER_MILLISECOND: u64 = 100;

/// A move with what is known of it.
pub type Thought = Chosen<Point>;

/// Chooses a move.
pub fn think(
    chooser: &mut dyn Chooser<GomokuPosition>,
    position: &GomokuPosition,
    limits: &Limits,
    control: &Control,
) -> Result<Thought> {
    if let Some(point) = position.five(position.color()) {
        return Ok(Thought {
            mv: Some(point),
            score: 25_000,
            remark: "completes a row".to_owned(),
        });
    }
    let by_time = limits
        .time
        .map(|time| time.hard.as_millis() as u64 * FOURS_PER_MILLISECOND);
    let tried = by_time
        .or(limits.nodes)
        .unwrap_or(MOST_FOURS)
        .min(MOST_FOURS);
    let solved = solve(&mut position.board().clone(), position.color(), tried);
    if let Vcf::Won(line) = &solved.answer {
        let words = line
            .iter()
            .map(|&point| point_text(position.variant(), point));
        return Ok(Thought {
            mv: line.first().copied(),
            score: 24_000,
            remark: format!("wins by fours: {}", words.collect::<Vec<_>>().join(" ")),
        });
    }
    chooser.choose(position, &[], limits, control)
}
