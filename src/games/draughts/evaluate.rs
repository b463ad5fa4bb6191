//! The evaluation: material, and how the men stand.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::board::Squares;
use super::position::DraughtsPosition;
use crate::minimax::{Score, StaticEval};

/// Weights in hundredths of a man, set by hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evaluation {
    /// A king that moves over any distance.
    pub flying_king: Score,
    /// A king that moves a single step.
    pub short_king: Score,
    /// For each row that a man has advanced.
    pub advance: Score,
    /// For a man on the home row, which keeps the other side from crowning.
    pub home_row: Score,
    /// For a man in the middle columns.
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

/// Largest weight, so that no sum of them is taken for a win.
const LARGEST: i64 = 1_000;

/// A man.
const MAN: Score = 100;

impl Evaluation {
    /// Reads weights by name from a JSON object. Those that are missing keep their start values.
    pub fn from_json(text: &str) -> Result<Evaluation> {
        let weights: Evaluation =
            serde_json::from_str(text).context("weights are a JSON object of whole numbers")?;
        let all = serde_json::to_value(&weights)?;
        let numbers = all.as_object().into_iter().flatten();
        let mut too_large = numbers.filter(|(_, value)| {
            let number = value.as_i64().unwrap_or(i64::MAX);
            !(-LARGEST..=LARGEST).contains(&number)
        });
        match too_large.next() {
            Some((name, value)) => {
                bail!("'{name}' is {value}; weights are -{LARGEST} to {LARGEST}")
            }
            None => Ok(weights),
        }
    }

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
        let diagonal = match position.variant().side {
            8 => position.layout().main_diagonal,
            _ => 0,
        };
        let kings = own & kings;
        self.men(position, own & !kings, is_white)
            + king * count(kings)
            + self.main_diagonal * count(kings & diagonal)
    }

    fn men(&self, position: &DraughtsPosition, men: Squares, is_white: bool) -> Score {
        let (layout, side) = (position.layout(), u32::from(position.variant().side));
        let row = |advanced| match is_white {
            true => layout.row(side - 1 - advanced),
            false => layout.row(advanced),
        };
        let advanced = (1..side).map(|advanced| advanced as Score * count(men & row(advanced)));
        // A square is open from behind where a step from an empty one leads to it.
        let ahead = if is_white { [0, 1] } else { [2, 3] };
        let open = ahead.map(|direction| layout.step(position.empty(), direction));
        let protected = men & !(open[0] | open[1] | row(0));
        MAN * count(men)
            + self.advance * advanced.sum::<Score>()
            + self.home_row * count(men & row(0))
            + self.center * count(men & layout.center)
            + self.protected * count(protected)
    }
}

fn count(squares: Squares) -> Score {
    squares.count_ones() as Score
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
