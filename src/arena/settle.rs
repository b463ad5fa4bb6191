//! Scoring after two passes.
//!
//! Each contestant's view of the dead stones is scored by the referee; without a list of dead
//! stones the contestant's own score is its view. Then, in this order:
//!
//! 1. under rules without dead stones (Tromp-Taylor): the score of the board as it stands;
//! 2. equal views: that score;
//! 3. views with the same winner: the loser's score, which is surely not exaggerated;
//! 4. only one view: that one;
//! 5. no view, or different winners: the board as it stands, all stones alive. A player who
//!    disagrees about life and death should capture.
//!
//! All but the first two are marked for inspection.

use super::contestant::Opinion;
use crate::go::{Color, PerColor, PointSet};

/// How the score of a game was determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The rules have no agreement on dead stones.
    Board,
    Agreed,
    /// Both views have this winner, but different scores.
    WinnerAgreed,
    /// Only this player had a view.
    OnlyViewOf(Color),
    /// No player had a view.
    NoViews,
    /// The views have different winners.
    Disputed,
}

impl Basis {
    /// Remark for reports; none in ordinary cases.
    pub fn remark(self) -> Option<&'static str> {
        match self {
            Basis::Board | Basis::Agreed => None,
            Basis::WinnerAgreed => Some("margin disputed"),
            Basis::OnlyViewOf(Color::Black) => Some("scored by Black alone"),
            Basis::OnlyViewOf(Color::White) => Some("scored by White alone"),
            Basis::NoViews => Some("scored as the board stands"),
            Basis::Disputed => Some("winner disputed, scored as the board stands"),
        }
    }
}

/// Black's lead in points and how it was determined. `score` is the referee's score for Black with
/// these stones dead; `has_agreement` is whether the rules let the players agree on dead stones.
pub fn settle(
    views: &PerColor<Opinion>,
    has_agreement: bool,
    score: impl Fn(&PointSet) -> f32,
) -> (f32, Basis) {
    let as_it_stands = || score(&PointSet::EMPTY);
    if !has_agreement {
        return (as_it_stands(), Basis::Board);
    }
    let lead = |color: Color| {
        views[color]
            .dead
            .as_ref()
            .map(&score)
            .or(views[color].lead_black)
    };
    match (lead(Color::Black), lead(Color::White)) {
        (Some(blacks), Some(whites)) if blacks == whites => (blacks, Basis::Agreed),
        (Some(blacks), Some(whites)) if blacks > 0.0 && whites > 0.0 => {
            (whites, Basis::WinnerAgreed)
        }
        (Some(blacks), Some(whites)) if blacks < 0.0 && whites < 0.0 => {
            (blacks, Basis::WinnerAgreed)
        }
        (Some(_), Some(_)) => (as_it_stands(), Basis::Disputed),
        (Some(blacks), None) => (blacks, Basis::OnlyViewOf(Color::Black)),
        (None, Some(whites)) => (whites, Basis::OnlyViewOf(Color::White)),
        (None, None) => (as_it_stands(), Basis::NoViews),
    }
}
