//! How searches are analyzed: point of view, breadth, length of variations.

use std::fmt;
use std::str::FromStr;

use crate::params::{named_setting, parameters};
use crate::search::Side;

/// Who sees the figures of an analysis.
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
    /// What figures of `to_move` are multiplied by.
    pub fn sign(self, to_move: Side) -> f64 {
        match self {
            Perspective::SideToMove => 1.0,
            Perspective::Black => to_move.sign(),
            Perspective::White => -to_move.sign(),
        }
    }
}

impl fmt::Display for Perspective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Perspective::SideToMove => "SIDETOMOVE",
            Perspective::Black => "BLACK",
            Perspective::White => "WHITE",
        })
    }
}

impl FromStr for Perspective {
    type Err = ();

    fn from_str(text: &str) -> Result<Perspective, ()> {
        match text.to_ascii_uppercase().as_str() {
            "SIDETOMOVE" => Ok(Perspective::SideToMove),
            "BLACK" => Ok(Perspective::Black),
            "WHITE" => Ok(Perspective::White),
            _ => Err(()),
        }
    }
}

named_setting!(Perspective);

parameters! {
    /// How searches are analyzed. The names are KataGo's.
    AnalysisParams;

    /// Point of view of analysis output: SIDETOMOVE, BLACK or WHITE.
    perspective as "reportAnalysisWinratesAs": Perspective = Perspective::SideToMove, 0 => 0;
    /// Random bonus on the values of root moves during analysis, which widens it; 0 is off.
    wide_root_noise as "analysisWideRootNoise": f64 = 0.04, 0 => 5;
    /// Longest variation reported, in moves.
    pv_length as "analysisPVLen": u32 = 15, 1 => 1000;
}
