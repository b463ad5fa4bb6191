//! The same values by alpha-beta with whole histories, without anything that could go wrong.

use super::Superko;
use super::board::{Board, Geometry};
use crate::go::Color;

/// Black's lead, by a search without depth limit, memory or pass-alive stones; none if that takes more positions.
pub(super) fn value(
    geometry: &Geometry,
    board: &Board,
    superko: Superko,
    nodes: u32,
) -> Option<i32> {
    let area = geometry.area() as i32;
    let mut run = Run {
        geometry,
        superko,
        history: Vec::new(),
        nodes,
    };
    let id = run.id(board);
    run.history.push(id);
    run.search(board, -area, area)
}

struct Run<'a> {
    geometry: &'a Geometry,
    superko: Superko,
    history: Vec<(u64, Option<Color>)>,
    nodes: u32,
}

impl Run<'_> {
    fn id(&self, board: &Board) -> (u64, Option<Color>) {
        let turn = (self.superko == Superko::Situational).then_some(board.to_move);
        (board.stones_key(), turn)
    }

    fn search(&mut self, board: &Board, mut low: i32, mut high: i32) -> Option<i32> {
        self.nodes = self.nodes.checked_sub(1)?;
        let is_black = board.to_move == Color::Black;
        let lead = board.area_lead(self.geometry);
        // Passes first: they make games short.
        let mut children = vec![(!board.has_passed).then(|| board.passed())];
        let taken = board.stones[Color::Black] | board.stones[Color::White];
        for point in (0..self.geometry.area()).filter(|point| taken >> point & 1 == 0) {
            children.extend(board.played(self.geometry, point).map(Some));
        }
        let mut best = if is_black { i32::MIN } else { i32::MAX };
        for child in children {
            let score = match child {
                None => lead,
                Some(child) => {
                    let id = self.id(&child);
                    if !child.has_passed && self.history.contains(&id) {
                        continue;
                    }
                    self.history.push(id);
                    let score = self.search(&child, low, high)?;
                    self.history.pop();
                    score
                }
            };
            if is_black {
                best = best.max(score);
                low = low.max(best);
            } else {
                best = best.min(score);
                high = high.min(best);
            }
            if low >= high {
                break;
            }
        }
        Some(best)
    }
}
