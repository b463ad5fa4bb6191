//! How a move is chosen: a row that can be completed, a win by fours, then a search.

use anyhow::Result;

use super::super::board::Point;
use super::super::notation::point_text;
use super::super::position::GomokuPosition;
use super::super::vcf::{Vcf, solve_until};
use crate::games::chooser::{Chooser, Chosen};
use crate::minimax::{Control, Limits};

/// Most fours tried before a search.
const MOST_FOURS: u64 = 200_000;
/// Share of a move's time for them.
const SHARE_OF_FOURS: u32 = 8;

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
    let time = limits.time.map(|time| time.hard / SHARE_OF_FOURS);
    let is_time =
        || control.is_stopped() || time.is_some_and(|time| control.on_clock() >= Some(time));
    let tried = limits.nodes.unwrap_or(MOST_FOURS).min(MOST_FOURS);
    let mut board = position.board().clone();
    let solved = solve_until(&mut board, position.color(), tried, &is_time);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::board_game::BoardGame;
    use crate::minimax::Engine;

    #[test]
    fn a_win_by_fours_is_not_looked_for_when_it_is_time_to_end() {
        let moves = "j12l12h7m6l7o13m10h8g14k12l13l11k6i8j7g11j6j13g6o12g10g13g9";
        let position = GomokuPosition::read(Some("freestyle-20"), moves).unwrap();
        let mut engine = Engine::new(Default::default(), 1);
        let mut thought = |control: &Control| {
            let limits = Limits {
                nodes: Some(2_000),
                ..Limits::default()
            };
            think(&mut engine, &position, &limits, control).unwrap()
        };
        let control = Control::new(false);
        let remark = thought(&control).remark;
        assert!(remark.starts_with("wins by fours"), "{remark}");
        control.stop();
        let remark = thought(&control).remark;
        assert!(!remark.starts_with("wins by fours"), "{remark}");
    }
}
