//! Which symmetries of a position a network evaluates.

use std::fmt;
use std::str::FromStr;

use crate::go::Symmetry;

/// The symmetry of the board that the network evaluates. Written `random`, `average`, `none`, or the number of
/// a symmetry, of which 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymmetryChoice {
    /// One that depends on the position and a seed: the same position always gets the same.
    Random,
    /// All eight, averaged: eight times the work.
    Average,
    /// Always the same.
    Fixed(Symmetry),
}

impl fmt::Display for SymmetryChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SymmetryChoice::Random => f.write_str("random"),
            SymmetryChoice::Average => f.write_str("average"),
            SymmetryChoice::Fixed(Symmetry::IDENTITY) => f.write_str("none"),
            SymmetryChoice::Fixed(symmetry) => write!(f, "{}", symmetry.number()),
        }
    }
}

impl FromStr for SymmetryChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<SymmetryChoice, String> {
        match text {
            "random" => Ok(SymmetryChoice::Random),
            "average" => Ok(SymmetryChoice::Average),
            "none" => Ok(SymmetryChoice::Fixed(Symmetry::IDENTITY)),
            number => number
                .parse()
                .ok()
                .and_then(Symmetry::new)
                .map(SymmetryChoice::Fixed)
                .ok_or_else(|| "not random, average, none, or a number from 0 to 7".to_owned()),
        }
    }
}
