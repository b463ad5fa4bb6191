//! Who won after two passes.
//!
//! Each contestant's view of the dead stones is scored by the referee; without such a list the
//! contestant's own score counts as its view. Then, in this order:
//!
//! 1. under rules by which all stones on the board live (Tromp-Taylor): as the board stands;
//! 2. equal views: that score;
//! 3. views with the same winner: the loser's figure, which nobody has reason to exaggerate;
//! 4. only one view: that one;
//! 5. no view, or different winners: as the board stands, all stones alive. Who disagrees with
//!    the opponent about life and death should capture.
//!
//! All but the first two are marked, so that a person can look at the game.

use super::contestant::Opinion;
use crate::go::{Color, PerColor, PointSet};

/// What the result of a counted game rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Basis {
    /// The rules leave no stones to agree on.
    Board,
    /// Both views give this score.
    Agreed,
    /// Both views have this winner, but not the same score.
    WinnerAgreed,
    /// Only this player had a view.
    OnlyViewOf(Color),
    /// Nobody had a view.
    NoViews,
    /// The views have different winners.
    Disputed,
}

impl Basis {
    /// What a report should say; none if nothing is unusual.
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

/// The points Black leads by and what they rest on. `score` is the referee's count of the board
/// with these stones dead, for Black; `has_agreement` tells whether the rules let the players
/// agree on dead stones.
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
