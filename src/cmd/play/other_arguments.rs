//! Options of games other than Go in the terminal.

use clap::{Args, ValueEnum, value_parser};

use crate::cmd::completed;
use crate::search::game::Side;

/// Options of games other than Go.
#[derive(Args)]
pub struct BoardGameArguments {
    /// Variant of the game, such as czech draughts or renju-15
    #[arg(long, value_name = "NAME", value_parser = completed::variant(), hide_possible_values = true)]
    pub variant: Option<String>,

    /// Your side; by default the first
    #[arg(long = "as", value_enum)]
    pub side: Option<Seat>,

    /// Position to begin with, in the game's notation (FEN)
    #[arg(long, value_name = "FEN", conflicts_with = "load")]
    pub position: Option<String>,

    /// Nodes the engine searches for a move, by default 300000; for a network visits, by default 1000
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    pub nodes: Option<u64>,

    /// Who plays against you and gives hints: alphabeta, or in gomoku net (by default), as in 'net model=FILE'; in
    /// backgammon net, linear or random, with settings, by default 'net depth=2'
    #[arg(long, value_name = "PLAYER")]
    pub opponent: Option<String>,

    /// In games with dice, whether they are thrown, or entered by you
    #[arg(long, value_enum)]
    pub dice: Option<DiceChoice>,

    /// Seed of the dice; by default others in each game
    #[arg(long, value_name = "N")]
    pub dice_seed: Option<u64>,
}

/// Where dice come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DiceChoice {
    /// The program throws them
    Thrown,
    /// You type them, for both sides
    Entered,
}

impl BoardGameArguments {
    /// The first option that was given.
    pub fn given(&self) -> Option<&'static str> {
        [
            (self.variant.is_some(), "--variant"),
            (self.side.is_some(), "--as"),
            (self.position.is_some(), "--position"),
            (self.nodes.is_some(), "--nodes"),
            (self.opponent.is_some(), "--opponent"),
            (self.dice.is_some(), "--dice"),
            (self.dice_seed.is_some(), "--dice-seed"),
        ]
        .into_iter()
        .find_map(|(is_given, option)| is_given.then_some(option))
    }
}

/// Who a person plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Seat {
    /// The side that moves first
    First,
    /// The other side
    Second,
    /// White
    White,
    /// Black
    Black,
    /// Both sides
    Both,
}

impl Seat {
    /// Whether a side is the person's, where this one moves first.
    pub(super) fn has(self, side: Side, first: Side) -> bool {
        match self {
            Seat::First => side == first,
            Seat::Second => side != first,
            Seat::White => side == Side::First,
            Seat::Black => side == Side::Second,
            Seat::Both => true,
        }
    }
}
