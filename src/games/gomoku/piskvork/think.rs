//! How a move is chosen: a row that can be completed, a win by fours, then the alpha-beta search.

use super::super::board::Point;
use super::super::evaluate::Evaluation;
use super::super::notation::point_text;
use super::super::position::GomokuPosition;
use super::super::vcf::{Vcf, solve};
use crate::minimax::engine::{Engine, Task};
use crate::minimax::score::plies_to_end;
use crate::minimax::{Control, Limits, Score};

/// Most fours tried before a search.
const MOST_FOURS: u64 = 200_000;
/// Fours tried for each millisecond of a move.
const FOURS_PER_MILLISECOND: u64 = 100;

/// A move with what is known of it.
#[derive(Clone, Debug)]
pub struct Thought {
    /// The move; none if there is no legal one.
    pub mv: Option<Point>,
    /// Value from the side to move, in hundredths.
    pub score: Score,
    /// In words.
    pub remark: String,
}

/// Chooses a move.
pub fn think(
    engine: &mut Engine<Evaluation>,
    position: &GomokuPosition,
    limits: &Limits,
    control: &Control,
) -> Thought {
    if let Some(point) = position.five(position.color()) {
        return Thought {
            mv: Some(point),
            score: 25_000,
            remark: "completes a row".to_owned(),
        };
    }
    let by_time = limits
        .time
        .map(|time| time.hard.as_millis() as u64 * FOURS_PER_MILLISECOND);
    let tried = by_time
        .or(limits.nodes)
        .unwrap_or(MOST_FOURS)
        .min(MOST_FOURS);
    let solved = solve(&mut position.board().clone(), position.color(), tried);
    let text = |moves: &[Point]| {
        let words = moves
            .iter()
            .map(|&point| point_text(position.variant(), point));
        words.collect::<Vec<_>>().join(" ")
    };
    if let Vcf::Won(line) = &solved.answer {
        return Thought {
            mv: line.first().copied(),
            score: 24_000,
            remark: format!("wins by fours: {}", text(line)),
        };
    }
    let found = engine.search(Task::new(position), limits, control, |_| ());
    let Some(best) = &found.best else {
        return Thought {
            mv: None,
            score: 0,
            remark: String::new(),
        };
    };
    let value = match plies_to_end(best.score) {
        Some(plies) if plies > 0 => format!("won in {plies} plies"),
        Some(plies) => format!("lost in {} plies", -plies),
        None => format!("score {}", best.score),
    };
    Thought {
        mv: found.mv(),
        score: best.score,
        remark: format!(
            "depth {} {value} nodes {} {}",
            best.depth,
            found.nodes,
            text(&best.moves)
        ),
    }
}
