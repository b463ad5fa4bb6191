//! A board game with dice, with the text that people and protocols write: what commands and matches that work with
//! any such game need to know of it.

use std::fmt::Debug;
use std::path::Path;

use anyhow::Result;
use rand::{Rng, RngExt};

use super::record::{Details, Heading};
use crate::search::game::Side;

/// Two dice, each from 1 to 6.
pub type Pair = [u8; 2];

/// Throws two dice.
pub fn thrown(random: &mut impl Rng) -> Pair {
    [random.random_range(1..=6), random.random_range(1..=6)]
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiceResult {
    /// The winner.
    pub winner: Side,
    /// What the win counts where points are played for.
    pub points: u8,
    /// The kind of win.
    pub by: &'static str,
}

/// A roll with the play of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rolled<P> {
    /// The dice.
    pub dice: Pair,
    /// The play.
    pub play: P,
}

/// A game as a record tells it, from a position `G` on.
#[derive(Clone, Debug)]
pub struct RecordedTurns<G, P> {
    /// The initial position.
    pub start: G,
    /// The turns played.
    pub turns: Vec<Rolled<P>>,
    /// Dice that are thrown and not played yet.
    pub dice: Option<Pair>,
}

/// A play with its expected result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedPlay<P> {
    /// The play.
    pub play: P,
    /// Expected points of the side that plays.
    pub equity: f64,
    /// Choices looked ahead.
    pub depth: u32,
}

/// A player of this program.
pub trait DicePlayer<G: DiceGame>: Send {
    /// Plays of the position's dice, the best first, each at least once; there is at least one.
    fn rated(&mut self, position: &G) -> Vec<RatedPlay<G::Play>>;

    /// What the player thinks of a position before the roll, for people.
    fn opinion(&self, position: &G) -> String;

    /// Begins the game of this number of a match.
    fn begin(&mut self, number: u64) {
        let _ = number;
    }
}

/// Leaves of a search by method and depth.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeRow {
    /// The algorithm.
    pub method: &'static str,
    /// Choices looked ahead.
    pub depth: u32,
    /// Expected result of the side to move.
    pub value: f64,
    /// The best play.
    pub best: String,
    /// Positions evaluated as leaves.
    pub leaves: u64,
    /// Positions evaluated for the order of plays.
    pub ordered: u64,
}

/// A position of a game with two dice.
pub trait DiceGame: Clone + Debug + PartialEq + Send + Sync + 'static {
    /// A play of a roll.
    type Play: Clone + Debug + PartialEq + Send + Sync;

    /// Name of the game on the command line.
    const NAME: &'static str;
    /// Names of the sides.
    const SIDES: [&'static str; 2];
    /// How names of game records end.
    const RECORDS: &'static str;
    /// Names of the players that [`DiceGame::player`] makes, the default first.
    const PLAYERS: &'static [&'static str];

    /// The player that people play against where nothing else is said.
    const OPPONENT: &'static str;

    /// The variant, for people.
    fn title(&self) -> String;

    /// The initial position, before the first roll. The error names the variants.
    fn initial(variant: Option<&str>) -> Result<Self>;

    /// The initial position of the variant that this position is of.
    fn start_of_variant(&self) -> Self;

    /// Reads a position in the game's notation.
    fn read(variant: Option<&str>, text: &str) -> Result<Self>;

    /// The position in the game's notation.
    fn text(&self) -> String;

    /// The board as text.
    fn diagram(&self) -> String;

    /// The side to roll or to play.
    fn to_move(&self) -> Side;

    /// The dice to be played, if they are rolled.
    fn dice(&self) -> Option<Pair>;

    /// The position with these dice to be played.
    fn rolled(&self, dice: Pair) -> Self;

    /// All legal plays of the dice, at least one.
    fn plays(&self) -> Vec<Self::Play>;

    /// Whether a play moves nothing, since nothing can be moved.
    fn is_pass(play: &Self::Play) -> bool;

    /// The position after a legal play.
    fn after(&self, play: &Self::Play) -> Self;

    /// A play in the game's notation.
    fn play_text(play: &Self::Play) -> String;

    /// Reads a legal play; the error names the rule that an illegal one breaks.
    fn read_play(&self, text: &str) -> Result<Self::Play>;

    /// The result if the game is over.
    fn result(&self) -> Option<DiceResult>;

    /// What a win of this kind counts where points are played for, a win by a fault 1; none where wins alone count.
    fn points_by(&self, by: &str) -> Option<u8>;

    /// A game record. `dice` are thrown and not played yet; `result` is there if the game is over.
    fn write_record(
        start: &Self,
        turns: &[Rolled<Self::Play>],
        dice: Option<Pair>,
        result: Option<DiceResult>,
        details: &Details,
    ) -> String;

    /// Reads a game record.
    fn read_record(text: &str) -> Result<RecordedTurns<Self, Self::Play>>;

    /// What else is in a game record that can be read; of its result who has won.
    fn read_heading(text: &str) -> Heading;

    /// The result that a game record gives.
    fn read_result(text: &str) -> Option<DiceResult>;

    /// Makes a player of this program from its description, a name and settings as in `net depth=2`; `read` reads
    /// files. None if the description does not begin with a player's name.
    fn player(text: &str, read: &ReadFile) -> Option<Result<Box<dyn DicePlayer<Self>>>>;

    /// Lines that make an engine, started by its command line, listen on a port of this machine. `options` are the
    /// user's.
    fn listen_lines(port: u16, options: &[(String, String)]) -> Result<Vec<String>>;

    /// The line that asks an engine for a play; the answer is [`DiceGame::read_play`]'s.
    fn engine_line(&self) -> String;

    /// Counts of sequences of rolls and plays of a length, for people.
    fn perft(&self, depth: u32) -> String;

    /// Compares algorithms for games with chance on a position with dice, to each depth up to this one.
    fn tree(&self, depth: u32, note: &mut dyn FnMut(TreeRow) -> Result<()>) -> Result<()>;

    /// Positions of fixed searches, a number that changes when rules, evaluation or search do; `note` gets each
    /// position with its part.
    fn bench(note: &mut dyn FnMut(&str, u64)) -> u64;
}

/// Reads a file that a user has named.
pub type ReadFile = dyn Fn(&Path) -> Result<Vec<u8>>;
