//! How searches are analyzed: point of view, breadth, length of variations.

use crate::games::go::decode;
use crate::go::Move;
use crate::params::{named_choices, parameters};
use crate::search::{Errors, MoveReport, Side};

/// Whose point of view an analysis is told from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Perspective {
    /// Whoever is to move where the search begins.
    SideToMove,
    /// Always Black.
    Black,
    /// Always White.
    White,
}

impl Perspective {
    /// The point of view on a report in which `to_move` is to move.
    pub fn of(self, to_move: Side) -> PointOfView {
        PointOfView(match self {
            Perspective::SideToMove => 1.0,
            Perspective::Black => to_move.sign(),
            Perspective::White => -to_move.sign(),
        })
    }
}

/// Converts values of a report, which are seen by the side to move, to those of somebody who may be
/// the opponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointOfView(f64);

impl PointOfView {
    /// A utility, a number of points, or an owner.
    pub fn value(self, value: impl Into<f64>) -> f64 {
        self.0 * value.into()
    }

    /// The win rate from 0 to 1, draws counting half.
    pub fn winrate(self, win_loss: f64) -> f64 {
        0.5 * (1.0 + self.0 * win_loss)
    }
}

/// The expected error of a win rate, which is on half the scale of [`Errors::win_loss`].
pub fn winrate_error(errors: &Errors) -> f64 {
    0.5 * f64::from(errors.win_loss)
}

/// The moves of a variation up to where both sides have passed.
pub fn shown_variation(mv: &MoveReport) -> Vec<Move> {
    let mut moves: Vec<Move> = mv.pv.iter().map(|&code| decode(code)).collect();
    if let Some(end) = moves.windows(2).position(|pair| pair == [Move::Pass; 2]) {
        moves.truncate(end + 2);
    }
    moves
}

named_choices!(Perspective by eq_ignore_ascii_case {
    SideToMove = "SIDETOMOVE",
    Black = "BLACK" | "B",
    White = "WHITE" | "W",
});

parameters! {
    /// How searches are analyzed. The names are KataGo's.
    AnalysisParams;

    /// Point of view of analysis output: SIDETOMOVE, BLACK or WHITE.
    perspective as "reportAnalysisWinratesAs": Perspective = Perspective::SideToMove, 0 => 0;
    /// Random bonus on the values of root moves during analysis, which widens it; 0 is off.
    wide_root_noise as "analysisWideRootNoise": f64 = 0.04, 0 => 5;
    /// Whether an analysis over GTP does not tell the network the moves before the position, as
    /// `ignorePreRootHistory` has it for all searches.
    ignore_pre_root_history as "analysisIgnorePreRootHistory": bool = true, 0 => 0;
    /// Longest variation reported, in moves.
    pv_length as "analysisPVLen": u32 = 15, 1 => 1000;
}
