//! The board of a session.

use anyhow::{Context, Result, bail};

use super::super::board::Point;
use super::super::notation::{in_turn, numbers, point_at};
use super::super::position::GomokuPosition;
use super::super::rule::{Color, Rule, Variant};
use crate::minimax::Position;

/// A board with the moves that have led to it.
pub(super) struct Game {
    pub position: GomokuPosition,
    pub moves: Vec<Point>,
}

impl Game {
    /// A position whose moves are not known.
    pub fn new(position: GomokuPosition) -> Game {
        Game {
            moves: in_turn(&position),
            position,
        }
    }

    /// Plays a legal move.
    pub fn play(&mut self, point: Point) {
        self.moves.push(point);
        self.position.play(point);
    }

    /// The board of lines `x,y,whose`: own stones have 1, the opponent's 2. It is our turn; our color follows from the
    /// numbers.
    pub fn listed(variant: Variant, lines: &[String]) -> Result<Game> {
        let mut stones = Vec::new();
        for line in lines {
            let [x, y, whose] = numbers(line)?;
            let point =
                point_at(variant, x, y).with_context(|| format!("'{line}' is beyond the board"))?;
            match whose {
                1 | 2 => stones.push((point, whose == 1)),
                _ => bail!("'{line}': 1 is an own stone, 2 one of the opponent"),
            }
        }
        let own = stones.iter().filter(|(_, is_own)| *is_own).count();
        let color = match stones.len() - own {
            others if others == own => Color::Black,
            others if others == own + 1 => Color::White,
            others => {
                bail!("there are {own} own stones and {others} of the opponent: it is not our turn")
            }
        };
        let colored: Vec<(Point, Color)> = stones
            .into_iter()
            .map(|(point, is_own)| (point, if is_own { color } else { color.other() }))
            .collect();
        Ok(Game::new(GomokuPosition::with_stones(variant, &colored)?))
    }

    /// Changes the rule and tells whether it was another. An error if the stones are impossible under the new one.
    pub fn follow(&mut self, rule: Rule) -> Result<bool> {
        let variant = self.position.variant();
        if rule == variant.rule {
            return Ok(false);
        }
        let stones: Vec<(Point, Color)> = self.position.board().placed().collect();
        self.position = GomokuPosition::with_stones(Variant { rule, ..variant }, &stones)?;
        Ok(true)
    }

    /// Takes back the last move, and tells whether that was the point's.
    pub fn undo(&mut self, point: Point) -> bool {
        let position = &mut self.position;
        let is_last = self.moves.last() == Some(&point)
            && position.board().at(point) == Some(position.color().other());
        if is_last {
            position.undo(point);
            self.moves.pop();
        }
        is_last
    }
}
