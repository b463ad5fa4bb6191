//! The evaluation: material, and how the men stand.

use super::board::{Squares, each};
use super::position::DraughtsPosition;
use crate::minimax::{Score, StaticEval};

/// Weights in hundredths of a man, set by hand.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// A king that moves over any distance.
    pub flying_king: Score,
    /// A king that moves a single step.
    pub short_king: Score,
    /// For each row that a man has advanced.
    pub advance: Score,
    /// For a man on the home row, which keeps the other side from crowning.
    pub home_row: Score,
    /// For a man on the middle third of the columns.
    pub center: Score,
    /// For a man whose two squares behind are occupied or the edge.
    pub protected: Score,
    /// For a king on the longest diagonal of a board with 64 squares.
    pub main_diagonal: Score,
}

impl Default for Evaluation {
    fn default() -> Evaluation {
        Evaluation {
            flying_king: 300,
            short_king: 150,
            advance: 2,
            home_row: 6,
            center: 3,
            protected: 2,
            main_diagonal: 10,
        }
    }
}

/// A man.
const MAN: Score = 100;

impl Evaluation {
    /// From White's point of view.
    pub fn white(&self, position: &DraughtsPosition) -> Score {
        self.side(position, true) - self.side(position, false)
    }

    fn side(&self, position: &DraughtsPosition, is_white: bool) -> Score {
        let (own, kings) = (position.pieces(is_white), position.kings());
        let king = match position.variant().flying {
            true => self.flying_king,
            false => self.short_king,
        };
        let men = each(own & !kings).map(|man| self.man(position, man, is_white));
        let crowned = each(own & kings).map(|square| king + self.king_place(position, square));
        men.sum::<Score>() + crowned.sum::<Score>()
    }

    fn man(&self, position: &DraughtsPosition, man: Squares, is_white: bool) -> Score {
        let layout = position.layout();
        let side = u32::from(position.variant().side);
        let (row, column) = (layout.row_of(man), layout.column(man));
        let advanced = if is_white { side - 1 - row } else { row };
        let mut score = MAN + self.advance * advanced as Score;
        if advanced == 0 {
            score += self.home_row;
        }
        if (side / 3..side - side / 3).contains(&column) {
            score += self.center;
        }
        let behind = if is_white { [2, 3] } else { [0, 1] };
        let is_open = |direction| layout.step(man, direction) & position.empty() != 0;
        if advanced > 0 && !behind.into_iter().any(is_open) {
            score += self.protected;
        }
        score
    }

    fn king_place(&self, position: &DraughtsPosition, king: Squares) -> Score {
        let (layout, side) = (position.layout(), u32::from(position.variant().side));
        let is_main = layout.row_of(king) + layout.column(king) == side - 1;
        match side == 8 && is_main {
            true => self.main_diagonal,
            false => 0,
        }
    }
}

impl StaticEval<DraughtsPosition> for Evaluation {
    fn evaluate(&self, position: &DraughtsPosition) -> Score {
        let white = self.white(position);
        match position.white_moves() {
            true => white,
            false => -white,
        }
    }
}
