//! What the commands need of a board game besides its rules: text.

use anyhow::Result;

use crate::minimax::{Position, StaticEval};

/// A game that `keima perft`, `keima tree`, `keima play` and `keima bench` know by its name.
pub trait BoardGame: Position {
    /// Its evaluation with built-in weights.
    type Evaluation: StaticEval<Self> + Default;

    /// Name on the command line.
    const NAME: &'static str;
    /// Names of the players, the first to move first.
    const SIDES: [&'static str; 2];

    /// The initial position of a variant of the game, by default its best known one. The error names
    /// the variants.
    fn initial(variant: Option<&str>) -> Result<Self>;

    /// Reads a position in the game's notation.
    fn read(variant: Option<&str>, text: &str) -> Result<Self>;

    /// The position in the game's notation.
    fn text(&self) -> String;

    /// The board as text.
    fn diagram(&self) -> String;

    /// A legal move in the game's notation.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Reads a legal move; the error names the rule that an illegal one breaks.
    fn read_move(&self, text: &str) -> Result<Self::Move>;

    /// A game record. `result` is the point of the first side, of one, if the game is over.
    fn write_record(start: &Self, moves: &[Self::Move], result: Option<f64>) -> String;

    /// Reads a game record: the initial position and the moves.
    fn read_record(text: &str) -> Result<(Self, Vec<Self::Move>)>;

    /// Nodes of fixed searches, a number that changes when rules, evaluation or search do; `note`
    /// gets each position with its part.
    fn bench(note: &mut dyn FnMut(&str, u64)) -> u64;
}
