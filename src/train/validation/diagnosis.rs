//! Diagnosis of errors: large groups, and wrong winners in spite of a right score.

use serde_json::{Value, json};

use super::chains::ChainCounts;
use super::sums::impl_add_assign;
use crate::go::Position;

/// Sums of ownership closer than this, in points, count as the same score.
const SAME_SCORE: f64 = 2.0;

/// A prediction of ownership and its target. Ownership is by point, from -1 to 1, 1 for the player
/// to move.
pub(super) struct Case<'a> {
    pub position: &'a Position,
    /// Predicted ownership.
    pub ownership: &'a [f64],
    /// The label's ownership.
    pub known: &'a [f64],
    /// Whether the label is a teacher's expectation, not the result of one game.
    pub is_expectation: bool,
    /// Absolute error of win less loss.
    pub value_error: f64,
}

/// Diagnosis of late positions and of all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Diagnosis {
    /// Of the late stage.
    pub late: Mistakes,
    /// Of all stages.
    pub all: Mistakes,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mistakes {
    pub chains: ChainCounts,
    /// Positions where predicted and labelled score agree within 2 points.
    pub same_score: ValueErrors,
    /// Other positions.
    pub other_score: ValueErrors,
}

/// Sums over positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueErrors {
    /// Number of positions.
    pub positions: u64,
    /// Sum of the errors of win less loss.
    error: f64,
}

impl Diagnosis {
    pub(super) fn add(&mut self, case: &Case, is_late: bool) {
        self.all.add(case);
        if is_late {
            self.late.add(case);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.positions() == 0
    }

    /// Statistics by name, for each stage.
    pub(super) fn to_json(self) -> Value {
        json!({"late": self.late.to_json(), "all": self.all.to_json()})
    }
}

impl Mistakes {
    fn add(&mut self, case: &Case) {
        self.chains.add(case);
        // Komi and bonuses cancel, and a point that changes hands counts two, with a stone on it or
        // without, by area and by territory scoring.
        let pairs = case.ownership.iter().zip(case.known);
        let difference: f64 = pairs.map(|(own, known)| own - known).sum();
        let metrics = match difference.abs() <= SAME_SCORE {
            true => &mut self.same_score,
            false => &mut self.other_score,
        };
        metrics.positions += 1;
        metrics.error += case.value_error;
    }

    fn positions(&self) -> u64 {
        self.same_score.positions + self.other_score.positions
    }

    /// Fraction of positions with the same score (`true`) or another; none without positions.
    pub fn share_of_positions(&self, is_same: bool) -> Option<f64> {
        let positions = self.of_score(is_same).positions as f64;
        (self.positions() > 0).then(|| positions / self.positions() as f64)
    }

    /// Fraction of the total error; none without error.
    pub fn share_of_error(&self, is_same: bool) -> Option<f64> {
        let all = self.same_score.error + self.other_score.error;
        (all > 0.0).then(|| self.of_score(is_same).error / all)
    }

    /// Sums for the same score (`true`) or another.
    pub fn of_score(&self, is_same: bool) -> &ValueErrors {
        match is_same {
            true => &self.same_score,
            false => &self.other_score,
        }
    }

    fn to_json(self) -> Value {
        let value_error = |is_same: bool| {
            json!({
                "positions": self.of_score(is_same).positions,
                "share_of_positions": self.share_of_positions(is_same),
                "error": self.of_score(is_same).mean(),
                "share_of_error": self.share_of_error(is_same),
            })
        };
        let mut values = self.chains.to_json();
        let by_score = json!({"same": value_error(true), "other": value_error(false)});
        values.insert("value_error_by_score".to_owned(), by_score);
        values.into()
    }
}

impl ValueErrors {
    /// Mean error of win less loss, from 0 to 2; none without positions.
    pub fn mean(&self) -> Option<f64> {
        (self.positions > 0).then(|| self.error / self.positions as f64)
    }
}

impl_add_assign!(Diagnosis: late, all);

impl_add_assign!(Mistakes: chains, same_score, other_score);

impl_add_assign!(ValueErrors: positions, error);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{BoardSize, Komi, Rules};

    /// Cases on an empty 3x3 board: labelled ownership, predicted ownership, and error.
    fn diagnosed(cases: &[(f64, f64, f64)]) -> Mistakes {
        let size = BoardSize::square(3);
        let position = Position::new(size, Rules::CHINESE, Komi::default());
        let mut mistakes = Mistakes::default();
        for &(known, owner, value_error) in cases {
            mistakes.add(&Case {
                position: &position,
                ownership: &[owner; 9],
                known: &[known; 9],
                is_expectation: true,
                value_error,
            });
        }
        mistakes
    }

    #[test]
    fn errors_are_split_by_whether_the_score_is_known() {
        // 9 points times 0.2 are within 2 points, times 0.3 are not.
        let mistakes = diagnosed(&[
            (0.5, 0.7, 0.1),
            (0.5, 0.3, 0.3),
            (0.5, 0.5, 0.2),
            (0.5, 0.2, 1.8),
        ]);
        let near = |found: Option<f64>, expected: f64| (found.unwrap() - expected).abs() < 1e-9;
        assert_eq!(mistakes.same_score.positions, 3);
        assert_eq!(mistakes.share_of_positions(true), Some(0.75));
        assert!(near(mistakes.same_score.mean(), 0.2));
        assert!(near(mistakes.other_score.mean(), 1.8));
        assert!(near(mistakes.share_of_error(true), 0.25));
        assert!(near(mistakes.share_of_error(false), 0.75));
    }

    #[test]
    fn nothing_has_no_shares() {
        let mistakes = diagnosed(&[]);
        assert_eq!(mistakes.share_of_positions(true), None);
        assert_eq!(mistakes.share_of_error(false), None);
        assert_eq!(mistakes.same_score.mean(), None);
        assert!(Diagnosis::default().is_empty());
    }

    #[test]
    fn late_positions_count_in_both_columns() {
        let size = BoardSize::square(3);
        let position = Position::new(size, Rules::CHINESE, Komi::default());
        let mut diagnosis = Diagnosis::default();
        for is_late in [true, false] {
            let case = Case {
                position: &position,
                ownership: &[0.0; 9],
                known: &[0.0; 9],
                is_expectation: true,
                value_error: 0.5,
            };
            diagnosis.add(&case, is_late);
        }
        assert_eq!(diagnosis.late.positions(), 1);
        assert_eq!(diagnosis.all.positions(), 2);
    }
}
