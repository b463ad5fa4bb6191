//! Options of matches at games other than Go.

use anyhow::{Result, ensure};
use clap::value_parser;

use crate::arena::board::{Adjudication, DrawRule, ResignRule};
use crate::cmd::completed;

/// Plies of openings that are drawn, where nothing else is said.
const PLIES: usize = 8;

/// Options of games other than Go.
#[derive(Clone, Debug, clap::Args)]
pub struct BoardMatchArguments {
    /// Game: go, chess, draughts, gomoku or backgammon [default: go]
    #[arg(long, value_name = "GAME", value_parser = completed::game(), hide_possible_values = true, help_heading = "Games other than Go")]
    pub game: Option<String>,

    /// Variant of the game, such as russian draughts or renju-15; at backgammon points, which are reported, while
    /// score and tests count wins
    #[arg(long, value_name = "NAME", value_parser = completed::variant(), hide_possible_values = true, help_heading = "Games other than Go")]
    pub variant: Option<String>,

    /// Nodes per move
    #[arg(long, value_name = "N", value_parser = value_parser!(u64).range(1..), help_heading = "Games other than Go")]
    pub nodes: Option<u64>,

    /// Plies per move
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=200), help_heading = "Games other than Go")]
    pub depth: Option<u32>,

    /// Option of the first engine, if it is another program; may be given several times
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Games other than Go")]
    pub first_option: Vec<String>,

    /// Option of the second engine
    #[arg(long, value_name = "NAME=VALUE", help_heading = "Games other than Go")]
    pub second_option: Vec<String>,

    /// Moves of an opening: without --openings so many random ones [default: 8], otherwise the first ones of
    /// each record
    #[arg(long, value_name = "N", help_heading = "Games other than Go")]
    pub plies: Option<usize>,

    /// Seed of random openings, of --shuffle and of dice [default: 1]
    #[arg(long, value_name = "N", help_heading = "Games other than Go")]
    pub seed: Option<u64>,

    /// Use the openings of the file in random order
    #[arg(long, requires = "openings", help_heading = "Games other than Go")]
    pub shuffle: bool,

    /// End games as won when both engines have seen this lead for so many moves, as in 4,800 (hundredths of
    /// a pawn or man)
    #[arg(long, value_name = "MOVES,SCORE", help_heading = "Games other than Go")]
    pub resign: Option<String>,

    /// End games as drawn when, from a move on, neither engine has seen a larger lead for so many moves, as
    /// in 40,8,10
    #[arg(
        long,
        value_name = "FROM,MOVES,SCORE",
        help_heading = "Games other than Go"
    )]
    pub draw: Option<String>,
}

impl BoardMatchArguments {
    /// The first option that was given, the game aside.
    pub fn given(&self) -> Option<&'static str> {
        [
            (self.variant.is_some(), "--variant"),
            (self.nodes.is_some(), "--nodes"),
            (self.depth.is_some(), "--depth"),
            (!self.first_option.is_empty(), "--first-option"),
            (!self.second_option.is_empty(), "--second-option"),
            (self.plies.is_some(), "--plies"),
            (self.seed.is_some(), "--seed"),
            (self.shuffle, "--shuffle"),
            (self.resign.is_some(), "--resign"),
            (self.draw.is_some(), "--draw"),
        ]
        .into_iter()
        .find_map(|(is_given, option)| is_given.then_some(option))
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Moves of openings that are drawn.
    pub fn drawn_plies(&self) -> usize {
        self.plies.unwrap_or(PLIES)
    }

    /// When games are ended early.
    pub fn adjudication(&self) -> Result<Adjudication> {
        let resign = self.resign.as_deref().map(|text| {
            let [moves, score] = numbers(text, "--resign is MOVES,SCORE as in 4,800")?;
            anyhow::Ok(ResignRule {
                moves: moves as usize,
                score: score as i32,
            })
        });
        let draw = self.draw.as_deref().map(|text| {
            let usage = "--draw is FROM,MOVES,SCORE as in 40,8,10";
            let [from, moves, score] = numbers(text, usage)?;
            anyhow::Ok(DrawRule {
                from: from as usize,
                moves: moves as usize,
                score: score as i32,
            })
        });
        Ok(Adjudication {
            resign: resign.transpose()?,
            draw: draw.transpose()?,
        })
    }
}

/// Whole numbers between commas, from 1 to 30000.
fn numbers<const N: usize>(text: &str, usage: &'static str) -> Result<[u16; N]> {
    let numbers = text.split(',').map(|word| word.trim().parse::<u16>().ok());
    let numbers: Vec<u16> = numbers.map(|number| number.unwrap_or(0)).collect();
    let is_sensible = numbers.iter().all(|number| (1..=30_000).contains(number));
    ensure!(numbers.len() == N && is_sensible, usage);
    let mut found = [0; N];
    found.copy_from_slice(&numbers);
    Ok(found)
}
