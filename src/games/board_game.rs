//! What the commands need of a board game besides its rules: text.

use std::fmt::Debug;

use anyhow::Result;

use super::network_inputs::NetworkInputs;
use super::record::{self, Details, Heading};
use super::weighted::Weighted;
use crate::minimax::engine::Task;
use crate::minimax::line::occurrences;
use crate::minimax::{Control, Engine, Limits, Position, StaticEval, Verdict};
use crate::search::game::Side;

/// The protocol that engines of a game speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Universal Chess Interface.
    Uci,
    /// Hub, version 2.
    Hub,
    /// The protocol of Piskvork and Gomocup.
    Piskvork,
}

/// A game that `keima perft`, `keima tree`, `keima play` and `keima bench` know by its name.
pub trait BoardGame: Position + Debug + PartialEq + 'static {
    /// Its evaluation; there may be several kinds.
    type Evaluation: Weighted<Self>;

    /// Name on the command line.
    const NAME: &'static str;
    /// Names of the players, of [`Side::First`] and [`Side::Second`].
    const SIDES: [&'static str; 2];

    /// How names of game records end.
    const RECORDS: &'static str;
    /// The protocol of its engines.
    const PROTOCOL: Protocol;

    /// How networks see it, the default first; none where they do not play it. They differ in planes and values
    /// alone.
    const NETWORK_INPUTS: &'static [NetworkInputs<Self>] = &[];

    /// The game with its variant, for people.
    fn title(&self) -> String;

    /// The initial position of a variant of the game, by default its best known one. The error names
    /// the variants.
    fn initial(variant: Option<&str>) -> Result<Self>;

    /// The initial position of the variant that this position is of.
    fn start_of_variant(&self) -> Self;

    /// The evaluation of this name, or the one that is used by default, with built-in weights. The error
    /// names those that there are.
    fn evaluation(name: Option<&str>) -> Result<Self::Evaluation>;

    /// Reads a position of a variant, by default the best known one, in the game's notation.
    fn read(variant: Option<&str>, text: &str) -> Result<Self> {
        Self::initial(variant)?.another(text)
    }

    /// Reads a position of the same variant.
    fn another(&self, text: &str) -> Result<Self>;

    /// The position in the game's notation.
    fn text(&self) -> String;

    /// Computes what searches of its variant would compute at the first need, so that none does while a clock runs.
    fn prepare(&self) {}

    /// Whether neither side has anything to gain at once, so that an evaluation without search means something. Weights
    /// are fitted to such positions.
    fn is_quiet(&self) -> bool {
        self.is_settled()
    }

    /// The board as text, with this side at the bottom where the game has sides.
    fn diagram(&self, below: Side) -> String;

    /// Who is to move, for people.
    fn turn(&self) -> String {
        format!("{} to move", Self::SIDES[self.to_move() as usize])
    }

    /// The squares as a picture shows them, rows from the top: whether each is dark, and the character of its
    /// piece, a blank for none.
    fn squares(&self) -> Vec<Vec<(bool, char)>>;

    /// A legal move in the game's notation.
    fn move_text(&self, mv: Self::Move) -> String;

    /// Reads a legal move; the error names the rule that an illegal one breaks.
    fn read_move(&self, text: &str) -> Result<Self::Move>;

    /// A game record in the format of files with this extension, where a game has several. `result` is the point of
    /// the first side, of one, if the game is over.
    fn write_record(
        extension: &str,
        start: &Self,
        moves: &[Self::Move],
        result: Option<f64>,
        details: &Details,
    ) -> String;

    /// Reads a game record: the initial position and the moves. Where it does not name a variant, it is of the best
    /// known one.
    fn read_record(text: &str) -> Result<(Self, Vec<Self::Move>)> {
        Self::initial(None)?.another_record(text)
    }

    /// Reads a game record; where it does not name a variant, it is of the same as this position.
    fn another_record(&self, text: &str) -> Result<(Self, Vec<Self::Move>)>;

    /// What else is in a game record that can be read; where it does not name a variant, as of this position's.
    fn read_heading(&self, text: &str) -> Heading {
        record::heading(text)
    }

    /// The records in the text of a file.
    fn records(text: &str) -> Vec<&str> {
        record::games(text)
    }

    /// The rule by which a finished game has ended.
    fn reason(&self, verdict: Verdict, is_stuck: bool) -> &'static str;

    /// What an engine is told before a game from this position: options and their values.
    fn engine_options(&self) -> Vec<(&'static str, String)>;

    /// The position as the protocol writes it.
    fn engine_position(&self) -> String;

    /// A legal move as the protocol writes it; `start` is where the game began.
    fn engine_move(&self, start: &Self, mv: Self::Move) -> String;

    /// Reads a legal move of an engine; the error names the rule that an illegal one breaks.
    fn read_engine_move(&self, start: &Self, text: &str) -> Result<Self::Move>;

    /// Nodes of fixed searches, a number that changes when rules, evaluation or search do; `note`
    /// gets each position with its part.
    fn bench(note: &mut dyn FnMut(&str, u64)) -> u64;
}

/// The result of a game and the rule that ended it, if it is over; `history` has the keys of the positions
/// before this one.
pub fn outcome<G: BoardGame>(position: &G, history: &[u64]) -> Option<(Verdict, &'static str)> {
    let is_stuck = !position.has_moves();
    match position.verdict(is_stuck) {
        Some(verdict) => Some((verdict, position.reason(verdict, is_stuck))),
        None => (occurrences(history, position.key()) >= 3)
            .then_some((Verdict::Drawn, "third repetition")),
    }
}

/// Each move of a line with the position in which it is played.
pub fn replayed<G: BoardGame>(start: &G, moves: &[G::Move]) -> impl Iterator<Item = (G, G::Move)> {
    let mut position = start.clone();
    moves.iter().map(move |&mv| {
        let before = position.clone();
        position.play(mv);
        (before, mv)
    })
}

/// The moves of a line in the game's notation, separated by blanks.
pub fn line_text<G: BoardGame>(start: &G, moves: &[G::Move]) -> String {
    let text = |(position, mv): (G, G::Move)| position.move_text(mv);
    let words: Vec<String> = replayed(start, moves).map(text).collect();
    words.join(" ")
}

/// Nodes of searches of named positions to a fixed depth with one thread: the same on all machines. `note` gets
/// each position with its part.
pub fn signature<P: Position, E: StaticEval<P>>(
    depth: u32,
    evaluation: impl Fn() -> E,
    positions: impl IntoIterator<Item = (String, P)>,
    mut note: impl FnMut(&str, u64),
) -> u64 {
    let limits = Limits {
        depth: Some(depth),
        ..Limits::default()
    };
    let mut total = 0;
    for (name, position) in positions {
        let mut engine = Engine::new(evaluation(), 4);
        let found = engine.search(Task::new(&position), &limits, &Control::new(false), |_| ());
        note(&name, found.nodes);
        total += found.nodes;
    }
    total
}
